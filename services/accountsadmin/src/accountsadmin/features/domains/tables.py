from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base


class Domain(Base):
    """A host name under which the platform appears as one of its white-label products."""

    __tablename__ = "domains"

    domain: Mapped[str] = mapped_column(primary_key=True)
    product: Mapped[str]
    internal_user_ui_available: Mapped[bool]
    owner_only: Mapped[bool]
