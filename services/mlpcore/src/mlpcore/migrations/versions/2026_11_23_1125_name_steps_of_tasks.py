"""The key of a task's step, so that a release can insert steps. The previous release can run beside it.

Processes of the previous release know only numbers. A trigger keeps number and key in line whoever writes. It uses the
lists of this revision, even when later releases change them. A kind without a list keeps its number and gets no key; a
process that knows the kind continues from the number, and writes a key at its next step. A later release drops the
trigger and `step`, when no process that writes numbers can run beside it.
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
    # Tasks in progress have no key yet. Any update makes the trigger set it.
    op.execute("UPDATE job SET step = step WHERE status IN ('RUN', 'REVERTING')")


def downgrade() -> None:
    op.execute("DROP TRIGGER step_alike ON job")
    op.execute("DROP FUNCTION keep_step_alike()")
    op.drop_column("job", "step_key")


def _create_translation() -> None:
    """A key that was just written sets the number; otherwise the number sets the key. -1: all undone, no key."""
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
