"""What owners learn before they start instances: where one would fit, and what is left of their account's limits."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import httpx
import pytest

from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database
from mlplace_testing.agents import CAPACITY, AgentTwin
from mlplace_testing.world import World

from .test_group_use import ACCOUNT, server, start_in_group
from .test_hosting import scale
from .test_placement import GPU, allow, set_server

__all__ = ["server"]
PREVIEW = f"{ACCOUNT}/placement/preview"
USE = f"{ACCOUNT}/limits/use"
SMALL = {"cpuRequest": "500m", "memoryLimit": "500Mi", "ephemeralDiskLimit": "1Gi"}


async def preview(
    client: httpx.AsyncClient,
    world: World,
    group: str | None,
    *,
    asked: Mapping[str, object] | None = None,
    **limits: object,
) -> dict[str, Any]:
    body = {"resourceGroup": group, "resourceLimits": SMALL | limits, **(asked or {})}
    answer = await client.post(PREVIEW, json=body, headers=world.owner)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def used(client: httpx.AsyncClient, headers: dict[str, str]) -> dict[str, tuple[int, int]]:
    answer = await client.get(USE, headers=headers)
    assert answer.status_code == 200, answer.text
    return {row["limit"]: (row["used"], row["allowed"]) for row in answer.json()}


class TestPreview:
    async def test_own_group_shows_each_server_and_how_many_instances_fit(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin
    ) -> None:
        shown = await preview(client, publisher, "mine")
        assert shown["group"] == {"ownerId": publisher.acme.account_id, "name": "mine"}
        assert (shown["servers"], shown["fitting"], shown["lacking"]) == (1, 1, [])
        assert shown["instances"] == CAPACITY.milli_cpu // 500
        free = {
            "milliCpu": CAPACITY.milli_cpu, "ramMb": CAPACITY.ram_mb, "diskMb": CAPACITY.disk_mb, "gpu": 0, "vramMb": 0
        }  # fmt: skip
        assert (shown["free"], shown["most"]) == (free, free)
        assert shown["eachServer"] == [{"name": "s1", "free": free, "lack": None}]

    async def test_room_of_running_instances_is_not_left(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, server: AgentTwin
    ) -> None:
        await start_in_group(client, publisher, 2)
        shown = await preview(client, publisher, "mine")
        assert (shown["free"]["milliCpu"], shown["free"]["ramMb"]) == (CAPACITY.milli_cpu - 600, CAPACITY.ram_mb - 1000)

    async def test_what_does_not_fit_says_what_is_lacking(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin
    ) -> None:
        shown = await preview(client, publisher, "mine", memoryLimit="5000Mi")
        assert (shown["fitting"], shown["instances"]) == (0, 0)
        lack = {"what": "memory", "servers": 1, "missing": 5000 - CAPACITY.ram_mb}
        assert (shown["lacking"], shown["eachServer"][0]["lack"]) == ([lack], lack)
        with_gpu = await preview(client, publisher, "mine", gpuRequested=True)
        assert with_gpu["lacking"] == [{"what": "gpu", "servers": 1, "missing": 1}]

    async def test_other_models_of_gpus_do_not_fit(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin, database: Database
    ) -> None:
        await set_server(database, gpus=[GPU])
        for model, lacking in (("nvidia l4", []), ("NVIDIA H100", ["gpuModel"])):
            shown = await preview(client, publisher, "mine", gpuRequested=True, gpuModels=[model])
            assert [lack["what"] for lack in shown["lacking"]] == lacking

    async def test_server_that_cannot_run_the_image_has_nothing_left_for_it(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin
    ) -> None:
        server.runs_containers, server.programs = False, ("acme/greeting:1",)
        await server.beat()
        for image, mounts, fits in (("acme/greeting:1", False, 1), ("acme/greeting:1", True, 0), ("a/b:1", False, 0)):
            shown = await preview(client, publisher, "mine", asked={"image": image, "mountsDataImages": mounts})
            assert (shown["fitting"], bool(shown["instances"]), bool(shown["free"]["milliCpu"])) == (fits, fits, fits)
            assert shown["lacking"] == ([] if fits else [{"what": "image", "servers": 1, "missing": 0}])
        assert (await preview(client, publisher, "mine"))["fitting"] == 1

    async def test_silent_server_has_nothing_left(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin, clock: ManualClock
    ) -> None:
        clock.advance(timedelta(seconds=31))
        shown = await preview(client, publisher, "mine")
        assert (shown["servers"], shown["fitting"], shown["free"]["milliCpu"]) == (1, 0, 0)
        assert [lack["what"] for lack in shown["lacking"]] == ["heartbeat"]

    async def test_group_of_others_hides_its_servers_and_counts_the_accounts_limits(
        self, client: httpx.AsyncClient, publisher: World, agent: AgentTwin
    ) -> None:
        await allow(client, publisher, cpuLimit="400m")
        shown = await preview(client, publisher, None)
        assert (shown["group"]["name"], shown["servers"], shown["eachServer"]) == ("default", 1, [])
        assert shown["limit"] == {"name": "cpuLimit", "allowed": "400m", "used": "0m", "needed": "500m"}
        await allow(client, publisher, cpuLimit="4")
        assert (await preview(client, publisher, None))["limit"] is None

    async def test_own_default_group_comes_before_that_of_the_platform(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin, agent: AgentTwin
    ) -> None:
        path = f"{ACCOUNT}/resource-groups/mine"
        assert (await client.post(path, json={"isDefault": True}, headers=publisher.owner)).status_code == 200
        assert (await preview(client, publisher, None))["group"]["name"] == "mine"

    async def test_group_without_servers_has_no_room(self, client: httpx.AsyncClient, publisher: World) -> None:
        shown = await preview(client, publisher, None)
        assert (shown["group"]["name"], shown["servers"], shown["instances"]) == ("default", 0, 0)

    async def test_private_group_of_another_account_looks_like_a_missing_one(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin
    ) -> None:
        path = "/api/mlpcore/account/globex/placement/preview"
        foreign = await client.post(path, json={"resourceGroup": "mine"}, headers=publisher.stranger)
        missing = await client.post(path, json={"resourceGroup": "none"}, headers=publisher.stranger)
        assert (foreign.status_code, foreign.json()["code"]) == (404, missing.json()["code"])

    @pytest.mark.parametrize(("who", "status"), [(None, 401), ("stranger", 403), ("user", 403)])
    async def test_is_for_developers_of_the_account(
        self, client: httpx.AsyncClient, publisher: World, who: str | None, status: int
    ) -> None:
        headers = getattr(publisher, who) if who else {}
        assert (await client.post(PREVIEW, json={}, headers=headers)).status_code == status

    async def test_invalid_needs_are_refused(self, client: httpx.AsyncClient, publisher: World) -> None:
        for body, field in (
            ({"resourceLimits": {"cpuRequest": "much"}}, "resourceLimits.cpuRequest"),
            ({"image": "a" * 513}, "image"),
        ):
            answer = await client.post(PREVIEW, json=body, headers=publisher.owner)
            assert (answer.status_code, list(answer.json()["args"])) == (400, [field])


class TestLimitUse:
    async def test_account_without_instances_uses_nothing(self, client: httpx.AsyncClient, publisher: World) -> None:
        shown = await used(client, publisher.owner)
        assert shown["cpuLimit"] == (0, 4000)
        assert shown["memoryLimit"] == (0, 8192)
        assert {held for held, _ in shown.values()} == {0}

    async def test_instances_in_groups_of_others_use_limits(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await scale(client, publisher, 2)
        shown = await used(client, publisher.owner)
        assert (shown["baseModelInstanceLimit"][0], shown["derivedModelInstanceLimit"][0]) == (2, 0)
        assert (shown["cpuLimit"][0], shown["memoryLimit"][0], shown["ephemeralDiskLimit"][0]) == (200, 1000, 200)

    async def test_own_servers_use_no_resources_of_the_limits(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, server: AgentTwin
    ) -> None:
        await start_in_group(client, publisher, 1)
        shown = await used(client, publisher.owner)
        assert (shown["baseModelInstanceLimit"][0], shown["cpuLimit"][0]) == (1, 0)

    async def test_a_superadmin_sees_any_account(self, client: httpx.AsyncClient, publisher: World) -> None:
        assert await used(client, publisher.admin) == await used(client, publisher.owner)

    @pytest.mark.parametrize(("who", "status"), [(None, 401), ("stranger", 403), ("user", 200)])
    async def test_is_for_members_of_the_account(
        self, client: httpx.AsyncClient, publisher: World, who: str | None, status: int
    ) -> None:
        headers = getattr(publisher, who) if who else {}
        assert (await client.get(USE, headers=headers)).status_code == status
