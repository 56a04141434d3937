import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class ModelExample(Base):
    """`request` and `answer`: JSON text. `position`: from 0 in the order in which people see the examples."""

    __tablename__ = "model_example"
    __table_args__ = (sa.UniqueConstraint("model_id", "name"),)

    example_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    model_id: Mapped[int]
    position: Mapped[int]
    name: Mapped[str] = mapped_column(sa.Text)
    request: Mapped[str] = mapped_column(sa.Text)
    answer: Mapped[str | None] = mapped_column(sa.Text)
