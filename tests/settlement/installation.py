"""mlpgateway and mlpbilling as processes on real databases. Events of other services come from the test."""

import resource
import sqlite3
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import asyncpg
import httpx
from fastapi import FastAPI

from mlpgateway.usage.segment import SUFFIX
from mlplace_contracts.events import Event, decode
from mlplace_contracts.internal.identity import KeyIdentity, ResolveSecret, SessionIdentity
from mlplace_contracts.internal.predict_configs import ResolvedPredictConfig, ResolvePredictConfig
from mlplace_kit.clock import SystemClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.auth.authenticator import INTERNAL_HEADER
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.outbox import rows_of
from mlplace_testing.identities import Identities
from mlplace_testing.processes import ServiceProcess
from mlplace_testing.waiting import eventually
from tests.crashes.spooled import records_in

if TYPE_CHECKING:
    from tests.settlement.case import Case

SECRET = "cd" * 32
BODY_BYTES = 2 * 1024 * 1024
"""The largest body of a request."""
KEPT_BYTES = 1024 * 1024
"""The largest answer that the gateway keeps for a call with an Idempotency-Key."""
OPEN_PREDICTIONS = 3
"""How many predictions of an account may be open. The platform's default, 1,000, would take minutes."""
PATIENCE = 60.0
"""Seconds to wait for anything; the machine may be busy."""

Published = TypeVar("Published", bound=Event)


