"""What owners read of the history of their resource groups."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from mlpcore.features.servers.watching import ServerWatch
from mlpcore.features.stat_logs.forgetting import forget_old_entries
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import Enrolled, Heartbeat, ReportedGpu
from mlplace_kit.clock import ManualClock
from mlplace_testing.agents import CAPACITY, AgentTwin
from mlplace_testing.world import World

ACCOUNT = "/api/mlpcore/account/acme"
GROUP = f"{ACCOUNT}/resource-groups/mine"
PATHS = ("logs", "logs/page?minutes=60", "capacity/logs", "capacity/logs/page?minutes=60")


@pytest.fixture
async def group(client: httpx.AsyncClient, world: World) -> str:
    made = await client.post(f"{ACCOUNT}/resource-groups", json={"name": "mine"}, headers=world.owner)
    assert made.status_code == 200, made.text
    return "mine"


async def create_server(client: httpx.AsyncClient, world: World, name: str = "s1") -> tuple[int, AgentTwin]:
    body = {"serverName": name, "rawConfiguration": "provider: hosting_server\n"}
    made = await client.post(f"{GROUP}/server", json=body, headers=world.owner)
    assert made.status_code == 200, made.text
    answer = await client.post("/api/mlpcore/hosting-server/enroll", json={"token": made.json()["enrolmentToken"]})
    return made.json()["id"], AgentTwin(client, Enrolled.model_validate_json(answer.content))


async def read(client: httpx.AsyncClient, world: World, path: str, **query: object) -> Any:
    answer = await client.get(f"{GROUP}/{path}", params={k: str(v) for k, v in query.items()}, headers=world.owner)
    assert answer.status_code == 200, answer.text
    return answer.json()


class TestEvents:
    async def test_group_and_servers_have_a_history_with_its_authors(
        self, client: httpx.AsyncClient, world: World, group: str
    ) -> None:
        number, _ = await create_server(client, world)
        await client.post(GROUP, json={"enabledEviction": True}, headers=world.owner)
        await client.delete(f"{GROUP}/server/{number}", headers=world.owner)
        found = await read(client, world, "logs")
        assert [entry["code"] for entry in found] == [
            "SERVER_DELETED", "GROUP_CHANGED", "SERVER_CREATED", "GROUP_CREATED"
        ]  # fmt: skip
        assert {entry["resourceGroup"] for entry in found} == {"mine"}
        assert all(isinstance(entry["userId"], int) for entry in found)
        assert found[1]["args"] == {"name": "mine", "fields": ["enabledEviction"]}
        assert (found[2]["node"], found[2]["args"]) == ("s1", {"serverId": number, "name": "s1"})

    async def test_silent_and_returned_servers_are_logged(
        self, client: httpx.AsyncClient, world: World, group: str, state: CoreState, clock: ManualClock
    ) -> None:
        _, agent = await create_server(client, world)
        await agent.beat()
        watch = ServerWatch(state)
        await watch.turn()
        clock.advance(timedelta(minutes=5))
        await watch.turn()
        await agent.beat()
        await watch.turn()
        found = [(entry["code"], entry["level"]) for entry in await read(client, world, "logs")][:2]
        assert found == [("SERVER_AVAILABLE", "INFO"), ("SERVER_UNAVAILABLE", "ERROR")]

    async def test_renamed_group_keeps_its_history(self, client: httpx.AsyncClient, world: World, group: str) -> None:
        renamed = await client.post(GROUP, json={"name": "better"}, headers=world.owner)
        assert renamed.status_code == 200, renamed.text
        answer = await client.get(f"{ACCOUNT}/resource-groups/better/logs", headers=world.owner)
        assert [entry["code"] for entry in answer.json()] == ["GROUP_CHANGED", "GROUP_CREATED"]

    async def test_page_of_the_last_minutes(
        self, client: httpx.AsyncClient, world: World, group: str, clock: ManualClock
    ) -> None:
        clock.advance(timedelta(minutes=30))
        for number in range(3):
            await create_server(client, world, f"s{number}")
        page = await read(client, world, "logs/page", minutes=10, size=2, page=1, sort="timestamp,asc")
        assert (page["totalElements"], page["totalPages"], page["number"], page["size"]) == (3, 2, 1, 2)
        assert (page["first"], page["last"], page["empty"], page["numberOfElements"]) == (False, True, False, 1)
        assert page["pageable"]["offset"] == 2
        assert [entry["code"] for entry in page["content"]] == ["SERVER_CREATED"]
        whole = await read(client, world, "logs/page", minutes=31)
        assert whole["totalElements"] == 4

    @pytest.mark.parametrize(
        "query", ["", "minutes=0", "minutes=99999999999", "minutes=5&sort=args", "minutes=5&size=0"]
    )
    async def test_invalid_page_is_refused(
        self, client: httpx.AsyncClient, world: World, group: str, query: str
    ) -> None:
        answer = await client.get(f"{GROUP}/logs/page?{query}", headers=world.owner)
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.validation_error")


class TestCapacity:
    async def test_each_change_that_lasts_is_logged_once(
        self, client: httpx.AsyncClient, world: World, group: str, state: CoreState, clock: ManualClock
    ) -> None:
        number, agent = await create_server(client, world)
        watch = ServerWatch(state)
        await agent.beat()
        await watch.turn()
        await agent.beat()
        await watch.turn()
        gpu = ReportedGpu(gpu_id="GPU-1", model="L4", vram_mb=24576)
        grown = CAPACITY.model_copy(update={"gpus": (gpu,)})
        sent = await agent.post(Heartbeat(agent_version="1", capacity=grown, instances=()).model_dump_json())
        assert sent.status_code == 200, sent.text
        await watch.turn()
        assert len(await read(client, world, "capacity/logs")) == 1, "an agent cannot fill the log"
        clock.advance(timedelta(minutes=6))
        await watch.turn()
        second, first = await read(client, world, "capacity/logs")
        assert (second["code"], second["node"], first["args"]["before"]) == ("CAPACITY_CHANGED", "s1", None)
        assert second["args"]["serverId"] == number
        assert (second["args"]["before"]["gpu"], second["args"]["after"]["gpu"]) == (0, 1)
        assert second["args"]["after"]["vramMb"] == 24576
        assert first["args"]["after"]["milliCpu"] == CAPACITY.milli_cpu
        assert "CAPACITY_CHANGED" not in {entry["code"] for entry in await read(client, world, "logs")}

    async def test_alternating_reports_do_not_fill_the_log(
        self, client: httpx.AsyncClient, world: World, group: str, state: CoreState, clock: ManualClock
    ) -> None:
        _, agent = await create_server(client, world)
        watch = ServerWatch(state)
        for turn in range(13):  # an hour
            for part in range(3):
                capacity = CAPACITY.model_copy(update={"ram_mb": 1000 + (turn + part) % 2})
                sent = await agent.post(Heartbeat(agent_version="1", capacity=capacity, instances=()).model_dump_json())
                assert sent.status_code == 200, sent.text
                await watch.turn()
                clock.advance(timedelta(minutes=5) / 3)
        assert 2 <= len(await read(client, world, "capacity/logs")) <= 13

    async def test_entries_are_kept_for_ninety_days(
        self, client: httpx.AsyncClient, world: World, group: str, state: CoreState, clock: ManualClock
    ) -> None:
        clock.advance(timedelta(days=89))
        await client.post(GROUP, json={"enabledEviction": True}, headers=world.owner)
        await forget_old_entries(state)
        assert [entry["code"] for entry in await read(client, world, "logs")] == ["GROUP_CHANGED", "GROUP_CREATED"]
        clock.advance(timedelta(days=2))
        await forget_old_entries(state)
        assert [entry["code"] for entry in await read(client, world, "logs")] == ["GROUP_CHANGED"]

    async def test_changes_of_one_server(
        self, client: httpx.AsyncClient, world: World, group: str, state: CoreState
    ) -> None:
        for name in ("s1", "s2"):
            await (await create_server(client, world, name))[1].beat()
        await ServerWatch(state).turn()
        assert [e["node"] for e in await read(client, world, "capacity/logs", serverName="s2")] == ["s2"]
        page = await read(client, world, "capacity/logs/page", minutes=5, serverName="s1")
        assert [entry["node"] for entry in page["content"]] == ["s1"]
        assert (await read(client, world, "capacity/logs/page", minutes=5))["totalElements"] == 2


class TestAccess:
    @pytest.mark.parametrize("path", PATHS)
    async def test_only_developers_of_the_account_read_them(
        self, client: httpx.AsyncClient, world: World, group: str, path: str
    ) -> None:
        async def status(headers: dict[str, str]) -> int:
            return (await client.get(f"{GROUP}/{path}", headers=headers)).status_code

        assert [await status(people) for people in ({}, world.user, world.stranger)] == [401, 403, 403]
        assert await status(world.owner) == 200

    @pytest.mark.parametrize("path", PATHS)
    async def test_foreign_group_looks_like_a_missing_one(
        self, client: httpx.AsyncClient, world: World, group: str, path: str
    ) -> None:
        theirs = "/api/mlpcore/account/globex/resource-groups"
        answers = [await client.get(f"{theirs}/{name}/{path}", headers=world.stranger) for name in ("mine", "none")]
        assert [(a.status_code, a.json()["code"]) for a in answers] == [(404, "mlp.core.not_found")] * 2
