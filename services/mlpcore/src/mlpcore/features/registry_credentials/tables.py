from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class RegistryCredential(Base):
    """With which the account's own images are pulled from one registry. The password is encrypted."""

    __tablename__ = "registry_credential"
    __table_args__ = (sa.UniqueConstraint("account_id", "host"),)

    credential_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    host: Mapped[str] = mapped_column(sa.Text)
    username: Mapped[str] = mapped_column(sa.Text)
    password_sealed: Mapped[bytes]
    version: Mapped[int]
    created_at: Mapped[datetime]
    created_by: Mapped[str] = mapped_column(sa.Text)
    updated_at: Mapped[datetime]
    updated_by: Mapped[str] = mapped_column(sa.Text)
