"""SQL of buckets. That of lists is in `listing_repository.py`."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import Account
from mlpcore.features.buckets.objects import UNUSED, BlobPlace, BucketRoom, PartPlace, StoredBlob
from mlpcore.features.buckets.tables import (
    Bucket,
    BucketBlob,
    BucketCredential,
    BucketObject,
    BucketUpload,
    InstanceCredential,
)

_NOT_MEASURED: Final = "-"
"""The digest of an object that no bucket has stored. An empty one says that the blob is being stored."""


class BucketRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    # ---- Buckets and keys

    async def of_account(self, account_id: int, *, lock: bool = False) -> Bucket | None:
        statement = sa.select(Bucket).where(Bucket.account_id == account_id)
        if lock:
            statement = statement.with_for_update().execution_options(populate_existing=True)
        return (await self._session.scalars(statement)).first()

    async def add_bucket(self, account_id: int, name: str, *, at: datetime) -> None:
        """Adds an empty bucket, unless the account has got one meanwhile."""
        values = {"account_id": account_id, "name": name, "used_bytes": 0, "objects": 0, "created_at": at}
        statement = postgresql.insert(Bucket).values(values).on_conflict_do_nothing(index_elements=["account_id"])
        await self._session.execute(statement)

    async def credential_of(self, account_id: int) -> BucketCredential | None:
        statement = sa.select(BucketCredential).where(BucketCredential.account_id == account_id)
        return (await self._session.scalars(statement)).first()

    async def credential(self, access_key: str) -> tuple[BucketCredential, Bucket] | None:
        """Returns None also for keys of an account that is blocked."""
        statement = (
            sa.select(BucketCredential, Bucket)
            .join(Bucket, Bucket.account_id == BucketCredential.account_id)
            .join(Account, Account.account_id == BucketCredential.account_id)
            .where(BucketCredential.access_key == access_key, Account.active)
        )
        row = (await self._session.execute(statement)).first()
        return None if row is None else (row[0], row[1])

    async def add_credential(self, credential: BucketCredential) -> None:
        self._session.add(credential)
        await self._session.flush()

    async def empty_buckets(self, most: int, *, now: datetime) -> Sequence[tuple[int, str]]:
        """Returns accounts and names of buckets that are not used, the oldest first."""
        statement = sa.select(Bucket.account_id, Bucket.name).where(~_used(now)).order_by(Bucket.created_at)
        return [(row[0], row[1]) for row in await self._session.execute(statement.limit(most))]

    async def used_buckets(self, most: int, *, now: datetime) -> Sequence[str]:
        """Returns names of buckets that are used, the oldest first."""
        statement = sa.select(Bucket.name).where(_used(now)).order_by(Bucket.created_at).limit(most)
        return (await self._session.scalars(statement)).all()

    async def is_used(self, account_id: int, *, now: datetime) -> bool:
        statement = sa.select(Bucket.account_id).where(Bucket.account_id == account_id, _used(now))
        return await self._session.scalar(statement) is not None

    async def delete_bucket(self, account_id: int) -> None:
        await self._session.execute(sa.delete(BucketCredential).where(BucketCredential.account_id == account_id))
        await self._session.execute(sa.delete(Bucket).where(Bucket.account_id == account_id))

    # ---- Objects

    async def object(self, *, account_id: int, key: str, lock: bool = False) -> BucketObject | None:
        statement = sa.select(BucketObject).where(BucketObject.account_id == account_id, BucketObject.key == key)
        if lock:
            statement = statement.with_for_update().execution_options(populate_existing=True)
        return (await self._session.scalars(statement)).first()

    async def add_object(self, found: BucketObject) -> None:
        self._session.add(found)
        await self._session.flush()

    async def delete_objects(self, account_id: int, keys: Sequence[str], *, delete_after: datetime) -> tuple[int, int]:
        """Deletes objects; missing ones are no error. Returns how many there were, and their bytes."""
        chosen = (BucketObject.account_id == account_id, BucketObject.key.in_(keys))
        statement = sa.delete(BucketObject).where(*chosen).returning(BucketObject.object_id, BucketObject.size)
        rows = (await self._session.execute(statement)).all()
        if rows:
            unused = sa.update(BucketBlob).where(BucketBlob.object_id.in_([row[0] for row in rows]))
            await self._session.execute(unused.values(object_id=None, upload_id=None, delete_after=delete_after))
        return len(rows), sum(row[1] for row in rows)

    async def blobs_of(self, object_id: int) -> Sequence[BlobPlace]:
        statement = (
            sa.select(BucketBlob.store_key, BucketBlob.size)
            .where(BucketBlob.object_id == object_id, BucketBlob.size > 0)
            .order_by(BucketBlob.number)
        )
        return [BlobPlace(row[0], row[1]) for row in await self._session.execute(statement)]

    # ---- Uploads in parts

    async def upload(self, *, account_id: int, key: str, upload_id: str, lock: bool = False) -> BucketUpload | None:
        statement = sa.select(BucketUpload).where(
            BucketUpload.upload_id == upload_id, BucketUpload.account_id == account_id, BucketUpload.key == key
        )
        if lock:
            statement = statement.with_for_update()
        return (await self._session.scalars(statement)).first()

    async def uploads_of(self, account_id: int, *, prefix: str, most: int) -> Sequence[BucketUpload]:
        mine = (BucketUpload.account_id == account_id, BucketUpload.key.startswith(prefix, autoescape=True))
        statement = sa.select(BucketUpload).where(*mine).order_by(BucketUpload.key, BucketUpload.created_at)
        return (await self._session.scalars(statement.limit(most))).all()

    async def count_uploads(self, account_id: int) -> int:
        statement = sa.select(sa.func.count()).where(BucketUpload.account_id == account_id)
        return int((await self._session.execute(statement)).scalar_one())

    async def old_uploads(self, *, before: datetime, most: int) -> Sequence[BucketUpload]:
        statement = sa.select(BucketUpload).where(BucketUpload.created_at < before).limit(most)
        return (await self._session.scalars(statement)).all()

    async def add_upload(self, upload: BucketUpload) -> None:
        self._session.add(upload)
        await self._session.flush()

    async def delete_upload(self, upload: BucketUpload) -> None:
        await self._session.delete(upload)
        await self._session.flush()

    async def parts(self, upload_id: str, *, after: int = 0, most: int | None = None) -> Sequence[BucketBlob]:
        statement = sa.select(BucketBlob).where(BucketBlob.upload_id == upload_id, BucketBlob.number > after)
        return (await self._session.scalars(statement.order_by(BucketBlob.number).limit(most))).all()

    # ---- Blobs

    async def add_blob(self, blob: BucketBlob) -> int:
        self._session.add(blob)
        await self._session.flush()
        return blob.blob_id

    async def attach(
        self, stored: StoredBlob, *, number: int, object_id: int | None, upload_id: str | None, at: datetime
    ) -> bool:
        """Makes the object or the upload refer to the blob. False if it has been deleted meanwhile."""
        statement = (
            sa.update(BucketBlob)
            .where(BucketBlob.blob_id == stored.blob_id, BucketBlob.delete_after > at)
            .values(
                object_id=object_id, upload_id=upload_id, number=number,
                size=stored.size, md5=stored.md5, stored_at=at, delete_after=None,
            )
            .returning(BucketBlob.blob_id)
        )  # fmt: skip
        return (await self._session.scalar(statement)) is not None

    async def move_parts(self, *, upload_id: str, numbers: Sequence[int], object_id: int) -> None:
        """Makes an object of these parts. They remember the upload, for `completed`."""
        chosen = (BucketBlob.upload_id == upload_id, BucketBlob.number.in_(numbers))
        await self._session.execute(sa.update(BucketBlob).where(*chosen).values(object_id=object_id))

    async def completed(self, *, account_id: int, key: str, upload_id: str) -> BucketObject | None:
        """Returns the object that the upload has become, as long as the key has it."""
        made = sa.exists().where(BucketBlob.upload_id == upload_id, BucketBlob.object_id == BucketObject.object_id)
        statement = sa.select(BucketObject).where(BucketObject.account_id == account_id, BucketObject.key == key, made)
        return (await self._session.scalars(statement)).first()

    async def release_parts(self, upload_id: str, *, delete_after: datetime, number: int | None = None) -> int:
        """Takes the parts, or one of them, from the upload. Returns their bytes. An object's parts stay."""
        statement = sa.update(BucketBlob).where(BucketBlob.upload_id == upload_id, BucketBlob.object_id.is_(None))
        if number is not None:
            statement = statement.where(BucketBlob.number == number)
        released = statement.values(upload_id=None, delete_after=delete_after).returning(BucketBlob.size)
        return sum((await self._session.scalars(released)).all())

    async def room(self, account_id: int, place: str | PartPlace) -> BucketRoom:
        """Returns what the account's bucket takes, and the object that has the key, or the part, at the place."""
        used = sa.select(Bucket.used_bytes).where(Bucket.account_id == account_id)
        unused = (BucketBlob.account_id == account_id, BucketBlob.delete_after.is_not(None))
        waiting = sa.select(sa.func.sum(BucketBlob.size)).where(*unused)
        count = sa.select(sa.func.count()).select_from(BucketBlob).where(*unused)
        if isinstance(place, PartPlace):
            part = (BucketBlob.upload_id == place.upload_id, BucketBlob.number == place.number)
            replaced = sa.select(BucketBlob.size).where(BucketBlob.account_id == account_id, *part)
        else:
            named = (BucketObject.account_id == account_id, BucketObject.key == place)
            replaced = sa.select(BucketObject.size).where(*named)
        parts = [sa.func.coalesce(part.scalar_subquery(), 0) for part in (used, waiting, count, replaced)]
        row = (await self._session.execute(sa.select(*parts))).one()
        return BucketRoom(int(row[0]), int(row[1]), int(row[2]), int(row[3]))

    async def expire_unused(self, account_id: int, *, at: datetime) -> None:
        """Lets the sweep delete what no object has any more."""
        unused = (BucketBlob.account_id == account_id, BucketBlob.delete_after > at, BucketBlob.md5 != "")
        await self._session.execute(sa.update(BucketBlob).where(*unused).values(delete_after=at))

    async def renew(self, blob_id: int, *, until: datetime) -> None:
        """Lets the sweep delete a blob to which nothing refers at that time, and not before."""
        unused = (BucketBlob.blob_id == blob_id, BucketBlob.delete_after.is_not(None))
        await self._session.execute(sa.update(BucketBlob).where(*unused).values(delete_after=until))

    async def knows(self, blob_id: int) -> bool:
        return (
            await self._session.scalar(sa.select(BucketBlob.blob_id).where(BucketBlob.blob_id == blob_id)) is not None
        )

    async def expired(self, *, now: datetime, after: int, most: int) -> Sequence[tuple[int, str]]:
        """Returns ids and store keys of blobs that nobody needs any more, by id, from those after `after` on.

        Nothing can refer to them again: `attach` takes only blobs whose time has not come.
        """
        statement = (
            sa.select(BucketBlob.blob_id, BucketBlob.store_key)
            .where(BucketBlob.delete_after <= now, BucketBlob.blob_id > after)
            .order_by(BucketBlob.blob_id)
            .limit(most)
        )
        return [(row[0], row[1]) for row in await self._session.execute(statement)]

    async def delete_blobs(self, blob_ids: Sequence[int], *, now: datetime) -> None:
        expired = (BucketBlob.blob_id.in_(blob_ids), BucketBlob.delete_after <= now)
        await self._session.execute(sa.delete(BucketBlob).where(*expired))


