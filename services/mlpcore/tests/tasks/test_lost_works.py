"""Works that are stopped, lose their claim, or lose their process."""

import asyncio
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from mlpcore.features.tasks.claims import CLAIM
from mlpcore.features.tasks.kinds import Kinds, TaskKind, WorkContext
from mlpcore.features.tasks.runner import TaskRunner
from mlplace_testing.waiting import eventually

from .outside import KEY, KIND, Hangs, LosableDatabase, Outside, found
from .workshop import Workshop

OFTEN = 0.01


class TestStop:
    async def test_stop_cancels_the_work_and_undoes_the_task(self, outside: Outside) -> None:
        outside.fetch.act = Hangs()
        runner = outside.runner(beat_seconds=OFTEN)
        task_id = await outside.begun(runner)
        await outside.workshop.interrupt(task_id)
        await outside.finish(runner)
        await runner.works.settled()
        await runner.turn()
        assert outside.log == ["do first", "prepare", "work on page", "cancelled", "undo fetch", "undo first"]
        assert (await outside.workshop.status(task_id), await outside.rows()) == ("REVERTED", 0)

    async def test_undo_waits_until_the_work_has_cleaned_up(self, outside: Outside) -> None:
        clean = asyncio.Event()

        async def tidy(_: WorkContext) -> str:
            try:
                await asyncio.Event().wait()
            finally:
                outside.log.append("cleaning up")
                await clean.wait()
            return ""

        outside.fetch.act = tidy
        runner, other = outside.runner(beat_seconds=OFTEN), outside.runner()
        task_id = await outside.begun(runner)
        await outside.workshop.interrupt(task_id)
        await eventually(lambda: _has(outside, "cleaning up"))
        for _ in range(3):
            await self.until_renewed(outside, task_id)
            outside.workshop.clock.advance(CLAIM * 0.9)
            await other.turn()
            assert outside.log[-1] == "cleaning up"
        clean.set()
        await runner.works.settled()
        await other.turn()
        assert outside.log[-3:] == ["cancelled", "undo fetch", "undo first"]

    async def until_renewed(self, outside: Outside, task_id: int) -> None:
        wanted = outside.workshop.clock.now() + CLAIM

        async def renewed() -> bool:
            until = (await outside.workshop.read(task_id)).locked_until
            return until is not None and until >= wanted

        await eventually(renewed)

    async def test_stop_before_the_result_is_written_drops_it(self, outside: Outside) -> None:
        hangs = outside.fetch.act = Hangs()
        runner = outside.runner()
        task_id = await outside.begun(runner)
        await outside.workshop.interrupt(task_id)
        hangs.go_on.set()
        await outside.finish(runner)
        await runner.works.settled()
        await runner.turn()
        assert outside.log[-3:] == ["work on page", "undo fetch", "undo first"]
        assert (await outside.workshop.status(task_id), await outside.rows()) == ("REVERTED", 0)

    async def test_replaced_task_cancels_its_work(self, outside: Outside) -> None:
        outside.fetch.act = Hangs()
        runner = outside.runner(beat_seconds=OFTEN)
        task_id = await outside.workshop.begin(KIND, slot="model:7")
        await runner.turn()
        await outside.fetch.working.wait()
        await outside.workshop.begin("one", slot="model:7")
        await runner.works.settled()
        assert (outside.log[-1], await outside.workshop.status(task_id)) == ("cancelled", "REPLACED")


