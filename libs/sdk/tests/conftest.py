# ruff: noqa: N802 - methods of a servicer are named as in the proto
"""A gate of a few lines that speaks the real protocol over loopback."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import grpc.aio
import pytest

from mlplace import Service, Settings
from mlplace.hosting.backoff import Backoff
from mlplace.hosting.host import serve_until
from mlplace_gateproto import codes, gate_pb2, gate_pb2_grpc

TOKEN = "1.2.secret"


async def wait_until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true in time"
        await asyncio.sleep(0.01)


class TwinStream:
    """The gate's end of an instance's stream."""

    def __init__(self, context, hello) -> None:
        self.context = context
        self.hello = hello
        self.beats = 0
        self.bundles = 0
        self.stopped = False
        self.closed = asyncio.Event()
        self.answers: dict[int, asyncio.Queue] = {}
        self._next_id = 0
        self._writing = asyncio.Lock()

    async def send(self, **body) -> None:
        async with self._writing:
            await self.context.write(gate_pb2.GateToServiceProto(**body))

    async def ask(self, *, headers=None, request_id=None, **body) -> int:
        """Sends a request and returns its id."""
        if request_id is None:
            self._next_id += 1
            request_id = self._next_id
        self.expect(request_id)
        await self.send(requestId=request_id, headers=headers or {}, **body)
        return request_id

    def expect(self, request_id: int) -> None:
        self.answers.setdefault(request_id, asyncio.Queue())

    async def answer(self, request_id: int):
        async with asyncio.timeout(60):
            return await self.answers[request_id].get()

    async def call(self, **body):
        return await self.answer(await self.ask(**body))

    async def predict(self, json: str, config: str = "{}", headers=None):
        data = gate_pb2.PayloadProto(json=json)
        request = gate_pb2.PredictRequestProto(data=data, config=gate_pb2.PayloadProto(json=config))
        return await self.call(predict=request, headers=headers)

    def take(self, message) -> None:
        match message.WhichOneof("body"):
            case "heartBeat":
                self.beats += 1
            case "stopServing":
                self.stopped = True
            case "bundle":
                self.bundles += 1
                for each in message.bundle.messages:
                    self.take(each)
            case _:
                self.answers.setdefault(message.requestId, asyncio.Queue()).put_nowait(message)


class TwinGate(gate_pb2_grpc.GateServicer):
    def __init__(self) -> None:
        self.interval_ms = 100
        self.beating = True
        self.health = "Ok"
        self.health_checks = 0
        self.servers: list[str] | None = None
        self.streams: list[TwinStream] = []
        self.calls: list[gate_pb2.ClientRequestProto] = []
        self.replies: list[list[gate_pb2.ClientResponseProto]] = []
        self.silent = False
        """Answers do not end after their replies."""
        self.deadlines: list[float | None] = []
        """How long the streamed calls of clients may last, when they began."""
        self.address = ""
        self._server: grpc.aio.Server | None = None

    async def start(self, port: int = 0, credentials: grpc.ServerCredentials | None = None) -> None:
        self._server = grpc.aio.server(options=[("grpc.max_receive_message_length", 110 << 20)])
        gate_pb2_grpc.add_GateServicer_to_server(self, self._server)
        wanted = f"127.0.0.1:{port}"
        if credentials is None:
            bound = self._server.add_insecure_port(wanted)
        else:
            bound = self._server.add_secure_port(wanted, credentials)
        self.address = f"localhost:{bound}" if credentials else f"127.0.0.1:{bound}"
        await self._server.start()

    async def stop(self) -> None:
        if self._server is not None:
            await self._server.stop(0)
            self._server = None

    async def restart(self) -> None:
        await self.stop()
        self.streams.clear()
        await self.start(int(self.address.rpartition(":")[2]))

    async def stream(self, number: int = 0) -> TwinStream:
        await wait_until(lambda: len(self.streams) > number)
        return self.streams[number]

    @property
    def open_streams(self) -> list[TwinStream]:
        return [stream for stream in self.streams if not stream.closed.is_set()]

    async def healthCheck(self, request, context):
        self.health_checks += 1
        return gate_pb2.HeartBeatProto(status=self.health)

    async def processAsync(self, request_iterator, context):  # pyright: ignore[reportIncompatibleMethodOverride] - reads and writes through the context
        hello = await context.read()
        if hello.startServing.connectionToken != TOKEN:
            error = gate_pb2.ApiErrorProto(code=codes.INSTANCE_BY_TOKEN_NOT_FOUND)
            await context.write(gate_pb2.GateToServiceProto(error=error))
            return
        stream = TwinStream(context, hello.startServing)
        beats = asyncio.create_task(self._beat(stream))
        try:
            if self.servers is not None:
                await stream.send(cluster=self.cluster())
            self.streams.append(stream)
            while (message := await context.read()) is not grpc.aio.EOF:
                stream.take(message)
        finally:
            beats.cancel()
            stream.closed.set()

    def cluster(self) -> gate_pb2.ClusterUpdateProto:
        return gate_pb2.ClusterUpdateProto(servers=self.servers, currentServer=self.address)

    async def _beat(self, stream: TwinStream) -> None:
        while True:
            if self.beating:
                await stream.send(heartBeat=gate_pb2.HeartBeatProto(status="Ok", interval=self.interval_ms))
            await asyncio.sleep(self.interval_ms / 1000)

    async def process(self, request, context):
        self.calls.append(request)
        return self.replies.pop(0)[0]

    async def processResponseStream(self, request, context):
        self.calls.append(request)
        self.deadlines.append(context.time_remaining())
        for reply in self.replies.pop(0):
            yield reply
        if self.silent:
            await asyncio.Event().wait()

    async def processStream(self, request_iterator, context):
        self.deadlines.append(context.time_remaining())
        if self.replies:
            for reply in self.replies.pop(0):
                yield reply
            return
        async for request in request_iterator:
            self.calls.append(request)
            part = request.partialPredict
            if part.HasField("data"):
                answer = gate_pb2.PartialPredictResponseProto(data=part.data)
                yield gate_pb2.ClientResponseProto(partialPredict=answer)

    async def processSynthesis(self, request, context):
        raise NotImplementedError
        yield

    async def processRecognition(self, request_iterator, context):
        raise NotImplementedError
        yield


@pytest.fixture
async def make_gate() -> AsyncIterator[Callable]:
    gates: list[TwinGate] = []

    async def make(**options) -> TwinGate:
        gate = TwinGate()
        gates.append(gate)
        await gate.start(**options)
        return gate

    yield make
    for gate in gates:
        await gate.stop()


@pytest.fixture
async def gate(make_gate) -> TwinGate:
    return await make_gate()


@pytest.fixture
def settings_for(tmp_path: Path) -> Callable[..., Settings]:
    def make(*gates: TwinGate, **more: str) -> Settings:
        return Settings.from_environment(
            {
                "MLP_GRPC_HOSTS": ",".join(gate.address for gate in gates),
                "MLP_GRPC_SECURE": "false",
                "MLP_SERVICE_TOKEN": TOKEN,
                "MLP_STARTUP_PROBE_FILE": str(tmp_path / "startup-probe"),
                "MLP_LIVENESS_PROBE_FILE": str(tmp_path / "liveness-probe"),
                "HOSTNAME": "here",
                **more,
            }
        )

    return make


class Host:
    def __init__(self, task: asyncio.Task, stop: asyncio.Event) -> None:
        self.task = task
        self._stop = stop

    async def stop(self) -> int:
        self._stop.set()
        async with asyncio.timeout(60):
            return await self.task


@pytest.fixture
async def host() -> AsyncIterator[Callable[[object, Settings], Host]]:
    hosts: list[Host] = []

    def start(thing: object, settings: Settings) -> Host:
        stop = asyncio.Event()
        serving = serve_until(Service.of(thing, settings), settings, stop, backoff=Backoff(first=0.02, limit=0.2))
        hosts.append(Host(asyncio.create_task(serving), stop))
        return hosts[-1]

    yield start
    for started in hosts:
        if not started.task.done():
            await started.stop()


@pytest.fixture
def until() -> Callable:
    return wait_until
