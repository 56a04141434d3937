"""Redis, PostgreSQL or Kafka answer half a minute late: warm calls are not delayed, and charges are exact."""

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from sqlalchemy.engine import make_url

from mlplace_contracts.events import AccountLimitsChanged
from mlplace_testing.ports import free_port
from mlplace_testing.servers.redis import RedisServer
from mlplace_testing.servers.stores import KafkaServer
from mlplace_testing.slow_proxy import SlowProxy, slow_proxy
from mlplace_testing.waiting import eventually
from tests.crashes.billing_records import BillingRecords
from tests.crashes.callers import Call, Caller, Callers, over_grpc, over_http
from tests.crashes.conftest import ReportFigure
from tests.crashes.installation import PAYER, Gate, Installation, Size

_LATE_SECONDS = 30.0
_NOT_THAT_LATE_SECONDS = 15.0
"""A call that takes longer has waited for the slow store."""
_PRICE = 1_000_003
_MONEY = 10**15
_PER_SECOND = 5_000


class Timed:
    """Durations of calls since `begin`."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def begin(self) -> None:
        self.seconds = []

    @asynccontextmanager
    async def of(self, caller: Caller) -> AsyncGenerator[Call]:
        async with caller as call:

            async def timed(request_id: str, milliseconds: int) -> str | None:
                began = time.monotonic()
                try:
                    return await call(request_id, milliseconds)
                finally:
                    self.seconds.append(time.monotonic() - began)

            yield timed


async def _warm(load: Callers, number: int) -> None:
    before = len(load.answered)

    async def answered() -> int:
        return len(load.answered) - before

    await eventually(answered, until=lambda found: found >= number, seconds=300)


async def _proved(
    installation: Installation,
    gate: Gate,
    store: SlowProxy,
    report_figure: ReportFigure,
    size: Size,
    *,
    seconds: float = 60.0,
) -> None:
    """Calls begin in a healthy state, continue while the store is slow, and end when it has recovered.

    At full size the store is slow for `seconds`, and no caller pauses.
    """
    seconds, pause, warm = size.of((seconds, 0.0, 1000), (20.0, 0.1, 150))
    key = await installation.publish_model(price_nano=_PRICE)
    await installation.publish(
        AccountLimitsChanged(
            version=2, account_id=PAYER, predict_per_sec=_PER_SECOND, fit_per_minute=5, features=()
        )
    )  # fmt: skip
    await gate.process.start()
    await installation.run_instance(gate)
    timed = Timed()
    callers = [timed.of(over(gate, key)) for over in (over_http, over_grpc, over_http, over_grpc)]
    async with Callers(callers, pause=pause) as load, installation.billing_records() as billing_records:
        await _warm(load, warm)
        before = set(load.unanswered)
        timed.begin()
        store.slow_down(_LATE_SECONDS)
        await asyncio.sleep(seconds)  # the store is slow during this time
        during = len(timed.seconds)
        assert store.slowed, "nobody asked the store for anything"
        store.speed_up()
        await _warm(load, 200)
        await load.stop()
        assert load.unanswered == before, "a call was harmed"
        longest = max(timed.seconds)
        report_figure(f"{during} calls in {seconds:.0f} s of a slow store, the longest took {longest:.2f} s")
        assert during > 50
        assert longest < _NOT_THAT_LATE_SECONDS
        await _all_charged_once(load, billing_records)
    assert (await installation.verification())["sound"] is True


async def _all_charged_once(load: Callers, billing_records: BillingRecords) -> None:
    async def missing() -> set[str]:
        return load.answered - set(await billing_records.request_ids())

    await eventually(missing, until=lambda ids: not ids, seconds=90)
    written = await billing_records.request_ids()
    assert [request_id for request_id, times in written.items() if times > 1] == []
    assert set(written) <= load.answered | load.unanswered
    await billing_records.check(paid={PAYER: written.total() * _PRICE}, refilled={PAYER: _MONEY})


@pytest.fixture
async def paid_for(installation: Installation) -> Installation:
    """With mlpbilling, and a payer with enough money."""
    await installation.billing().start()
    await installation.refill(PAYER, _MONEY)
    return installation


@pytest.mark.parametrize("bus_settings", ["local"], indirect=True)
class TestSlowDatabase:
    async def test_of_the_gate_delays_no_warm_call(
        self, paid_for: Installation, size: Size, report_figure: ReportFigure
    ) -> None:
        async with _slow_database(paid_for.databases.gateway.service_url) as (proxy, url):
            await _proved(paid_for, paid_for.gate(database_url=url), proxy, report_figure, size)

    async def test_of_mlpbilling_delays_no_call_covered_by_a_lease(
        self, installation: Installation, size: Size, report_figure: ReportFigure
    ) -> None:
        """A gate leases money for a minute in advance once it knows the rate of calls."""
        async with _slow_database(installation.databases.billing.service_url) as (proxy, url):
            await installation.billing(database_url=url).start()
            await installation.refill(PAYER, _MONEY)
            await _proved(installation, installation.gate(), proxy, report_figure, size, seconds=30.0)


@asynccontextmanager
async def _slow_database(url: str) -> AsyncGenerator[tuple[SlowProxy, str]]:
    """A slow proxy of the database's socket, and the URL through it: the proxy's socket needs a short path."""
    address = make_url(url)
    name = ".s.PGSQL.5432"
    with tempfile.TemporaryDirectory(prefix="mlplace-slow-") as folder:
        near, far = Path(folder) / name, Path(str(address.query["host"])) / name
        async with slow_proxy(near, far) as proxy:
            through = address.update_query_dict({"host": folder})
            yield proxy, through.render_as_string(hide_password=False)


@pytest.mark.docker
@pytest.mark.parametrize("bus_settings", ["local"], indirect=True)
class TestSlowRedis:
    async def test_delays_no_warm_call(
        self, paid_for: Installation, redis_server: RedisServer, size: Size, report_figure: ReportFigure
    ) -> None:
        server = urlsplit(redis_server.url)
        near, far = ("127.0.0.1", free_port()), (server.hostname or "", server.port or 6379)
        async with slow_proxy(near, far) as proxy:
            gate = paid_for.gate()
            gate.process.environment["MLP_REDIS_URL"] = server._replace(netloc=f"{near[0]}:{near[1]}").geturl()
            await _proved(paid_for, gate, proxy, report_figure, size)


@pytest.mark.docker
class TestSlowKafka:
    @pytest.fixture
    async def far(self, kafka_server: KafkaServer) -> AsyncGenerator[SlowProxy]:
        if kafka_server.far is None:
            pytest.skip("a broker that is given by its address tells its clients to come there")
        async with slow_proxy(kafka_server.far.address, kafka_server.far.leads_to) as proxy:
            yield proxy

    @pytest.mark.parametrize("bus_settings", ["kafka"], indirect=True)
    async def test_delays_no_warm_call(
        self, paid_for: Installation, kafka_server: KafkaServer, far: SlowProxy, size: Size, report_figure: ReportFigure
    ) -> None:
        """Only the gate's connection to Kafka is slow; mlpbilling's is fast, so that it can charge."""
        assert kafka_server.far is not None
        gate = paid_for.gate()
        host, port = kafka_server.far.address
        gate.process.environment["MLP_BUS"] = f"kafka://{host}:{port}"
        await _proved(paid_for, gate, far, report_figure, size)
