"""Administrators move all services of a group to other groups; their instances follow."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest

from mlpcore import registry
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.tasks.runner import TaskRunner
from mlpcore.state import CoreState
from mlpcore.system_account import SYSTEM_ACCOUNT
from mlplace_contracts.internal.hosting import Enrolled
from mlplace_contracts.internal.hosting import ReportedPhase as P
from mlplace_kit.clock import ManualClock
from mlplace_testing.agents import AgentTwin, GateTwin, report
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

URL = "/api/mlpcore/admin/models/resource-group/migrate"
MODEL = "/api/mlpcore/account/acme/model/greeting"
Told = Callable[..., Awaitable[None]]


async def add_server(client: httpx.AsyncClient, world: World, group: str) -> AgentTwin:
    body = {"groupName": group, "serverName": f"server-of-{group}"}
    made = await client.post("/internal/mlpcore/bootstrap/server", json=body, headers=world.internal)
    assert made.status_code == 200, made.text
    answer = await client.post("/api/mlpcore/hosting-server/enroll", json={"token": made.json()["enrolmentToken"]})
    agent = AgentTwin(client, Enrolled.model_validate_json(answer.content))
    await agent.beat()
    return agent


async def add_groups(state: CoreState, *names: str) -> None:
    """Adds public groups of the platform's account."""
    async with state.database.transaction() as session:
        session.add_all(
            ResourceGroup(
                account_id=SYSTEM_ACCOUNT, name=name, is_default=False, access="PUBLIC",
                resource_group_type="HOSTING_SERVER", enabled_eviction=False, enabled_auto_scaling=False, extras={},
                created_at=state.clock.now(),
            )
            for name in names
        )  # fmt: skip


class Floor:
    """`acme/greeting` runs in the platform's default group; the public group `next` has a server, too."""

    def __init__(
        self, client: httpx.AsyncClient, world: World, admin: dict[str, str], old: AgentTwin, new: AgentTwin,
        gate: GateTwin, told: Told, state: CoreState, clock: ManualClock,
    ) -> None:  # fmt: skip
        self.client, self.world, self.admin, self.old, self.new = client, world, admin, old, new
        self._gate, self._told, self._clock = gate, told, clock
        self._runner, self._reconciler = TaskRunner(state, registry.TASKS), Reconciler(state)

    async def migrate(self, **query: object) -> httpx.Response:
        wanted = {"sourceGroup": "default", "dryRun": False, **query}
        return await self.client.post(URL, params={k: str(v) for k, v in wanted.items()}, headers=self.admin)

    async def turns(self, count: int = 12) -> None:
        for _ in range(count):
            self._clock.advance(timedelta(seconds=3))
            await self._runner.turn()
            await self._reconciler.turn()
            await asyncio.gather(self.old.beat(), self.new.beat())

    async def group(self, model: str = MODEL) -> str | None:
        answer = await self.client.get(model, headers=self.admin)
        assert answer.status_code == 200, answer.text
        found: str | None = answer.json()["resourceGroup"]
        return found

    async def start(self) -> int:
        started = await self.client.post(f"{MODEL}/instances", json=1, headers=self.world.owner)
        assert started.status_code == 200, started.text
        return await self.connect(self.old)

    async def connect(self, agent: AgentTwin) -> int:
        (number,) = [i for i, wanted in (await agent.beat()).items() if not wanted.stop]
        await agent.beat(report(number, P.RUNNING))
        await self._told(self._gate.connected(number))
        return number

    async def end(self, agent: AgentTwin, number: int) -> None:
        self._clock.advance(timedelta(seconds=21))
        await agent.beat(report(number, P.EXITED, exit_code=0))

    async def task(self) -> dict[str, Any]:
        """Returns the newest migration."""
        found = (await self.client.get("/api/mlpcore/task/short", headers=self.admin)).json()
        return next(task for task in found if task["operation"] == "SET_CORRECT_GROUP")


