"""The storage that each account uses, and how long the account keeps data."""

from sqlalchemy import BigInteger, Identity
from sqlalchemy.orm import Mapped, mapped_column

from mlpgateway.tables import Base


class StorageUse(Base):
    """Bytes and items of one kind, without the changes in `StorageChange` that were not added up yet."""

    __tablename__ = "storage_use"

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(primary_key=True)
    bytes: Mapped[int]
    number: Mapped[int]


class StorageChange(Base):
    """Written in the transaction that stores or deletes data. Rows are only inserted, so that writers do not wait.

    The storage maintenance adds them up and deletes them.
    """

    __tablename__ = "storage_change"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    account_id: Mapped[int] = mapped_column(index=True)
    kind: Mapped[str]
    bytes: Mapped[int]
    number: Mapped[int]


class StorageSetting(Base):
    """Hours after which an account's data is deleted; NULL: as long as the platform keeps it."""

    __tablename__ = "storage_setting"

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    prediction_hours: Mapped[int | None]
    answer_hours: Mapped[int | None]
    archive_hours: Mapped[int | None]
