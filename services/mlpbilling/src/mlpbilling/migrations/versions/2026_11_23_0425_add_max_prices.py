"""Adds maximal prices of calls, and what a service reported if less was charged. Former code can write meanwhile."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_OFFERS = ("max_price_nano", "unit_price_nano", "earlier_max_price_nano", "earlier_unit_price_nano")
_REPORTED = ("max_price_nano", "reported_units", "reported_amount_nano")


def upgrade() -> None:
    for name in _OFFERS:
        op.add_column("known_model", sa.Column(name, sa.BigInteger, nullable=True))
    op.add_column("known_model", sa.Column("offer_changed_at", sa.DateTime(timezone=True), nullable=True))
    for name in _REPORTED:
        op.add_column("usage", sa.Column(name, sa.BigInteger, nullable=True))
    op.add_column("usage", sa.Column("capped_by", sa.Text, nullable=True))


def downgrade() -> None:
    for name in (*_REPORTED, "capped_by"):
        op.drop_column("usage", name)
    for name in (*_OFFERS, "offer_changed_at"):
        op.drop_column("known_model", name)
