"""Answers for callers that repeat a call."""

import uuid
from datetime import datetime

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from mlpgateway.tables import Base


class IdempotentCall(Base):
    """`scope` is the keyed hash of the caller's credential and the idempotency key, `fingerprint` that of the request.

    Until it is answered, the call belongs to the process that knows `token`, up to `leased_until`. `stored_bytes` is
    the size with which the answer is counted.
    """

    __tablename__ = "idempotent_call"

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    scope: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[str]
    token: Mapped[uuid.UUID]
    leased_until: Mapped[datetime]
    answered_at: Mapped[datetime | None]
    is_json: Mapped[bool | None]
    data_type: Mapped[str | None]
    body: Mapped[bytes | None]
    headers: Mapped[dict[str, str] | None] = mapped_column(JSONB)
    stored_bytes: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)
