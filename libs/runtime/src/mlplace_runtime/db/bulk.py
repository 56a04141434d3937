"""Many rows of values as one parameter for each column, for statements that write or compare them all at once.

`executemany` makes PostgreSQL run a statement for each row. One statement that joins the values takes a tenth of that.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql.selectable import TableValuedAlias
from sqlalchemy.types import TypeEngine


def given_rows(columns: Mapping[str, tuple[TypeEngine[Any], Sequence[object]]]) -> TableValuedAlias:
    """Returns a table `given` with these columns: the type and the values of each. All have the same length.

    JSON is given as text, and cast where it is used.
    """
    arrays = [sa.literal(list(values), postgresql.ARRAY(type_)) for type_, values in columns.values()]
    names = [sa.column(name, type_) for name, (type_, _) in columns.items()]
    return sa.func.unnest(*arrays).table_valued(*names).render_derived(name="given")
