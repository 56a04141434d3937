"""Rows and a sequence that are there from the start, generated values, and a table that refuses to forget."""

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    for statement in (
        """CREATE TABLE shelf (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text NOT NULL,
            letters int GENERATED ALWAYS AS (length(name)) STORED,
            made_at timestamptz NOT NULL DEFAULT now()
        )""",
        "INSERT INTO shelf (name) VALUES ('first'), ('second')",
        """CREATE TABLE book (
            id bigint GENERATED ALWAYS AS IDENTITY (START WITH 500) PRIMARY KEY,
            shelf_id bigint NOT NULL REFERENCES shelf,
            title text NOT NULL
        )""",
        "CREATE TABLE loan (title text NOT NULL)",
        """CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'loans are append only';
        END $$""",
        """CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON loan
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()""",
    ):
        op.execute(statement)


def downgrade() -> None:
    for table in ("loan", "book", "shelf"):
        op.execute(f"DROP TABLE {table}")
    op.execute("DROP FUNCTION refuse_change")
