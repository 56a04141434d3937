"""Usage events from the bus into the ledger, with the real consumer and the real PostgreSQL."""

import asyncio
import sqlite3
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

import asyncpg

from benchmarks.content import Content
from benchmarks.figures.rounds import Figure, Size, from_values
from benchmarks.platform_stack import Stack, wait
from benchmarks.processes import cpu_seconds
from mlplace_contracts.events import UsageRecorded
from mlplace_contracts.internal.billing import Reservation, ReserveRequest
from mlplace_contracts.topics import USAGE
from mlplace_kit.clock import SystemClock
from mlplace_kit.money import NANO, Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.outbox import rows_of
from standalone.demo.bootstrap_client import BootstrapClient

EVENTS = 10_000
_CONSUMER = "mlpbilling.usage%"  # its name contains the copy of the data that it feeds
_FIRST_PAYER = 5_000_000_000
_PRICE = NANO // 100
_SECONDS = 60.0
_VARIANTS = {"100 payers, 100 leases": 100, "one payer, one lease": 1}


def measure(stack: Stack, content: Content, size: Size) -> Figure:
    """In each round, publish all events at once and wait until the consumer has committed the last one."""
    payers = {name: [_FIRST_PAYER + n for n in range(count)] for name, count in _VARIANTS.items()}
    wait(_refill(stack, payers["100 payers, 100 leases"]))
    values: dict[str, dict[str, list[float]]] = {name: {} for name in _VARIANTS}
    with stack.measuring("mlpbilling") as billing:
        for _ in range(size.rounds):
            for name in _VARIANTS:
                events = wait(_events(stack, content, payers[name], size.of(EVENTS)))
                found = _consume(stack, billing.process.pid, events)
                for figure, value in found.items():
                    values[name].setdefault(figure, []).append(value)
    return Figure("ledger", [from_values(name, 1, found) for name, found in values.items()], extra=wait(_state(stack)))


async def _refill(stack: Stack, payers: Sequence[int]) -> None:
    async with stack.internal() as internal:
        for payer in payers:
            await BootstrapClient(internal).refill(payer, nano=10_000 * NANO, currency="RUBLE")


async def _events(stack: Stack, content: Content, payers: Sequence[int], count: int) -> list[UsageRecorded]:
    async with stack.internal() as internal:
        leases = {
            payer: await internal.post("mlpbilling", "/reservations", _reserve(content, payer, count), Reservation)
            for payer in payers
        }
    return [_usage(content, payers[n % len(payers)], leases[payers[n % len(payers)]]) for n in range(count)]


def _reserve(content: Content, payer: int, count: int) -> ReserveRequest:
    return ReserveRequest(
        reservation_id=uuid.uuid4(),
        gate="benchmark",
        payer_account_id=payer,
        model_account_id=content.owner_id,
        model_id=content.model_id,
        currency=Currency.RUBLE,
        minimum_nano=_PRICE,
        wanted_nano=_PRICE * count,
    )


def _usage(content: Content, payer: int, lease: Reservation) -> UsageRecorded:
    return UsageRecorded(
        usage_id=uuid.uuid4(),
        occurred_at=datetime.now(UTC),
        request_id="benchmark",
        operation="predict",
        caller_account_id=payer,
        payer_account_id=payer,
        payer_key_id=1,
        model_account_id=content.owner_id,
        model_id=content.model_id,
        model_name="echo",
        instance_id=1,
        billing_unit=BillingUnit.CALLS,
        units=1,
        unit_price_nano=_PRICE,
        amount_nano=_PRICE,
        currency=Currency.RUBLE,
        reservation_id=lease.reservation_id,
        model_time_ms=5,
    )


def _consume(stack: Stack, pid: int, events: Sequence[UsageRecorded]) -> dict[str, float]:
    rows = rows_of(events, SystemClock())
    records = [Record(USAGE.name, event.key, row["value"]) for event, row in zip(events, rows, strict=True)]  # type: ignore[arg-type]  # bytes
    wait(_publish(stack, records))
    target = _position(stack, "SELECT max(position) FROM log WHERE topic = ?", USAGE.name)
    began, cpu = time.perf_counter(), cpu_seconds([pid])
    start = _position(stack, "SELECT max(position) FROM committed WHERE consumer LIKE ?", _CONSUMER)
    while _position(stack, "SELECT max(position) FROM committed WHERE consumer LIKE ?", _CONSUMER) < target:
        if time.perf_counter() - began > _SECONDS:
            raise TimeoutError(f"not all of {len(events)} events were consumed within {_SECONDS} s")
        time.sleep(0.01)
    seconds, used = time.perf_counter() - began, cpu_seconds([pid]) - cpu
    done = min(len(events), target - start) or 1
    used = max(used, 0.001)
    return {"per_second": done / seconds, "per_second_per_core": done / used, "cpu_us": used / done * 1e6}


async def _publish(stack: Stack, records: Sequence[Record]) -> None:
    async with LocalBus(stack.bus("mlpbilling")) as bus:
        await bus.publish(records)


def _position(stack: Stack, query: str, name: str) -> int:
    connection = sqlite3.connect(stack.bus("mlpbilling"), timeout=10)
    try:
        row = connection.execute(query, (name,)).fetchone()
    finally:
        connection.close()
    return int(row[0] or 0) if row else 0


async def _state(stack: Stack) -> dict[str, object]:
    """The number of usages in the ledger, and the sum of all postings, which must be zero."""
    connection = await asyncpg.connect(stack.postgres.admin_dsn("mlpbilling"))
    try:
        return {
            "usages": await connection.fetchval("SELECT count(*) FROM usage"),
            "sum_of_postings": int(await connection.fetchval("SELECT coalesce(sum(amount_nano), 0) FROM posting")),
        }
    finally:
        await connection.close()
        await asyncio.sleep(0)
