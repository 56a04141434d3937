import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class PredictConfig(Base):
    """`config`: JSON text. A model has at most one default row."""

    __tablename__ = "predict_config"
    __table_args__ = (
        sa.UniqueConstraint("model_id", "name"),
        sa.Index("uq_predict_config_default", "model_id", unique=True, postgresql_where=sa.text("is_default")),
    )

    config_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    model_id: Mapped[int]
    name: Mapped[str] = mapped_column(sa.Text)
    is_default: Mapped[bool]
    config: Mapped[str] = mapped_column(sa.Text)
