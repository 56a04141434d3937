"""The rows of a bucket: its keys, its objects, its unfinished uploads and what they take of the account's storage."""

import hashlib
import secrets
import string
import uuid
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Final

from mlpcore.features.buckets.errors import (
    ObjectConditionFailed,
    ObjectNotFound,
    TooManyObjects,
    TooManyUploads,
    UploadNotFound,
    UploadPartInvalid,
    UploadPartsUnordered,
    UploadPartTooSmall,
)
from mlpcore.features.buckets.keys import checked_key
from mlpcore.features.buckets.listing_repository import ListingRepository, info_of
from mlpcore.features.buckets.objects import (
    ALWAYS,
    UNUSED,
    Attributes,
    FoundObject,
    Listed,
    ObjectInfo,
    Part,
    PartPlace,
    StoredBlob,
    Upload,
    WriteCondition,
)
from mlpcore.features.buckets.repository import BucketRepository
from mlpcore.features.buckets.schemas import S3StorageData
from mlpcore.features.buckets.tables import Bucket, BucketBlob, BucketObject, BucketUpload
from mlpcore.features.datasets.service import over_limit
from mlpcore.features.datasets.storage import DatasetStorage
from mlplace_kit.clock import Clock
from mlplace_kit.errors import Unavailable

LEAST_PART: Final = 5 * 1024 * 1024
_MOST_UNUSED: Final = 10_000
_MOST_UPLOADS: Final = 200
_RANDOM: Final = string.ascii_lowercase + string.digits
_RANDOM_LENGTH: Final = 10


