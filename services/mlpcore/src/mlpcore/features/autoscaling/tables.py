from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class ModelScaling(Base):
    """When an AUTOMATIC model is looked at next. The process that looks moves `due_at`: this is its claim.

    `trouble`: what stands against the wanted number; null if nothing does. `told`: when people were last told of each.
    """

    __tablename__ = "model_scaling"
    __table_args__ = (sa.Index("ix_model_scaling_due_at", "due_at"),)

    model_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    due_at: Mapped[datetime]
    trouble: Mapped[str | None] = mapped_column(sa.Text)
    told: Mapped[dict[str, str]] = mapped_column(postgresql.JSONB, server_default="{}")
