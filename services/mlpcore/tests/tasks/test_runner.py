import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa

from mlpcore.features.notifications.tables import Notification
from mlpcore.features.tasks.claims import CLAIM
from mlpcore.features.tasks.errors import NotInterruptible, TaskFailed
from mlpcore.features.tasks.kinds import Done, Kinds, Outcome, TaskKind, Turn, Wait
from mlpcore.features.tasks.machine import MAX_ATTEMPTS
from mlpcore.features.tasks.runner import KEPT_FOR, TaskRunner
from mlplace_kit.errors import AccessDenied

from .workshop import Workshop, done

Act = Callable[[Turn], Awaitable[Outcome]]


def fails(reason: str) -> Act:
    async def act(_: Turn) -> Outcome:
        raise TaskFailed(reason=reason)

    return act


def waits(fraction: float) -> Act:
    async def act(_: Turn) -> Outcome:
        return Wait(fraction)

    return act


class TestSteps:
    async def test_steps_run_once_in_order(self, workshop: Workshop) -> None:
        task_id = await workshop.begin()
        await workshop.runner.turn()
        assert workshop.log == ["do a", "do b", "do c"]
        task = await workshop.read(task_id)
        assert (task.status, task.percentage) == ("COMPLETED", 100)

    async def test_waiting_step_runs_again_and_sets_the_percentage(self, workshop: Workshop) -> None:
        workshop.second.forward = waits(0.5)
        task_id = await workshop.begin()
        await workshop.runner.turn()
        assert (await workshop.read(task_id)).percentage == 50
        await workshop.runner.turn()
        assert workshop.log == ["do a", "do b"], "before its time it does not run again"
        workshop.second.forward = waits(0.0)
        await workshop.pass_time()
        assert (await workshop.read(task_id)).percentage == 33

    async def test_data_of_a_step_is_kept_for_the_next(self, workshop: Workshop) -> None:
        async def note(turn: Turn) -> Outcome:
            turn.data["seen"] = 1
            return Done()

        async def recall(turn: Turn) -> Outcome:
            workshop.log.append(str(turn.data))
            return Done()

        workshop.first.forward, workshop.second.forward = note, recall
        await workshop.begin()
        await workshop.runner.turn()
        assert "{'seen': 1}" in workshop.log

    @pytest.mark.parametrize(
        ("error", "code"),
        [(TaskFailed(reason="no"), "mlp.core.task_failed"), (AccessDenied(), "mlp.gate.access_denied")],
    )
    async def test_failed_step_undoes_all_steps(self, workshop: Workshop, error: Exception, code: str) -> None:
        async def fail(_: Turn) -> Outcome:
            raise error

        workshop.second.forward = fail
        task_id = await workshop.begin()
        await workshop.runner.turn()
        assert workshop.log == ["do a", "do b", "undo b", "undo a"]
        task = await workshop.read(task_id)
        assert (task.status, task.error_code, task.interrupted) == ("FAILED", code, False)

    async def test_failed_undo_is_named_in_the_error(self, workshop: Workshop) -> None:
        workshop.first.forward = fails("no")
        workshop.first.backward = fails("stuck")
        task_id = await workshop.begin()
        await workshop.runner.turn()
        task = await workshop.read(task_id)
        assert (task.status, task.error_message) == ("FAILED", "no; the step “A step” could not be undone: stuck")

    @pytest.mark.parametrize("stopped", [False, True], ids=["after a failure", "after a stop"])
    async def test_steps_before_a_failed_undo_are_still_undone(self, workshop: Workshop, stopped: bool) -> None:
        async def wait(_: Turn) -> Outcome:
            return Wait(0.5)

        workshop.third.forward = wait if stopped else fails("no")
        workshop.second.backward = fails("stuck")
        task_id = await workshop.begin()
        await workshop.runner.turn()
        if stopped:
            await workshop.interrupt(task_id)
            await workshop.pass_time()
        assert workshop.log[-3:] == ["undo c", "undo b", "undo a"]
        task = await workshop.read(task_id)
        said = "the step “A step” could not be undone: stuck"
        assert (task.status, task.error_message) == ("FAILED", said if stopped else f"no; {said}")

    async def test_failed_step_is_rolled_back(self, workshop: Workshop) -> None:
        async def spoil(turn: Turn) -> Outcome:
            await turn.session.execute(sa.text("INSERT INTO license_excess (id, since) VALUES (1, now())"))
            raise TaskFailed(reason="no")

        workshop.first.forward = spoil
        await workshop.begin()
        await workshop.runner.turn()
        async with workshop.database.transaction() as session:
            assert (await session.execute(sa.text("SELECT count(*) FROM license_excess"))).scalar_one() == 0

    async def test_task_of_an_unknown_kind_is_left_to_a_newer_build(self, workshop: Workshop) -> None:
        """During an update of an installation, processes of two builds run."""
        task_id = await workshop.begin("of a newer build")
        for _ in range(3):
            await workshop.pass_time()
        assert await workshop.status(task_id) == "IDLE"
        newer = Kinds([TaskKind("of a newer build", {"a": workshop.first})])
        await TaskRunner(workshop.state, newer).turn()
        assert await workshop.status(task_id) == "COMPLETED"


