"""The step of a task by its key, so that a release can insert one. Old code reads and writes beside it.

Processes of the release before know numbers alone. A trigger keeps number and key alike whoever writes: it translates
by the lists as they are at this revision, whatever later releases make of them. A kind that is not among them keeps its
number and gets no key; a process that knows the kind goes on from the number, and writes a key at its next step.
A later release, which no process that writes numbers runs beside, drops the trigger and `step`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

KEYS = {
    "instances.exchange-everywhere": ("begin-exchanges",),
    "instances.start": ("await-connected",),
    "instances.stop": ("await-gone",),
    "instances.exchange-all": ("all-parts",),
    "instances.exchange-one": (
        "start-replacement",
        "await-replacement",
        "remove-old",
        "await-old-gone",
        "await-late-replacement",
    ),
}


def upgrade() -> None:
    op.add_column("job", sa.Column("step_key", sa.Text, nullable=True))
    _create_translation()
    # Rows that are under way have no key yet: for the trigger, any update is the occasion to give them theirs.
    op.execute("UPDATE job SET step = step WHERE status IN ('RUN', 'REVERTING')")


def downgrade() -> None:
    op.execute("DROP TRIGGER step_alike ON job")
    op.execute("DROP FUNCTION keep_step_alike()")
    op.drop_column("job", "step_key")


def _create_translation() -> None:
    """A key that was just written counts; otherwise the number does. Number -1: everything is undone, no key."""
    lists = " ".join(f"WHEN '{kind}' THEN ARRAY{list(keys)!r}" for kind, keys in KEYS.items())
    op.execute(
        f"""
        CREATE FUNCTION keep_step_alike() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            keys text[] := CASE NEW.kind {lists} END;
        BEGIN
            IF keys IS NULL THEN
                RETURN NEW;
            END IF;
            IF NEW.step_key IS NOT NULL AND NEW.step_key IS DISTINCT FROM OLD.step_key THEN
                NEW.step := coalesce(array_position(keys, NEW.step_key) - 1, NEW.step);
            ELSIF NEW.step <> OLD.step OR NEW.step_key IS NULL THEN
                NEW.step_key := keys[NEW.step + 1];
            END IF;
            RETURN NEW;
        END $$
        """
    )
    op.execute(
        "CREATE TRIGGER step_alike BEFORE UPDATE ON job FOR EACH ROW "
        "WHEN (NEW.status IN ('RUN', 'REVERTING')) EXECUTE FUNCTION keep_step_alike()"
    )
