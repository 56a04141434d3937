"""I/O steps whose claim is never lost: order, errors, undo, metrics."""

from datetime import timedelta

import pytest
from prometheus_client import REGISTRY

from mlpcore.features.tasks.errors import TaskFailed
from mlpcore.features.tasks.io_step import IoStep, Ready
from mlpcore.features.tasks.kinds import Done, Outcome, Turn, WorkContext
from mlpcore.features.tasks.tables import Task
from mlplace_kit.errors import AccessDenied
from mlplace_testing.waiting import eventually

from .outside import KEY, KIND, Hangs, LosableDatabase, Outside
from .test_runner import fails, waits
from .workshop import done


class TestParts:
    async def test_parts_run_in_order_between_the_other_steps(self, outside: Outside) -> None:
        task_id = await outside.workshop.begin(KIND)
        await outside.finish(outside.runner())
        assert outside.log == ["do first", "prepare", "work on page", "apply found by 1", "do last"]
        task = await outside.workshop.read(task_id)
        assert (task.status, task.percentage, task.lock_token) == ("COMPLETED", 100, None)
        assert await outside.rows() == 1

    async def test_work_holds_no_connection(self, outside: Outside) -> None:
        outside.fetch.act = Hangs()
        await outside.begun(outside.runner())
        assert "Current Checked out connections: 0" in outside.workshop.database.engine.pool.status()

    async def test_apply_sees_the_data_of_prepare(self, outside: Outside) -> None:
        async def note(turn: Turn) -> Ready[str] | Outcome:
            turn.data["noted"] = 1
            return Ready("page")

        async def recall(turn: Turn) -> Outcome:
            outside.log.append(str(turn.data))
            return Done()

        outside.fetch.before, outside.fetch.after = note, recall
        await outside.workshop.begin(KIND)
        await outside.finish(outside.runner())
        assert "{'noted': 1}" in outside.log

    async def test_prepare_that_is_done_skips_the_work(self, outside: Outside) -> None:
        outside.fetch.before = done
        await outside.workshop.begin(KIND)
        await outside.runner().turn()
        assert outside.log == ["do first", "prepare", "do last"]

    async def test_apply_that_waits_repeats_the_parts(self, outside: Outside) -> None:
        outside.fetch.after = waits(0.5)
        task_id = await outside.workshop.begin(KIND)
        runner = outside.runner()
        await outside.finish(runner)
        assert (await outside.workshop.read(task_id)).percentage == 50
        outside.fetch.after = done
        outside.workshop.clock.advance(outside.workshop.soon)
        await outside.finish(runner)
        assert await outside.workshop.status(task_id) == "COMPLETED"
        assert [context.attempt for context in outside.fetch.contexts] == [1, 1]
        assert len({context.key for context in outside.fetch.contexts}) == 1

    async def test_reported_progress_becomes_the_percentage(self, outside: Outside) -> None:
        hangs = Hangs()

        async def report(context: WorkContext) -> str:
            context.report(0.5)
            return await hangs(context)

        outside.fetch.act = report
        task_id = await outside.begun(outside.runner(beat_seconds=0.01))

        async def percentage() -> int:
            return (await outside.workshop.read(task_id)).percentage

        assert await eventually(percentage, until=lambda value: value > 33) == 49


class TestCapacity:
    async def test_other_tasks_run_beside_a_work(self, outside: Outside) -> None:
        outside.fetch.act = Hangs()
        runner = outside.runner()
        await outside.begun(runner)
        other = await outside.workshop.begin("one")
        await runner.turn()
        assert await outside.workshop.status(other) == "COMPLETED"

    async def test_works_above_the_capacity_wait(self, outside: Outside) -> None:
        hangs = outside.fetch.act = Hangs()
        runner = outside.runner(at_once=1)
        tasks = [await outside.workshop.begin(KIND) for _ in range(3)]
        await runner.turn()
        await outside.fetch.working.wait()
        other = await outside.workshop.begin("one")
        outside.workshop.clock.advance(timedelta(seconds=2))
        await runner.turn()
        assert outside.log.count("prepare") == 1
        assert await outside.workshop.status(other) == "COMPLETED"
        outside.workshop.clock.advance(timedelta(seconds=2))
        assert await runner.claim() == [], "they are left to processes with room"
        hangs.go_on.set()
        for _ in tasks:
            await outside.finish(runner)
            outside.workshop.clock.advance(timedelta(seconds=2))
        assert {await outside.workshop.status(task_id) for task_id in tasks} == {"COMPLETED"}


