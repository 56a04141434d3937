"""Verifies the ledger: compares each figure with the rows that it is derived from. Each check is one statement."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.verification.checks import (
    DEBT_SUMS,
    DEBTS,
    DRIFTS,
    PAYMENTS,
    REFILLS,
    RENTS,
    SUMS,
    UNBALANCED,
    USAGES,
)


@dataclass(frozen=True, slots=True)
class Drift:
    """`figure` is main, income, held or owed; or unowed: a negative balance that is neither owed nor advanced."""

    account_id: int
    currency: str
    figure: str
    cached_nano: int
    actual_nano: int


@dataclass(frozen=True, slots=True)
class DebtSums:
    """Nano-units; see `DebtSumsData`."""

    open_nano: int
    uncollected_nano: int
    payable_nano: int
    advanced_nano: int


@dataclass(frozen=True, slots=True)
class Verification:
    """`sums` are the sums of all postings per currency; zero is right. `unexplained` counts rows that disagree."""

    drifts: tuple[Drift, ...]
    unbalanced_transactions: int
    sums: dict[str, int]
    unexplained: dict[str, int]
    debts: dict[str, DebtSums]

    @property
    def sound(self) -> bool:
        wrong = self.drifts or self.unbalanced_transactions or any(self.sums.values()) or any(self.unexplained.values())
        return not wrong and all(debts.open_nano == debts.uncollected_nano for debts in self.debts.values())


class VerificationRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def verify(self) -> Verification:
        drifts = (await self._session.execute(DRIFTS)).all()
        sums = (await self._session.execute(SUMS)).all()
        debts = (await self._session.execute(DEBT_SUMS)).all()
        return Verification(
            drifts=tuple(Drift(row[0], row[1], row[2], int(row[3]), int(row[4])) for row in drifts),
            unbalanced_transactions=await self._count(UNBALANCED),
            sums={row[0]: int(row[1]) for row in sums},
            unexplained={
                "usages": await self._count(USAGES),
                "refills": await self._count(REFILLS),
                "payments": await self._count(PAYMENTS),
                "rents": await self._count(RENTS),
                "debts": await self._count(DEBTS),
            },
            debts={row[0]: DebtSums(*(int(figure) for figure in row[1:])) for row in debts},
        )

    async def _count(self, statement: sa.TextClause) -> int:
        return int((await self._session.execute(statement)).scalar_one())
