"""Which errors of a database are told as trouble that passes, and which as a defect of ours."""

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from mlplace_kit.errors import InternalError, Unavailable
from mlplace_runtime.db.database import Database
from mlplace_runtime.web.errors import from_unexpected


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("57P01", Unavailable),  # it shuts down
        ("57P03", Unavailable),  # it is starting
        ("53300", Unavailable),  # too many connections
        ("53100", Unavailable),  # its disk is full
        ("40P01", Unavailable),  # a deadlock
        ("55P03", Unavailable),  # a lock was not to be had
        ("22012", InternalError),  # a division by zero
        ("42501", InternalError),  # permission denied
    ],
)
async def test_an_error_is_told_by_its_state(database: Database, state: str, told: type[Exception]) -> None:
    raising = sa.text(f"DO $$ BEGIN RAISE EXCEPTION 'as told' USING ERRCODE = '{state}'; END $$")
    with pytest.raises(DBAPIError) as caught:
        async with database.transaction() as session:
            await session.execute(raising)
    assert type(from_unexpected(caught.value)) is told
