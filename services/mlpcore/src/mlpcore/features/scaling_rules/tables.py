from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class ScalingDecision(Base):
    """A change of the number of instances, or what stood against one. `before`, `after`: requested instances.

    `least`, `most`: the bounds at that time; `scheduled`: a period of the schedule set them. `numbers`: what the
    decision was made from, in the shape of `ScalingNumbers`.
    """

    __tablename__ = "scaling_decision"
    __table_args__ = (
        sa.Index("ix_scaling_decision_model", "account_id", "model_id", "decision_id"),
        sa.Index("ix_scaling_decision_decided_at", "decided_at"),
    )

    decision_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    model_id: Mapped[int]
    decided_at: Mapped[datetime]
    kind: Mapped[str] = mapped_column(sa.Text)
    reason: Mapped[str] = mapped_column(sa.Text)
    before: Mapped[int] = mapped_column(sa.Integer)
    after: Mapped[int] = mapped_column(sa.Integer)
    connected: Mapped[int] = mapped_column(sa.Integer)
    least: Mapped[int] = mapped_column(sa.Integer)
    most: Mapped[int] = mapped_column(sa.Integer)
    scheduled: Mapped[bool]
    numbers: Mapped[dict[str, Any]] = mapped_column(postgresql.JSONB)
