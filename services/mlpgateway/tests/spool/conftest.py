"""A spool with a bus that can be taken away, and disks that fail."""

import asyncio
import os
import resource
import uuid
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from mlpgateway.usage.spool import SpoolOptions, UsageSpool
from mlplace_contracts.events import UsageRecorded, decode
from mlplace_kit.clock import SystemClock
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_runtime.bus.port import Record, RecordsRefusedError
from mlplace_runtime.space import SpaceWatch
from mlplace_runtime.tasks import Loop, running

MEBIBYTE = 1024 * 1024


class BusTwin:
    """Accepts records, as far as a spool knows a bus."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.batches: list[int] = []
        self.away = False
        self.forgets_to_answer = False
        self.refused: set[str] = set()

    async def publish(self, records: Sequence[Record]) -> None:
        if self.away:
            raise ConnectionError("the brokers are away")
        refused = {place: "too large" for place, record in enumerate(records) if record.key in self.refused}
        if refused:
            raise RecordsRefusedError(refused)
        self.records += records
        self.batches.append(len(records))
        if self.forgets_to_answer:
            raise TimeoutError

    @property
    def requests(self) -> list[str]:
        """The request ids of all usage, in order."""
        return [usage.request_id for usage in self.usages]

    @property
    def usages(self) -> list[UsageRecorded]:
        events = [decode(record.value)[1] for record in self.records]
        return [event for event in events if isinstance(event, UsageRecorded)]

    @property
    def event_ids(self) -> list[uuid.UUID]:
        return [decode(record.value)[0].event_id for record in self.records]


def usage(request_id: str = "r", payer: int = 1) -> UsageRecorded:
    return UsageRecorded(
        usage_id=uuid.uuid4(), occurred_at=SystemClock().now(), request_id=request_id, operation="predict",
        caller_account_id=payer, payer_account_id=payer, payer_key_id=1, model_account_id=2, model_id=3, model_name="m",
        instance_id=None, billing_unit=BillingUnit.CALLS, units=1, unit_price_nano=1, amount_nano=1, currency=Currency.RUBLE,
        reservation_id=None, model_time_ms=1,
    )  # fmt: skip


class Spools:
    """Opens spools in one folder. `dies` ends one like a kill: nothing is flushed, cut or unlocked."""

    def __init__(self, root: Path, bus: BusTwin) -> None:
        self.root = root
        self.bus = bus
        self.parked: list[tuple[Record, str]] = []

    def make(
        self, *, most_bytes: int = 16 * MEBIBYTE, sync: str = "interval", space: SpaceWatch | None = None
    ) -> UsageSpool:
        async def park(record: Record, reason: str) -> None:
            self.parked.append((record, reason))

        options = SpoolOptions(self.root, most_bytes, sync, space or SpaceWatch())  # type: ignore[arg-type]
        return UsageSpool(self.bus, park, SystemClock(), options)  # type: ignore[arg-type]  # a twin

    @asynccontextmanager
    async def opened(self, **options: object) -> AsyncGenerator[UsageSpool]:
        spool = self.make(**options)  # type: ignore[arg-type]
        async with self.running(spool):
            yield spool

    @asynccontextmanager
    async def running(self, spool: UsageSpool) -> AsyncGenerator[UsageSpool]:
        async with running("test", [Loop("spool", spool.run)]), asyncio.timeout(60):
            await spool.ready.wait()
            yield spool

    @property
    def files(self) -> list[Path]:
        """Returns the files in the folder, without its own lock."""
        return [path for path in self.root.rglob("*") if path.is_file() and path.name != ".lock"]


@contextmanager
def full_disk() -> Generator[None]:
    """Fails every write of this process to a file. Only for statements that write to no other file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def forgetful(spool: UsageSpool) -> Generator[None]:
    """Replaces the current file by one that accepts every write and cannot be synced."""
    segment = spool._segment
    assert segment is not None
    nowhere = os.open("/dev/null", os.O_RDWR)
    before = os.dup(segment._file)
    os.dup2(nowhere, segment._file)
    try:
        yield
    finally:
        os.dup2(before, segment._file)
        os.close(before)
        os.close(nowhere)


@pytest.fixture
def own_bus() -> BusTwin:
    return BusTwin()


@pytest.fixture
def spools(tmp_path: Path, own_bus: BusTwin) -> Spools:
    return Spools(tmp_path / "usage", own_bus)


@pytest.fixture
def tools() -> SimpleNamespace:
    """Provides the helpers of this file: tests cannot import conftest."""
    return SimpleNamespace(usage=usage, full_disk=full_disk, forgetful=forgetful, MEBIBYTE=MEBIBYTE)
