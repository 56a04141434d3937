"""An instance is killed with calls in flight: each is retried by the model's settings, and charged at most once."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import grpc
import httpx
import pytest

from mlplace_contracts.events import ModelBatches, ModelRetries, ModelTimeouts
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub
from mlplace_testing.waiting import eventually
from tests.crashes.installation import PAYER, Gate, Installation

pytestmark = pytest.mark.parametrize("bus_settings", ["local"], indirect=True)
_PRICE = 1_234_567
_MONEY = 10**15
_SECONDS = 300.0
_LOST = "mlp-action.common.channel-closed-error"
_PATIENT = ModelTimeouts(pod_start=600, predict=600, fit=600)
_PARTS = 20
_LAST = 10_000
"""The number of the call that is made last."""


@dataclass
class Heard:
    """The result of one call: numbers of its parts, or whether it was answered, and the error code at its end."""

    parts: list[int] = field(default_factory=list[int])
    error: str | None = None


class Service:
    """A paid model with its instances at one gate; each instance works on ten calls at a time."""

    def __init__(self, installation: Installation, gate: Gate, key: str) -> None:
        self._installation = installation
        self._key = key
        self.gate = gate
        self._stack = AsyncExitStack()

    async def open(self) -> None:
        self._http = await self._stack.enter_async_context(
            httpx.AsyncClient(timeout=_SECONDS, headers={"MLP-API-KEY": self._key}, limits=httpx.Limits())
        )
        channel = grpc.aio.insecure_channel(self.gate.grpc, options=(("grpc.enable_http_proxy", 0),))
        self._stub = GateStub(await self._stack.enter_async_context(channel))

    async def close(self) -> None:
        await self._stack.aclose()

    async def call(self, number: int, **question: int) -> Heard:
        answer = await self._http.post(
            self.gate.predict_url, json={"number": number, **question}, headers={"Z-requestId": f"c{number}"}
        )
        told = answer.json()
        return Heard([told["number"]]) if answer.is_success else Heard(error=told["code"])

    async def stream_over_http(self, heard: Heard, number: int, **question: int) -> None:
        body = {"data": json.dumps({"number": number, **question})}
        path = f"{self.gate.predict_url}-with-config-v2-stream"
        async with self._http.stream("POST", path, json=body, headers={"Z-requestId": f"c{number}"}) as answer:
            async for line in answer.aiter_lines():
                told = json.loads(line)
                if "code" in told:
                    heard.error = told["code"]
                else:
                    assert told["number"] == number
                    heard.parts.append(told.get("part", 0))

    async def stream_over_grpc(self, heard: Heard, number: int, **question: int) -> None:
        data = pb.PayloadProto(json=json.dumps({"number": number, **question}))
        request = pb.ClientRequestProto(
            account="owner", model="answer", authToken=self._key, headers={"Z-requestId": f"c{number}"},
            predict=pb.PredictRequestProto(data=data),
        )  # fmt: skip
        async for message in self._stub.processResponseStream(request, timeout=_SECONDS):
            if message.HasField("error"):
                heard.error = message.error.code
            elif message.partialPredict.data.json:
                told = json.loads(message.partialPredict.data.json)
                assert told["number"] == number
                heard.parts.append(told["part"])

    def asked(self) -> list[tuple[int, int]]:
        return self._installation.asked

    async def until_asked(self, wanted: Callable[[list[tuple[int, int]]], bool]) -> list[tuple[int, int]]:
        async def look() -> list[tuple[int, int]]:
            return self.asked()

        return await eventually(look, until=wanted, seconds=90)


@asynccontextmanager
async def _serving(
    installation: Installation, *instances: int, module: str = "instance", **about: object
) -> AsyncGenerator[tuple[Service, dict[int, Callable[[], None]]]]:
    """The model, and functions that kill each of its instances."""
    billing, gate = installation.billing(), installation.gate()
    await billing.start()
    await installation.refill(PAYER, _MONEY)
    key = await installation.publish_model(price_nano=_PRICE, key_id=1, timeouts=_PATIENT, **about)
    await gate.process.start()
    processes = {
        number: await installation.run_instance(gate, instance_id=number, module=module) for number in instances
    }
    service = Service(installation, gate, key)
    await service.open()
    try:
        await eventually(lambda: _connected(gate), until=lambda found: found == len(instances), seconds=90)
        yield service, {number: process.kill for number, process in processes.items()}
    finally:
        await service.close()


async def _connected(gate: Gate) -> float:
    async with httpx.AsyncClient(timeout=60) as client:
        text = (await client.get(f"{gate.process.url}/metrics")).text
    name = "mlp_gate_connected_instances "
    return sum(float(line.split()[1]) for line in text.splitlines() if line.startswith(name))


async def _charged(installation: Installation, service: Service, numbers: Iterable[int]) -> None:
    """Wait until each of these calls is charged once, and no other."""
    wanted, last = {f"c{number}" for number in (*numbers, _LAST)}, Heard()
    await service.stream_over_http(last, _LAST, parts=1)
    assert last.error is None
    async with installation.billing_records() as billing_records:
        # When the last call has been charged, no usage is in transit.
        await eventually(billing_records.request_ids, until=lambda ids: f"c{_LAST}" in ids, seconds=90)
        assert await billing_records.request_ids() == Counter(wanted)
        await billing_records.check(paid={PAYER: len(wanted) * _PRICE}, refilled={PAYER: _MONEY})
    assert (await installation.verification())["sound"] is True


class TestRetries:
    async def test_only_calls_of_a_killed_instance_run_again(self, installation: Installation) -> None:
        retries = ModelRetries(most=2, most_per_instance=1)
        numbers = range(1, 16)
        async with _serving(installation, 7, 8, 9, retries=retries) as (service, kill):
            calls = [asyncio.create_task(service.call(number, held=True)) for number in numbers]
            before = await service.until_asked(lambda asked: len(asked) == len(numbers))
            lost = [number for instance, number in before if instance == 7]
            assert lost, "the instance had nothing to lose"
            kill[7]()
            await service.until_asked(lambda asked: len(asked) == len(numbers) + len(lost))
            installation.release()
            assert [heard.parts for heard in await asyncio.gather(*calls)] == [[number] for number in numbers]
            asked = Counter(service.asked())
            assert max(asked.values()) == 1
            assert Counter(number for _, number in asked) == Counter([*numbers, *lost])
            await _charged(installation, service, numbers)

    async def test_a_hedged_call_survives_one_instance_and_is_charged_once(self, installation: Installation) -> None:
        retries = ModelRetries(most=1, timeouts_ms=(300,), most_per_instance=1)
        numbers = range(1, 10)
        async with _serving(installation, 7, 8, 9, retries=retries) as (service, kill):
            calls = [asyncio.create_task(service.call(number, held=True)) for number in numbers]
            before = await service.until_asked(lambda asked: len(asked) == 2 * len(numbers))
            lost = [number for instance, number in before if instance == 7]
            assert lost, "the instance had nothing to lose"
            kill[7]()
            await eventually(lambda: _connected(service.gate), until=lambda found: found == 2, seconds=90)
            installation.release()
            assert [heard.parts for heard in await asyncio.gather(*calls)] == [[number] for number in numbers]
            asked = Counter(service.asked())
            assert max(asked.values()) == 1
            assert Counter(number for _, number in asked) <= Counter([*numbers, *numbers, *lost])
            await _charged(installation, service, numbers)


class TestStreams:
    async def test_started_streams_fail_without_charge_and_others_are_retried(self, installation: Installation) -> None:
        """No retry after the first part even if the settings allow it; before it every call is retried once."""
        retries = ModelRetries(most=2, most_per_instance=1)
        async with _serving(installation, 7, 8, module="talker", retries=retries) as (service, kill):
            heard = {number: Heard() for number in range(1, 11)}
            begun = set(range(1, 6))
            tasks = [
                asyncio.create_task(_stream(service, told, number, silent=number not in begun))
                for number, told in heard.items()
            ]
            before = await service.until_asked(lambda asked: len(asked) == len(heard))
            await eventually(lambda: _all_begun([heard[number] for number in begun]), seconds=90)
            cut, silent = _split({number for instance, number in before if instance == 7}, begun)
            kill[7]()
            await service.until_asked(lambda asked: len(asked) == len(heard) + len(silent))
            await eventually(lambda: _all_over([heard[number] for number in cut]), seconds=90)
            installation.release()
            await asyncio.gather(*tasks)
            for number, told in heard.items():
                wanted = Heard([0], _LOST) if number in cut else Heard(list(range(_PARTS)))
                assert told == wanted, number
            assert Counter(number for _, number in service.asked()) == Counter([*heard, *silent])
            await _charged(installation, service, set(heard) - cut)


def _split(lost: set[int], begun: set[int]) -> tuple[set[int], set[int]]:
    """Streams that have begun, and those that have not."""
    assert lost & begun, "the instance had no stream to lose"
    assert lost - begun, "the instance had no silent stream to lose"
    return lost & begun, lost - begun


async def _stream(service: Service, heard: Heard, number: int, *, silent: bool) -> None:
    stream = service.stream_over_http if number % 2 else service.stream_over_grpc
    await stream(heard, number, parts=_PARTS, silent=silent)


async def _all_begun(heard: list[Heard]) -> bool:
    return all(told.parts for told in heard)


async def _all_over(heard: list[Heard]) -> bool:
    return all(told.error for told in heard)


class TestBatches:
    async def test_calls_of_a_lost_batch_are_retried_alone_and_charged_once(self, installation: Installation) -> None:
        batches = ModelBatches(size=4, wait_ms=8000)
        numbers = range(1, 9)
        async with _serving(installation, 7, 8, batches=batches) as (service, kill):
            calls = [asyncio.create_task(service.call(number, held=True)) for number in numbers]
            before = await service.until_asked(lambda asked: len(asked) == len(numbers))
            lost = [number for instance, number in before if instance == 7]
            assert len(lost) == 4, "one of two batches"
            kill[7]()
            await service.until_asked(lambda asked: len(asked) == len(numbers) + len(lost))
            installation.release()
            assert [heard.parts for heard in await asyncio.gather(*calls)] == [[number] for number in numbers]
            assert Counter(number for _, number in service.asked()) == Counter([*numbers, *lost])
            await _charged(installation, service, numbers)
