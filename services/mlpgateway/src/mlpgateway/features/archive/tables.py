"""The archived requests. Their contents are in the object store, and may be encrypted for their owner."""

import uuid
from datetime import datetime

from sqlalchemy import BigInteger, Identity, Index, false, func, text
from sqlalchemy.orm import Mapped, mapped_column

from mlpgateway.tables import Base


class ArchivedRequest(Base):
    """`number` orders the rows. Until `stored`, the object is being written; once `to_delete`, it is being deleted.

    Both are hidden. The row is inserted before its object and deleted after it, so that every object has a row.
    """

    __tablename__ = "archived_request"
    __table_args__ = (
        Index("ix_archived_request_model_id_number", "model_id", "number"),
        Index("ix_archived_request_account_id_number", "account_id", "number"),
        Index("ix_archived_request_unfinished", "created_at", postgresql_where=text("doomed OR NOT stored")),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, Identity(always=True))
    account_id: Mapped[int]
    model_id: Mapped[int]
    at: Mapped[datetime]
    request_id: Mapped[str]
    caller_account_id: Mapped[int]
    operation: Mapped[str]
    status: Mapped[int]
    error_code: Mapped[str | None]
    request_bytes: Mapped[int]
    answer_bytes: Mapped[int]
    stored_bytes: Mapped[int]
    duration_ms: Mapped[int]
    instance_id: Mapped[int | None]
    cached: Mapped[bool]
    key_id: Mapped[str | None]
    stored: Mapped[bool] = mapped_column(server_default=false())
    to_delete: Mapped[bool] = mapped_column("doomed", server_default=false())
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
