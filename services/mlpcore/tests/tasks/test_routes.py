from typing import Any

import httpx
import pytest

from mlpcore.features.instances.failures import InstanceFailed
from mlpcore.features.tasks.kinds import Outcome, Turn
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.db.database import Database
from mlplace_testing.identities import Identities
from mlplace_testing.statements import Statements
from mlplace_testing.world import World

from .workshop import ACCOUNT, Workshop

URL = "/api/mlpcore/task"


async def get(client: httpx.AsyncClient, path: str, headers: dict[str, str], **query: object) -> list[dict[str, Any]]:
    answer = await client.get(f"{URL}{path}", headers=headers, params={k: str(v) for k, v in query.items()})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


def ids(found: list[dict[str, Any]]) -> list[int]:
    return [int(one["jobId"]) for one in found]


class TestShort:
    async def test_short_list_shows_trees_newest_first_without_replaced_tasks(
        self, client: httpx.AsyncClient, world: World, workshop: Workshop
    ) -> None:
        old = await workshop.begin("one", slot="s")
        top = await workshop.begin("whole", slot="s")
        middle = await workshop.begin("whole", parent=top)
        bottom = await workshop.begin("one", parent=middle, wait_for=(top,))
        single = await workshop.begin("one")
        found = await get(client, "/short", world.owner)
        assert ids(found) == [single, top]
        assert old not in ids(found)
        (second,) = found[1]["children"]
        (third,) = second["children"]
        assert (int(second["jobId"]), int(third["jobId"]), third["waitFor"]) == (middle, bottom, [str(top)])
        assert (found[0]["title"], found[0]["viewStatus"], found[0]["unreadStatus"]) == (
            "Start of greeting",
            "IDLE",
            True,
        )

    async def test_short_list_takes_one_query(
        self, client: httpx.AsyncClient, world: World, workshop: Workshop, statements: Statements
    ) -> None:
        for _ in range(3):
            whole = await workshop.begin("whole")
            await workshop.begin("one", parent=whole)
        statements.clear()
        await get(client, "/short", world.owner)
        assert len(statements.selects) == 1

    async def test_limited_key_sees_tasks_of_its_models_only(
        self, client: httpx.AsyncClient, world: World, workshop: Workshop, identities: Identities
    ) -> None:
        await workshop.begin("one")
        assert await get(client, "/short", identities.api_key(world.acme, allowed_models=(8,))) == []
        assert len(await get(client, "/short", identities.api_key(world.acme, allowed_models=(7,)))) == 1

    async def test_short_list_shows_the_selected_account_only(
        self, client: httpx.AsyncClient, world: World, workshop: Workshop
    ) -> None:
        await workshop.begin("one")
        assert await get(client, "/short", world.stranger) == []
        assert (await client.get(f"{URL}/short")).status_code == 401
        assert (await client.get(f"{URL}/short", headers=world.admin)).json()["code"] == "account.not_selected"


class TestRead:
    async def test_read_mark_is_per_caller_and_ends_with_the_next_status(
        self, client: httpx.AsyncClient, world: World, workshop: Workshop
    ) -> None:
        task_id = await workshop.begin("one")
        answer = await client.post(f"{URL}/read", params={"jobId": [task_id, task_id]}, headers=world.owner)
        assert answer.status_code == 200
        assert (await get(client, "/short", world.owner))[0]["unreadStatus"] is False
        assert (await get(client, "/short", world.user))[0]["unreadStatus"] is True
        await workshop.runner.turn()
        assert (await get(client, "/short", world.owner))[0]["unreadStatus"] is True

    async def test_task_of_another_account_is_not_marked(
        self, client: httpx.AsyncClient, world: World, workshop: Workshop, database: Database
    ) -> None:
        task_id = await workshop.begin("one")
        assert (await client.post(f"{URL}/read?jobId={task_id}", headers=world.stranger)).status_code == 200
        assert (await get(client, "/short", world.owner))[0]["unreadStatus"] is True
        assert (await client.post(f"{URL}/read", headers=world.owner)).status_code == 200

    @pytest.mark.parametrize("task_id", ["x", "0", "-1", str(2**63)])
    async def test_invalid_id_is_refused(self, client: httpx.AsyncClient, world: World, task_id: str) -> None:
        assert (await client.post(f"{URL}/read?jobId={task_id}", headers=world.owner)).status_code == 400