class TestClaim:
    async def test_claim_is_renewed_while_the_work_runs(self, outside: Outside) -> None:
        hangs = outside.fetch.act = Hangs()
        runner, other = outside.runner(beat_seconds=OFTEN), outside.runner()
        task_id = await outside.begun(runner)
        for _ in range(3):
            await TestStop().until_renewed(outside, task_id)
            outside.workshop.clock.advance(CLAIM * 0.9)
            await other.turn()
        assert outside.log.count("work on page") == 1
        hangs.go_on.set()
        await outside.finish(runner)
        assert await outside.workshop.status(task_id) == "COMPLETED"

    async def test_expired_claim_passes_to_another_process_and_drops_the_late_result(self, outside: Outside) -> None:
        hangs = outside.fetch.act = Hangs()
        slow, other = outside.runner(), outside.runner()
        task_id = await outside.begun(slow)
        outside.workshop.clock.advance(CLAIM * 1.1)
        outside.fetch.act = found
        await outside.finish(other)
        assert await outside.workshop.status(task_id) == "COMPLETED"
        hangs.go_on.set()
        await slow.works.settled()
        assert [entry for entry in outside.log if entry.startswith("apply")] == ["apply found by 2"]
        assert await outside.rows() == 1

    async def test_work_is_cancelled_when_another_process_has_claimed_its_task(self, outside: Outside) -> None:
        outside.fetch.act = Hangs()
        slow, other = outside.runner(beat_seconds=0.2), outside.runner()
        await outside.begun(slow)
        claimed: list[object] = []
        while not claimed:  # the slow runner may renew its claim in between
            outside.workshop.clock.advance(CLAIM * 1.1)
            claimed = [*await other.claim()]
        await slow.works.settled()
        assert outside.log[-1] == "cancelled"

    async def test_work_is_cancelled_before_an_unrenewable_claim_expires(self, outside: Outside) -> None:
        outside.fetch.act = Hangs()
        database = LosableDatabase(outside.workshop.database.url, application_name="losable")
        runner = outside.runner(beat_seconds=OFTEN, state=outside.workshop.on(database))
        task_id = await outside.begun(runner)
        await TestStop().until_renewed(outside, task_id)
        database.away = True
        outside.workshop.clock.advance(CLAIM - timedelta(seconds=20))
        await eventually(lambda: _asked(database))
        assert outside.log[-1] == "work on page"
        outside.workshop.clock.advance(timedelta(seconds=6))
        await runner.works.settled()
        assert outside.log[-1] == "cancelled"
        await database.close()


class TestEndOfTheProcess:
    async def test_ending_process_gives_the_task_back_without_counting_the_attempt(self, outside: Outside) -> None:
        outside.fetch.act = Hangs()
        leaving, other = outside.runner(), outside.runner()
        task_id = await outside.begun(leaving)
        loop = asyncio.create_task(leaving.run())
        await asyncio.sleep(0)
        loop.cancel()
        await asyncio.gather(loop, return_exceptions=True)
        assert outside.log[-1] == "cancelled"
        outside.fetch.act = found
        await outside.finish(other)
        assert await outside.workshop.status(task_id) == "COMPLETED"
        assert [context.attempt for context in outside.fetch.contexts] == [1, 1]

    async def test_ending_process_writes_a_result_that_is_ready(self, outside: Outside) -> None:
        async def hurry(context: WorkContext) -> str:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            return await found(context)

        outside.fetch.act = hurry
        leaving, other = outside.runner(), outside.runner()
        task_id = await outside.begun(leaving)
        await leaving.works.close()
        await other.turn()
        assert (await outside.workshop.status(task_id), outside.log.count("work on page")) == ("COMPLETED", 1)


class TestKill:
    async def test_killed_work_is_repeated_by_another_process_and_written_once(self, outside: Outside) -> None:
        workshop = outside.workshop
        kinds = Kinds([TaskKind(KIND, {KEY: outside.fetch})])
        task_id = await workshop.begin(KIND)
        with working(workshop) as line:
            assert (await workshop.read(task_id)).attempts == 1
            other = TaskRunner(workshop.state, kinds)
            workshop.clock.advance(CLAIM * 0.5)
            await outside.finish(other)
            assert outside.log == [], "its claim still holds"
        assert (await workshop.status(task_id), await outside.rows()) == ("RUN", 0)
        workshop.clock.advance(CLAIM * 2)
        await outside.finish(other)
        assert outside.log == ["prepare", "work on page", "apply found by 2"]
        assert (await workshop.status(task_id), await outside.rows()) == ("COMPLETED", 1)
        assert line == f"working {outside.fetch.contexts[0].key}", "whom it called hears the same key again"


@contextmanager
def working(workshop: Workshop) -> Generator[str]:
    """Runs a process that works on the task and yields its output. Kills it with SIGKILL at the end."""
    worker, time = str(Path(__file__).with_name("killed_worker.py")), workshop.clock.now().isoformat()
    command = [sys.executable, worker, workshop.database.url, KIND, KEY, time]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


async def _has(outside: Outside, entry: str) -> bool:
    return entry in outside.log


async def _asked(database: LosableDatabase) -> bool:
    return database.refused > 2
