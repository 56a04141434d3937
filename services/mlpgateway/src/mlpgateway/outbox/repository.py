"""The one statement of the hot path."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection

# One row or a thousand, the statement stays the same, so that it is prepared once.
_APPEND = sa.text("INSERT INTO outbox (topic, key, value) SELECT * FROM unnest(:topics, :keys, :values)").bindparams(
    sa.bindparam("topics", type_=ARRAY(sa.Text)),
    sa.bindparam("keys", type_=ARRAY(sa.Text)),
    sa.bindparam("values", type_=ARRAY(sa.LargeBinary)),
)


async def append_to_outbox(connection: AsyncConnection, rows: Sequence[Mapping[str, object]]) -> None:
    """Rows as `mlplace_runtime.db.outbox` makes them. On a connection in autocommit mode it is one round trip."""
    columns = {f"{name}s": [row[name] for row in rows] for name in ("topic", "key", "value")}
    await connection.execute(_APPEND, columns)
