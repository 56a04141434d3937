import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class Allocation(Base):
    """The room that an instance holds on a server, from its placement until it has left the server.

    CPU in thousandths of a core; memory and disk in MiB.
    """

    __tablename__ = "allocation"
    __table_args__ = (
        sa.Index("ix_allocation_server_id", "server_id"),
        sa.Index("ix_allocation_account_id", "account_id"),
    )

    instance_id: Mapped[int] = mapped_column(
        sa.ForeignKey("instance.instance_id", ondelete="CASCADE"), primary_key=True
    )
    server_id: Mapped[int] = mapped_column(sa.BigInteger)
    account_id: Mapped[int]
    milli_cpu: Mapped[int] = mapped_column(sa.BigInteger)
    ram_mb: Mapped[int] = mapped_column(sa.BigInteger)
    disk_mb: Mapped[int] = mapped_column(sa.BigInteger)


class GpuAllocation(Base):
    """The part of one GPU that an instance holds. `vram_mb`: memory in MiB; an unshared GPU has all of it allocated."""

    __tablename__ = "gpu_allocation"
    __table_args__ = (sa.Index("ix_gpu_allocation_server_id", "server_id", "gpu_id"),)

    instance_id: Mapped[int] = mapped_column(
        sa.ForeignKey("allocation.instance_id", ondelete="CASCADE"), primary_key=True
    )
    gpu_id: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    server_id: Mapped[int] = mapped_column(sa.BigInteger)
    vram_mb: Mapped[int] = mapped_column(sa.BigInteger)
