"""Who changed an account's limits and features, and why."""

import asyncio
from itertools import pairwise
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.accounts.change_log import Author
from mlpcore.features.accounts.dependencies import account_service_of
from mlpcore.features.accounts.schemas import DEFAULT_LIMITS
from mlpcore.state import CoreState
from mlplace_contracts.enums import Feature
from mlplace_kit.clock import ManualClock
from mlplace_kit.names import PathRef
from mlplace_runtime.db.database import Database
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

ACME = "/api/mlpcore/admin/account/acme"
LIMITS = DEFAULT_LIMITS.model_dump(by_alias=True)
MORE_CALLS = LIMITS | {"predictPerSec": 100, "memoryLimit": "16Gi", "reason": "договор 17/4"}
PUBLISHING = {
    "features": [{"name": "MLP.Public_Model_Admin", "enabled": True}, {"name": "mlp.test_form", "enabled": True}]
}


class Broken(Exception):
    """Ends a transaction."""


async def _change_and_fail(state: CoreState, account_id: int) -> None:
    ref, author = PathRef(id=account_id, name=None), Author(7, "root", "never happened")
    limits = DEFAULT_LIMITS.model_copy(update={"predict_per_sec": 1})
    async with state.database.transaction() as session:
        accounts = account_service_of(session, state)
        await accounts.set_limits(ref=ref, limits=limits, author=author)
        await accounts.set_features(ref=ref, features={Feature.TEST_FORM: False}, author=author)
        assert len((await session.execute(sa.text("SELECT kind FROM account_change"))).all()) == 2
        raise Broken


async def _changes(client: httpx.AsyncClient, world: World, account: str = ACME, **query: int | str) -> dict[str, Any]:
    answer = await client.get(f"{account}/changes", params=query, headers=world.admin)
    assert answer.status_code == 200, answer.text
    page: dict[str, Any] = answer.json()
    return page


async def _records(client: httpx.AsyncClient, world: World, account: str = ACME) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = (await _changes(client, world, account))["records"]
    return records