@dataclass
class Installation:
    """`gateway_books` and `billing_books` connect as superusers. `marker` is a case with a free model."""

    gateway: ServiceProcess
    billing: ServiceProcess
    grpc_address: str
    bus: LocalBus
    bus_path: Path
    usage_folder: Path
    people: Identities
    gateway_books: "asyncpg.Connection[asyncpg.Record]"
    billing_books: "asyncpg.Connection[asyncpg.Record]"
    client: httpx.AsyncClient
    marker: "Case" = field(init=False)
    hasher: KeyedHasher = field(default_factory=lambda: KeyedHasher(bytes.fromhex(SECRET)))
    numbers: count = field(default_factory=lambda: count(1))  # type: ignore[type-arg]

    async def publish(self, *events: Event) -> None:
        await self.bus.publish(records_of(*events))

    async def published(self, kind: type[Published]) -> list[Published]:
        subscription = await self.bus.subscribe([kind.topic], group=None)
        found: list[Published] = []
        while delivered := await subscription.poll(max_records=1000, timeout_seconds=0):
            events = [decode(each.record.value)[1] for each in delivered]
            found += [event for event in events if isinstance(event, kind)]
        await subscription.close()
        return found

    async def refill(self, account_id: int, amount_nano: int) -> None:
        body = {
            "accountId": account_id, "amountNano": amount_nano, "currency": "RUBLE",
            "idempotencyKey": f"r{next(self.numbers)}",
        }  # fmt: skip
        await self.ask_billing("POST", "bootstrap/refill", body)

    async def ask_billing(self, method: str, path: str, body: object = None) -> dict[str, object]:
        url = f"{self.billing.url}/internal/mlpbilling/{path}"
        answer = await self.client.request(method, url, json=body, headers={INTERNAL_HEADER: SECRET})
        return cast("dict[str, object]", answer.raise_for_status().json())

    # ---- Failures outside the gateway

    @asynccontextmanager
    async def outbox_locked(self) -> AsyncGenerator[None]:
        """The gateway's transactions with usage wait, uncommitted."""
        async with self.gateway_books.transaction():
            await self.gateway_books.execute("LOCK TABLE outbox IN EXCLUSIVE MODE")
            yield

    async def someone_waits_for_the_lock(self) -> list[int]:
        """Process ids of backends that wait for the lock."""
        query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        found = await eventually(lambda: self.gateway_books.fetch(query), seconds=PATIENCE)
        return [row["pid"] for row in found]

    @asynccontextmanager
    async def outbox_forbidden(self) -> AsyncGenerator[None]:
        """The gateway cannot record usage."""
        await self.gateway_books.execute("REVOKE INSERT ON outbox FROM mlpgateway")
        try:
            yield
        finally:
            await self.gateway_books.execute("GRANT INSERT ON outbox TO mlpgateway")

    @contextmanager
    def bus_away(self) -> Generator[None]:
        """Publishing fails; reading works."""
        connection = sqlite3.connect(self.bus_path, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")
            connection.close()

    @contextmanager
    def disk_refuses(self) -> Generator[None]:
        """The gateway cannot record usage: all its writes to files fail (EFBIG)."""
        if self.gateway.pid is None:
            raise RuntimeError("the gateway does not run")
        former = resource.prlimit(self.gateway.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.gateway.pid, resource.RLIMIT_FSIZE, (0, former[1]))
        try:
            yield
        finally:
            resource.prlimit(self.gateway.pid, resource.RLIMIT_FSIZE, former)

    def usages_on_the_disk(self, payer: int) -> int:
        """Usages in the spool, shipped or not."""
        return sum(record.key == str(payer) for record in records_in(self.usage_folder.glob(f"*/*{SUFFIX}")))

    async def nothing_in_the_outbox(self) -> None:
        await eventually(self._outbox_rows, until=lambda rows: rows == 0, seconds=PATIENCE)

    async def _outbox_rows(self) -> int:
        return int(await self.gateway_books.fetchval("SELECT count(*) FROM outbox"))

    async def calls_in_progress(self) -> float:
        return await self._gauge("mlp_gateway_active_calls")

    async def capped_charges(self, by: str) -> float:
        """How many charges the bound has capped since the gateway was started."""
        return await self._gauge(f'mlp_gateway_capped_charges_total{{by="{by}"}}', absent=0)

    async def usages_waiting(self) -> float:
        """Usages that mlpbilling has read but not handled."""
        return await self._gauge('mlp_consumer_waiting_events{consumer="mlpbilling.usage"}', of=self.billing)

    async def _gauge(self, name: str, *, of: ServiceProcess | None = None, absent: float | None = None) -> float:
        """`absent` is the value of a metric that the service does not show yet."""
        text = (await self.client.get(f"{(of or self.gateway).url}/metrics")).text
        found = [float(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name} ")]
        if not found and absent is not None:
            return absent
        return found[0]

    async def no_call_in_progress(self) -> None:
        await eventually(self.calls_in_progress, until=lambda number: number == 0, seconds=PATIENCE)

    async def a_call_waits(self) -> None:
        """Wait until a call waits for an instance."""
        await eventually(lambda: self._gauge("mlp_gateway_waiting_calls"), seconds=PATIENCE)

    async def a_call_waits_for_an_equal_one(self) -> None:
        """Wait until a call waits for the answer of an equal one, which it will share."""
        await eventually(lambda: self._gauge("mlp_gateway_cache_following_calls"), seconds=PATIENCE)


def records_of(*events: Event) -> list[Record]:
    rows = zip(events, rows_of(events, SystemClock()), strict=True)
    return [Record(event.topic.name, event.key, cast("bytes", row["value"])) for event, row in rows]


def identity_app(people: Identities) -> FastAPI:
    """The routes of mlpcore and accountsadmin that resolve credentials and stored configs. Keys are known only from
    events, and there are no configs.
    """
    app = FastAPI()

    @app.post("/internal/mlpcore/keys/resolve")
    async def key(_body: ResolveSecret) -> KeyIdentity | None:
        return None

    @app.post("/internal/mlpcore/predict-configs/resolve")
    async def config(_body: ResolvePredictConfig) -> ResolvedPredictConfig | None:
        return None

    @app.post("/internal/accountsadmin/sessions/resolve")
    async def session(body: ResolveSecret) -> SessionIdentity | None:
        return await people.session(body.secret)

    return app


def environment(*, bus: Path, identities_url: str, billing_url: str) -> Mapping[str, str]:
    return {
        "MLP_INTERNAL_TOKEN": SECRET,
        "MLP_HASH_SECRET": SECRET,
        "MLP_ENVELOPE_KEY": SECRET,
        "MLP_BUS": str(bus),
        "MLP_SECURE_COOKIES": "false",
        "MLP_MLPBILLING_URL": billing_url,
        "MLP_MLPGATEWAY_URL": identities_url,
        "MLP_MLPCORE_URL": identities_url,
        "MLP_ACCOUNTSADMIN_URL": identities_url,
    }