def _used(now: datetime) -> sa.ColumnElement[bool]:
    """Whether a bucket has an object or an unfinished upload, receives bytes, or has been given to an instance."""
    uploads = sa.exists().where(BucketUpload.account_id == Bucket.account_id)
    received = (BucketBlob.account_id == Bucket.account_id, BucketBlob.delete_after > now, BucketBlob.md5 == "")
    given = (InstanceCredential.account_id == Bucket.account_id, InstanceCredential.ended_at.is_(None))
    return sa.or_(Bucket.objects > 0, uploads, sa.exists().where(*received), sa.exists().where(*given))


class StorageOfBuckets:
    """Implements OtherStorage."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def used_bytes(self, account_id: int) -> int:
        statement = sa.select(Bucket.used_bytes).where(Bucket.account_id == account_id)
        return int(await self._session.scalar(statement) or 0)

    async def keep_for_readers(self, *, account_id: int, key: str, size: int, now: datetime, most: int) -> bool:
        """Like blobs of deleted objects, these are deleted earlier when an upload to the bucket lacks room."""
        unused = sa.select(sa.func.coalesce(sa.func.sum(BucketBlob.size), 0)).where(
            BucketBlob.account_id == account_id, BucketBlob.delete_after.is_not(None)
        )
        if int(await self._session.scalar(unused) or 0) + size > most:
            return False
        blob = BucketBlob(
            account_id=account_id, store_key=key, number=0, size=size, md5=_NOT_MEASURED, stored_at=now,
            delete_after=now + UNUSED,
        )  # fmt: skip
        self._session.add(blob)
        await self._session.flush()
        return True

    async def kept_for_readers(self, keys: Sequence[str]) -> frozenset[str]:
        chosen = (BucketBlob.delete_after.is_not(None), BucketBlob.store_key.in_(keys))
        return frozenset((await self._session.scalars(sa.select(BucketBlob.store_key).where(*chosen))).all())
