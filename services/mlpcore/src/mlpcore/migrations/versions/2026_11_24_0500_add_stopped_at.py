"""When a server whose lifetime ends has been emptied, and the labels of servers that exist. The previous release can run
beside it: it places instances on servers that are being drained, and they move on.
"""

import sqlalchemy as sa
import yaml
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.add_column("server", sa.Column("stopped_at", sa.DateTime(timezone=True), nullable=True))
    server = sa.table(
        "server", sa.column("server_id", sa.BigInteger), sa.column("raw_configuration"), sa.column("labels", sa.JSON)
    )
    connection = op.get_bind()
    for number, text in connection.execute(sa.select(server.c.server_id, server.c.raw_configuration)).all():
        if labels := labels_of(text):
            connection.execute(sa.update(server).where(server.c.server_id == number).values(labels=labels))


def labels_of(configuration: str) -> dict[str, str] | None:
    parsed: dict[str, dict[str, str] | None] = yaml.safe_load(configuration) or {}
    return parsed.get("labels")


def downgrade() -> None:
    op.drop_column("server", "stopped_at")
