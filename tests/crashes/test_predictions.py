"""Each prediction ends once, is charged if it succeeded, and is delivered by webhook, although gates are killed."""

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count

import asyncpg
import httpx
import orjson
from sqlalchemy.engine import make_url

from mlplace_testing.waiting import eventually
from tests.crashes.conftest import ReportFigure
from tests.crashes.installation import PAYER, Gate, Installation, Size

_PRICE = 1_234_567
_MONEY = 10**15
_LONGEST_MILLISECONDS = 4000
_TAKEN_SECONDS = 300
_OVER_SECONDS = 600
_REFUSED_FIRST = 5
_OPEN = "SELECT count(*) FROM prediction WHERE status IN ('queued', 'running')"
_SUCCEEDED = "SELECT count(*) FROM prediction WHERE status = 'succeeded'"
_TWICE = """
    SELECT count(*) FROM (
        SELECT FROM webhook_delivery WHERE event = 'prediction.completed' GROUP BY prediction_id HAVING count(*) <> 1
    ) AS wrong
"""
# A shorter lease, so that the test does not wait long for a killed gate's predictions.
_LET_LEASES_END = "UPDATE prediction SET leased_until = now() WHERE status = 'running'"
_LET_CLAIMS_END = "UPDATE webhook_delivery SET next_at = now() WHERE delivered_at IS NULL"


class Receiver:
    """Receives webhooks; refuses the first attempt of every fifth."""

    def __init__(self) -> None:
        self.url = ""
        self._ids: list[str] = []
        self.completed: dict[str, set[str]] = defaultdict(set)
        """The message ids with which the end of each prediction was delivered."""
        self.statuses: dict[str, set[str]] = defaultdict(set)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            body = orjson.loads(await reader.readexactly(int(headers["content-length"])))
            status = self._take(headers["webhook-id"], body)
            writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the sender was killed
        finally:
            writer.close()

    def _take(self, message_id: str, body: dict[str, dict[str, str]]) -> int:
        prediction = body["data"]
        self.completed[prediction["id"]].add(message_id)
        self.statuses[prediction["id"]].add(prediction["status"])
        first = message_id not in self._ids
        if first:
            self._ids.append(message_id)
        return 503 if first and len(self._ids) % _REFUSED_FIRST == 0 else 204


@asynccontextmanager
async def _receiving() -> AsyncGenerator[Receiver]:
    made = Receiver()
    async with await asyncio.start_server(made.serve, "127.0.0.1", 0) as server:
        made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
        yield made


@asynccontextmanager
async def _tables(installation: Installation) -> AsyncGenerator["asyncpg.Connection[asyncpg.Record]"]:
    databases = installation.databases
    name = make_url(databases.gateway.owner_url).database or ""
    connection = await asyncpg.connect(databases.server.admin_dsn(name))
    try:
        yield connection
    finally:
        await connection.close()


class Predictions:
    """Creates predictions at a gate that may be down."""

    def __init__(self, client: httpx.AsyncClient, gate: Gate, key: str, webhook: str) -> None:
        self._client = client
        self._gate = gate
        self._headers = {"MLP-API-KEY": key, "Prefer": "respond-async", "MLP-Webhook": webhook}
        self._numbers = count(1)
        self.numbers: dict[str, int] = {}
        """The request of each prediction, by its id."""

    async def begin(self, many: int) -> None:
        async def one() -> None:
            number = next(self._numbers)
            headers = {**self._headers, "Idempotency-Key": f"n{number}", "Z-requestId": f"p{number}"}

            async def made() -> str | None:
                body = {"number": number, "milliseconds": number * 97 % _LONGEST_MILLISECONDS}
                try:
                    answer = await self._client.post(self._gate.predict_url, json=body, headers=headers)
                except httpx.TransportError:
                    return None
                return str(answer.json()["id"]) if answer.status_code == 202 else None

            # With the same key, repeated attempts create one prediction.
            prediction = await eventually(made, until=lambda made: made is not None, seconds=_TAKEN_SECONDS)
            self.numbers[str(prediction)] = number

        await asyncio.gather(*(one() for _ in range(many)))

    async def read(self, prediction_id: str) -> dict[str, object]:
        url = f"{self._gate.process.url}/api/mlpgateway/account/{PAYER}/predictions/{prediction_id}"
        answer = await self._client.get(url, headers=self._headers)
        return answer.raise_for_status().json()


