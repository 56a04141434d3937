from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class ApiKey(Base):
    """Of a key's secret only `key_hash`, the keyed hash of the whole key, and `last_four` are stored.

    `allowed_models` None: every model that the account may call. `restrictions` holds the other limits of the contract.
    `allowed_origins` are in the form of `web_origin`. They have a column of their own, because the previous release
    does not read restrictions with a field that it does not know.
    """

    __tablename__ = "api_key"
    __table_args__ = (
        sa.UniqueConstraint("key_hash"),
        sa.Index("ix_api_key_live", "account_id", "key_id", postgresql_where=sa.text("revoked_at IS NULL")),
    )

    key_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    version: Mapped[int]
    name: Mapped[str] = mapped_column(sa.Text)
    key_hash: Mapped[str] = mapped_column(sa.Text)
    last_four: Mapped[str] = mapped_column(sa.Text)
    permissions: Mapped[list[str]] = mapped_column(postgresql.ARRAY(sa.Text))
    allowed_models: Mapped[list[dict[str, int]] | None] = mapped_column(postgresql.JSONB(none_as_null=True))
    restrictions: Mapped[dict[str, Any]] = mapped_column(postgresql.JSONB)
    allowed_origins: Mapped[list[str]] = mapped_column(postgresql.ARRAY(sa.Text), server_default="{}")
    expires_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    created_by_user: Mapped[int | None]
    created_by_key: Mapped[int | None]
    revoked_at: Mapped[datetime | None]
