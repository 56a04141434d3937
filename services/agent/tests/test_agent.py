import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from mlplace_agent.agent import Agent
from mlplace_agent.config import AgentConfig, Program
from mlplace_agent.identity import Credentials
from mlplace_agent.meter import ServerMeter
from mlplace_agent.platform import NotWelcomeError, Platform
from mlplace_agent.runtimes.choice import ChosenRuntime
from mlplace_contracts.internal.hosting import MOST_PROGRAMS, DesiredInstance, ReportedPhase
from mlplace_kit.clock import SystemClock
from mlplace_testing.hosting_twin import SECRET, PlatformTwin
from mlplace_testing.waiting import eventually

Make = Callable[..., DesiredInstance]


@pytest.fixture
def twin() -> PlatformTwin:
    return PlatformTwin()


@pytest.fixture
async def agent(twin: PlatformTwin, program: Program, tmp_path: Path) -> AsyncGenerator[Agent]:
    config = AgentConfig.model_validate(
        {"platform_url": "http://platform", "state_dir": tmp_path, "programs": {"demo/program": program}}
    )
    client = httpx.AsyncClient(transport=twin.transport(), base_url="http://platform")
    made = Agent(
        platform=Platform(client),
        credentials=Credentials(platform_url="http://platform", account_id=1, server_id=5, secret=SECRET),
        runtime=ChosenRuntime(config, agent_id="5" * 32, server_id=5),
        clock=SystemClock(),
        heartbeat_seconds=0.05,
        meter=ServerMeter(disk_path=str(tmp_path)),
        first_backoff=0.05,
        timeout_seconds=0.3,
    )
    yield made
    await made.shut_down(grace_seconds=0)
    await client.aclose()


