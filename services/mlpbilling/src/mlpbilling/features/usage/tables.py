import uuid
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpbilling.tables import Base


class Usage(Base):
    """One answered call and its cost. The service's role may not change or delete it.

    `amount_nano` is the price before free units. The payer pays `charged_nano`, of which the platform gets `fee_nano`
    and the model's owner the rest. `transaction_id` moves the part that the payer had money for (null if nothing was
    charged); the rest is a debt. If less is charged than the service reported, `reported_*` are its figures,
    `capped_by` is the reason and `max_price_nano` the maximal price of the call.
    """

    __tablename__ = "usage"
    __table_args__ = (
        sa.Index("ix_usage_spending", "payer_account_id", "currency", "occurred_at"),
        sa.Index("ix_usage_income", "model_account_id", "currency", "occurred_at"),
    )

    usage_id: Mapped[uuid.UUID] = mapped_column(postgresql.UUID(as_uuid=True), primary_key=True)
    occurred_at: Mapped[datetime]
    recorded_at: Mapped[datetime] = mapped_column(server_default=sa.func.now())
    request_id: Mapped[str] = mapped_column(sa.Text)
    operation: Mapped[str] = mapped_column(sa.Text)
    caller_account_id: Mapped[int]
    payer_account_id: Mapped[int]
    payer_key_id: Mapped[int | None]
    model_account_id: Mapped[int]
    model_id: Mapped[int]
    model_name: Mapped[str] = mapped_column(sa.Text)
    instance_id: Mapped[int | None]
    billing_unit: Mapped[str] = mapped_column(sa.Text)
    units: Mapped[int]
    free_units: Mapped[int]
    unit_price_nano: Mapped[int]
    amount_nano: Mapped[int]
    charged_nano: Mapped[int]
    fee_nano: Mapped[int]
    currency: Mapped[str] = mapped_column(sa.Text)
    reservation_id: Mapped[uuid.UUID | None]
    transaction_id: Mapped[uuid.UUID | None]
    model_time_ms: Mapped[int]
    max_price_nano: Mapped[int | None]
    reported_units: Mapped[int | None]
    reported_amount_nano: Mapped[int | None]
    capped_by: Mapped[str | None] = mapped_column(sa.Text)
