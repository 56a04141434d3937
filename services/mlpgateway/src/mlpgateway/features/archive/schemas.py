import uuid
from datetime import datetime

from mlpgateway.features.archive.tables import ArchivedRequest
from mlplace_kit.pagination import Pagination
from mlplace_kit.wire import Output


class ArchivedRequestData(Output):
    """An archived request without its contents.

    `keyId` names the RSA key that decrypts them: the SHA-256 of the public key in DER, as base64url. It is null when
    they are not encrypted.
    """

    id: uuid.UUID
    at: datetime
    request_id: str
    caller_account_id: int
    operation: str
    status: int
    error_code: str | None
    request_bytes: int
    answer_bytes: int
    stored_bytes: int
    duration_ms: int
    instance_id: int | None
    cached: bool
    key_id: str | None

    @classmethod
    def of(cls, row: ArchivedRequest) -> "ArchivedRequestData":
        return cls.model_validate(row)


class ArchivedRequestList(Output):
    records: list[ArchivedRequestData]
    paging: Pagination
