"""The scheduler in two processes at once, on the real database: any order of starts, stops, ends, crashes, limits.

`MLP_FUZZ=1` (`make fuzz`) runs it longer and with other examples each time.
"""

import asyncio
import os
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from mlpcore.features.instances.lifecycle.gpu_comparison import STAYS
from mlpcore.features.instances.loops.comparing import GONE_AFTER
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.servers.service import SILENT_AFTER
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database
from mlplace_testing.world import World

from .truth import Rows, check_evictions, check_images, check_pairs, check_reasons, check_servers, read_rows
from .world_of_servers import IMAGES, NEEDS, SERVERS, WANT_GPUS, WITH_GPUS, WorldOfServers

MOST_PASSES = 20
FUZZ = os.environ.get("MLP_FUZZ") == "1"

processes = st.integers(0, 1)
models = st.integers(0, len(NEEDS) - 1)
servers = st.integers(0, len(SERVERS) - 1)
requests = st.tuples(processes, models, st.integers(0, 5))
memory_limits = st.sampled_from(["1Gi", "3Gi", "16Gi"])
cpu_limits = st.sampled_from(["1", "2", "4"])


class PlacementMachine(RuleBasedStateMachine):
    world: WorldOfServers

    @initialize(wanted=st.lists(requests, min_size=3, max_size=6), evicts=st.booleans())
    def begin(self, wanted: list[tuple[int, int, int]], evicts: bool) -> None:
        """The servers are mostly full from the beginning on, so that something waits."""
        self.world.run(self.world.begin())
        self.world.run(self.world.set_eviction(enabled=evicts))
        self.bounds: dict[int, dict[str, float]] = {}
        self.before = self._rows()
        for process, model, count in wanted:
            self.world.run(self.world.request(process, model, max(1, count)))
        self.world.run(self.world.each(0, lambda i: i.state == InstanceState.SCHEDULED, InstanceState.STARTED))

    def teardown(self) -> None:
        self._settle(0)

    @rule(wanted=st.lists(requests, min_size=1, max_size=4))
    def request_at_once(self, wanted: list[tuple[int, int, int]]) -> None:
        self.world.run(*(self.world.request(*each) for each in wanted))
        self._settle(0)

    @rule(wanted=requests, process=processes)
    def request_during_passes(self, wanted: tuple[int, int, int], process: int) -> None:
        self.world.run(self.world.reconcile(process), self.world.request(*wanted), self.world.reconcile(1 - process))

    @rule(process=processes, modulus=st.integers(1, 3))
    def agents_report_ends(self, process: int, modulus: int) -> None:
        """Instances that are being removed end, some of them while both processes place others."""
        removed = self.world.each(
            process,
            lambda i: i.state == InstanceState.REMOVING and i.instance_id % modulus == 0,
            InstanceState.DELETED,
        )
        self.world.run(self.world.reconcile(1 - process), removed, self.world.reconcile(process))

    @rule(process=processes, wanted=st.sampled_from([InstanceState.STARTED, InstanceState.FAILED]))
    def instances_start_or_fail(self, process: int, wanted: InstanceState) -> None:
        self.world.run(self.world.each(process, lambda i: i.state == InstanceState.SCHEDULED, wanted))

    @rule(process=processes, loses_database=st.booleans())
    def process_dies_in_a_pass(self, process: int, loses_database: bool) -> None:
        dies = self.world.crash_in_a_pass(process, loses_database=loses_database)
        self.world.run(dies, self.world.reconcile(1 - process))

    @rule(wanted=requests, loses_database=st.booleans())
    def process_dies_in_a_request(self, wanted: tuple[int, int, int], loses_database: bool) -> None:
        dies = self.world.crash_in_a_request(*wanted, loses_database=loses_database)
        self.world.run(dies, self.world.reconcile(1 - wanted[0]))

    @rule(process=processes, model=models)
    def fit_starts(self, process: int, model: int) -> None:
        self.world.run(self.world.start_fit(process, model), self.world.reconcile(1 - process))

    @rule(process=processes, model=models)
    def fits_end(self, process: int, model: int) -> None:
        self.world.run(self.world.end_fits(process, model), self.world.reconcile(1 - process))

    @rule(enabled=st.booleans())
    def eviction_is_switched(self, enabled: bool) -> None:
        self.world.run(self.world.set_eviction(enabled=enabled))

    @rule(model=models)
    def model_is_called(self, model: int) -> None:
        self.world.run(self.world.call(model))

    @rule(days=st.integers(1, 3))
    def days_pass(self, days: int) -> None:
        self.world.run(self.world.pass_days(days))
        self._settle(1)

    @rule(process=processes, server=servers)
    def agent_restarts_without_its_instances(self, process: int, server: int) -> None:
        self.world.run(self.world.reconcile(1 - process), self.world.restart_agent(process, server))

    @rule(server=servers)
    def server_falls_silent(self, server: int) -> None:
        self.world.run(self.world.crash_server(server))

    @rule(process=processes)
    def silent_servers_are_given_up(self, process: int) -> None:
        """The server may report again later. Until then it holds no place of anybody."""
        self.world.run(self.world.give_up_servers(process), self.world.reconcile(1 - process))
        self.world.run(self.world.give_up_servers(1 - process))
        since = self.world.clock.now() - SILENT_AFTER
        rows = self._rows()
        silent = {
            number for number, row in rows.servers.items() if row.last_heartbeat_at and row.last_heartbeat_at < since
        }
        assert not any(row.server_id in silent for row in rows.allocations.values())

    @rule(server=servers)
    def server_reports_again(self, server: int) -> None:
        self.world.run(self.world.set_server(server, {"last_heartbeat_at": self.world.clock.now()}))

    @rule(server=servers, drains=st.booleans())
    def server_drains(self, server: int, drains: bool) -> None:
        moment = self.world.clock.now() if drains else None
        self.world.run(self.world.set_server(server, {"draining_since": moment}))

    @rule(server=servers, containers=st.booleans(), programs=st.sets(st.sampled_from(IMAGES)))
    def agent_is_configured(self, server: int, containers: bool, programs: set[str]) -> None:
        self.world.run(self.world.configure_agent(server, containers=containers, programs=tuple(sorted(programs))))

    @rule(server=servers, process=processes)
    def server_is_replaced(self, server: int, process: int) -> None:
        self.world.run(self.world.replace_server(server))
        self.world.run(self.world.reconcile(process))

    @rule(account=processes, cpu=cpu_limits, memory=memory_limits, base=st.integers(1, 8), gpu=st.integers(0, 3))
    def limits_change(self, account: int, cpu: str, memory: str, base: int, gpu: int) -> None:
        limits = {
            "cpu_limit": cpu, "memory_limit": memory, "base_model_instance_limit": base, "gpu_model_instance_limit": gpu
        }  # fmt: skip
        self.world.run(self.world.set_limits(account, limits))

    @rule(process=processes)
    def rows_are_compared(self, process: int) -> None:
        self.world.run(self.world.compare(process), self.world.reconcile(process), self.world.compare(1 - process))

    @rule(
        process=processes, server=st.one_of(servers, st.just(WITH_GPUS)), which=st.integers(0, 5), knows_gpus=st.booleans()
    )  # fmt: skip
    def allocation_is_lost(self, process: int, server: int, which: int, knows_gpus: bool) -> None:
        """The agent reports the GPU, so it is allocated again. If it does not, the instance is replaced."""
        self.world.run(self.world.lose(server, which, only_gpus=False))
        for _ in range(2):
            self.world.run(self.world.report(process, server, knows_gpus=knows_gpus))
            self.world.run(self.world.compare(process))
            self.world.run(self.world.pass_time(GONE_AFTER + timedelta(seconds=1)))

    @rule(process=processes, which=st.integers(0, 5), given_away=st.booleans())
    def gpu_of_an_instance_is_lost(self, process: int, which: int, given_away: bool) -> None:
        """Others may get the GPU until the agent reports it: then the first instance is replaced."""
        (account_id,) = self.world.run(self.world.lose(WITH_GPUS, which, only_gpus=True))
        if account_id is None:
            return
        if given_away:
            self.world.run(*(self.world.request(process, model, 2) for model in WANT_GPUS))
            self.world.run(self.world.reconcile(process), self.world.reconcile(1 - process))
            # Meanwhile its account may have got another GPU instead.
            bounds = self.bounds.setdefault(account_id, self._rows().limits_of(account_id))
            bounds["gpu_model_instance_limit"] += 1
        self.world.run(self.world.pass_time(STAYS))
        self.world.run(self.world.report(process, WITH_GPUS))

    @rule(process=processes)
    def everything_settles(self, process: int) -> None:
        self._settle(process)

    def _settle(self, process: int) -> None:
        """Passes without company. They come to an end, whatever they evict; then each reason is true."""
        before = self._rows()
        for _ in range(MOST_PASSES):
            self.world.run(self.world.reconcile(process))
            after = self._rows()
            if _outcome(before) == _outcome(after):
                check_reasons(after, self.world.clock.now())
                return
            before = after
        raise AssertionError(f"each of {MOST_PASSES} passes changes something")

    @invariant()
    def rows_agree(self) -> None:
        rows = self._rows()
        check_servers(rows)
        check_images(self.before, rows)
        check_evictions(self.before, rows, self.world.called, self.world.requested)
        self.before = rows
        self.world.requested.clear()
        if not any(row.server_id not in rows.servers for row in rows.allocations.values()):
            self._check_limits(rows)
        check_pairs(rows, {number for number, _ in self.world.lost})

    def _check_limits(self, rows: Rows) -> None:
        """A limit that was lowered below what is used bounds it from then on: no more is added."""
        for account_id in self.world.accounts:
            used, limits = rows.used_by(account_id), rows.limits_of(account_id)
            bounds = self.bounds.get(account_id, limits)
            for name, value in used.items():
                assert value <= max(limits[name], bounds[name]) + 1e-9, f"{name} of {account_id}: {value}"
            self.bounds[account_id] = {name: max(limits[name], value) for name, value in used.items()}

    def _rows(self) -> Rows:
        async def read() -> Rows:
            async with self.world.states[0].database.transaction() as session:
                rows = await read_rows(session)
                session.expunge_all()
                return rows

        (rows,) = self.world.run(read())
        return rows


