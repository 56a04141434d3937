"""The live gates."""

import uuid
from datetime import datetime

from sqlalchemy import false, func
from sqlalchemy.orm import Mapped, mapped_column

from mlpgateway.tables import Base


class GateMember(Base):
    """`gate_id` is new for each process: a restarted gate at the same address replaces the row.

    `address` is for instances, `internal_address` for other gates; empty means that they cannot reach it.
    """

    __tablename__ = "gate_member"

    address: Mapped[str] = mapped_column(primary_key=True)
    gate_id: Mapped[uuid.UUID]
    internal_address: Mapped[str] = mapped_column(server_default="")
    heartbeat_at: Mapped[datetime] = mapped_column(server_default=func.now())
    leaving: Mapped[bool] = mapped_column(server_default=false())
