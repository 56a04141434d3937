"""Costs and benefits of the features of the hot path: queue, batches, waiting, waking."""

import asyncio
import time
from collections.abc import Sequence
from statistics import median

import grpc.aio
import httpx

from benchmarks.content import BODY, Content
from benchmarks.figures.rounds import Figure, Size, Subject, interleaved
from benchmarks.load.generators import Generators
from benchmarks.platform_stack import Running, Stack, wait
from benchmarks.services import BATCH_WAIT_MS, QUEUED_WORK_MS, Services, add
from benchmarks.subjects.worker_instance import answer_to, start_message
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub

BARE, FULL = "nothing but the key", "limits, money, queue, retries"
SINGLE, BATCHED = "one request at a time", "batches of 8"
CONCURRENCY = (1, 64)
_LOW = 200
_SERVED_MEANWHILE = 50
_PAIRS = 20
_SECONDS = 600.0


def measure(stack: Stack, content: Content, generators: Generators, size: Size) -> Figure:
    services = wait(add(stack, content))
    with stack.measuring("mlpgateway") as gateway:
        subjects = [
            _subject(name, service, gateway, services)
            for name, service in ((BARE, "bare"), (FULL, "full"), (SINGLE, "single"), (BATCHED, "batched"))
        ]
        rows = interleaved(generators, subjects, size, concurrency=CONCURRENCY)
        waits = wait(_waits(gateway, services, size, stack.gate_port))
    return Figure("features", rows, extra={"waits_ms": waits, "batch_wait_ms": BATCH_WAIT_MS})


def _subject(name: str, service: str, gateway: Running, services: Services) -> Subject:
    headers = services.headers(service)
    return Subject(name, gateway.port, (gateway.process.pid,), (services.path(service),), headers)


async def _waits(gateway: Running, services: Services, size: Size, gate_port: int) -> dict[str, object]:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(base_url=gateway.url, timeout=_SECONDS, limits=limits) as client:
        lone = [ms for _ in range(size.rounds) for ms in await _lone(client, services, size)]
        important = [ms for _ in range(size.rounds) for ms in await _important(client, services, size)]
        starts = [await _start(client, services, gate_port) for _ in range(size.rounds)]
    return {
        "low_waiting": size.of(_LOW),
        "lone": {"median": median(lone), "worst": max(lone), "all": lone},
        "important": {"median": median(important), "worst": max(important), "all": important},
        "start": {"median": median(starts), "worst": max(starts), "all": starts},
        "work": QUEUED_WORK_MS,
    }


async def _lone(client: httpx.AsyncClient, services: Services, size: Size) -> Sequence[float]:
    """How much longer, in milliseconds, a call that no other joins takes with batches than without: in pairs."""

    async def call(name: str) -> float:
        began = time.perf_counter()
        answer = await client.post(services.path(name), content=BODY, headers=services.headers(name))
        answer.raise_for_status()
        return (time.perf_counter() - began) * 1000

    return [round(await call("batched") - await call("single"), 2) for _ in range(size.of(_PAIRS))]


async def _important(client: httpx.AsyncClient, services: Services, size: Size) -> Sequence[float]:
    """How much longer, in milliseconds, a high-priority call takes while many low-priority calls wait."""

    async def call(priority: int) -> float:
        began = time.perf_counter()
        headers = {**services.headers("queued"), "Z-Priority": str(priority)}
        (await client.post(services.path("queued"), content=BODY, headers=headers)).raise_for_status()
        return (time.perf_counter() - began) * 1000

    alone = median([await call(9) for _ in range(3)])
    low = [asyncio.create_task(call(0)) for _ in range(size.of(_LOW))]
    while await _waiting(client) < len(low) - _SERVED_MEANWHILE:  # noqa: ASYNC110  seldom
        await asyncio.sleep(QUEUED_WORK_MS / 1000)
    found = [round(await call(9) - alone, 2) for _ in range(3)]
    for task in low:
        task.cancel()
    await asyncio.gather(*low, return_exceptions=True)
    return found


async def _waiting(client: httpx.AsyncClient) -> float:
    lines = (await client.get("/metrics")).text.splitlines()
    return sum(float(line.split()[1]) for line in lines if line.startswith("mlp_gateway_waiting_calls "))


async def _start(client: httpx.AsyncClient, services: Services, gate_port: int) -> float:
    """Milliseconds from an instance's first message until the call that waited for it reaches it."""
    headers = services.headers("sleeper")
    calling = asyncio.create_task(client.post(services.path("sleeper"), content=BODY, headers=headers))
    await asyncio.sleep(0.3)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{gate_port}") as channel:
        call = GateStub(channel).processAsync()  # pyright: ignore[reportCallIssue]  messages are written one by one
        await channel.channel_ready()
        began = time.perf_counter()
        await call.write(start_message(services.tokens["sleeper"], batches=False))
        message = pb.GateToServiceProto()
        while not message.HasField("predict"):
            read = await call.read()
            if not isinstance(read, pb.GateToServiceProto):
                raise ConnectionError("the gate has ended the stream")
            message = read
        took = (time.perf_counter() - began) * 1000
        await call.write(answer_to(message))
        (await calling).raise_for_status()
    return round(took, 2)
