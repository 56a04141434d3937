"""Reads mlpbilling's database directly, without the services' code."""

from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import asyncpg
from sqlalchemy.engine import make_url

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.provision import ServiceDatabase

_POSTED = """
    SELECT a.account_id, a.kind, sum(p.amount_nano)::bigint FROM posting p
    JOIN ledger_account a ON a.id = p.ledger_account_id GROUP BY 1, 2
"""
_DOUBLES = """
    SELECT count(*) FROM (SELECT FROM ledger_transaction GROUP BY idempotency_key HAVING count(*) > 1) AS doubles
"""
_UNBALANCED = """
    SELECT count(*) FROM (SELECT FROM posting GROUP BY transaction_id HAVING sum(amount_nano) <> 0) AS wrong
"""
_IN_TRANSACTION = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND xact_start IS NOT NULL AND query ~ 'inbox|billing_account|usage|posting|ledger'
"""


@asynccontextmanager
async def opened(server: EmbeddedPostgres, database: ServiceDatabase) -> AsyncGenerator["BillingRecords"]:
    """Connects as a superuser, which is needed to see the activity of other connections."""
    name = make_url(database.owner_url).database or ""
    connection = await asyncpg.connect(server.admin_dsn(name))
    try:
        yield BillingRecords(connection)
    finally:
        await connection.close()


@dataclass(frozen=True, slots=True)
class BillingRecords:
    """The contents of mlpbilling's database. Amounts are nano-units."""

    connection: "asyncpg.Connection[asyncpg.Record]"

    async def handled(self) -> int:
        """The number of usage events whose effect is committed."""
        return await self._number("SELECT count(*) FROM inbox WHERE consumer = 'mlpbilling.usage'")

    async def in_transaction(self) -> int:
        """The number of open transactions of the service that concern usage."""
        return await self._number(_IN_TRANSACTION)

    async def charged(self) -> dict[str, int]:
        """Charges by usage id."""
        rows = await self.connection.fetch("SELECT usage_id, charged_nano FROM usage")
        return {str(row[0]): row[1] for row in rows}

    async def request_ids(self) -> Counter[str]:
        """The number of usages for each request id."""
        return Counter(row[0] for row in await self.connection.fetch("SELECT request_id FROM usage"))

    async def held(self, account_id: int) -> int:
        return await self._number(f"SELECT coalesce(sum(held_nano), 0) FROM balance WHERE account_id = {account_id}")

    async def main(self, account_id: int) -> int:
        return await self._number(f"SELECT coalesce(sum(main_nano), 0) FROM balance WHERE account_id = {account_id}")

    async def check(self, *, paid: Mapping[int, int], refilled: Mapping[int, int]) -> None:
        """Check that postings come in pairs, balances equal their postings, and each payer paid the exact amount."""
        assert await self._number(_DOUBLES) == 0
        assert await self._number(_UNBALANCED) == 0
        assert await self._number("SELECT count(*) FROM dead_letter") == 0
        posted = {(row[0], row[1]): row[2] for row in await self.connection.fetch(_POSTED)}
        assert sum(posted.values()) == 0
        balances = await self.connection.fetch("SELECT account_id, main_nano, income_nano FROM balance")
        for account_id, main_nano, income_nano in balances:
            assert (posted.get((account_id, "MAIN"), 0), posted.get((account_id, "INCOME"), 0)) == (
                main_nano,
                income_nano,
            ), account_id
        for payer in {*paid, *refilled}:
            assert posted.get((payer, "MAIN"), 0) == refilled.get(payer, 0) - paid.get(payer, 0), payer
        received = sum(
            amount for (_, kind), amount in posted.items() if kind in {"INCOME", "PLATFORM_FEE", "UNCOLLECTED"}
        )
        assert received == sum(paid.values())

    async def _number(self, query: str) -> int:
        return int(await self.connection.fetchval(query))