@pytest.fixture
async def floor(
    client: httpx.AsyncClient, publisher: World, identities: Identities, model_id: int, agent: AgentTwin,
    gate: GateTwin, told: Told, state: CoreState, clock: ManualClock,
) -> Floor:  # fmt: skip
    admin = identities.user(publisher.globex, superadmin=True)
    await add_groups(state, "next")
    new = await add_server(client, publisher, "next")
    return Floor(client, publisher, admin, agent, new, gate, told, state, clock)


class TestMigrate:
    async def test_dry_run_says_what_would_move_and_changes_nothing(self, floor: Floor) -> None:
        text = "dry run: from default move 1 service of 1 account to next; dryRun=false does it"
        asked = await floor.migrate(targetGroup="next", dryRun=True)
        assert (asked.status_code, asked.json()) == (200, text)
        unsaid = await floor.client.post(f"{URL}?sourceGroup=default&targetGroup=next", headers=floor.admin)
        assert (unsaid.status_code, unsaid.json()) == (200, text)
        await floor.turns(2)
        assert await floor.group() is None
        tasks = (await floor.client.get("/api/mlpcore/task/short", headers=floor.admin)).json()
        assert [task["operation"] for task in tasks] == []

    async def test_running_service_moves_without_a_gap(self, floor: Floor) -> None:
        old = await floor.start()
        answer = await floor.migrate(targetGroup="next")
        assert answer.json() == "from default move 1 service of 1 account to next"
        await floor.turns()
        assert await floor.group() == "next"
        fresh = await floor.connect(floor.new)
        assert [i for i, wanted in (await floor.old.beat()).items() if not wanted.stop] == [old]
        await floor.turns()
        await floor.end(floor.old, old)
        await floor.turns()
        assert (list(await floor.old.beat()), list(await floor.new.beat())) == ([], [fresh])
        task = await floor.task()
        assert (task["viewStatus"], task["percentage"]) == ("COMPLETED", 100.0)

    async def test_owner_finds_the_move_in_log_and_notifications(self, floor: Floor) -> None:
        await floor.migrate(targetGroup="next")
        await floor.turns(2)
        entries = (await floor.client.get(f"{MODEL}/logs", headers=floor.world.owner)).json()
        assert (entries[0]["code"], entries[0]["args"]) == ("MODEL_MOVED", {"before": None, "after": "next"})
        told = (await floor.client.get("/api/mlpcore/account/acme/notification", headers=floor.world.owner)).json()
        assert ("SERVICES_MOVED", {"group": "next"}) in [(one["textKey"], one["textArgs"]) for one in told]

    async def test_stopped_migration_moves_everything_back(self, floor: Floor) -> None:
        old = await floor.start()
        await floor.migrate(targetGroup="next")
        await floor.turns(3)
        assert await floor.group() == "next"
        stopped = await floor.client.post(
            f"/api/mlpcore/task/{(await floor.task())['jobId']}/stop", headers=floor.admin
        )
        assert stopped.status_code == 200, stopped.text
        await floor.turns(4)
        assert await floor.group() is None
        assert (await floor.task())["viewStatus"] == "REVERTED"
        assert [i for i, wanted in (await floor.old.beat()).items() if not wanted.stop] == [old]
        assert [i for i, wanted in (await floor.new.beat()).items() if not wanted.stop] == []

    async def test_service_that_has_moved_already_runs_in_its_old_group_again(self, floor: Floor) -> None:
        """Another service waits for its replacement when the migration is stopped."""
        old = await floor.start()
        body = {"modelName": "second", "hostingType": "INTERNAL"}
        made = await floor.client.post("/api/mlpcore/account/globex/model", json=body, headers=floor.world.stranger)
        assert made.status_code == 200, made.text
        await floor.migrate(targetGroup="next")
        await floor.turns(3)
        fresh = await floor.connect(floor.new)
        await floor.turns(2)
        await floor.end(floor.old, old)
        stopped = await floor.client.post(
            f"/api/mlpcore/task/{(await floor.task())['jobId']}/stop", headers=floor.admin
        )
        assert stopped.status_code == 200, stopped.text
        await floor.turns(4)
        assert await floor.group() is None
        back = await floor.connect(floor.old)
        await floor.turns()
        await floor.end(floor.new, fresh)
        await floor.turns(6)
        assert (list(await floor.old.beat()), list(await floor.new.beat())) == ([back], [])
        assert (await floor.task())["viewStatus"] == "REVERTED"

    async def test_owner_changed_the_group_meanwhile(self, floor: Floor) -> None:
        await floor.client.post(
            "/api/mlpcore/account/acme/resource-groups", json={"name": "mine"}, headers=floor.world.owner
        )
        await floor.migrate(targetGroup="next")
        body = {"modelName": "greeting", "resourceGroup": "mine"}
        assert (await floor.client.post(MODEL, json=body, headers=floor.world.owner)).status_code == 200
        await floor.turns(3)
        assert (await floor.group(), (await floor.task())["viewStatus"]) == ("mine", "COMPLETED")

    async def test_pattern_and_limit_of_accounts(self, floor: Floor, state: CoreState) -> None:
        await add_groups(state, "pool-1", "pool-2")
        for name in ("a", "b"):
            body = {"modelName": name, "hostingType": "INTERNAL"}
            made = await floor.client.post("/api/mlpcore/account/globex/model", json=body, headers=floor.world.stranger)
            assert made.status_code == 200, made.text
        answer = await floor.migrate(targetGroupRegex="pool-[0-9]+", accountsLimit=2, dryRun=True)
        assert answer.json() == (
            "dry run: from default move 1 service of 1 account to pool-1; 2 services of 1 account to pool-2; "
            "dryRun=false does it"
        )
        answer = await floor.migrate(targetGroupRegex="pool-.*", accountsLimit=1)
        assert answer.json() == "from default move 1 service of 1 account to pool-1; 1 account stay"
        await floor.turns(3)
        assert await floor.group() == "pool-1"
        assert await floor.group("/api/mlpcore/account/globex/model/a") is None

    async def test_empty_group_moves_nothing(self, floor: Floor) -> None:
        answer = await floor.migrate(sourceGroup="next", targetGroup="default")
        assert answer.json() == "nothing moves from next"


