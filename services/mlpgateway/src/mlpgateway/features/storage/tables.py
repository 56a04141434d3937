"""How much each account stores here, and how long it wants that to be kept."""

from sqlalchemy import BigInteger, Identity
from sqlalchemy.orm import Mapped, mapped_column

from mlpgateway.tables import Base


class StorageUse(Base):
    """Bytes and items of one kind; `StorageChange` holds what came or went since they were added up."""

    __tablename__ = "storage_use"

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(primary_key=True)
    bytes: Mapped[int]
    number: Mapped[int]


class StorageChange(Base):
    """Written in the transaction that stores or deletes. Rows are only added, so that no transaction waits for another.

    Added up and deleted by the sweeper.
    """

    __tablename__ = "storage_change"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    account_id: Mapped[int] = mapped_column(index=True)
    kind: Mapped[str]
    bytes: Mapped[int]
    number: Mapped[int]


class StorageSetting(Base):
    """Hours after which an account's things are deleted; null: as long as the platform keeps them."""

    __tablename__ = "storage_setting"

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    prediction_hours: Mapped[int | None]
    answer_hours: Mapped[int | None]
    archive_hours: Mapped[int | None]