class TestLists:
    async def test_filters_are_combined_with_and(
        self, client: httpx.AsyncClient, world: World, workshop: Workshop
    ) -> None:
        done = await workshop.begin("one")
        await workshop.runner.turn()
        fresh = await workshop.begin("one")
        everything = await get(client, "", world.admin)
        assert ids(everything) == [fresh, done]
        assert ids(await get(client, "", world.admin, account=ACCOUNT, model=7, excludeStatus="COMPLETED")) == [fresh]
        assert await get(client, "", world.admin, account=ACCOUNT, model=8) == []
        for query in ({"instanceId": 1}, {"groupName": "g"}, {"serverId": 1}, {"account": 1}):
            assert await get(client, "/user", world.owner, **query) == []
        assert ids(await get(client, "/user", world.owner, model=7)) == [fresh, done]
        assert ids(await get(client, "/list", world.owner)) == [fresh, done]

    async def test_list_shows_parents_times_and_errors(
        self, client: httpx.AsyncClient, world: World, workshop: Workshop
    ) -> None:
        async def fail(_: Turn) -> Outcome:
            raise InstanceFailed(instance="7", reason="no")

        workshop.first.forward = fail
        top = await workshop.begin("whole")
        middle = await workshop.begin("whole", parent=top)
        await workshop.begin("one", parent=middle)
        await workshop.pass_time()
        await workshop.pass_time()
        bottom = (await get(client, "/list", world.owner))[0]
        assert bottom["parents"] == [str(top), str(middle)]
        said = (bottom["jobStatus"], bottom["errorMessage"], bottom["originalException"], bottom["modelId"])
        assert said == ("FAILED", "instance 7: no", "mlp.core.instance_failed", 7)
        (shown,) = await get(client, "/short", world.owner)
        lowest = shown["children"][0]["children"][0]
        assert (lowest["stepKey"], lowest["errorCode"], lowest["errorArgs"]) == (
            "a",
            "mlp.core.instance_failed",
            {"instance": "7", "reason": "no"},
        )
        assert bottom["endTime"] >= bottom["startTime"] > 0

    async def test_lists_show_only_accessible_tasks(
        self, client: httpx.AsyncClient, world: World, workshop: Workshop
    ) -> None:
        await workshop.begin("one")
        assert await get(client, "/user", world.stranger) == []
        assert await get(client, "/user", world.stranger, account=ACCOUNT) == []
        assert (await client.get(URL, headers=world.owner)).status_code == 403
        assert (await client.get(URL)).status_code == 401
        assert (await client.get(f"{URL}/user")).status_code == 401

    @pytest.mark.parametrize("query", ["model=x", "account=0", "excludeStatus=DONE", "groupName=a%00b"])
    async def test_invalid_filter_is_refused(self, client: httpx.AsyncClient, world: World, query: str) -> None:
        assert (await client.get(f"{URL}/user?{query}", headers=world.owner)).status_code == 400


class TestStop:
    async def test_stop_needs_write_permission(
        self, client: httpx.AsyncClient, world: World, workshop: Workshop, identities: Identities
    ) -> None:
        task_id = await workshop.begin("one")
        url = f"{URL}/{task_id}/stop"
        reading = identities.api_key(world.acme, permissions=(KeyPermission.READ,))
        elsewhere = identities.api_key(world.acme, allowed_models=(8,))
        answers = [
            await client.post(url, headers=headers)
            for headers in ({}, world.user, reading, world.stranger, elsewhere, world.owner)
        ]
        assert [answer.status_code for answer in answers] == [401, 403, 403, 404, 404, 200]
        missing = await client.post(f"{URL}/{task_id + 1}/stop", headers=world.stranger)
        assert {**missing.json(), "requestId": ""} == {**answers[3].json(), "requestId": ""}
        assert await workshop.status(task_id) == "REVERTED"

    async def test_stop_of_an_ended_task_is_a_conflict(
        self, client: httpx.AsyncClient, world: World, workshop: Workshop
    ) -> None:
        task_id = await workshop.begin("one")
        await workshop.runner.turn()
        refused = await client.post(f"{URL}/{task_id}/stop", headers=world.owner)
        assert (refused.status_code, refused.json()["code"]) == (409, "mlp.core.task_not_interruptible")
