"""The hot path's only statement."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection

# The statement does not depend on the number of rows, so it is prepared only once.
_APPEND = sa.text("INSERT INTO outbox (topic, key, value) SELECT * FROM unnest(:topics, :keys, :values)").bindparams(
    sa.bindparam("topics", type_=ARRAY(sa.Text)),
    sa.bindparam("keys", type_=ARRAY(sa.Text)),
    sa.bindparam("values", type_=ARRAY(sa.LargeBinary)),
)


async def append_to_outbox(connection: AsyncConnection, rows: Sequence[Mapping[str, object]]) -> None:
    """Inserts rows from `mlplace_runtime.db.outbox`. In autocommit mode this is one round trip."""
    columns = {f"{name}s": [row[name] for row in rows] for name in ("topic", "key", "value")}
    await connection.execute(_APPEND, columns)
