"""SQL of lists: keys in their order, with common prefixes instead of what is below them."""

from collections.abc import Mapping, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.buckets.keys import after_key, after_prefix
from mlpcore.features.buckets.objects import Attributes, Listed, ObjectInfo
from mlpcore.features.buckets.tables import BucketObject

MOST: Final = 1000

# Each step of the recursion finds the first key of the next group by the index; a key without a / after the prefix is
# a group of its own. So a folder costs one step, however much is in it. The character after / is 0.
_GROUPS: Final = sa.text("""
WITH RECURSIVE walk AS (
    (SELECT key, 1 AS number FROM bucket_object
     WHERE account_id = :account_id AND key >= :first AND (CAST(:beyond AS text) IS NULL OR key < :beyond)
     ORDER BY key LIMIT 1)
  UNION ALL
    SELECT (SELECT o.key FROM bucket_object o
            WHERE o.account_id = :account_id AND (CAST(:beyond AS text) IS NULL OR o.key < :beyond)
              AND o.key >= CASE
                WHEN strpos(substr(walk.key, CAST(:skip AS integer)), '/') = 0 THEN walk.key || chr(1)
                ELSE substr(
                    walk.key, 1, CAST(:skip AS integer) - 2 + strpos(substr(walk.key, CAST(:skip AS integer)), '/')
                  ) || '0'
              END COLLATE "C"
            ORDER BY o.key LIMIT 1), walk.number + 1
    FROM walk WHERE walk.key IS NOT NULL AND walk.number < :most
)
SELECT key FROM walk WHERE key IS NOT NULL ORDER BY number
""")


class ListingRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def page(self, account_id: int, *, prefix: str, after: str, most: int, folders: bool) -> Listed:
        """Returns up to `most` objects and folders below the prefix, in order, that come after `after`.

        `after` may be empty, a key, or a folder. With `folders`, what has a / after the prefix is shown as its folder.
        """
        most = min(most, MOST)
        if most <= 0:
            return Listed((), (), None)
        keys = await self._keys(account_id, prefix, after, most + 1, folders=folders)
        shown, more = keys[:most], len(keys) > most
        groups = {key: _folder(key, prefix) if folders else None for key in shown}
        infos = await self._infos(account_id, [key for key, folder in groups.items() if folder is None])
        names = [folder for folder in groups.values() if folder is not None]
        last = (groups[shown[-1]] or shown[-1]) if shown and more else None
        return Listed([infos[key] for key in shown if key in infos], names, last)

    async def _keys(self, account_id: int, prefix: str, after: str, most: int, *, folders: bool) -> Sequence[str]:
        beyond = after_prefix(prefix) if prefix else None
        first = max(prefix, _start(prefix, after, folders=folders))
        if folders:
            values = {
                "account_id": account_id, "first": first, "beyond": beyond, "skip": len(prefix) + 1, "most": most,
            }  # fmt: skip
            return (await self._session.scalars(_GROUPS, values)).all()
        statement = sa.select(BucketObject.key).where(BucketObject.account_id == account_id, BucketObject.key >= first)
        if beyond is not None:
            statement = statement.where(BucketObject.key < beyond)
        return (await self._session.scalars(statement.order_by(BucketObject.key).limit(most))).all()

    async def _infos(self, account_id: int, keys: Sequence[str]) -> Mapping[str, ObjectInfo]:
        mine = (BucketObject.account_id == account_id, BucketObject.key.in_(keys))
        rows = (await self._session.scalars(sa.select(BucketObject).where(*mine))).all()
        return {row.key: info_of(row) for row in rows}


def _start(prefix: str, after: str, *, folders: bool) -> str:
    if not after:
        return ""
    folder = _folder(after, prefix) if folders and after.startswith(prefix) else None
    if folder is not None:
        return after_prefix(folder) or after_key(after)
    return after_key(after)


def _folder(key: str, prefix: str) -> str | None:
    end = key.find("/", len(prefix))
    return None if end < 0 else key[: end + 1]


def info_of(row: BucketObject) -> ObjectInfo:
    attributes = Attributes(row.content_type, row.headers, row.user_metadata)
    return ObjectInfo(row.key, row.size, row.etag, row.modified_at, attributes)