class BucketService:
    """`now` returns the time that all processes share. `most`: objects that an account may have.

    `named`: the bucket that a request names; None: whichever the account has.
    """

    def __init__(
        self,
        *,
        repository: BucketRepository,
        listing: ListingRepository,
        datasets: DatasetStorage,
        clock: Clock,
        now: Callable[[], Awaitable[datetime]],
        most: int,
        most_bytes: int,
        named: str | None = None,
    ) -> None:
        self._repository = repository
        self._listing = listing
        self._datasets = datasets
        self._clock = clock
        self._now = now
        self._most = most
        self._most_bytes = most_bytes
        self._named = named

    # ---- The bucket

    async def ensure(self, account_id: int) -> Bucket:
        """Returns the account's bucket; makes it at its first use. Raises Unavailable if it is deleted meanwhile.

        Waits for no lock of the account's storage: a turn of a server makes buckets, too, and holds its instances.
        """
        found = await self._repository.of_account(account_id)
        if found is not None:
            return found
        suffix = "".join(secrets.choice(_RANDOM) for _ in range(_RANDOM_LENGTH))
        await self._repository.add_bucket(account_id, f"s3-bucket-{account_id}-{suffix}", at=self._clock.now())
        found = await self._repository.of_account(account_id)
        if found is None:
            raise Unavailable
        return found

    async def name(self, account_id: int) -> str | None:
        """Returns the name of the account's bucket. None: it has none yet."""
        bucket = await self._repository.of_account(account_id)
        return bucket.name if bucket else None

    async def empty_buckets(self, most: int) -> Sequence[tuple[int, str]]:
        """Returns accounts and names of buckets without content."""
        return await self._repository.empty_buckets(most, now=await self._now())

    async def used_buckets(self, most: int) -> Sequence[str]:
        """Returns names of buckets with content."""
        return await self._repository.used_buckets(most, now=await self._now())

    async def delete_empty(self, account_id: int) -> bool:
        """Deletes the account's bucket and its keys. False: something has been stored, or is being sent, meanwhile."""
        await self.hold(account_id)
        await self._repository.of_account(account_id, lock=True)  # an instance that gets it now is seen below
        if await self._repository.is_used(account_id, now=await self._now()):
            return False
        await self._repository.delete_bucket(account_id)
        return True

    async def hold(self, account_id: int) -> None:
        """Lets one transaction at a time change what the account stores, and its keys."""
        await self._datasets.hold(account_id)

    async def storage(self, account_id: int) -> S3StorageData:
        """Raises AccountNotFound."""
        limit = await self._datasets.limit_bytes(account_id)
        bucket = await self._repository.of_account(account_id)
        of_bucket, objects = (bucket.used_bytes, bucket.objects) if bucket else (0, 0)
        of_datasets = await self._datasets.used_bytes(account_id)
        return S3StorageData(
            limit_bytes=limit, used_bytes=of_bucket + of_datasets, bucket_bytes=of_bucket,
            dataset_bytes=of_datasets, objects=objects, object_limit_bytes=self._most_bytes,
        )  # fmt: skip

    async def admit(self, account_id: int, *, place: str | PartPlace, size: int) -> bool:
        """Returns whether the bytes may be sent now. Raises StorageLimitExceeded before they are received in vain.

        `place`: the key, or the part, whose bytes they replace. The caller announces the bytes in the same transaction.
        Bytes that are being received and bytes that wait to be deleted may take as much as the limit once more: a
        caller who sends and replaces without end does not fill the store.
        """
        await self._locked(account_id)
        limit = await self._datasets.limit_bytes(account_id)
        room = await self._repository.room(account_id, place)
        used = room.used_bytes + await self._datasets.used_bytes(account_id)
        if size > room.replaced_bytes and used - room.replaced_bytes + size > limit:
            raise over_limit(limit=limit, used=used, size=size)
        most = max(used, limit) + max(limit, room.replaced_bytes)  # also below a limit that was lowered
        return used + room.unused_bytes + size <= most and room.unused < _MOST_UNUSED

    async def expire_unused(self, account_id: int) -> None:
        """Lets the next sweep delete what waits for it."""
        await self._repository.expire_unused(account_id, at=await self._now())

    # ---- Objects

    async def listed(self, account_id: int, *, prefix: str, after: str, most: int, folders: bool) -> Listed:
        return await self._listing.page(account_id, prefix=prefix, after=after, most=most, folders=folders)

    async def find(self, account_id: int, key: str) -> FoundObject:
        """Raises ObjectNotFound."""
        row = await self._repository.object(account_id=account_id, key=key)
        if row is None:
            raise ObjectNotFound
        return FoundObject(info_of(row), await self._repository.blobs_of(row.object_id))

    async def put(
        self,
        account_id: int,
        *,
        key: str,
        stored: StoredBlob,
        attributes: Attributes,
        condition: WriteCondition = ALWAYS,
    ) -> ObjectInfo:
        """Raises StorageLimitExceeded, TooManyObjects, ObjectConditionFailed."""
        bucket = await self._locked(account_id)
        await self._replace(bucket, key, stored.size, condition)
        row = await self._add(account_id, key, stored.size, stored.md5, attributes)
        await self._attach(stored, number=1, object_id=row.object_id, upload_id=None)
        return info_of(row)

    async def describe(self, account_id: int, *, key: str, attributes: Attributes) -> ObjectInfo:
        """Replaces what is said about an object; its bytes stay. Raises ObjectNotFound."""
        await self._locked(account_id)
        row = await self._repository.object(account_id=account_id, key=key, lock=True)
        if row is None:
            raise ObjectNotFound
        row.content_type = attributes.content_type
        row.headers, row.user_metadata = dict(attributes.headers), dict(attributes.user_metadata)
        row.modified_at = self._clock.now()
        return info_of(row)

    async def delete(self, account_id: int, keys: Sequence[str]) -> int:
        """Deletes objects; missing ones are no error. Returns how many there were."""
        if await self._repository.of_account(account_id) is None:
            return 0
        bucket = await self._locked(account_id)
        return await self._delete(bucket, keys)

    # ---- Uploads in parts

    async def begin_upload(self, account_id: int, *, key: str, attributes: Attributes) -> Upload:
        """Raises ObjectKeyInvalid, TooManyUploads."""
        checked_key(key)
        await self._locked(account_id)
        if await self._repository.count_uploads(account_id) >= _MOST_UPLOADS:
            raise TooManyUploads(limit=str(_MOST_UPLOADS))
        row = BucketUpload(
            upload_id=uuid.uuid4().hex, account_id=account_id, key=key, content_type=attributes.content_type,
            headers=dict(attributes.headers), user_metadata=dict(attributes.user_metadata),
            created_at=self._clock.now(),
        )  # fmt: skip
        await self._repository.add_upload(row)
        return Upload(row.upload_id, row.key, row.created_at)

    async def expect_upload(self, account_id: int, *, key: str, upload_id: str) -> None:
        """Raises UploadNotFound."""
        if await self._repository.upload(account_id=account_id, key=key, upload_id=upload_id) is None:
            raise UploadNotFound

    async def put_part(self, account_id: int, *, key: str, upload_id: str, number: int, stored: StoredBlob) -> None:
        """Replaces an earlier part of this number. Raises UploadNotFound, StorageLimitExceeded."""
        bucket = await self._locked(account_id)
        await self._upload(account_id, key, upload_id)
        freed = await self._repository.release_parts(upload_id, delete_after=await self._unused(), number=number)
        bucket.used_bytes -= freed
        await self._grow(bucket, stored.size, replaced=freed)
        if stored.blob_id is None:
            await self._repository.add_blob(_empty_part(account_id, upload_id, number, stored.md5, self._clock.now()))
        await self._attach(stored, number=number, object_id=None, upload_id=upload_id)

    async def parts(
        self, account_id: int, *, key: str, upload_id: str, after: int = 0, most: int | None = None
    ) -> Sequence[Part]:
        """Raises UploadNotFound."""
        await self.expect_upload(account_id, key=key, upload_id=upload_id)
        rows = await self._repository.parts(upload_id, after=after, most=most)
        return [Part(row.number, row.size, row.md5, row.stored_at) for row in rows]

    async def uploads(self, account_id: int, *, prefix: str, most: int) -> Sequence[Upload]:
        rows = await self._repository.uploads_of(account_id, prefix=prefix, most=most)
        return [Upload(row.upload_id, row.key, row.created_at) for row in rows]

    async def complete(
        self,
        account_id: int,
        *,
        key: str,
        upload_id: str,
        listed: Sequence[tuple[int, str]],
        condition: WriteCondition = ALWAYS,
    ) -> ObjectInfo:
        """Makes an object of the listed parts (number, ETag) and forgets the others.

        A repetition, after an answer that the caller did not get, returns the same object.
        Raises UploadNotFound, UploadPartInvalid, UploadPartsUnordered, UploadPartTooSmall, TooManyObjects,
        ObjectConditionFailed.
        """
        bucket = await self._locked(account_id)
        made = await self._repository.completed(account_id=account_id, key=key, upload_id=upload_id)
        if made is not None:
            if made.etag != _etag(_chosen(await self._known_parts(upload_id), listed)):
                raise UploadNotFound
            return info_of(made)
        upload = await self._upload(account_id, key, upload_id)
        known = await self._known_parts(upload_id)
        parts = _chosen(known, listed)
        size, taken = sum(part.size for part in parts), sum(part.size for part in known.values())
        bucket.used_bytes -= taken
        await self._replace(bucket, key, size, condition, freed=taken)
        attributes = Attributes(upload.content_type, upload.headers, upload.user_metadata)
        row = await self._add(account_id, key, size, _etag(parts), attributes)
        numbers = [part.number for part in parts]
        await self._repository.move_parts(upload_id=upload_id, numbers=numbers, object_id=row.object_id)
        await self._repository.release_parts(upload_id, delete_after=await self._unused())
        await self._repository.delete_upload(upload)
        return info_of(row)

    async def abort(self, account_id: int, *, key: str, upload_id: str) -> None:
        """Raises UploadNotFound."""
        bucket = await self._locked(account_id)
        upload = await self._upload(account_id, key, upload_id)
        bucket.used_bytes -= await self._repository.release_parts(upload_id, delete_after=await self._unused())
        await self._repository.delete_upload(upload)

    # ---- Within a transaction that has the account's lock

    async def _locked(self, account_id: int) -> Bucket:
        if self._named is None:
            await self.ensure(account_id)
        await self.hold(account_id)
        bucket = await self._repository.of_account(account_id, lock=True)
        if bucket is None or self._named not in {None, bucket.name}:  # deleted since
            raise Unavailable
        return bucket

    async def _upload(self, account_id: int, key: str, upload_id: str) -> BucketUpload:
        found = await self._repository.upload(account_id=account_id, key=key, upload_id=upload_id, lock=True)
        if found is None:
            raise UploadNotFound
        return found

    async def _known_parts(self, upload_id: str) -> dict[int, Part]:
        rows = await self._repository.parts(upload_id)
        return {row.number: Part(row.number, row.size, row.md5, row.stored_at) for row in rows}

    async def _replace(self, bucket: Bucket, key: str, size: int, condition: WriteCondition, *, freed: int = 0) -> None:
        """Deletes the object that has the key, and counts the bytes of the new one. `freed`: as in `_grow`."""
        old = await self._repository.object(account_id=bucket.account_id, key=key, lock=True)
        if condition.etag is not None and old is None:
            raise ObjectNotFound
        if old is not None and (condition.only_new or condition.etag not in {None, old.etag}):
            raise ObjectConditionFailed
        if old is None and bucket.objects >= self._most:
            raise TooManyObjects(limit=str(self._most))
        if old is not None:
            await self._delete(bucket, [key])
        await self._grow(bucket, size, replaced=freed + (old.size if old else 0))
        bucket.objects += 1

    async def _grow(self, bucket: Bucket, by: int, *, replaced: int = 0) -> None:
        """Counts new bytes. `replaced`: bytes that the same change frees. Raises StorageLimitExceeded."""
        if by > replaced:
            limit = await self._datasets.limit_bytes(bucket.account_id)
            used = bucket.used_bytes + await self._datasets.used_bytes(bucket.account_id)
            if used + by > limit:
                raise over_limit(limit=limit, used=used + replaced, size=by)
        bucket.used_bytes += by

    async def _add(self, account_id: int, key: str, size: int, etag: str, attributes: Attributes) -> BucketObject:
        row = BucketObject(
            account_id=account_id, key=checked_key(key), size=size, etag=etag, content_type=attributes.content_type,
            headers=dict(attributes.headers), user_metadata=dict(attributes.user_metadata),
            modified_at=self._clock.now(),
        )  # fmt: skip
        await self._repository.add_object(row)
        return row

    async def _attach(self, stored: StoredBlob, *, number: int, object_id: int | None, upload_id: str | None) -> None:
        if stored.blob_id is None:
            return
        attached = await self._repository.attach(
            stored, number=number, object_id=object_id, upload_id=upload_id, at=await self._now()
        )
        if not attached:
            raise Unavailable

    async def _delete(self, bucket: Bucket, keys: Sequence[str]) -> int:
        count, freed = await self._repository.delete_objects(bucket.account_id, keys, delete_after=await self._unused())
        bucket.objects -= count
        bucket.used_bytes -= freed
        return count

    async def _unused(self) -> datetime:
        return await self._now() + UNUSED


def _empty_part(account_id: int, upload_id: str, number: int, md5: str, now: datetime) -> BucketBlob:
    """Returns the row of a part without bytes: nothing is in the object store."""
    return BucketBlob(
        account_id=account_id, store_key="", upload_id=upload_id, number=number, size=0, md5=md5, stored_at=now
    )


def _chosen(known: dict[int, Part], listed: Sequence[tuple[int, str]]) -> Sequence[Part]:
    numbers = [number for number, _ in listed]
    if not numbers or numbers != sorted(set(numbers)):
        raise UploadPartsUnordered
    for number, etag in listed:
        part = known.get(number)
        if part is None or part.etag != etag.strip('"').lower():
            raise UploadPartInvalid(number=str(number))
    parts = [known[number] for number in numbers]
    for part in parts[:-1]:
        if part.size < LEAST_PART:
            raise UploadPartTooSmall(number=str(part.number), size=str(part.size), least=str(LEAST_PART))
    return parts


def _etag(parts: Sequence[Part]) -> str:
    digests = b"".join(bytes.fromhex(part.etag) for part in parts)
    return f"{hashlib.md5(digests, usedforsecurity=False).hexdigest()}-{len(parts)}"
