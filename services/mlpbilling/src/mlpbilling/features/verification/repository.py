"""The books audited: each cached figure against the rows it is derived from. A check is one statement, one snapshot."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

_DRIFTS = sa.text(
    """
    WITH posted AS (
        SELECT a.account_id, a.currency,
               coalesce(sum(p.amount_nano) FILTER (WHERE a.kind = 'MAIN'), 0) AS main_nano,
               coalesce(sum(p.amount_nano) FILTER (WHERE a.kind = 'INCOME'), 0) AS income_nano
        FROM posting p JOIN ledger_account a ON a.id = p.ledger_account_id
        WHERE a.account_id IS NOT NULL
        GROUP BY a.account_id, a.currency
    ), holds AS (
        SELECT payer_account_id AS account_id, currency, sum(held_nano) AS held_nano
        FROM reservation WHERE held_nano > 0
        GROUP BY payer_account_id, currency
    ), compared AS (
        SELECT account_id, currency, checked.figure, checked.cached, checked.actual
        FROM balance
        FULL JOIN posted USING (account_id, currency)
        FULL JOIN holds USING (account_id, currency)
        CROSS JOIN LATERAL (VALUES
            ('main', coalesce(balance.main_nano, 0)::numeric, coalesce(posted.main_nano, 0)),
            ('income', coalesce(balance.income_nano, 0)::numeric, coalesce(posted.income_nano, 0)),
            ('held', coalesce(balance.held_nano, 0)::numeric, coalesce(holds.held_nano, 0))
        ) AS checked (figure, cached, actual)
    )
    SELECT account_id, currency, figure, cached, actual FROM compared
    WHERE cached <> actual
    ORDER BY account_id, currency, figure
    """
)
_UNBALANCED = sa.text(
    """
    SELECT count(*) FROM (
        SELECT FROM posting GROUP BY transaction_id, currency HAVING sum(amount_nano) <> 0
    ) AS unbalanced
    """
)
_SUMS = sa.text("SELECT currency, sum(amount_nano) FROM posting GROUP BY currency ORDER BY currency")


@dataclass(frozen=True, slots=True)
class Drift:
    """`figure`: main, income or held. Nano-units."""

    account_id: int
    currency: str
    figure: str
    cached_nano: int
    actual_nano: int


@dataclass(frozen=True, slots=True)
class Verification:
    """`sums`: all postings of each currency, zero in sound books."""

    drifts: tuple[Drift, ...]
    unbalanced_transactions: int
    sums: dict[str, int]

    @property
    def sound(self) -> bool:
        return not self.drifts and not self.unbalanced_transactions and not any(self.sums.values())


class VerificationRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def verify(self) -> Verification:
        drifts = (await self._session.execute(_DRIFTS)).all()
        unbalanced = (await self._session.execute(_UNBALANCED)).scalar_one()
        sums = (await self._session.execute(_SUMS)).all()
        return Verification(
            drifts=tuple(Drift(row[0], row[1], row[2], int(row[3]), int(row[4])) for row in drifts),
            unbalanced_transactions=unbalanced,
            sums={row[0]: int(row[1]) for row in sums},
        )
