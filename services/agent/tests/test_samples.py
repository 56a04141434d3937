"""What the agent measures of its instances, and how long it keeps it."""

from dataclasses import dataclass, field

import pytest

from mlplace_agent.meter import ServerMeter
from mlplace_agent.runtimes.port import RunUse
from mlplace_agent.samples import Sampler
from mlplace_agent.supervisor import Supervisor
from mlplace_contracts.internal.hosting import DesiredInstance, ReportedInstance, ReportedPhase


@dataclass
class SupervisorTwin:
    """Stands for a supervised run whose use a test sets."""

    used: RunUse | None
    mark: object = field(default_factory=object)
    disk_bytes: int = 3 * 2**20
    restarts: int = 0

    @property
    def instance(self) -> DesiredInstance:
        return DesiredInstance(
            instance_id=7, generation=1, account_id=1, model_id=1, image="x", platform_env={}, service_env={},
            memory_bytes=1, milli_cpu=1,
        )  # fmt: skip

    @property
    def report(self) -> ReportedInstance:
        return ReportedInstance(instance_id=7, generation=1, phase=ReportedPhase.RUNNING, restart_count=self.restarts)

    async def use(self) -> RunUse | None:
        return self.used


def supervised(twin: SupervisorTwin) -> dict[int, Supervisor]:
    return {7: twin}  # type: ignore[dict-item]  # it has what the sampler reads


class Watch:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def sampler(watch: Watch) -> Sampler:
    return Sampler(ServerMeter(disk_path="/"), now=watch)


class TestSampler:
    async def test_use_is_that_of_the_interval(self, sampler: Sampler, watch: Watch) -> None:
        twin = SupervisorTwin(RunUse(5_000_000_000, 64 * 2**20))
        await sampler.take(supervised(twin))
        assert sampler.pending() == ()  # there is nothing to compare with
        watch.seconds += 10
        twin.used, twin.restarts = RunUse(10_000_000_000, 80 * 2**20), 2
        await sampler.take(supervised(twin))
        (sample,) = sampler.pending()
        (use,) = sample.instances
        assert (use.milli_cpu, use.ram_mb, use.disk_mb, use.restarts) == (500, 80, 3, 2)
        assert (use.gpu_percent, use.vram_mb) == (None, None)
        assert (sample.seconds, sample.age_seconds, sample.sequence) == (10, 0, 1)
        assert sample.ram_mb is not None

    async def test_another_run_has_no_use_before_its_second_sample(self, sampler: Sampler, watch: Watch) -> None:
        twin = SupervisorTwin(RunUse(5_000_000_000, 1))
        await sampler.take(supervised(twin))
        watch.seconds += 10
        twin.mark, twin.used = object(), RunUse(6_000_000_000, 1)
        await sampler.take(supervised(twin))
        assert [use.milli_cpu for sample in sampler.pending() for use in sample.instances] == [None]
        watch.seconds += 10
        twin.used = RunUse(5_500_000_000, 1)  # a process ended, and what it had used is not counted any more
        await sampler.take(supervised(twin))
        assert [use.milli_cpu for sample in sampler.pending() for use in sample.instances] == [None, None]

    async def test_run_that_cannot_be_measured_is_unknown(self, sampler: Sampler, watch: Watch) -> None:
        twin = SupervisorTwin(None)
        await sampler.take(supervised(twin))
        watch.seconds += 10
        await sampler.take(supervised(twin))
        (use,) = sampler.pending()[0].instances
        assert (use.milli_cpu, use.ram_mb, use.disk_mb) == (None, None, None)

    async def test_samples_are_sent_until_they_are_acknowledged(self, sampler: Sampler, watch: Watch) -> None:
        for _ in range(10):
            await sampler.take({})
            watch.seconds += 10
        first = sampler.pending()
        assert [sample.sequence for sample in first] == [1, 2, 3, 4, 5, 6]
        assert [sample.age_seconds for sample in first] == [90, 80, 70, 60, 50, 40]
        assert sampler.pending() == first
        sampler.acknowledge(first)
        assert [sample.sequence for sample in sampler.pending()] == [7, 8, 9]

    async def test_silent_platform_costs_bounded_memory(self, sampler: Sampler, watch: Watch) -> None:
        for _ in range(100):
            await sampler.take({})
            watch.seconds += 10
        assert sampler.pending()[0].sequence == 40
