"""Credentials with which instances reach the bucket of their account: each its own, below the prefix of its service."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Final

import structlog

from mlpcore.features.buckets.credentials import Signer
from mlpcore.features.buckets.instance_repository import InstanceCredentialRepository
from mlpcore.features.buckets.objects import REGION, StorageAccess, StorageUser
from mlpcore.features.buckets.service import BucketService
from mlpcore.features.buckets.tables import InstanceCredential
from mlplace_kit.clock import Clock
from mlplace_kit.errors import Unavailable
from mlplace_runtime.db.sealed import SealedColumn
from mlplace_runtime.secrets import UnreadableSecretError, Vault

_BEGINNING: Final = "s3-instance-"
_SECRET_BYTES: Final = 30
_RANDOM_BYTES: Final = 8

log = structlog.get_logger(__name__)


def is_of_instance(access_key: str) -> bool:
    return access_key.startswith(_BEGINNING)


class InstanceCredentials:
    """Implements StartStorage. `url`: the address of the S3 interface."""

    def __init__(
        self,
        *,
        repository: InstanceCredentialRepository,
        service: BucketService,
        vault: Vault,
        clock: Clock,
        url: str,
    ) -> None:
        self._repository = repository
        self._service = service
        self._vault = vault
        self._clock = clock
        self._url = url

    async def given(self, users: Sequence[StorageUser]) -> Mapping[int, StorageAccess]:
        """Makes a credential for each user that has none, and ends those of its earlier generations.

        The caller has locked the instances. The account's bucket is made for its first instance. Takes three
        statements, however many users there are, and one if all have theirs. Raises Unavailable.
        """
        if not users:
            return {}
        generations = {user.instance_id: user.generation for user in users}
        found = await self._repository.of_instances(list(generations))
        present = [(each, name) for each, name in found if each.generation == generations[each.instance_id]]
        earlier = [each.credential_id for each, _ in found if each.generation != generations[each.instance_id]]
        if earlier:  # a process of the previous release let the instance start anew
            await self._repository.end_these(earlier, at=self._clock.now())
        having = {each.instance_id for each, _ in present}
        made = await self._make([user for user in users if user.instance_id not in having])
        return {**self._accesses(present), **made}

    async def known(self, users: Sequence[StorageUser]) -> Mapping[int, StorageAccess]:
        """Returns what the users have got, in one statement."""
        if not users:
            return {}
        generations = {user.instance_id: user.generation for user in users}
        found = await self._repository.of_instances(list(generations))
        return self._accesses([pair for pair in found if pair[0].generation == generations[pair[0].instance_id]])

    async def signer(self, access_key: str) -> Signer | None:
        found = await self._repository.signing(access_key)
        if found is None:
            return None
        credential, bucket = found
        secret = self._read(credential)
        if secret is None:
            return None
        return Signer(
            bucket.account_id, bucket.name, bucket.created_at, secret, credential.prefix, credential.instance_id
        )

    async def _make(self, users: Sequence[StorageUser]) -> Mapping[int, StorageAccess]:
        if not users:
            return {}
        buckets = await self._buckets({user.account_id for user in users})
        rows, made = list[InstanceCredential](), dict[int, StorageAccess]()
        for user in users:
            secret = secrets.token_urlsafe(_SECRET_BYTES)
            row = InstanceCredential(
                access_key=f"{_BEGINNING}{user.instance_id}-{secrets.token_hex(_RANDOM_BYTES)}",
                account_id=user.account_id, instance_id=user.instance_id, generation=user.generation,
                prefix=user.prefix, created_at=self._clock.now(),
            )  # fmt: skip
            INSTANCE_KEYS.write(row, secret, self._vault)
            rows.append(row)
            made[user.instance_id] = self._access(row, buckets[user.account_id], secret)
        await self._repository.add(rows)
        return made

    async def _buckets(self, account_ids: set[int]) -> Mapping[int, str]:
        """Returns the names of the accounts' buckets, which nobody deletes before the credentials are there."""
        found = await self._repository.keep_buckets(sorted(account_ids))
        missing = sorted(account_ids - found.keys())
        if not missing:
            return found
        for account_id in missing:
            await self._service.ensure(account_id)
        made = await self._repository.keep_buckets(missing)
        if len(made) < len(missing):  # somebody deleted one at once; the next turn tries it again
            raise Unavailable
        return {**found, **made}

    def _accesses(self, found: Sequence[tuple[InstanceCredential, str | None]]) -> Mapping[int, StorageAccess]:
        """Leaves out those that cannot be read: one account's must not stop starts of others on the server."""
        opened = [(each, name, self._read(each)) for each, name in found]
        return {
            each.instance_id: self._access(each, name, secret)
            for each, name, secret in opened
            if name is not None and secret is not None
        }

    def _access(self, row: InstanceCredential, bucket: str, secret: str) -> StorageAccess:
        return StorageAccess(self._url, REGION, bucket, row.access_key, secret)

    def _read(self, credential: InstanceCredential) -> str | None:
        try:
            return INSTANCE_KEYS.read(credential, self._vault)
        except UnreadableSecretError:
            log.error(  # noqa: TRY400  nothing more to tell
                "instance_secret_unreadable", account_id=credential.account_id, instance_id=credential.instance_id
            )
            return None


INSTANCE_KEYS = SealedColumn(
    "keys of instances",
    InstanceCredential,
    key=InstanceCredential.credential_id,
    sealed=InstanceCredential.secret_sealed,
    purpose="instance-bucket:{access_key}",
)
