"""Predictions and their webhook deliveries."""

import uuid
from datetime import datetime

from sqlalchemy import Index, UniqueConstraint, false, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from mlpgateway.tables import Base


class Prediction(Base):
    """`call` is the whole call without its credentials, which are encrypted and deleted at the end.

    While it runs, it belongs to the process that knows `token`, up to `leased_until`. An output too large for `output`
    is in the object store under `output_key`. `stored_bytes` is the size with which it is counted, in both places.
    `deleted`: deleted by its owner, to be removed.
    """

    __tablename__ = "prediction"
    __table_args__ = (
        UniqueConstraint("account_id", "scope", name="uq_prediction_account_id_scope"),
        Index("ix_prediction_account_id_created_at", "account_id", "created_at"),
        Index("ix_prediction_status_not_before", "status", "not_before"),
        Index("ix_prediction_doomed", "id", postgresql_where=text("doomed")),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    account_id: Mapped[int]
    key_id: Mapped[int | None]
    model_account: Mapped[str]
    model_name: Mapped[str]
    request_id: Mapped[str]
    status: Mapped[str]
    call: Mapped[bytes]
    credential: Mapped[bytes | None]
    scope: Mapped[str | None]
    fingerprint: Mapped[str | None]
    webhook_url: Mapped[str | None]
    webhook_events: Mapped[list[str]] = mapped_column(JSONB)
    attempts: Mapped[int] = mapped_column(server_default="0")
    not_before: Mapped[datetime] = mapped_column(server_default=func.now())
    token: Mapped[uuid.UUID | None]
    leased_until: Mapped[datetime | None]
    cancel_requested: Mapped[bool] = mapped_column(server_default=false())
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]
    output: Mapped[bytes | None]
    output_key: Mapped[str | None]
    output_size: Mapped[int | None]
    output_is_json: Mapped[bool | None]
    error: Mapped[dict[str, object] | None] = mapped_column(JSONB)
    usage: Mapped[dict[str, object] | None] = mapped_column(JSONB)
    stored_bytes: Mapped[int] = mapped_column(server_default="0")
    deleted: Mapped[bool] = mapped_column("doomed", server_default=false())


class WebhookSecret(Base):
    __tablename__ = "webhook_secret"

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    sealed: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class WebhookDelivery(Base):
    """`next_at` is the time of the next attempt; NULL when the delivery has ended, successfully or not."""

    __tablename__ = "webhook_delivery"
    __table_args__ = (Index("ix_webhook_delivery_next_at", "next_at"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    account_id: Mapped[int]
    prediction_id: Mapped[uuid.UUID] = mapped_column(index=True)
    event: Mapped[str]
    url: Mapped[str]
    body: Mapped[bytes]
    stored_bytes: Mapped[int] = mapped_column(server_default="0")
    attempts: Mapped[int] = mapped_column(server_default="0")
    next_at: Mapped[datetime | None]
    delivered_at: Mapped[datetime | None]
    last_status: Mapped[int | None]
    last_error: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)
