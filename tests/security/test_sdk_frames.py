"""A hostile gate sends arbitrary frames. The instance keeps running, and its other gates get correct answers."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count

import grpc
import pytest
from hypothesis import given

from mlplace import Service, Settings
from mlplace.hosting.backoff import Backoff
from mlplace.hosting.host import serve_until
from mlplace_gateproto import gate_pb2 as pb
from tests.security.frames import FUZZ, bounded, of_gates

pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(3600 if FUZZ else 240)]
_numbers = count(1)
Context = grpc.aio.ServicerContext[bytes, bytes]
_BEAT = pb.GateToServiceProto(heartBeat=pb.HeartBeatProto(status="Ok", interval=60_000)).SerializeToString()


@dataclass
class Stream:
    """The stream of one instance, until either side ends it."""

    context: Context
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class ByteGate:
    """A gate on raw bytes; tests choose what it sends."""

    address: str = ""
    streams: "asyncio.Queue[Stream]" = field(default_factory=asyncio.Queue)
    answers: dict[int, "asyncio.Future[pb.ServiceToGateProto]"] = field(default_factory=dict)

    async def health(self, _request: bytes, _context: Context) -> bytes:
        return pb.HeartBeatProto(status="Ok").SerializeToString()

    async def serve(self, _requests: object, context: Context) -> None:
        hello = await context.read()
        assert pb.ServiceToGateProto.FromString(hello).HasField("startServing")
        await context.write(_BEAT)
        stream = Stream(context)
        self.streams.put_nowait(stream)
        tasks = [asyncio.create_task(self._read(context)), asyncio.create_task(stream.hung_up.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stream.over.set()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, context: Context) -> None:
        while isinstance(data := await context.read(), bytes):
            message = pb.ServiceToGateProto.FromString(data)
            waiting = self.answers.get(message.requestId)
            if waiting and not waiting.done() and not message.HasField("heartBeat"):
                waiting.set_result(message)

    async def open_stream(self) -> Stream:
        async with asyncio.timeout(60):
            while (stream := await self.streams.get()).over.is_set():
                pass
        return stream

    async def ask(self, context: Context, text: str) -> None:
        """A call over a stream; the answer must be its own."""
        number = 10**6 + next(_numbers)
        waiting = self.answers[number] = asyncio.get_running_loop().create_future()
        body = pb.PredictRequestProto(data=pb.PayloadProto(json=text), config=pb.PayloadProto(json="{}"))
        await context.write(pb.GateToServiceProto(requestId=number, predict=body).SerializeToString())
        async with asyncio.timeout(60):
            answer = await waiting
        del self.answers[number]
        assert answer.predict.data.json == text, answer


@asynccontextmanager
async def byte_gate() -> AsyncGenerator[ByteGate]:
    gate = ByteGate()
    handlers = {
        "healthCheck": grpc.unary_unary_rpc_method_handler(gate.health),
        "processAsync": grpc.stream_stream_rpc_method_handler(gate.serve),
    }
    server = grpc.aio.server()
    server.add_registered_method_handlers("com.mlp.gate.Gate", handlers)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("com.mlp.gate.Gate", handlers),))
    gate.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield gate
    finally:
        await server.stop(0)


def echo(data: str) -> str:
    return data


@dataclass
class Instance:
    good: ByteGate
    hostile: ByteGate
    process: "asyncio.Task[int]"
    stream: Context
    """The stream to the good gate."""


@pytest.fixture(scope="module")
async def instance(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Instance]:
    folder = tmp_path_factory.mktemp("instance")
    async with byte_gate() as good, byte_gate() as hostile:
        environment = {
            "MLP_GRPC_HOSTS": f"{good.address},{hostile.address}",
            "MLP_GRPC_SECURE": "false",
            "MLP_SERVICE_TOKEN": "1.2.token",
            "MLP_STARTUP_PROBE_FILE": str(folder / "startup"),
            "MLP_LIVENESS_PROBE_FILE": str(folder / "liveness"),
        }
        settings = Settings.from_environment(environment)
        stop = asyncio.Event()
        logger = logging.getLogger("mlplace")
        level = logger.level
        logger.setLevel(logging.CRITICAL)  # it logs much about a hostile gate
        serving = serve_until(Service.of(echo, settings), settings, stop, backoff=Backoff(first=0.01, limit=0.05))
        process = asyncio.create_task(serving)
        yield Instance(good, hostile, process, (await good.open_stream()).context)
        stop.set()
        async with asyncio.timeout(60):
            await process
        # Other tests of this process read the instance's warnings.
        logger.setLevel(level)


class TestHostileGate:
    def test_other_gates_are_still_served(self, instance: Instance, session_runner: asyncio.Runner) -> None:
        async def converse(frames: list[bytes]) -> None:
            stream = await instance.hostile.open_stream()
            # The instance has ended the stream.
            with suppress(grpc.aio.BaseError, grpc.aio.AioRpcError, asyncio.InvalidStateError):
                for frame in frames:
                    await stream.context.write(frame)
            await instance.good.ask(instance.stream, f'"{next(_numbers)}"')
            assert not instance.process.done()
            stream.hung_up.set()

        @bounded(ci=60, fuzz=5000)
        @given(frames=of_gates)
        def run(frames: list[bytes]) -> None:
            session_runner.run(converse(frames))

        run()