class TestCrash:
    @pytest.mark.parametrize("label", ["first", "second", "third"])
    async def test_another_process_finishes_the_task_after_a_crash(self, workshop: Workshop, label: str) -> None:
        """A process dies within a step: the step is rolled back, the claim expires, another process continues."""
        reached = asyncio.Event()

        async def hang(turn: Turn) -> Outcome:
            await turn.session.execute(sa.text("INSERT INTO license_excess (id, since) VALUES (1, now())"))
            reached.set()
            await asyncio.Event().wait()
            return Done()

        step = getattr(workshop, label)
        step.forward = hang
        task_id = await workshop.begin()
        worker = asyncio.create_task(workshop.runner.turn())
        await asyncio.wait_for(reached.wait(), 60)
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)
        assert await workshop.status(task_id) == "RUN"
        step.forward = done
        other = TaskRunner(workshop.state, workshop.kinds)
        await other.turn()
        assert await workshop.status(task_id) == "RUN", "its claim still holds"
        workshop.clock.advance(CLAIM * 1.1)
        await other.turn()
        assert await workshop.status(task_id) == "COMPLETED"
        taken = {entry for entry in workshop.log if entry.startswith("do")}
        assert sorted(taken) == ["do a", "do b", "do c"]
        async with workshop.database.transaction() as session:
            assert (await session.execute(sa.text("SELECT count(*) FROM license_excess"))).scalar_one() == 0

    async def test_a_task_of_a_dead_process_goes_on_within_seconds(self, workshop: Workshop) -> None:
        """A service that is being replaced must not wait for a minute because the platform was restarted."""
        task_id = await workshop.begin()
        assert await workshop.runner.claim()
        other = TaskRunner(workshop.state, workshop.kinds)
        await other.turn()
        assert await workshop.status(task_id) == "IDLE", "its claim still holds"
        workshop.clock.advance(timedelta(seconds=16))
        await other.turn()
        assert await workshop.status(task_id) == "COMPLETED"

    async def test_unexpected_error_is_retried_and_then_fails_the_task(self, workshop: Workshop) -> None:
        async def stumble(_: Turn) -> Outcome:
            raise RuntimeError("a defect")

        workshop.first.forward = stumble
        task_id = await workshop.begin()
        await workshop.runner.turn()
        assert await workshop.status(task_id) == "RUN"
        workshop.first.forward = done
        await workshop.pass_time()
        assert await workshop.status(task_id) == "COMPLETED"

        workshop.first.forward = stumble
        task_id = await workshop.begin()
        for _ in range(MAX_ATTEMPTS):
            await workshop.pass_time()
        assert await workshop.status(task_id) == "FAILED"


class TestClaim:
    async def test_concurrent_claims_take_each_task_once(self, workshop: Workshop) -> None:
        ids = [await workshop.begin("one") for _ in range(5)]
        claims = await asyncio.gather(*(TaskRunner(workshop.state, workshop.kinds).claim() for _ in range(4)))
        assert sorted(task_id for claimed in claims for task_id, _ in claimed) == ids

    async def test_lost_claim_changes_nothing(self, workshop: Workshop) -> None:
        task_id = await workshop.begin("one")
        ((claimed, old),) = await workshop.runner.claim()
        workshop.clock.advance(CLAIM * 1.1)
        ((_, new),) = await workshop.runner.claim()
        await workshop.runner.work(claimed, old)
        assert (workshop.log, await workshop.status(task_id)) == ([], "IDLE")
        await workshop.runner.work(claimed, new)
        assert await workshop.status(task_id) == "RUN"


