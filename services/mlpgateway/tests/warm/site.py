"""One gateway behind a real HTTP server, with instances that follow what a request tells them, and a record of it all."""

import asyncio
import re
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from prometheus_client import REGISTRY

from mlpgateway.call.ports import ConnectedInstance, InstanceEntry
from mlpgateway.call.transport import InstanceLink
from mlpgateway.instances.grpc.link import StreamLink
from mlpgateway.warm.direct import WarmCalls
from mlplace_contracts.events import UsageRecorded
from mlplace_gateproto import gate_pb2 as pb
from mlplace_runtime.process.http.direct import DirectRequest, Headers, Leave, Reply
from mlplace_runtime.process.http.server import HttpServer
from mlplace_testing.waiting import eventually
from services.mlpgateway.tests.warm.http_instance import NO_JSON, HttpInstance, echo_of, parts_of, what_to_do

LONG = 20_000
"""Words of each part: all are too long to be joined in one turn of the event loop."""
_SECONDS = 20.0
_REFILLS = 1000
"""A limit with so many units left is refilled within milliseconds: its exact level is a matter of time."""


class Counted:
    """Satisfies Direct, and counts the requests that it has answered."""

    def __init__(self, direct: WarmCalls) -> None:
        self.direct = direct
        self.begun = 0
        self.over_http = self.chats = self.passed_on = 0

    def prepare(self, target: bytes, headers: Headers, peer: str) -> DirectRequest | None:
        prepared = self.direct.prepare(target, headers, peer)
        return None if prepared is None else _CountedOnce(self, prepared, target)


class _CountedOnce:
    def __init__(self, counted: Counted, prepared: DirectRequest, target: bytes) -> None:
        self._counted = counted
        self._prepared = prepared
        self._target = target

    def begin(self, body: bytes, reply: Reply) -> Leave | None:
        leave = self._prepared.begin(body, reply)
        self._counted.begun += leave is not None
        self._counted.over_http += leave is not None and b"/model/web" in self._target
        self._counted.passed_on += leave is not None and b"/http/" in self._target
        self._counted.chats += leave is not None and b"/adapters/" in self._target
        return leave