class TestRecords:
    async def test_change_of_limits_says_who_when_what_and_why(
        self, client: httpx.AsyncClient, world: World, clock: ManualClock
    ) -> None:
        answer = await client.post(f"{ACME}/limits", json=MORE_CALLS, headers=world.admin)
        assert answer.json()["limits"] == {name: value for name, value in MORE_CALLS.items() if name != "reason"}
        (record,) = await _records(client, world)
        assert isinstance(record.pop("id"), int)
        assert isinstance(record.pop("actorUserId"), int)
        assert isinstance(record.pop("actorLogin"), str)
        assert record == {
            "occurredAt": clock.now().isoformat().replace("+00:00", "Z"),
            "kind": "LIMITS_CHANGED",
            "details": {
                "predictPerSec": {"before": 10, "after": 100},
                "memoryLimit": {"before": "8Gi", "after": "16Gi"},
            },
            "reason": "договор 17/4",
        }

    async def test_change_of_features_names_those_that_changed(self, client: httpx.AsyncClient, world: World) -> None:
        body = PUBLISHING | {"reason": " sells from now on "}
        assert (await client.post(f"{ACME}/features", json=body, headers=world.admin)).status_code == 200
        (record,) = await _records(client, world)
        assert (record["kind"], record["reason"]) == ("FEATURES_CHANGED", "sells from now on")
        assert record["details"] == {"mlp.public_model_admin": {"before": False, "after": True}}

    async def test_change_of_networks_has_them_as_they_are_kept(self, client: httpx.AsyncClient, world: World) -> None:
        for networks, reason in ((["10.1.2.3/8", "192.0.2.7"], "their office"), ([], None)):
            query = {} if reason is None else {"reason": reason}
            answer = await client.post(f"{ACME}/whiteList", json=networks, params=query, headers=world.admin)
            assert answer.status_code == 200, answer.text
        opened, closed = await _records(client, world)
        assert (closed["kind"], closed["reason"], opened["reason"]) == ("NETWORKS_CHANGED", "their office", None)
        assert closed["details"] == {"whiteList": {"before": "", "after": "10.0.0.0/8, 192.0.2.7/32"}}
        assert opened["details"] == {"whiteList": {"before": "10.0.0.0/8, 192.0.2.7/32", "after": ""}}

    async def test_actor_is_the_superadmin_of_the_request(
        self, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        other = identities.user(superadmin=True)
        await client.post(f"{ACME}/limits", json=MORE_CALLS, headers=world.admin)
        await client.post(f"{ACME}/limits", json=LIMITS, headers=other)
        newest, oldest = await _records(client, world)
        for field in ("actorUserId", "actorLogin"):
            actors = (oldest[field], newest[field])
            assert (actors[0] is not None, actors[1] is not None, actors[0] != actors[1]) == (True, True, True)

    async def test_reason_may_be_missing(self, client: httpx.AsyncClient, world: World) -> None:
        await client.post(f"{ACME}/limits", json=LIMITS | {"predictPerSec": 1}, headers=world.admin)
        await client.post(f"{ACME}/features", json=PUBLISHING | {"reason": None}, headers=world.admin)
        assert [record["reason"] for record in await _records(client, world)] == [None, None]

    async def test_nothing_is_recorded_when_nothing_changes(self, client: httpx.AsyncClient, world: World) -> None:
        same = {
            "features": [
                {"name": "mlp.test_form", "enabled": True},
                {"name": "mlp_billing.no_blocking", "enabled": False},
            ]
        }
        (await client.post(f"{ACME}/whiteList", json=[], headers=world.admin)).raise_for_status()
        for path, body in (("limits", LIMITS), ("features", same), ("features", {"features": []})):
            answer = await client.post(f"{ACME}/{path}", json=body | {"reason": "again"}, headers=world.admin)
            assert answer.status_code == 200, answer.text
        assert await _records(client, world) == []

    async def test_start_of_an_installation_is_recorded_without_a_user(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        body = {"account_id": world.acme.account_id, "features": ["mlp.public_model_admin"]}
        for _ in range(2):
            await client.post("/internal/mlpcore/bootstrap/account", json=body, headers=world.internal)
        (record,) = await _records(client, world)
        assert (record["actorUserId"], record["actorLogin"], record["reason"]) == (None, None, None)

    async def test_rollback_leaves_no_record(self, client: httpx.AsyncClient, world: World, state: CoreState) -> None:
        with pytest.raises(Broken):
            await _change_and_fail(state, world.acme.account_id)
        assert await _records(client, world) == []

    async def test_concurrent_changes_form_a_chain(self, client: httpx.AsyncClient, world: World) -> None:
        bodies = [LIMITS | {"predictPerSec": number} for number in range(100, 108)]
        answers = await asyncio.gather(
            *(client.post(f"{ACME}/limits", json=body, headers=world.admin) for body in bodies)
        )
        assert {answer.status_code for answer in answers} == {200}
        values = [record["details"]["predictPerSec"] for record in reversed(await _records(client, world))]
        assert len(values) == len(bodies)
        assert [later["before"] == earlier["after"] for earlier, later in pairwise(values)] == [True] * 7

    async def test_the_service_cannot_change_records(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await client.post(f"{ACME}/limits", json=MORE_CALLS, headers=world.admin)
        for statement in (
            "UPDATE account_change SET reason = 'x'",
            "DELETE FROM account_change",
            "TRUNCATE account_change",
        ):
            with pytest.raises(Exception, match="permission denied"):
                async with database.transaction() as session:
                    await session.execute(sa.text(statement))
        assert len(await _records(client, world)) == 1


class TestReason:
    @pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "two\nlines", "a\x00b", "a\x1bb", "a\u202eb", 5, ["a"]])
    @pytest.mark.parametrize(("path", "body"), [("limits", MORE_CALLS), ("features", PUBLISHING)])
    async def test_invalid_reason_is_refused_and_nothing_changes(
        self, client: httpx.AsyncClient, world: World, path: str, body: dict[str, object], reason: object
    ) -> None:
        before = (await client.get(ACME, headers=world.admin)).json()
        answer = await client.post(f"{ACME}/{path}", json=body | {"reason": reason}, headers=world.admin)
        assert (answer.status_code, list(answer.json()["args"])) == (400, ["reason"])
        assert (await client.get(ACME, headers=world.admin)).json() == before
        assert await _records(client, world) == []

    async def test_invalid_reason_for_networks_is_refused_and_nothing_changes(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        for reason in ("", "x" * 501, "two\nlines"):
            query = {"reason": reason}
            answer = await client.post(f"{ACME}/whiteList", json=["10.0.0.0/8"], params=query, headers=world.admin)
            assert (answer.status_code, list(answer.json()["args"])) == (400, ["reason"])
        assert await _records(client, world) == []

    async def test_owner_cannot_send_one_with_the_account(self, client: httpx.AsyncClient, world: World) -> None:
        """The limits of the account's own page are the same ones, and have no reason."""
        body = (await client.get("/api/mlpcore/account", headers=world.owner)).json()
        assert "reason" not in body["limits"]
        body["limits"]["reason"] = "mine"
        answer = await client.post("/api/mlpcore/account", json=body, headers=world.owner)
        assert (answer.status_code, list(answer.json()["args"])) == (400, ["limits.reason"])


class TestList:
    async def test_changes_come_in_pages_of_one_account_the_newest_first(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        for number in (1, 2, 3):
            await client.post(f"{ACME}/limits", json=LIMITS | {"predictPerSec": number}, headers=world.admin)
        globex = f"/api/mlpcore/admin/account/{world.globex.account_id}"
        await client.post(f"{globex}/limits", json=MORE_CALLS, headers=world.admin)
        page = await _changes(client, world, size=2)
        assert page["paging"] == {"totalElements": 3, "totalPages": 2, "pageNumber": 0, "pageSize": 2}
        assert [record["details"]["predictPerSec"]["after"] for record in page["records"]] == [3, 2]
        oldest = await _changes(client, world, size=1, sort="id,asc")
        assert [record["details"]["predictPerSec"]["after"] for record in oldest["records"]] == [1]
        assert len(await _records(client, world, globex)) == 1

    @pytest.mark.parametrize(
        ("query", "field"), [({"sort": "reason,asc"}, "sort"), ({"size": 0}, "size"), ({"page": -1}, "page")]
    )
    async def test_invalid_query_names_its_field(
        self, client: httpx.AsyncClient, world: World, query: dict[str, int | str], field: str
    ) -> None:
        answer = await client.get(f"{ACME}/changes", params=query, headers=world.admin)
        assert (answer.status_code, list(answer.json()["args"])) == (400, [field])

    @pytest.mark.parametrize(("method", "path"), [("GET", "changes"), ("POST", "limits"), ("POST", "features")])
    async def test_only_superadmins_are_let_in(
        self, client: httpx.AsyncClient, world: World, identities: Identities, method: str, path: str
    ) -> None:
        body = {"limits": MORE_CALLS, "features": PUBLISHING}.get(path)
        key = identities.api_key(world.acme)
        callers = {401: [{}], 403: [world.owner, world.user, world.stranger, key]}
        for status, headers in [(status, headers) for status, all_of in callers.items() for headers in all_of]:
            answer = await client.request(method, f"{ACME}/{path}", json=body, headers=headers)
            assert answer.status_code == status
        assert await _records(client, world) == []

    @pytest.mark.parametrize(("method", "path"), [("GET", "changes"), ("POST", "limits"), ("POST", "features")])
    @pytest.mark.parametrize("account", ["nobody", "1999999999"])
    async def test_unknown_account_is_not_found(
        self, client: httpx.AsyncClient, world: World, method: str, path: str, account: str
    ) -> None:
        body = {"limits": MORE_CALLS, "features": PUBLISHING}.get(path)
        answer = await client.request(
            method, f"/api/mlpcore/admin/account/{account}/{path}", json=body, headers=world.admin
        )
        assert answer.json()["code"] == "mlp.gate.account_not_found"