class TestRefused:
    @pytest.mark.parametrize(
        ("query", "field", "rule"),
        [
            ({}, "targetGroup", "either"),
            ({"targetGroup": "next", "targetGroupRegex": "n.*"}, "targetGroup", "either"),
            ({"targetGroup": "none"}, "targetGroup", "not_found"),
            ({"targetGroup": "nobody/next"}, "targetGroup", "not_found"),
            ({"sourceGroup": "none", "targetGroup": "next"}, "sourceGroup", "not_found"),
            ({"targetGroup": "default"}, "targetGroup", "other_group"),
            ({"targetGroupRegex": "zzz"}, "targetGroupRegex", "other_group"),
            ({"targetGroupRegex": "(["}, "targetGroupRegex", "regular_expression"),
            ({"targetGroupRegex": "x" * 129}, "targetGroupRegex", "too_long"),
            ({"targetGroup": "next", "accountsLimit": "0"}, "accountsLimit", "at_least"),
            ({"targetGroup": "next", "accountsLimit": "9" * 12}, "accountsLimit", "below"),
        ],
    )
    async def test_invalid_request(self, floor: Floor, query: dict[str, str], field: str, rule: str) -> None:
        answer = await floor.migrate(**query)
        assert answer.status_code == 400, answer.text
        (found,) = answer.json()["violations"]
        assert (found["path"], found["rule"]) == (field, rule)

    @pytest.mark.parametrize("pattern", [r"(a*)*(a*)*\1\2b", "((((a{0,99}){0,99}){0,99}){0,99})", r"(.*)*\1\1\1$|n"])
    async def test_expensive_pattern_is_bounded(self, floor: Floor, state: CoreState, pattern: str) -> None:
        await add_groups(state, "a" * 64)
        answer = await floor.migrate(targetGroupRegex=pattern, dryRun=True)
        assert answer.status_code in {200, 400}

    async def test_only_administrators(self, floor: Floor) -> None:
        query = {"sourceGroup": "default", "targetGroup": "next"}
        for headers, status in (({}, 401), (floor.world.owner, 403)):
            assert (await floor.client.post(URL, params=query, headers=headers)).status_code == status
        assert await floor.group() is None
