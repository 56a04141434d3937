"""Versions of services: who changed which settings, and the settings after it.

It writes none: the versions of a service begin with its next change. The previous release can run beside this one: it
changes services without a version, and the next change of this release records what it finds.

The service's role may neither update nor delete a version. Two functions of the owner do, and nothing else: the newest
200 versions of a service stay, fewer when these take more than 8 MiB, and none stays of a service that is deleted.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0040"
down_revision = "0039"

_AS_OWNER = "LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
_KEEP_NEWEST = f"""
CREATE FUNCTION keep_newest_model_versions() RETURNS trigger {_AS_OWNER} AS $$
BEGIN
    DELETE FROM public.model_version AS kept USING (
        SELECT number, row_number() OVER newest AS place,
            sum(pg_column_size(document) + pg_column_size(changes)) OVER newest AS bytes
        FROM public.model_version WHERE model_id = NEW.model_id
        WINDOW newest AS (ORDER BY number DESC)
    ) AS placed
    WHERE kept.model_id = NEW.model_id AND kept.number = placed.number AND kept.number < NEW.number
        AND (placed.place > 200 OR placed.bytes > 8 * 1024 * 1024);
    RETURN NULL;
END $$
"""  # noqa: S608  constants
_FORGET = f"""
CREATE FUNCTION forget_model_versions() RETURNS trigger {_AS_OWNER} AS $$
BEGIN
    DELETE FROM public.model_version WHERE model_id = NEW.model_id;
    RETURN NULL;
END $$
"""  # noqa: S608  constants


def upgrade() -> None:
    op.create_table(
        "model_version",
        sa.Column("model_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.Column("author", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("restored_number", sa.BigInteger(), nullable=True),
        sa.Column("changes", postgresql.JSONB(), nullable=False),
        sa.Column("document", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("model_id", "number", name=op.f("pk_model_version")),
    )
    op.execute("REVOKE UPDATE, DELETE, TRUNCATE ON model_version FROM mlpcore")
    for function in (_KEEP_NEWEST, _FORGET):
        op.execute(function)
    for name in ("keep_newest_model_versions", "forget_model_versions"):
        op.execute(f"REVOKE ALL ON FUNCTION {name}() FROM PUBLIC")
    op.execute(
        "CREATE TRIGGER keep_newest AFTER INSERT ON model_version "
        "FOR EACH ROW EXECUTE FUNCTION keep_newest_model_versions()"
    )
    op.execute(
        "CREATE TRIGGER forget_versions AFTER UPDATE OF deleted_at ON model "
        "FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION forget_model_versions()"
    )


def downgrade() -> None:
    op.execute("DROP TRIGGER forget_versions ON model")
    op.execute("DROP FUNCTION forget_model_versions()")
    op.drop_table("model_version")
    op.execute("DROP FUNCTION keep_newest_model_versions()")
