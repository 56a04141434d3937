from datetime import UTC, datetime

import pytest
from sqlalchemy.exc import IntegrityError

from mlpcore.features.resource_groups.repository import ResourceGroupRepository
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlplace_kit.errors import NameAlreadyExists
from mlplace_runtime.db.database import Database

_NOW = datetime(2030, 1, 1, tzinfo=UTC)


def _group(name: str, **about: object) -> ResourceGroup:
    values = {
        "account_id": 7, "name": name, "is_default": False, "access": "PRIVATE", "resource_group_type": "TRANSIENT",
        "enabled_eviction": False, "enabled_auto_scaling": False, "extras": {}, "created_at": _NOW, **about,
    }  # fmt: skip
    return ResourceGroup(**values)


async def _store(database: Database, *groups: ResourceGroup) -> None:
    async with database.transaction() as session:
        for group in groups:
            await ResourceGroupRepository(session).add(group)


async def test_a_second_object_of_the_name_is_refused(database: Database) -> None:
    with pytest.raises(NameAlreadyExists):
        await _store(database, _group("a"), _group("a"))


@pytest.mark.parametrize("second", [_group("b", is_default=True), _group("b", access=None)])
async def test_violations_of_other_constraints_pass_through(database: Database, second: ResourceGroup) -> None:
    with pytest.raises(IntegrityError):
        await _store(database, _group("a", is_default=True), second)