class Instance:
    """An instance that reads from its link's send queue. The request's field `do` says how it answers."""

    def __init__(self, site: "Site", number: int, model_id: int, account_id: int) -> None:
        entry = InstanceEntry(number, model_id, account_id, "model", accepts_connections=True)
        self.link = StreamLink(
            ConnectedInstance(uuid.uuid4(), entry, "gate:1", "", 2, "", None, takes_cancels=True, window=1 << 20)
        )
        self._site = site
        self._held: list[tuple[int, str]] = []
        self.cancelled = 0
        self._task = asyncio.create_task(self._run())

    @property
    def model_id(self) -> int:
        return self.link.model_id

    @property
    def active(self) -> int:
        return self.link.active_requests

    async def _run(self) -> None:
        while (data := await self.link.outgoing.next()) is not None:
            message = pb.GateToServiceProto.FromString(data)
            match message.WhichOneof("body"):
                case "predict":
                    self._predict(message)
                case "cancel":
                    self.cancelled += 1
                case _:
                    pass

    def _predict(self, message: pb.GateToServiceProto) -> None:
        headers = dict(message.headers)
        text = message.predict.data.json
        self._site.heard.append((headers, text, message.predict.config.json, message.window))
        do, number = what_to_do(text), message.requestId
        if do == "hold":
            self._held.append((number, text))
            self._site.holding.set()
        elif do == "break-once" and headers["Z-requestId"] not in self._site.broken:
            self._site.broken.add(headers["Z-requestId"])
            self.leave("broken")
        elif do == "silence":
            pass
        else:
            self.answer(number, text, do)

    def answer(self, number: int, text: str, do: str = "echo") -> None:
        for answer in _answers(number, text, do):
            self.link.accept(answer, answer.ByteSize())

    def release(self) -> None:
        held, self._held = self._held, []
        for number, text in held:
            self.answer(number, text)

    def leave(self, reason: str) -> None:
        """Like the gate at the end of a stream."""
        self._site.instances.remove(self)
        self._site.world.components.links.remove(self.link)
        self.link.broken(reason)

    async def close(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task


def _answers(number: int, text: str, do: str) -> list[pb.ServiceToGateProto]:
    payload = pb.PayloadProto(json=echo_of(text))
    match do:
        case "error-400" | "error-500":
            error = pb.ApiErrorProto(code="model.said", message="no ${what}", args={"what": "luck"})
            error.status = int(do[-3:])  # type: ignore[assignment]  # an open enum
            return [pb.ServiceToGateProto(requestId=number, error=error)]
        case "parts" | "long-parts" | "long-error":
            parts = parts_of(text, 1 if do == "parts" else LONG)
            if do == "long-error":
                parts[2] = '{"error":{"message":"no luck","code":503}}'
            return [
                pb.ServiceToGateProto(
                    requestId=number,
                    partialPredict=pb.PartialPredictResponseProto(
                        data=pb.PayloadProto(json=part), start=place == 0, finish=place == 2
                    ),
                    headers={"Z-part": str(place)},
                )
                for place, part in enumerate(parts)
            ]
        case "empty-end":
            texts = (text, "")
            return [
                pb.ServiceToGateProto(
                    requestId=number,
                    partialPredict=pb.PartialPredictResponseProto(
                        data=pb.PayloadProto(json=part), start=place == 0, finish=place == 1
                    ),
                )
                for place, part in enumerate(texts)
            ]
        case "bytes":
            payload = pb.PayloadProto(protobuf=b"\x00\x01")
        case _ if do in NO_JSON:
            payload = pb.PayloadProto(json=NO_JSON[do].decode())
        case "wrong-kind":
            return [pb.ServiceToGateProto(requestId=number, ext=pb.ExtendedResponseProto(data=payload))]
        case _:
            pass
    headers = {
        "Z-Server-Time": "1234567",
        "Z-custom-billing": "5",
        "Z-own": "x",
        "Not-passed-on": "y",
        "RateLimit": "z",
    }
    predict = pb.PredictResponseProto(data=payload)
    return [pb.ServiceToGateProto(requestId=number, predict=predict, headers=headers if do == "headers" else {})]


@dataclass
class Site:
    """A world that is served. `heard` is what its instances were asked: headers, data, config, window."""

    world: Any
    port: int
    server: HttpServer
    counted: Counted | None
    instances: list[Instance | HttpInstance] = field(default_factory=list)
    starting: set[asyncio.Task[None]] = field(default_factory=set)
    versions: Iterator[int] = field(default_factory=lambda: count(1000))
    heard: list[tuple[dict[str, str], str, str, int]] = field(default_factory=list)
    holding: asyncio.Event = field(default_factory=asyncio.Event)
    broken: set[str] = field(default_factory=set)

    def instance(self, number: int, model_id: int, account_id: int) -> Instance:
        made = Instance(self, number, model_id, account_id)
        self.instances.append(made)
        self.world.components.links.add(made.link)
        return made

    def http_instance(self, number: int, model_id: int, account_id: int) -> HttpInstance:
        """Starts it; see `settled`."""
        made = HttpInstance(self, number, model_id, account_id)
        self.instances.append(made)
        self.starting.add(asyncio.create_task(made.start()))
        return made

    async def settled(self) -> None:
        """Waits until the gate has found all HTTP instances that it may call."""
        await asyncio.gather(*self.starting)
        self.starting.clear()
        links = self.world.components.http_instances

        async def found() -> bool:
            mine = [each for each in self.instances if isinstance(each, HttpInstance)]
            wanted = [link for each in mine if (link := links.find(each.number)) is not None]
            return all(link in links.of_model(link.model_id) for link in wanted)

        await eventually(found)

    async def leased(self) -> None:
        """Waits until no lease of money is being renewed: the next call would have to wait for it."""
        for each in [*self.world.components.leases._balance_leases.values()]:
            if each.renewal is not None:
                await each.renewal

    async def call(self, request: bytes) -> bytes:
        """Returns the whole response to one request on a connection of its own."""
        async with self.connection() as (reader, writer):
            writer.write(request)
            return await heard_by(reader)

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield reader, writer
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    def left(self) -> dict[str, Any]:
        """Returns what calls have taken and not given back."""
        components = self.world.components
        return {
            "running": components.admission.running,
            "bytes": components.admission.held,
            "owners": components.pipeline.stages.shares.owners.used,
            "queues": components.queues.streams.queues + components.queues.http.queues,
            "pending": sum(link.active_requests for link in [*components.links.all(), *self._http_links()]),
        }

    def _http_links(self) -> list[InstanceLink]:
        links = self.world.components.http_instances
        return [link for number in (508, 509) for link in links.of_model(number)]

    async def has_broken_off(self) -> None:
        """Waits until the second answer of the service that gets requests passed on has ended, everywhere."""
        instance = next(each for each in self.instances if each.model_id == 508)

        async def given_back() -> bool:
            return instance.cancelled == 1 and set(self.left().values()) == {0}

        await eventually(given_back)
        assert len(await self.world.usage()) == 2
        if self.counted is not None:
            assert self.counted.passed_on == 1


async def heard_by(reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(_SECONDS):
        head = await reader.readuntil(b"\r\n\r\n")
        try:
            if b"transfer-encoding: chunked" in head:
                return head + await _in_chunks(reader)
            length = re.search(rb"content-length: (\d+)", head)
            return head + await reader.readexactly(int(length[1]) if length else 0)
        except asyncio.IncompleteReadError:
            return head + b"broken off"


async def _in_chunks(reader: asyncio.StreamReader) -> bytes:
    """Returns the body without its chunks: where it is cut is a matter of time."""
    body = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return body


def masked(response: bytes) -> str:
    """Returns the response without what differs from moment to moment."""
    head, _, body = response.decode("latin-1").partition("\r\n\r\n")
    head = re.sub(r"(?m)^date: .*$", "date: now", head)
    head = re.sub(r"(\d+);t=\d+", lambda found: f"{_level(found[1])};t=soon", head)
    head = re.sub(r"(?m)^(x-ratelimit-remaining): (\d+)", lambda found: f"{found[1]}: {_level(found[2])}", head)
    head = re.sub(r"(?m)^(x-ratelimit-reset|retry-after): \d+", r"\1: soon", head)
    body = re.sub(r'"created":\d+', '"created":now', body)
    return f"{head}\n\n{body}"


def _level(text: str) -> str:
    return "plenty" if int(text) >= _REFILLS else text


def counts() -> Counter[str]:
    """Returns all counters of the gateway, and how often each histogram was filled."""
    found: Counter[str] = Counter()
    for metric in REGISTRY.collect():
        for sample in metric.samples:
            counts_something = sample.name.endswith(("_total", "_count")) or metric.type == "gauge"
            own = sample.labels.get("service", "mlpgateway") == "mlpgateway"
            own = own and sample.labels.get("stages") not in _SPARED_STAGES
            if (
                own
                and sample.name.startswith("mlp_")
                and counts_something
                and not sample.name.startswith(_OTHER_METRICS)
            ):
                found[f"{sample.name}{sorted(sample.labels.items())}"] += int(sample.value)
    return found


_SPARED_STAGES = {"authenticate", "authorise", "admit", "prepare", "choose"}
"""A verdict spares warm calls these stages, or they are timed together: they count in `let_in` only."""
_OTHER_METRICS = ("mlp_http_connections", "mlp_events", "mlp_consumer", "mlp_outbox", "mlp_disk", "mlp_gateway_outbox",
                  "mlp_usage", "mlp_gateway_usage", "mlp_background", "mlp_dead", "mlp_gate_connected")  # fmt: skip


def usage_of(events: Sequence[UsageRecorded]) -> list[dict[str, object]]:
    """Returns usage without ids and times that differ from run to run, sorted. Of equal instances a random one is
    chosen.
    """
    left_out = {"usage_id", "occurred_at", "reservation_id", "model_time_ms", "instance_id"}
    rows: list[dict[str, object]] = [
        {
            **event.model_dump(exclude=left_out),
            "instance": event.instance_id is not None,
            "reserved": event.reservation_id is not None,
            "told_time": event.model_time_ms == 1234567,
        }
        for event in events
    ]
    return sorted(rows, key=lambda row: str(row["request_id"]))