def _outcome(rows: Rows) -> dict[int, tuple[object, ...]]:
    return {
        number: (row.state, row.server_id, row.waiting_reason, row.waiting_details)
        for number, row in rows.instances.items()
    }


@pytest.fixture
async def two(state: CoreState) -> AsyncGenerator[tuple[CoreState, CoreState]]:
    """Two processes of mlpcore on one database."""
    other = Database(state.settings.database_url, application_name="other")
    yield state, replace(state, database=other)
    await other.close()


@pytest.mark.fuzz
@pytest.mark.timeout(3600 if FUZZ else 300)
async def test_placements_hold_whatever_happens_in_whatever_order(
    two: tuple[CoreState, CoreState], clock: ManualClock, models: tuple[int, ...], world: World
) -> None:
    loop = asyncio.get_running_loop()
    servers = WorldOfServers(two, clock, loop, (world.acme.account_id, world.globex.account_id), models)

    class Machine(PlacementMachine):
        def __init__(self) -> None:
            super().__init__()
            self.world = servers

    bounded: Any = settings(
        max_examples=300 if FUZZ else 12,
        stateful_step_count=40 if FUZZ else 20,
        deadline=None,
        database=None,
        derandomize=not FUZZ,
        phases=(Phase.generate, Phase.shrink) if FUZZ else (Phase.generate,),
        suppress_health_check=[HealthCheck.too_slow],
    )
    await asyncio.to_thread(run_state_machine_as_test, Machine, settings=bounded)