class TestPredictions:
    async def test_each_ends_once_and_is_charged_and_delivered(
        self, installation: Installation, size: Size, chance: random.Random, report_figure: ReportFigure
    ) -> None:
        kills, at_once = size.of((20, 60), (3, 20))
        billing = installation.billing()
        gate = installation.gate(egress_allowed_networks="127.0.0.1/32")
        await billing.start()
        await installation.refill(PAYER, _MONEY)
        key = await installation.publish_model(price_nano=_PRICE)
        await gate.process.start()
        await installation.run_instance(gate)
        began = time.monotonic()
        async with _receiving() as receiver, _tables(installation) as tables:
            made = Predictions(installation.client, gate, key, receiver.url)
            for _ in range(kills):
                before = await tables.fetchval(_SUCCEEDED)
                await made.begin(at_once)
                await eventually(
                    lambda: tables.fetchval(_SUCCEEDED),
                    until=lambda now, then=before: now > then,
                    seconds=_TAKEN_SECONDS,
                )
                await asyncio.sleep(chance.uniform(0, 0.5))
                gate.process.kill()
                await tables.execute(_LET_LEASES_END)
                await tables.execute(_LET_CLAIMS_END)
                gate.process.launch()
            await made.begin(1)
            await eventually(lambda: tables.fetchval(_OPEN), until=lambda left: left == 0, seconds=_OVER_SECONDS)
            ended = {prediction: await made.read(prediction) for prediction in made.numbers}
            succeeded = {prediction for prediction, shown in ended.items() if shown["status"] == "succeeded"}
            await self._check_outcomes(made, ended)
            usages = await self._check_money(installation, made, succeeded)
            await self._check_webhooks(tables, receiver, ended)
        interrupted = await self._attempts(ended)
        report_figure(
            f"{len(ended)} predictions, {len(succeeded)} succeeded, {interrupted} taken on again, {usages} usages, "
            f"{kills} kills, {time.monotonic() - began:.0f} s"
        )
        assert interrupted, "no prediction was cut off: the kills have proved nothing"

    async def _check_outcomes(self, made: Predictions, ended: dict[str, dict[str, object]]) -> None:
        for prediction, shown in ended.items():
            if shown["status"] == "succeeded":
                assert shown["output"] == {"number": made.numbers[prediction]}
                assert shown["error"] is None
            else:
                error = shown["error"]
                assert shown["status"] == "failed"
                assert isinstance(error, dict)
                assert error["code"] == "mlp.gate.prediction_interrupted"
                assert shown["metrics"]["attempts"] == 2  # type: ignore[index]  # always an object

    async def _check_money(self, installation: Installation, made: Predictions, succeeded: set[str]) -> int:
        wanted = {f"p{made.numbers[prediction]}": 1 for prediction in succeeded}
        async with installation.billing_records() as billing_records:
            found = await eventually(
                billing_records.request_ids, until=lambda ids: set(wanted) <= set(ids), seconds=_TAKEN_SECONDS
            )
            assert dict(found) == wanted
            await billing_records.check(paid={PAYER: len(wanted) * _PRICE}, refilled={PAYER: _MONEY})
        assert (await installation.verification())["sound"] is True
        return len(wanted)

    async def _check_webhooks(
        self,
        tables: "asyncpg.Connection[asyncpg.Record]",
        receiver: Receiver,
        ended: dict[str, dict[str, object]],
    ) -> None:
        left = "SELECT count(*) FROM webhook_delivery WHERE delivered_at IS NULL"
        await eventually(lambda: tables.fetchval(left), until=lambda number: number == 0, seconds=_OVER_SECONDS)
        assert await tables.fetchval(_TWICE) == 0
        assert set(receiver.completed) == set(ended)
        assert {len(ids) for ids in receiver.completed.values()} == {1}
        assert {
            name: statuses for name, statuses in receiver.statuses.items() if statuses != {ended[name]["status"]}
        } == {}

    async def _attempts(self, ended: dict[str, dict[str, object]]) -> int:
        return sum(shown["metrics"]["attempts"] > 1 for shown in ended.values())  # type: ignore[index, operator]
