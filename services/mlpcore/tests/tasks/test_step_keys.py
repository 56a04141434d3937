"""Tasks in progress while the list of their steps changes, and beside processes that know steps by number."""

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine

from mlpcore.features.instances.tasks import EXCHANGE_ONE
from mlpcore.features.tasks.kinds import Kinds, Step, TaskKind
from mlpcore.features.tasks.runner import TaskRunner
from mlpcore.main import MIGRATIONS
from mlpcore.registry import TASKS
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import configuration

from .test_runner import fails, waits
from .workshop import Act, Scripted, Workshop, done

BEFORE = "0010"
NAMED = "0011"
EXCHANGE = TASKS.keys[EXCHANGE_ONE]


def build(workshop: Workshop, **steps: Step) -> TaskRunner:
    """Returns the runner of a build whose tasks of kind `grown` have these steps."""
    return TaskRunner(workshop.state, Kinds([TaskKind("grown", steps)]))


class TestInsertedStep:
    @pytest.mark.parametrize(
        ("reached", "taken"), [("a", ["do a", "do b", "do c"]), ("c", ["do c"])], ids=["before it", "after it"]
    )
    async def test_task_continues_at_its_step(self, workshop: Workshop, reached: str, taken: list[str]) -> None:
        a, b, c = workshop.first, workshop.second, workshop.third
        at = {"a": a, "c": c}[reached]
        at.forward = waits(0.5)
        task_id = await workshop.begin("grown")
        await build(workshop, a=a, c=c).turn()
        assert (await workshop.read(task_id)).step_key == reached
        at.forward = done
        workshop.log.clear()
        workshop.clock.advance(workshop.soon)
        await build(workshop, a=a, b=b, c=c).turn()
        assert (await workshop.status(task_id), workshop.log) == ("COMPLETED", taken)

    async def test_undo_continues_at_its_step(self, workshop: Workshop) -> None:
        a, b, c = workshop.first, workshop.second, workshop.third
        c.forward, c.backward = fails("no"), waits(0)
        task_id = await workshop.begin("grown")
        await build(workshop, a=a, c=c).turn()
        assert (await workshop.status(task_id), workshop.log[-1]) == ("REVERTING", "undo c")
        c.backward = done
        workshop.log.clear()
        workshop.clock.advance(workshop.soon)
        await build(workshop, a=a, b=b, c=c).turn()
        assert (await workshop.status(task_id), workshop.log) == ("FAILED", ["undo c", "undo b", "undo a"])

    async def test_new_first_step_runs_in_a_task_that_has_not_begun(self, workshop: Workshop) -> None:
        task_id = await workshop.begin("grown")
        await build(workshop, b=workshop.second, a=workshop.first).turn()
        assert (await workshop.status(task_id), workshop.log) == ("COMPLETED", ["do b", "do a"])

    async def test_task_at_an_unknown_step_is_left_to_a_newer_build(self, workshop: Workshop) -> None:
        a, b, c = workshop.first, workshop.second, workshop.third
        older, newer = build(workshop, a=a, c=c), build(workshop, a=a, b=b, c=c)
        b.forward = waits(0.5)
        task_id = await workshop.begin("grown")
        await newer.turn()
        b.forward = done
        workshop.clock.advance(workshop.soon)
        await older.turn()
        assert (await workshop.read(task_id)).step_key == "b"
        await newer.turn()
        assert await workshop.status(task_id) == "COMPLETED"