class TestStop:
    async def test_stop_of_a_running_task_undoes_its_steps(self, workshop: Workshop) -> None:
        workshop.second.forward = waits(0.5)
        task_id = await workshop.begin()
        await workshop.runner.turn()
        await workshop.interrupt(task_id)
        assert await workshop.status(task_id) == "REVERTING"
        await workshop.interrupt(task_id)
        await workshop.runner.turn()
        assert workshop.log == ["do a", "do b", "undo b", "undo a"]
        assert await workshop.status(task_id) == "REVERTED"

    async def test_stop_before_the_first_step_undoes_nothing(self, workshop: Workshop) -> None:
        task_id = await workshop.begin()
        await workshop.interrupt(task_id)
        await workshop.runner.turn()
        assert (workshop.log, await workshop.status(task_id)) == ([], "REVERTED")

    async def test_stop_of_an_ended_or_uninterruptible_task_is_refused(self, workshop: Workshop) -> None:
        for task_id in (await workshop.begin(), await workshop.begin(interruptible=False)):
            if (await workshop.read(task_id)).interruptible:
                await workshop.runner.turn()
            with pytest.raises(NotInterruptible):
                await workshop.interrupt(task_id)


class TestTaskTrees:
    async def test_progress_of_the_whole_is_the_mean_of_its_parts(self, workshop: Workshop) -> None:
        workshop.first.forward = waits(0.5)
        whole = await workshop.begin("whole")
        parts = [await workshop.begin("one", parent=whole) for _ in range(2)]
        await workshop.runner.turn()
        await workshop.pass_time()
        assert (await workshop.read(whole)).percentage == 50
        workshop.first.forward = done
        await workshop.pass_time()
        assert {await workshop.status(task_id) for task_id in (whole, *parts)} == {"COMPLETED"}

    async def test_task_begins_after_the_task_that_it_waits_for(self, workshop: Workshop) -> None:
        workshop.first.forward = waits(0)
        before = await workshop.begin("one")
        after = await workshop.begin("one", wait_for=(before,))
        await workshop.runner.turn()
        await workshop.pass_time()
        assert (await workshop.status(before), await workshop.status(after)) == ("RUN", "IDLE")
        workshop.first.forward = done
        await workshop.pass_time()
        assert await workshop.status(after) == "COMPLETED"

    async def test_task_that_waits_for_a_failed_task_never_begins(self, workshop: Workshop) -> None:
        workshop.first.forward = fails("no")
        before = await workshop.begin("one")
        after = await workshop.begin("one", wait_for=(before,))
        await workshop.pass_time()
        await workshop.pass_time()
        assert (await workshop.status(before), await workshop.status(after)) == ("FAILED", "REVERTED")

    async def test_failed_part_fails_the_whole_and_stops_the_others(self, workshop: Workshop) -> None:
        whole = await workshop.begin("whole")
        workshop.first.forward = fails("no")
        lost = await workshop.begin("one", parent=whole)
        held = await workshop.begin("scripted", parent=whole, wait_for=(await workshop.begin("nothing of ours"),))
        await workshop.pass_time()
        await workshop.pass_time()
        task = await workshop.read(whole)
        assert (task.status, task.error_message) == ("FAILED", "greeting: no")
        assert (await workshop.status(lost), await workshop.status(held)) == ("FAILED", "REVERTED")

    async def test_fourth_level_is_refused(self, workshop: Workshop) -> None:
        top = await workshop.begin("whole")
        middle = await workshop.begin("whole", parent=top)
        bottom = await workshop.begin("one", parent=middle)
        with pytest.raises(ValueError, match="3 levels"):
            await workshop.begin("one", parent=bottom)
        await workshop.pass_time()
        await workshop.pass_time()
        assert await workshop.status(top) == "COMPLETED"

    async def test_new_task_replaces_the_task_of_its_slot_with_its_parts(self, workshop: Workshop) -> None:
        whole = await workshop.begin("whole", slot="model:7")
        part = await workshop.begin("one", parent=whole)
        fresh = await workshop.begin("one", slot="model:7")
        assert {await workshop.status(whole), await workshop.status(part)} == {"REPLACED"}
        await workshop.runner.turn()
        assert (await workshop.status(fresh), workshop.log) == ("COMPLETED", ["do a"])


class TestEndedTasks:
    async def test_only_the_whole_task_is_notified(self, workshop: Workshop) -> None:
        whole = await workshop.begin("whole")
        await workshop.begin("one", parent=whole)
        await workshop.pass_time()
        await workshop.pass_time()
        async with workshop.database.transaction() as session:
            texts = (await session.scalars(sa.select(Notification.text_message))).all()
        assert texts == ["Start of greeting completed"]

    async def test_old_ended_task_is_deleted_with_its_parts(self, workshop: Workshop) -> None:
        whole = await workshop.begin("whole")
        await workshop.begin("one", parent=whole)
        await workshop.pass_time()
        await workshop.pass_time()
        workshop.clock.advance(KEPT_FOR * 1.1)
        fresh = await workshop.begin("one")
        await workshop.runner.forget()
        async with workshop.database.transaction() as session:
            assert (await session.execute(sa.text("SELECT array_agg(job_id) FROM job"))).scalar_one() == [fresh]