class TestErrors:
    @pytest.mark.parametrize(
        ("error", "code"),
        [(TaskFailed(reason="no"), "mlp.core.task_failed"), (AccessDenied(), "mlp.gate.access_denied")],
    )
    @pytest.mark.parametrize("part", ["prepare", "work", "apply"])
    async def test_expected_error_fails_the_step_and_undoes_it(
        self, outside: Outside, part: str, error: Exception, code: str
    ) -> None:
        async def fail(_: object) -> str:
            raise error

        setattr(outside.fetch, {"prepare": "before", "work": "act", "apply": "after"}[part], fail)
        task_id = await outside.workshop.begin(KIND)
        await outside.finish(outside.runner())
        task = await outside.workshop.read(task_id)
        assert (task.status, task.error_code, outside.log[-2:]) == ("FAILED", code, ["undo fetch", "undo first"])
        assert await outside.rows() == 0

    @pytest.mark.parametrize("part", ["work", "apply"])
    async def test_unexpected_error_is_retried_after_growing_pauses(self, outside: Outside, part: str) -> None:
        async def stumble(_: object) -> str:
            raise ConnectionError("nobody answers") if part == "work" else RuntimeError("a defect")

        setattr(outside.fetch, {"work": "act", "apply": "after"}[part], stumble)
        task_id = await outside.workshop.begin(KIND)
        runner = outside.runner()
        await outside.finish(runner)
        pauses = []
        while (task := await outside.workshop.read(task_id)).status == "RUN":
            pauses.append((task.due_at - outside.workshop.clock.now()).total_seconds())
            outside.workshop.clock.advance(timedelta(seconds=pauses[-1] - 0.1))
            await outside.finish(runner)
            assert len(outside.fetch.contexts) == len(pauses), "not before its time"
            outside.workshop.clock.advance(timedelta(seconds=0.2))
            await outside.finish(runner)
        assert pauses == [2, 4, 8, 16, 32, 64, 128]
        assert [context.attempt for context in outside.fetch.contexts] == list(range(1, 9))
        assert (task.status, await outside.rows()) == ("FAILED", 0)
        assert task.error_message == f"{'ConnectionError' if part == 'work' else 'RuntimeError'}: it failed 8 times"

    async def test_work_beyond_its_time_limit_is_cancelled_and_retried(
        self, outside: Outside, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(IoStep, "limit_seconds", 0.01)
        outside.fetch.act = Hangs()
        task_id = await outside.workshop.begin(KIND)
        await outside.finish(outside.runner())
        assert (outside.log[-1], (await outside.workshop.read(task_id)).attempts) == ("cancelled", 1)

    async def test_work_that_never_finishes_fails_after_its_attempts(self, outside: Outside) -> None:
        """Such as a work that crashes its process."""
        outside.fetch.before = waits(0)
        runner = outside.runner()
        task_id = await outside.workshop.begin(KIND)
        await runner.turn()
        async with outside.workshop.database.transaction() as session:
            task = await session.get_one(Task, task_id)
            task.attempts = IoStep.attempts
        outside.workshop.clock.advance(outside.workshop.soon)
        outside.log.clear()
        await outside.finish(runner)
        task = await outside.workshop.read(task_id)
        assert (task.status, outside.log) == ("FAILED", ["undo fetch", "undo first"])
        assert task.error_message == "it was started 8 times and never finished"


class TestUndo:
    async def test_undo_may_run_a_work(self, outside: Outside) -> None:
        async def remove(context: WorkContext) -> None:
            outside.log.append("remove")
            outside.fetch.contexts.append(context)

        outside.fetch.undo, outside.last.forward = remove, fails("no")
        task_id = await outside.workshop.begin(KIND)
        runner = outside.runner()
        await outside.finish(runner)
        await outside.finish(runner)
        assert outside.log[-3:] == ["undo fetch", "remove", "undo first"]
        assert await outside.workshop.status(task_id) == "FAILED"
        assert len({context.key for context in outside.fetch.contexts}) == 1, "what was made is found by its key"

    async def test_failed_undo_is_named_and_the_others_continue(self, outside: Outside) -> None:
        async def refuse(_: WorkContext) -> None:
            raise TaskFailed(reason="stuck")

        outside.fetch.undo, outside.last.forward = refuse, fails("no")
        task_id = await outside.workshop.begin(KIND)
        runner = outside.runner()
        await outside.finish(runner)
        await outside.finish(runner)
        assert outside.log[-1] == "undo first"
        message = (await outside.workshop.read(task_id)).error_message
        assert message == "no; the step “Fetching” could not be undone: stuck"


class TestOutage:
    async def test_result_is_written_after_an_outage_of_the_database(self, outside: Outside) -> None:
        hangs = outside.fetch.act = Hangs()
        database = LosableDatabase(outside.workshop.database.url, application_name="losable")
        runner = outside.runner(state=outside.workshop.on(database))
        task_id = await outside.begun(runner)
        database.away = True
        hangs.go_on.set()
        await outside.fetch.worked.wait()
        assert await outside.rows() == 0
        database.away = False
        await outside.finish(runner)
        assert (await outside.workshop.status(task_id), outside.log.count("work on page")) == ("COMPLETED", 1)
        await database.close()


class TestMetrics:
    async def test_works_are_counted_by_outcome(self, outside: Outside) -> None:
        def counted(outcome: str) -> float:
            labels = {"kind": KIND, "step": KEY, "outcome": outcome}
            return REGISTRY.get_sample_value("mlp_core_task_works_ended_total", labels) or 0.0

        before = {outcome: counted(outcome) for outcome in ("applied", "failed")}
        await outside.workshop.begin(KIND)
        await outside.finish(outside.runner())
        outside.fetch.act = fails("no")  # type: ignore[assignment]  # it raises whatever it gets
        await outside.workshop.begin(KIND)
        await outside.finish(outside.runner())
        assert {outcome: counted(outcome) - number for outcome, number in before.items()} == {"applied": 1, "failed": 1}
        assert REGISTRY.get_sample_value("mlp_core_task_works", {"kind": KIND, "step": KEY}) == 0
