"""What agents measure, and what mlpcore notes once a minute."""

from datetime import timedelta

import httpx
import pytest

from mlpcore.features.metrics.loops import Measures
from mlpcore.features.metrics.names import NodeMetric
from mlpcore.features.metrics.reading_repository import SampleReader
from mlpcore.features.metrics.spans import instant_span
from mlpcore.features.metrics.subjects_repository import Subjects
from mlpcore.features.metrics.wider_sources import NodeSeries
from mlpcore.state import CoreState
from mlpcore.system_account import SYSTEM_ACCOUNT
from mlplace_contracts.internal.hosting import InstanceUse
from mlplace_kit.clock import ManualClock
from mlplace_testing.agents import AgentTwin
from mlplace_testing.world import World

from .names import ACME, send, server_sample

pytestmark = pytest.mark.own_database  # it has partitions


async def ask(client: httpx.AsyncClient, path: str, headers: dict[str, str], *names: str) -> dict[str, float]:
    answer = await client.get(path, params={"metrics": list(names)}, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


class TestAgents:
    async def test_use_is_seen_of_instance_model_and_account(
        self, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, instance: int, measures: Measures,
        clock: ManualClock,
    ) -> None:  # fmt: skip
        await send(agent, instance, server_sample(1, InstanceUse(instance_id=instance, milli_cpu=250, ram_mb=64)))
        clock.advance(timedelta(seconds=10))
        of_instance = f"{ACME}/model/ner/instance/{instance}/metric"
        names = ("CPU_USAGE", "RAM_USAGE", "CPU_LIMIT", "RAM_LIMIT", "CPU_REQUESTED")
        assert await ask(client, of_instance, publisher.owner, *(f"INSTANCE_{name}" for name in names)) == {
            "INSTANCE_CPU_USAGE": 250, "INSTANCE_RAM_USAGE": 64, "INSTANCE_RAM_LIMIT": 500, "INSTANCE_CPU_REQUESTED": 100,
        }  # fmt: skip
        assert await ask(client, f"{ACME}/model/ner/metric", publisher.owner, "MODEL_CPU_USAGE") == {
            "MODEL_CPU_USAGE": 250
        }
        assert await ask(client, f"{ACME}/metric", publisher.owner, "ACCOUNT_CPU_USAGE") == {"ACCOUNT_CPU_USAGE": 250}
        started = await client.get(
            f"{ACME}/model/ner/instance/{instance}/metric/start-time",
            params={"metric": "INSTANCE_CPU_USAGE"},
            headers=publisher.owner,
        )
        assert isinstance(started.json(), int)

    async def test_sample_that_is_sent_again_changes_nothing(
        self, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, instance: int, measures: Measures,
        clock: ManualClock,
    ) -> None:  # fmt: skip
        use = InstanceUse(instance_id=instance, milli_cpu=250)
        await send(agent, instance, server_sample(1, use))
        clock.advance(timedelta(seconds=10))
        await send(
            agent, instance, server_sample(1, use, age=0), server_sample(2, use.model_copy(update={"milli_cpu": 50}))
        )
        clock.advance(timedelta(seconds=10))
        query = {"metrics": "INSTANCE_CPU_USAGE", "minutes": 5, "stepSeconds": 10}
        answer = await client.get(
            f"{ACME}/model/ner/instance/{instance}/metric-range", params=query, headers=publisher.owner
        )
        assert [point["v"] for point in answer.json()["INSTANCE_CPU_USAGE"]] == [250, 50]

    async def test_restarts_of_a_step_add_up(
        self, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, instance: int, measures: Measures,
        clock: ManualClock,
    ) -> None:  # fmt: skip
        for number, restarts in enumerate((1, 0, 2)):
            await send(agent, instance, server_sample(number, InstanceUse(instance_id=instance, restarts=restarts)))
            clock.advance(timedelta(seconds=10))
        query = {"metrics": "INSTANCE_RESTARTS_COUNT", "minutes": 5, "stepSeconds": 60}
        answer = await client.get(
            f"{ACME}/model/ner/instance/{instance}/metric-range", params=query, headers=publisher.owner
        )
        assert [point["v"] for point in answer.json()["INSTANCE_RESTARTS_COUNT"]] == [3]

    async def test_instances_of_other_servers_are_ignored(
        self, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, instance: int, measures: Measures,
        clock: ManualClock,
    ) -> None:  # fmt: skip
        other = InstanceUse(instance_id=instance + 1, milli_cpu=999)
        await send(agent, instance, server_sample(1, other))
        clock.advance(timedelta(seconds=10))
        assert await ask(client, f"{ACME}/model/ner/metric", publisher.owner, "MODEL_CPU_USAGE") == {}

    async def test_heartbeat_without_a_partition_for_its_samples_succeeds(
        self, agent: AgentTwin, instance: int
    ) -> None:
        await send(agent, instance, server_sample(1, InstanceUse(instance_id=instance, milli_cpu=250)))


class TestStates:
    async def test_what_models_and_accounts_hold_is_noted_each_minute(
        self, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, instance: int, measures: Measures,
        clock: ManualClock,
    ) -> None:  # fmt: skip
        await measures.turn()
        await measures.turn()
        clock.advance(timedelta(seconds=70))
        names = ("MODEL_INSTANCES_COUNT", "MODEL_CPU_REQUESTED", "MODEL_RAM_REQUESTED", "MODEL_CPU_LIMIT")
        assert await ask(client, f"{ACME}/model/ner/metric", publisher.owner, *names) == {
            "MODEL_INSTANCES_COUNT": 1, "MODEL_CPU_REQUESTED": 100, "MODEL_RAM_REQUESTED": 500,
        }  # fmt: skip
        held = await ask(client, f"{ACME}/metric", publisher.owner, "ACCOUNT_CPU_REQUESTED", "ACCOUNT_CPU_LIMIT")
        assert held["ACCOUNT_CPU_REQUESTED"] == 100
        assert held["ACCOUNT_CPU_LIMIT"] > 0
        nothing = await ask(client, "/api/mlpcore/account/globex/metric", publisher.stranger, "ACCOUNT_CPU_REQUESTED")
        assert nothing == {"ACCOUNT_CPU_REQUESTED": 0}

    async def test_owner_of_servers_sees_their_room_and_use(
        self, agent: AgentTwin, instance: int, measures: Measures,
        clock: ManualClock, state: CoreState,
    ) -> None:  # fmt: skip
        await send(agent, instance, server_sample(1))
        await measures.turn()
        clock.advance(timedelta(seconds=70))
        names = [NodeMetric.CPU_USAGE, NodeMetric.CPU_CAPACITY, NodeMetric.CPU_REQUESTED, NodeMetric.GPU_PODS_COUNT]
        span = instant_span(clock.now(), clock.now())
        async with state.database.transaction() as session:
            group_id = await Subjects(session).group(SYSTEM_ACCOUNT, "default")
            assert group_id is not None
            found = await NodeSeries(SampleReader(session)).read(group_id, names, span, server_ids=None)
        values = {name: list(points.values()) for name, points in found.items()}
        assert values[NodeMetric.CPU_CAPACITY] == [2000]
        assert values[NodeMetric.CPU_REQUESTED] == [100]
        assert values[NodeMetric.GPU_PODS_COUNT] == [0]


class TestPlatformsGroups:
    async def test_superadmins_see_the_platforms_own_servers_and_nobody_else_does(
        self, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, instance: int, measures: Measures,
        clock: ManualClock,
    ) -> None:  # fmt: skip
        await send(agent, instance, server_sample(1))
        clock.advance(timedelta(seconds=10))
        path = f"/api/mlpcore/account/{SYSTEM_ACCOUNT}/resource-groups/default/metric"
        assert await ask(client, path, publisher.admin, "NODE_CPU_USAGE") == {"NODE_CPU_USAGE": 700}
        for headers in (publisher.owner, {}):
            answer = await client.get(path, params={"metrics": "NODE_CPU_USAGE"}, headers=headers)
            assert answer.status_code in {401, 403}
