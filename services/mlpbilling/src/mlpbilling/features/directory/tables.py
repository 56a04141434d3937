from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpbilling.tables import Base


class KnownAccount(Base):
    """Read model of AccountChanged. Short names are not unique: two accounts may swap theirs between two events."""

    __tablename__ = "known_account"

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    version: Mapped[int]
    short_name: Mapped[str] = mapped_column(sa.Text, index=True)
    display_name: Mapped[str] = mapped_column(sa.Text)
    owner_user_id: Mapped[int]
    active: Mapped[bool]


class KnownModel(Base):
    """Read model of ModelChanged: the current name and prices of a model.

    `max_price_nano` is None if none is published. `earlier_*` are the values before `offer_changed_at`.
    """

    __tablename__ = "known_model"

    model_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    version: Mapped[int]
    account_id: Mapped[int]
    name: Mapped[str] = mapped_column(sa.Text)
    max_price_nano: Mapped[int | None]
    unit_price_nano: Mapped[int | None]
    earlier_max_price_nano: Mapped[int | None]
    earlier_unit_price_nano: Mapped[int | None]
    offer_changed_at: Mapped[datetime | None]
