"""Refer to resource groups by id, allow one default group per account, give prices columns of their own.

The previous release can run beside it. It knows groups by name alone and prices in `extras`; triggers keep both forms
equal. A name becomes the id of the group that the previous release would have found. A release that cannot run beside the
previous one may drop the triggers, `model.resource_group` and the prices in `extras`.

A name without a group gets no id: the model waits until its owner chooses a group, as before. If an account has several
defaults, the one with the lowest id stays, because models without a group ran there.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_AMOUNTS = {"cost_price": "costPrice", "price": "price", "payback": "payback"}
_WORDS = {"tariffication_period": "tarifficationPeriod", "currency": "currency"}


def upgrade() -> None:
    _allow_one_default()
    _refer_by_id()
    _refer_to_reserves_by_id()
    _type_prices_of_groups()
    _type_cost_price_of_servers()


def downgrade() -> None:
    for table in ("server", "resource_group"):
        op.execute(f"DROP TRIGGER prices_alike ON {table}")
        op.execute(f"DROP FUNCTION keep_prices_of_{table}_alike()")
    op.drop_column("server", "cost_price")
    for column in (*_AMOUNTS, *_WORDS):
        op.drop_column("resource_group", column)
    op.execute("DROP TRIGGER reserve_alike ON resource_group")
    op.execute("DROP FUNCTION keep_reserve_alike()")
    op.drop_column("resource_group", "reserve_group_id")
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
    """A new id wins over a new name. A deleted model refers to no group. On INSERT, OLD holds NULLs."""
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
        BEGIN
            IF NEW.deleted_at IS NOT NULL THEN
                NEW.resource_group_id := NULL;
            ELSIF NEW.resource_group_id IS DISTINCT FROM OLD.resource_group_id THEN
                NEW.resource_group := (SELECT name FROM resource_group WHERE group_id = NEW.resource_group_id);
            ELSIF NEW.resource_group IS DISTINCT FROM OLD.resource_group THEN
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


def _refer_to_reserves_by_id() -> None:
    """The JSON keeps the name beside the id. A group cannot be its own reserve."""
    op.add_column("resource_group", sa.Column("reserve_group_id", sa.BigInteger, nullable=True))
    op.create_foreign_key(
        "fk_resource_group_reserve_group_id_resource_group",
        "resource_group",
        "resource_group",
        ["reserve_group_id"],
        ["group_id"],
        ondelete="RESTRICT",
    )
    name = "auto_scaling_configuration ->> 'reserveResourceGroupName'"
    op.execute(
        f"""
        CREATE FUNCTION keep_reserve_alike() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NEW.reserve_group_id IS NOT DISTINCT FROM OLD.reserve_group_id
                AND NEW.{name} IS DISTINCT FROM OLD.{name}
            THEN
                NEW.reserve_group_id := nullif(resource_group_meant(NEW.account_id, NEW.{name}), NEW.group_id);
            END IF;
            RETURN NEW;
        END $$
        """
    )
    op.execute(
        "CREATE TRIGGER reserve_alike BEFORE INSERT OR UPDATE ON resource_group"
        " FOR EACH ROW EXECUTE FUNCTION keep_reserve_alike()"
    )
    op.execute(
        f"UPDATE resource_group SET reserve_group_id = nullif(resource_group_meant(account_id, {name}), group_id)"  # noqa: S608  a constant
        f" WHERE {name} IS NOT NULL"
    )


def _type_prices_of_groups() -> None:
    """Changed columns win over changed `extras`."""
    for column in _AMOUNTS:
        op.add_column("resource_group", sa.Column(column, sa.Numeric(20, 9), nullable=True))
    for column in _WORDS:
        op.add_column("resource_group", sa.Column(column, sa.Text, nullable=True))
    columns = [*_AMOUNTS, *_WORDS]
    read = [f"NEW.{column} := (NEW.extras ->> '{key}')::numeric;" for column, key in _AMOUNTS.items()]
    read += [f"NEW.{column} := NEW.extras ->> '{key}';" for column, key in _WORDS.items()]
    written = [f"'{key}', trim_scale(NEW.{column})::text" for column, key in _AMOUNTS.items()]
    written += [f"'{key}', NEW.{column}" for column, key in _WORDS.items()]
    keys = [*_AMOUNTS.values(), *_WORDS.values()]
    op.execute(
        f"""
        CREATE FUNCTION keep_prices_of_resource_group_alike() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF ({_row("NEW", columns)}) IS DISTINCT FROM ({_row("OLD", columns)}) THEN
                NEW.extras := (NEW.extras - ARRAY{keys!r})
                    || jsonb_strip_nulls(jsonb_build_object({", ".join(written)}));
            ELSE
                {" ".join(read)}
            END IF;
            RETURN NEW;
        END $$
        """
    )
    op.execute(
        "CREATE TRIGGER prices_alike BEFORE INSERT OR UPDATE ON resource_group"
        " FOR EACH ROW EXECUTE FUNCTION keep_prices_of_resource_group_alike()"
    )
    # Any update makes the trigger fill the columns.
    op.execute("UPDATE resource_group SET extras = extras")


def _row(of: str, columns: list[str]) -> str:
    return ", ".join(f"{of}.{column}" for column in columns)


def _type_cost_price_of_servers() -> None:
    """Only INSERT writes it."""
    op.add_column("server", sa.Column("cost_price", sa.Numeric(20, 9), nullable=True))
    op.execute("UPDATE server SET cost_price = (extras ->> 'cost_price')::numeric WHERE extras ? 'cost_price'")
    op.execute(
        """
        CREATE FUNCTION keep_prices_of_server_alike() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            NEW.cost_price := coalesce(NEW.cost_price, (NEW.extras ->> 'cost_price')::numeric);
            NEW.extras := NEW.extras
                || jsonb_strip_nulls(jsonb_build_object('cost_price', trim_scale(NEW.cost_price)::text));
            RETURN NEW;
        END $$
        """
    )
    op.execute(
        "CREATE TRIGGER prices_alike BEFORE INSERT ON server"
        " FOR EACH ROW EXECUTE FUNCTION keep_prices_of_server_alike()"
    )