@asynccontextmanager
async def working(agent: Agent) -> AsyncGenerator[None]:
    task = asyncio.create_task(agent.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def reach(twin: PlatformTwin, phase: ReportedPhase | None, instance_id: int = 7) -> None:
    async def probe() -> ReportedPhase | None:
        return twin.phase(instance_id)

    await eventually(probe, until=lambda found: found is phase)


async def said(twin: PlatformTwin, word: str) -> None:
    async def probe() -> str:
        return twin.text()

    await eventually(probe, until=lambda text: word in text)


class TestImages:
    async def test_heartbeat_says_which_images_the_server_can_run(self, agent: Agent, twin: PlatformTwin) -> None:
        await agent.beat()
        assert (twin.beats[-1].runs_containers, twin.beats[-1].programs) == (False, ("demo/program",))

    @pytest.mark.parametrize("more", [0, 1])
    def test_server_with_more_programs_than_can_be_told_tells_none(
        self, program: Program, tmp_path: Path, more: int
    ) -> None:
        """The platform would take programs that it is not told for images that the server cannot run."""
        programs = {f"demo/{number}": program for number in range(MOST_PROGRAMS + more)}
        config = AgentConfig.model_validate(
            {"platform_url": "http://platform", "state_dir": tmp_path, "programs": programs}
        )
        runtime = ChosenRuntime(config, agent_id="5" * 32, server_id=5)
        said = (runtime.runs_containers, len(runtime.programs))
        assert said == ((None, 0) if more else (False, MOST_PROGRAMS))


class TestGpus:
    async def test_each_report_says_what_the_instance_was_given(
        self, agent: Agent, twin: PlatformTwin, instance: Make
    ) -> None:
        twin.desired = [instance(gpu_ids=("GPU-1",), gpu_memory_mb=2048), instance(instance_id=8)]
        await agent.beat()
        await agent.beat()
        said = {report.instance_id: (report.gpu_ids, report.gpu_memory_mb) for report in twin.beats[-1].instances}
        assert said == {7: (("GPU-1",), 2048), 8: ((), None)}


class TestDesiredState:
    async def test_starts_desired_instances_and_sends_their_output_once(
        self, agent: Agent, twin: PlatformTwin, instance: Make
    ) -> None:
        twin.desired = [instance()]
        async with working(agent):
            await said(twin, "ready")
            assert twin.phase() is ReportedPhase.RUNNING
            beats = len(twin.beats)
            await eventually(lambda: _count(twin), until=lambda n: n > beats + 2)
            assert twin.text().count("ready") == 1

    async def test_stops_an_instance_on_request_and_reports_its_exit(
        self, agent: Agent, twin: PlatformTwin, instance: Make
    ) -> None:
        twin.desired = [instance()]
        async with working(agent):
            await said(twin, "ready")
            twin.desired = [instance(stop=True, stop_grace_seconds=10)]
            await reach(twin, ReportedPhase.EXITED)
            report = twin.report()
            assert report is not None
            assert (report.exit_code, report.reason) == (0, "Completed")
            twin.desired = []
            await reach(twin, None)

    async def test_starts_and_ends_are_reported_before_the_next_heartbeat_is_due(
        self, agent: Agent, twin: PlatformTwin, instance: Make
    ) -> None:
        """The platform gives the room of an instance to another one when it learns of its end."""
        twin.heartbeat_seconds = 3600
        twin.desired = [instance("ends")]
        async with working(agent):
            await reach(twin, ReportedPhase.BACKOFF)

    async def test_force_ends_the_grace_period(self, agent: Agent, twin: PlatformTwin, instance: Make) -> None:
        twin.desired = [instance("stubborn")]
        async with working(agent):
            await said(twin, "ready")
            twin.desired = [instance("stubborn", stop=True, stop_grace_seconds=300)]
            await reach(twin, ReportedPhase.STOPPING)
            twin.desired = [instance("stubborn", stop=True, stop_grace_seconds=300, force=True)]
            await reach(twin, ReportedPhase.EXITED)

    async def test_stops_instances_missing_from_the_desired_state(
        self, agent: Agent, twin: PlatformTwin, instance: Make
    ) -> None:
        twin.desired = [instance()]
        async with working(agent):
            await said(twin, "ready")
            twin.desired = []
            await reach(twin, None)

    async def test_a_new_generation_replaces_the_old_one(
        self, agent: Agent, twin: PlatformTwin, instance: Make
    ) -> None:
        twin.desired = [instance()]
        async with working(agent):
            await reach(twin, ReportedPhase.RUNNING)
            twin.desired = [instance(generation=2)]

            async def generation() -> int:
                report = twin.report()
                return report.generation if report and report.phase is ReportedPhase.RUNNING else 0

            await eventually(generation, until=lambda found: found == 2)

    async def test_refuses_an_image_without_a_program(self, agent: Agent, twin: PlatformTwin, instance: Make) -> None:
        twin.desired = [instance(image="evil/miner:latest")]
        async with working(agent):
            await reach(twin, ReportedPhase.REFUSED)
            report = twin.report()
            assert report is not None
            assert report.message is not None
            assert "evil/miner:latest" in report.message

    async def test_reports_an_unknown_instance_as_exited(
        self, agent: Agent, twin: PlatformTwin, instance: Make
    ) -> None:
        twin.desired = [instance(stop=True)]
        async with working(agent):
            await reach(twin, ReportedPhase.EXITED)


class TestRestart:
    async def test_restarts_a_failed_instance_and_counts_restarts(
        self, agent: Agent, twin: PlatformTwin, instance: Make
    ) -> None:
        twin.desired = [instance("fails")]
        async with working(agent):

            async def restarts() -> int:
                report = twin.report()
                return report.restart_count if report else 0

            await eventually(restarts, until=lambda count: count >= 2)
            report = twin.report()
            assert report is not None
            assert (report.exit_code, report.reason) == (7, "Error")

            async def second_run() -> str:
                return twin.text(restart_count=1)

            await eventually(second_run, until=lambda text: "broken" in text)


class TestPlatformAway:
    async def test_instances_keep_running_and_the_agent_reconnects(
        self, agent: Agent, twin: PlatformTwin, instance: Make
    ) -> None:
        twin.desired = [instance()]
        async with working(agent):
            await said(twin, "ready")
            started = twin.report()
            beats = len(twin.beats)
            twin.away = True
            await eventually(lambda: _failed_beat(agent))
            twin.away = False
            await eventually(lambda: _count(twin), until=lambda n: n > beats)
            report = twin.report()
            assert report is not None
            assert started is not None
            assert (report.phase, report.started_at) == (ReportedPhase.RUNNING, started.started_at)

    async def test_gives_up_when_the_platform_keeps_refusing(self, agent: Agent, twin: PlatformTwin) -> None:
        twin.refusing = True
        with pytest.raises(NotWelcomeError):
            await agent.run()


async def _count(twin: PlatformTwin) -> int:
    return len(twin.beats)


async def _failed_beat(agent: Agent) -> bool:
    return agent.failures > 0
