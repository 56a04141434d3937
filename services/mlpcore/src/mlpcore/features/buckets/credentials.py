"""Keys with which programs sign requests to an account's bucket."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import structlog

from mlpcore.features.buckets.repository import BucketRepository
from mlpcore.features.buckets.schemas import S3CredentialsData
from mlpcore.features.buckets.service import BucketService
from mlpcore.features.buckets.tables import BucketCredential
from mlplace_kit.clock import Clock
from mlplace_kit.errors import Unavailable
from mlplace_runtime.db.sealed import SealedColumn
from mlplace_runtime.secrets import UnreadableSecretError, Vault

_SECRET_BYTES: Final = 30
_RANDOM_BYTES: Final = 4

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Signer:
    """Who may sign requests: the bucket's account, or one of its instances, with this secret key.

    `created`: when the bucket was made. `prefix`: what all keys begin with that the signer may use; empty: any key.
    """

    account_id: int
    bucket: str
    created: datetime
    secret: str = field(repr=False)
    prefix: str = ""
    instance_id: int | None = None


class BucketCredentials:
    """`url`: the address of the S3 interface."""

    def __init__(
        self, *, repository: BucketRepository, service: BucketService, vault: Vault, clock: Clock, url: str
    ) -> None:
        self._repository = repository
        self._service = service
        self._vault = vault
        self._clock = clock
        self._url = url

    async def shown(self, account_id: int, *, author: str) -> S3CredentialsData:
        """Returns the account's keys; makes bucket and keys at their first use. Raises Unavailable."""
        bucket = await self._service.ensure(account_id)
        found = await self._repository.credential_of(account_id)
        if found is None:
            await self._service.hold(account_id)  # two first requests make one secret key
            found = await self._repository.credential_of(account_id)
        if found is None:
            return await self._written(account_id, bucket.name, author)
        secret = self._read(found)
        if secret is None:
            raise Unavailable  # only `rotate` replaces it: the key that encrypts it may be wrong for a while
        return self._data(found.access_key, secret, bucket.name)

    async def rotate(self, account_id: int, *, author: str) -> S3CredentialsData:
        """Replaces the secret key. Signatures with the old one are refused at once."""
        bucket = await self._service.ensure(account_id)
        return await self._written(account_id, bucket.name, author)

    async def signer(self, access_key: str) -> Signer | None:
        found = await self._repository.credential(access_key)
        if found is None:
            return None
        credential, bucket = found
        secret = self._read(credential)
        return None if secret is None else Signer(bucket.account_id, bucket.name, bucket.created_at, secret)

    def _read(self, credential: BucketCredential) -> str | None:
        try:
            return SECRET_KEYS.read(credential, self._vault)
        except UnreadableSecretError:
            log.error("bucket_secret_unreadable", account_id=credential.account_id)  # noqa: TRY400  nothing more to tell
            return None

    async def _written(self, account_id: int, bucket: str, author: str) -> S3CredentialsData:
        await self._service.hold(account_id)
        found = await self._repository.credential_of(account_id)
        secret, now = secrets.token_urlsafe(_SECRET_BYTES), self._clock.now()
        # Not to be guessed: an unknown access key is refused with another code than a wrong signature.
        access_key = found.access_key if found else f"s3-user-{account_id}-{secrets.token_hex(_RANDOM_BYTES)}"
        credential = found or BucketCredential(access_key=access_key, account_id=account_id)
        credential.created_at, credential.created_by = now, author
        SECRET_KEYS.write(credential, secret, self._vault)
        if found is None:
            await self._repository.add_credential(credential)
        log.info("bucket_secret_written", account_id=account_id, author=author)
        return self._data(access_key, secret, bucket)

    def _data(self, access_key: str, secret: str, bucket: str) -> S3CredentialsData:
        return S3CredentialsData(s3_url=self._url, access_key=access_key, secret_key=secret, bucket_name=bucket)


# By account, of which each has one: access keys are not to be guessed, and so not to be told either.
SECRET_KEYS = SealedColumn(
    "keys of buckets",
    BucketCredential,
    key=BucketCredential.account_id,
    sealed=BucketCredential.secret_sealed,
    purpose="bucket:{access_key}",
)
