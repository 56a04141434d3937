import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class ModelGroup(Base):
    __tablename__ = "model_group"
    __table_args__ = (sa.UniqueConstraint("account_id", "name"),)

    group_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    name: Mapped[str] = mapped_column(sa.Text)