class TestBesidePreviousRelease:
    """The tests write the rows as a process of the previous release does."""

    async def begun(self, workshop: Workshop, kind: str = EXCHANGE_ONE) -> int:
        return await workshop.begin(kind)

    async def write(self, workshop: Workshop, task_id: int, **values: object) -> tuple[int, str | None]:
        assignments = ", ".join(f"{name} = :{name}" for name in values)
        statement = sa.text(f"UPDATE job SET {assignments} WHERE job_id = :job_id RETURNING step, step_key")
        async with workshop.database.transaction() as session:
            row = (await session.execute(statement, {**values, "job_id": task_id})).one()
            return row.step, row.step_key

    async def test_written_number_sets_the_key(self, workshop: Workshop) -> None:
        task_id = await self.begun(workshop)
        assert (await workshop.read(task_id)).step_key is None
        assert await self.write(workshop, task_id, status="RUN") == (0, EXCHANGE[0])
        for number in (1, 2, 3, 4):
            assert await self.write(workshop, task_id, step=number) == (number, EXCHANGE[number])
        assert await self.write(workshop, task_id, status="REVERTING", step=3) == (3, EXCHANGE[3])
        assert await self.write(workshop, task_id, step=-1) == (-1, None)

    async def test_written_key_sets_the_number(self, workshop: Workshop) -> None:
        task_id = await self.begun(workshop)
        await self.write(workshop, task_id, status="RUN", step_key=EXCHANGE[0])
        for number, key in enumerate(EXCHANGE):
            assert await self.write(workshop, task_id, step_key=key) == (number, key)

    async def test_key_of_a_later_step_is_kept(self, workshop: Workshop) -> None:
        task_id = await self.begun(workshop)
        await self.write(workshop, task_id, status="RUN", step=2)
        assert await self.write(workshop, task_id, step_key="inserted") == (2, "inserted")
        assert await self.write(workshop, task_id, percentage=7) == (2, "inserted")
        assert await self.write(workshop, task_id, step_key=EXCHANGE[3]) == (3, EXCHANGE[3])

    async def test_task_of_an_unknown_kind_continues_from_its_number(self, workshop: Workshop) -> None:
        task_id = await self.begun(workshop, "scripted")
        assert await self.write(workshop, task_id, status="RUN", step=1) == (1, None)
        await workshop.runner.turn()
        assert (await workshop.status(task_id), workshop.log) == ("COMPLETED", ["do b", "do c"])

    async def test_task_undone_by_the_previous_release_ends(self, workshop: Workshop) -> None:
        steps = {key: Scripted(key, workshop.log) for key in EXCHANGE}
        task_id = await self.begun(workshop)
        await self.write(workshop, task_id, status="REVERTING", step=-1)
        await TaskRunner(workshop.state, Kinds([TaskKind(EXCHANGE_ONE, steps)])).turn()
        assert (await workshop.status(task_id), workshop.log) == ("FAILED", [])

    @pytest.mark.parametrize("forward", [done, fails("no")], ids=["done", "failed"])
    async def test_task_of_the_previous_release_continues(self, workshop: Workshop, forward: Act) -> None:
        steps = {key: Scripted(key, workshop.log) for key in EXCHANGE}
        steps[EXCHANGE[4]].forward = forward
        task_id = await self.begun(workshop)
        await self.write(workshop, task_id, status="RUN", step=3)
        await TaskRunner(workshop.state, Kinds([TaskKind(EXCHANGE_ONE, steps)])).turn()
        assert workshop.log[:2] == [f"do {EXCHANGE[3]}", f"do {EXCHANGE[4]}"]
        found = await workshop.read(task_id)
        assert (found.status, found.step) == (("COMPLETED", 4) if forward is done else ("FAILED", 0))


class TestMigration:
    async def test_migration_sets_the_keys_of_tasks_in_progress(self, embedded_postgres: EmbeddedPostgres) -> None:
        rows = {
            ("instances.exchange-one", "RUN", 2): EXCHANGE[2],
            ("instances.exchange-one", "REVERTING", 4): EXCHANGE[4],
            ("instances.exchange-one", "REVERTING", -1): None,
            ("instances.start", "RUN", 0): "await-connected",
            ("instances.start", "IDLE", 0): None,
            ("instances.start", "COMPLETED", 1): None,
            ("of a newer build", "RUN", 3): None,
        }
        made = await embedded_postgres.service_database("mlpcore", "mlpcore_named_steps")
        engine = create_async_engine(made.owner_url)
        async with engine.connect() as connection:
            await connection.run_sync(to_revision, BEFORE)
            for kind, status, step in rows:
                await connection.execute(_OF_BEFORE, {"kind": kind, "status": status, "step": step})
            await connection.run_sync(to_revision, NAMED)
            found = (await connection.execute(sa.text("SELECT kind, status, step, step_key FROM job"))).all()
            assert {(row.kind, row.status, row.step): row.step_key for row in found} == rows
        await engine.dispose()

    async def test_keys_in_the_trigger_are_known_to_this_build(self, database: Database) -> None:
        """A stored key must stay in the list of its kind, or its tasks are never claimed again."""
        async with database.transaction() as session:
            source = sa.text("SELECT prosrc FROM pg_proc WHERE proname = 'keep_step_alike'")
            text = (await session.execute(source)).scalar_one()
        for kind in ("exchange-everywhere", "start", "stop", "exchange-all", "exchange-one"):
            keys = text.split(f"'instances.{kind}' THEN ARRAY[")[1].split("]")[0]
            assert {key.strip(" '") for key in keys.split(",")} <= set(TASKS.keys[f"instances.{kind}"])


def to_revision(connection: Connection, revision: str) -> None:
    config = configuration(MIGRATIONS)
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


_OF_BEFORE = sa.text(
    "INSERT INTO job (account_id, kind, operation, depth, entity, entity_display_name, status, step, step_name,"
    " percentage, interrupted, interruptible, wait_for, data, created_at, due_at, attempts)"
    " VALUES (1, :kind, 'RUN', 0, '{}', 'greeting', :status, :step, '', 0, false, true, '{}', '{}', now(), now(), 0)"
)
