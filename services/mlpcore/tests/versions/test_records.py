"""Each change of a service's settings is a version: who, when, and what."""

import asyncio
from itertools import pairwise

import httpx
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.models.dependencies import model_mover_of, version_log_of
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.tables import Model
from mlpcore.features.models.versions.schemas import VersionKind
from mlpcore.state import CoreState
from mlplace_contracts.enums import Role
from mlplace_kit.clock import ManualClock
from mlplace_kit.names import PathRef
from mlplace_runtime.db.database import Database
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

from .history import ACME, GREETING, MODEL, SEEN, VERSIONS, change, made, page, shown, versions


class Broken(Exception):
    """Ends a transaction."""


async def _locked(session: AsyncSession, account_id: int) -> Model:
    ref = PathRef(id=None, name="greeting")
    found = await ModelRepository(session).owned(account_id=account_id, ref=ref, lock=True)
    assert found is not None
    return found


class TestRecords:
    async def test_creation_is_the_first_version_and_lists_nothing(
        self, client: httpx.AsyncClient, world: World, clock: ManualClock
    ) -> None:
        await made(client, world)
        (first,) = await versions(client, world)
        assert isinstance(first.pop("userId"), int)
        assert first.pop("author").endswith("@example.org")
        assert first == {
            "version": 1,
            "occurredAt": clock.now().isoformat().replace("+00:00", "Z"),
            "kind": "CREATED",
            "restoredVersion": None,
            "changes": [],
        }

    async def test_change_has_the_paths_of_the_fields_with_both_values(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        await made(client, world)
        await change(
            client, world,
            displayName="Hello", prototype=True, languages=["en", "ru"], resourceLimits={"memoryLimit": "1Gi"},
            timeouts={"predictTimeoutSec": 5}, startTimeSec=2.5,
        )  # fmt: skip
        newest = (await versions(client, world))[0]
        assert (newest["version"], newest["kind"], newest["restoredVersion"]) == (2, "SETTINGS_CHANGED", None)
        assert sorted(newest["changes"], key=lambda found: found["field"]) == [
            shown("displayName", None, "Hello"),
            shown("languages", "[]", '["en", "ru"]'),
            shown("prototype", False, True),
            shown("resourceLimits.memoryLimit", "500Mi", "1Gi"),
            shown("startTimeSec", None, 2.5),
            shown("timeouts.predictTimeoutSec", 30, 5),
        ]

    async def test_each_way_to_change_settings_makes_a_version(
        self, client: httpx.AsyncClient, publisher: World
    ) -> None:
        await made(client, publisher)
        await change(client, publisher, "/http", isHttpEnabled=True, httpPort=8080)
        await change(client, publisher, "/archive", enabled=True, numberOfArchivedRequests=5)
        await change(client, publisher, "/public-settings", isPublic=True, allowedAccounts=[7])
        await change(client, publisher, "/billing", isBillingEnabled=True, billingUnitPriceInCurrency=0.000000001)
        found = [{name: version[name] for name in SEEN} for version in await versions(client, publisher)]
        assert [version["kind"] for version in found] == [
            "PRICE_CHANGED", "PUBLICATION_CHANGED", "SETTINGS_CHANGED", "SETTINGS_CHANGED", "CREATED",
        ]  # fmt: skip
        assert found[0]["changes"] == [
            shown("billingSettings.isBillingEnabled", False, True),
            shown("billingSettings.billingUnitPriceInCurrency", None, "0.000000001"),
        ]
        assert found[1]["changes"] == [
            shown("publicSettings.isPublic", False, True),
            shown("publicSettings.allowedAccounts", "[]", "[7]"),
        ]
        assert found[3]["changes"] == [
            shown("httpSettings.isHttpEnabled", False, True),
            shown("httpSettings.httpPort", None, 8080),
        ]

    async def test_clone_begins_a_history_of_its_own(self, client: httpx.AsyncClient, world: World) -> None:
        await made(client, world)
        await change(client, world, displayName="Hello")
        assert (await client.post(f"{GREETING}/clone", params={"name": "copy"}, headers=world.owner)).status_code == 200
        (first,) = await versions(client, world, f"{MODEL}/copy/versions")
        assert (first["version"], first["kind"], first["changes"]) == (1, "CLONED", [])
        assert len(await versions(client, world)) == 2

    async def test_move_by_the_team_has_no_author(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        for name in ("old", "new"):
            await client.post(f"{ACME}/resource-groups", json={"name": name}, headers=world.owner)
        await made(client, world, resourceGroup="old")
        async with state.database.transaction() as session:
            model = await _locked(session, world.acme.account_id)
            group_id = await session.scalar(sa.text("SELECT group_id FROM resource_group WHERE name = 'new'"))
            await model_mover_of(session, state).move(model, group_id, "new")
        moved = (await versions(client, world))[0]
        assert (moved["kind"], moved["author"], moved["userId"]) == ("MOVED", None, None)
        assert moved["changes"] == [shown("resourceGroup", "old", "new")]

    async def test_author_is_who_makes_the_request(
        self, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        await made(client, world)
        developer = identities.user(world.acme, role=Role.DEVELOPER)
        for number, headers in enumerate((developer, identities.api_key(world.acme), world.admin)):
            body = {"modelName": "greeting", "displayName": str(number)}
            assert (await client.post(GREETING, json=body, headers=headers)).status_code == 200
        by_admin, by_key, by_developer, by_owner = await versions(client, world)
        assert by_key["author"].startswith("API key key ")
        assert by_key["userId"] is None
        people = [by_admin, by_developer, by_owner]
        assert len({version["userId"] for version in people} - {None}) == 3
        assert len({version["author"] for version in people}) == 3

    async def test_nothing_is_written_when_nothing_changes(self, client: httpx.AsyncClient, publisher: World) -> None:
        address = "mongodb://u:word@db.example/x"  # pragma: allowlist secret
        caching = {"enabled": True, "mongoUri": address, "collectionName": "c", "recordsLimit": 1}
        fields = {"env": '{"API_KEY": "s"}', "config": '{"a": {"token": "x"}}', "caching": caching, "languages": ["en"]}
        await made(client, publisher, **fields)
        read = (await client.get(GREETING, headers=publisher.owner)).json()
        await change(client, publisher, **fields)
        await change(client, publisher, **{name: read[name] for name in (*fields, "timeouts", "secretEnv")})
        await change(client, publisher, "/public-settings", **read["publicSettings"])
        await change(client, publisher, "/http", **read["httpSettings"])
        await change(client, publisher, "/billing", isBillingEnabled=False)
        assert [version["kind"] for version in await versions(client, publisher)] == ["CREATED"]

    async def test_long_values_are_cut_and_their_length_is_said(self, client: httpx.AsyncClient, world: World) -> None:
        await made(client, world, shortDescription="a" * 500)
        await change(client, world, shortDescription="б" * 2000)
        (found,) = (await versions(client, world))[0]["changes"]
        assert (found["before"], found["beforeLength"]) == ("a" * 500, None)
        assert (found["after"], found["afterLength"]) == ("б" * 500, 2000)

    async def test_refused_change_leaves_no_version(self, client: httpx.AsyncClient, world: World) -> None:
        await made(client, world)
        await client.post(MODEL, json={"modelName": "other"}, headers=world.owner)
        for body in ({"modelName": "other", "prototype": True}, {"modelName": "greeting", "imageId": 99}):
            assert (await client.post(GREETING, json=body, headers=world.owner)).status_code in {400, 409}
        assert len(await versions(client, world)) == 1

    async def test_rollback_leaves_no_version(self, client: httpx.AsyncClient, world: World, state: CoreState) -> None:
        await made(client, world)
        with pytest.raises(Broken):
            await _change_and_fail(state, world.acme.account_id)
        assert len(await versions(client, world)) == 1

    async def test_concurrent_changes_form_a_chain(self, client: httpx.AsyncClient, world: World) -> None:
        await made(client, world)
        bodies = [{"modelName": "greeting", "displayName": f"name {number}"} for number in range(8)]
        answers = await asyncio.gather(*(client.post(GREETING, json=body, headers=world.owner) for body in bodies))
        assert {answer.status_code for answer in answers} == {200}
        found = [version for version in reversed(await versions(client, world)) if version["changes"]]
        assert [version["version"] for version in found] == list(range(2, 10))
        values = [version["changes"][0] for version in found]
        assert [later["before"] == earlier["after"] for earlier, later in pairwise(values)] == [True] * 7


async def _change_and_fail(state: CoreState, account_id: int) -> None:
    async with state.database.transaction() as session:
        model = await _locked(session, account_id)
        log = version_log_of(session, state)
        before = log.seen(model)
        model.display_name = "never"
        await log.record(model, before, VersionKind.SETTINGS_CHANGED, None)
        assert await session.scalar(sa.text("SELECT count(*) FROM model_version")) == 2
        raise Broken


class TestUnrecorded:
    """What was there before versions, and what the previous release changes beside them."""

    async def test_first_change_of_an_existing_service_also_keeps_what_was_before(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        await made(client, world)
        await self._without_a_version(
            state, "UPDATE model SET deleted_at = now()", "UPDATE model SET deleted_at = NULL"
        )
        assert await versions(client, world) == []
        await change(client, world, displayName="Hello")
        changed, found = await versions(client, world)
        assert (found["version"], found["kind"], found["author"], found["changes"]) == (1, "UNRECORDED", None, [])
        assert (changed["version"], changed["changes"]) == (2, [shown("displayName", None, "Hello")])

    async def test_change_without_a_version_is_told_apart_from_the_next_one(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        await made(client, world)
        await self._without_a_version(state, "UPDATE model SET task_type = 'ner'")
        await change(client, world, displayName="Hello")
        changed, found, _ = await versions(client, world)
        assert (found["kind"], found["changes"]) == ("UNRECORDED", [shown("taskType", "custom", "ner")])
        assert changed["changes"] == [shown("displayName", None, "Hello")]

    async def test_settings_that_a_version_does_not_know_are_no_difference(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        """A later release has more of them."""
        await made(client, world)
        await client.get(VERSIONS, headers=world.owner)
        async with database.transaction() as session:
            await session.execute(
                sa.text(
                    "INSERT INTO model_version SELECT model_id, 2, account_id, occurred_at, user_id, author, kind,"
                    " restored_number, changes, document #- '{settings,protocols}' #- '{settings,timeouts,fitTimeoutSec}'"
                    " #- '{publicSettings,featured}' FROM model_version"
                )
            )
        await change(client, world, displayName="Hello")
        assert [version["version"] for version in await versions(client, world)] == [3, 2, 1]

    @staticmethod
    async def _without_a_version(state: CoreState, *statements: str) -> None:
        for statement in statements:
            async with state.database.transaction() as session:
                await session.execute(sa.text(statement))


class TestBounds:
    async def test_service_cannot_change_or_delete_versions(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await made(client, world)
        for statement in (
            "UPDATE model_version SET author = 'x'",
            "DELETE FROM model_version",
            "TRUNCATE model_version",
        ):
            with pytest.raises(Exception, match="permission denied"):
                async with database.transaction() as session:
                    await session.execute(sa.text(statement))
        async with database.transaction() as session:
            for function in ("keep_newest_model_versions", "forget_model_versions"):
                may = sa.text(f"SELECT has_function_privilege('{function}()', 'EXECUTE')")
                assert not await session.scalar(may), function
        assert len(await versions(client, world)) == 1

    async def test_newest_200_versions_stay(self, client: httpx.AsyncClient, world: World, database: Database) -> None:
        model_id = await made(client, world)
        other = await client.post(MODEL, json={"modelName": "other"}, headers=world.owner)
        assert other.status_code == 200
        await _fill(database, model_id, "document", until=205)
        await change(client, world, displayName="Hello")
        found = await page(client, world, size=1000)
        assert found["paging"]["totalElements"] == 200
        assert [version["version"] for version in found["records"]] == list(range(206, 6, -1))
        assert len(await versions(client, world, f"{MODEL}/other/versions")) == 1

    async def test_large_versions_are_fewer_and_the_newest_one_stays(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        model_id = await made(client, world)
        await _fill(database, model_id, _noise(32_768), until=30)  # 1 MiB each, and a few bytes
        async with database.transaction() as session:
            kept = (await session.scalars(sa.text("SELECT number FROM model_version ORDER BY number"))).all()
        assert kept == list(range(24, 31))
        await _fill(database, model_id, _noise(10 * 32_768), since=31, until=31)
        async with database.transaction() as session:
            assert (await session.scalars(sa.text("SELECT number FROM model_version"))).all() == [31]

    async def test_deletion_of_the_service_forgets_its_versions(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        model_id = await made(client, world)
        other = await client.post(MODEL, json={"modelName": "other"}, headers=world.owner)
        await change(client, world, displayName="Hello")
        assert (await client.delete(GREETING, headers=world.owner)).status_code == 200
        async with database.transaction() as session:
            left = (await session.scalars(sa.text("SELECT model_id FROM model_version"))).all()
        assert left == [other.json()["id"]["modelId"]] != [model_id]
        await made(client, world)
        assert [version["version"] for version in await versions(client, world)] == [1]


def _noise(blocks: int) -> str:
    """A document of so many times 32 characters."""
    return f"jsonb_build_object('x', (SELECT string_agg(md5(random()::text), '') FROM generate_series(1, {blocks})))"


async def _fill(database: Database, model_id: int, document: str, *, since: int = 2, until: int) -> None:
    """Adds versions, each in a statement of its own, as the service's role does."""
    statement = sa.text(
        "INSERT INTO model_version SELECT model_id, :number, account_id, occurred_at, user_id, author, kind,"
        f" restored_number, changes, {document} FROM model_version WHERE model_id = :model ORDER BY number DESC LIMIT 1"
    )
    async with database.transaction() as session:
        for number in range(since, until + 1):
            await session.execute(statement, {"number": number, "model": model_id})
