"""References of models to resource groups by id, and one default group of an account. Old code reads and writes beside it.

Processes of the release before know groups by name alone. A trigger (`keep_groups_alike`) finds the group of a name that
they write, as they would have found it, and writes the name of a group beside its id. A later release, which no process
that writes names runs beside, drops the trigger and `model.resource_group`.

A name that is no group's stays without an id: such a model waits for its owner to choose, as it did.
Of several defaults, the one with the lowest id stays: services without a group ran there.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    _allow_one_default()
    _refer_by_id()


def downgrade() -> None:
    op.execute("DROP TRIGGER groups_alike ON model")
    op.execute("DROP FUNCTION keep_groups_alike()")
    op.execute("DROP FUNCTION resource_group_meant(bigint, text)")
    op.drop_column("model", "resource_group_id")
    op.drop_index("uq_resource_group_default", "resource_group")


def _allow_one_default() -> None:
    op.execute(
        """
        UPDATE resource_group AS later SET is_default = false
        WHERE is_default AND EXISTS (
            SELECT FROM resource_group AS first
            WHERE first.account_id = later.account_id AND first.is_default AND first.group_id < later.group_id)
        """
    )
    op.create_index(
        "uq_resource_group_default",
        "resource_group",
        ["account_id"],
        unique=True,
        postgresql_where=sa.text("is_default"),
    )


def _refer_by_id() -> None:
    op.add_column("model", sa.Column("resource_group_id", sa.BigInteger, nullable=True))
    op.create_foreign_key(
        "fk_model_resource_group_id_resource_group",
        "model",
        "resource_group",
        ["resource_group_id"],
        ["group_id"],
        ondelete="RESTRICT",
    )
    op.create_index(
        "ix_model_resource_group_id",
        "model",
        ["resource_group_id"],
        postgresql_where=sa.text("resource_group_id IS NOT NULL"),
    )
    _create_translation()
    op.execute(
        "UPDATE model SET resource_group_id = resource_group_meant(account_id, resource_group)"
        " WHERE resource_group IS NOT NULL AND deleted_at IS NULL"
    )


def _create_translation() -> None:
    """An id that was just written counts; otherwise the name does. A deleted model refers to no group."""
    op.execute(
        """
        CREATE FUNCTION resource_group_meant(account bigint, wanted text) RETURNS bigint LANGUAGE sql AS $$
            SELECT group_id FROM resource_group
            WHERE name = wanted AND (account_id = account OR access = 'PUBLIC')
            ORDER BY account_id = account DESC, group_id LIMIT 1 FOR KEY SHARE
        $$
        """
    )
    op.execute(
        """
        CREATE FUNCTION keep_groups_alike() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            before bigint := CASE TG_OP WHEN 'UPDATE' THEN OLD.resource_group_id END;
            named text := CASE TG_OP WHEN 'UPDATE' THEN OLD.resource_group END;
        BEGIN
            IF NEW.deleted_at IS NOT NULL THEN
                NEW.resource_group_id := NULL;
            ELSIF NEW.resource_group_id IS DISTINCT FROM before THEN
                NEW.resource_group := (SELECT name FROM resource_group WHERE group_id = NEW.resource_group_id);
            ELSIF NEW.resource_group IS DISTINCT FROM named THEN
                NEW.resource_group_id := resource_group_meant(NEW.account_id, NEW.resource_group);
            END IF;
            RETURN NEW;
        END $$
        """
    )
    op.execute(
        "CREATE TRIGGER groups_alike BEFORE INSERT OR UPDATE OF resource_group, resource_group_id, deleted_at ON model"
        " FOR EACH ROW EXECUTE FUNCTION keep_groups_alike()"
    )
