"""A gate with twins around it, and a scripted instance and client that talk to it over real gRPC."""

import asyncio
import importlib.util
import sys
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import cast

import grpc
import pytest

from mlpgateway.call.call import Answer, Call, Caller, Payload
from mlpgateway.call.handler import Shape, shaped, unchanged
from mlpgateway.call.plan import Plan
from mlpgateway.call.ports import ConnectedInstance, InstanceEntry
from mlpgateway.call.transport import InstanceRequest, StreamedInputLink
from mlpgateway.call.wake_up import Waker, Writer
from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.delivery.queue.bounds import Bounds
from mlpgateway.delivery.queue.request_queues import RequestQueues
from mlpgateway.delivery.queue.slot import Slot
from mlpgateway.delivery.remote_slots import Granted, SlotRequest
from mlpgateway.entry.grpc.server import GateComponents, GateServer, open_gate
from mlpgateway.entry.large_bodies.reader import LargeBodyReader
from mlpgateway.errors.calls import NoActiveInstances
from mlpgateway.features.idempotency.service import IdempotentCalls
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlpgateway.instances.grpc.options import GateOptions
from mlpgateway.instances.peers.peer_gates import PeerGates
from mlpgateway.instances.peers.rpc import PeerRpc
from mlpgateway.membership.in_memory import GatesInMemory
from mlpgateway.policy.access.entrance import Holders
from mlpgateway.shares.admission import Admission
from mlpgateway.shares.share import Holder
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub
from mlplace_kit.clock import SystemClock
from mlplace_kit.credentials import KeyedHasher, new_credential
from mlplace_kit.errors import DomainError
from mlplace_testing.identities import INTERNAL_TOKEN

HEARTBEAT_MS = 20_000
"""Scripted instances send no heartbeats, so tests about other things use an interval that suits slow machines."""
TOKEN = INTERNAL_TOKEN
OPTIONS = [("grpc.max_send_message_length", 2**31 - 1), ("grpc.max_receive_message_length", 2**31 - 1)]


class Instances:
    """Satisfies InstanceDirectory."""

    def __init__(self, hasher: KeyedHasher) -> None:
        self._hasher = hasher
        self._entries: dict[str, InstanceEntry] = {}

    def by_token_hash(self, token_hash: str) -> InstanceEntry | None:
        return self._entries.get(token_hash)

    def add(
        self, instance_id: int, *, model_id: int = 7, account_id: int = 1, accepts: bool = True, serves: bool = True
    ) -> str:
        """Returns the instance's connection token."""
        token = new_credential(account_id=1, object_id=model_id).text
        self._entries[self._hasher.digest(token)] = InstanceEntry(
            instance_id=instance_id,
            model_id=model_id,
            account_id=account_id,
            model_name="ner",
            accepts_connections=accepts,
            serves=serves,
        )
        return token


class Connections:
    """Satisfies ConnectionLog."""

    def __init__(self) -> None:
        self.opened: list[ConnectedInstance] = []
        self.closed: list[tuple[ConnectedInstance, str]] = []
        self.started_gates: list[str] = []

    def started(self, gate: str) -> None:
        self.started_gates.append(gate)

    def connected(self, connection: ConnectedInstance) -> None:
        self.opened.append(connection)

    def lost(self, connection: ConnectedInstance, *, reason: str) -> None:
        self.closed.append((connection, reason))


class OneAccount:
    """Satisfies Holders: all callers are one account, because this gate passes every call on."""

    async def holder(self, caller: Caller) -> Holder:
        return 5


class NoInstance(DomainError):
    code = "mlp.gate.no_active_instances"
    status = 503
    message = "no instance"


class Straight:
    """Satisfies CallHandler: passes each call to the first instance of model 7, or runs a function of the test."""

    def __init__(self, links: ConnectedInstances) -> None:
        self._links = links
        self.calls: list[Call] = []
        self.failure: Exception | None = None

    def _request(self, call: Call) -> tuple[StreamedInputLink, InstanceRequest]:
        self.calls.append(call)
        if self.failure is not None:
            raise self.failure
        links = [link for link in self._links.all() if link.accepts_requests]
        if not links:
            raise NoInstance
        request = InstanceRequest(
            call.operation,
            call.data,
            call.config,
            call.method_name,
            call.params,
            {**call.headers, "Z-callerAccountId": "5"},
        )
        return min(links, key=lambda link: link.active_requests), request

    async def unary(self, call: Call, shape: Shape = unchanged) -> Answer:
        link, request = self._request(call)
        last: Answer | None = None
        async with aclosing(link.send(request)) as answers:
            async for answer in answers:
                last = answer
        assert last is not None
        return await shaped(last, shape)

    async def stream(self, call: Call, shape: Shape = unchanged) -> AsyncGenerator[Answer]:
        link, request = self._request(call)
        async with aclosing(link.send(request)) as answers:
            async for answer in answers:
                yield await shaped(answer, shape)

    async def duplex(
        self, call: Call, inputs: AsyncGenerator[Payload], shape: Shape = unchanged
    ) -> AsyncGenerator[Answer]:
        link, request = self._request(call)
        async with aclosing(link.send_stream(request, inputs)) as answers:
            async for answer in answers:
                yield await shaped(answer, shape)


class Gate:
    """A running gate and its environment."""

    def __init__(
        self, server: GateServer, components: GateComponents, handler: Straight, queues: RequestQueues
    ) -> None:
        self.server = server
        self.queues = queues
        self.components = components
        self.handler = handler
        self.links = components.links

    @property
    def address(self) -> str:
        return self.server.address

    @property
    def waiting(self) -> int:
        """The number of calls of other gates that wait here."""
        return self.queues.waiting


class ScriptedInstance:
    """An instance that does exactly what a test says, message by message."""

    def __init__(self, stub: GateStub, token: str) -> None:
        self._call = stub.processAsync()  # type: ignore[call-arg]  # without an iterator: messages are written
        self._token = token
        self._unpacked: deque[pb.GateToServiceProto] = deque()
        self.bundles = 0

    async def start(self, start: pb.StartServingProto | None = None) -> "ScriptedInstance":
        """Connects and reads the gate's three opening messages."""
        await self.say(pb.ServiceToGateProto(startServing=start or pb.StartServingProto(connectionToken=self._token)))
        self.opening = [await self.hear() for _ in range(3)]
        return self

    async def say(self, message: pb.ServiceToGateProto) -> None:
        await self._call.write(message)

    async def say_raw(self, data: bytes) -> None:
        await self._call.write(data)

    async def hear(self) -> pb.GateToServiceProto:
        if self._unpacked:
            return self._unpacked.popleft()
        message = await asyncio.wait_for(self._call.read(), 60)
        assert message is not grpc.aio.EOF, "the gate closed the stream"
        if not message.HasField("bundle"):
            return message
        self.bundles += 1
        self._unpacked.extend(message.bundle.messages)
        return self._unpacked.popleft()

    async def hear_request(self) -> pb.GateToServiceProto:
        """Returns the next message other than the stream's control messages."""
        while True:
            message = await self.hear()
            if message.WhichOneof("body") not in {"heartBeat", "cluster", "serviceInfo"}:
                return message

    async def answer(self, request: pb.GateToServiceProto, text: str, **headers: str) -> None:
        payload = pb.PayloadProto(json=text)
        await self.say(
            pb.ServiceToGateProto(
                requestId=request.requestId, predict=pb.PredictResponseProto(data=payload), headers=headers
            )
        )

    async def answer_part(self, request: pb.GateToServiceProto, text: str, *, finish: bool = False) -> None:
        part = pb.PartialPredictResponseProto(data=pb.PayloadProto(json=text), finish=finish)
        await self.say(pb.ServiceToGateProto(requestId=request.requestId, partialPredict=part))

    async def hear_end(self) -> list[pb.GateToServiceProto]:
        """Returns what the gate sends until the end of the stream."""
        heard: list[pb.GateToServiceProto] = []
        while (message := await asyncio.wait_for(self._call.read(), 60)) is not grpc.aio.EOF:
            heard.append(message)
        return heard

    async def finish(self) -> None:
        await self._call.done_writing()

    def vanish(self) -> None:
        self._call.cancel()

    async def status(self) -> grpc.StatusCode:
        return await self._call.code()


Connect = Callable[[str], GateStub]


@pytest.fixture
def instances(hasher: KeyedHasher) -> Instances:
    return Instances(hasher)


@pytest.fixture
def connections() -> Connections:
    return Connections()


@pytest.fixture
def gates() -> GatesInMemory:
    return GatesInMemory()


def _queues(links: ConnectedInstances) -> RequestQueues:
    waker = Waker(cast("Writer", None), SystemClock(), time.monotonic)
    queues = RequestQueues(links, elsewhere=None, waker=waker, breakers=Breakers(links), bounds=Bounds())
    links.watch(queues.changed)
    return queues


async def _no_slots(_wanted: SlotRequest) -> tuple[Slot, Granted]:
    """Refuses slots: this gate knows no instances that speak HTTP."""
    raise NoActiveInstances


@pytest.fixture
def run_gate(hasher: KeyedHasher, instances: Instances, connections: Connections, gates: GatesInMemory):
    return gate_runner(hasher, instances, connections, gates, OneAccount())


def gate_runner(
    hasher: KeyedHasher, instances: Instances, connections: Connections, gates: GatesInMemory, holders: Holders
):
    """Returns a context manager that runs a gate."""

    @asynccontextmanager
    async def run(listen: str = "127.0.0.1:0", plan: Plan | None = None, **options: object) -> AsyncGenerator[Gate]:
        links, admission, known = ConnectedInstances(), Admission(), asyncio.Event()
        handler, queues, large_bodies = Straight(links), _queues(links), LargeBodyReader()
        known.set()
        components = GateComponents(
            handler=handler,
            idempotent_calls=cast("IdempotentCalls", None),  # these calls have no idempotency keys
            large_bodies=large_bodies,
            instances=instances,
            hasher=hasher,
            connections=connections,
            gates=gates,
            links=links,
            admission=admission,
            holders=holders,
            peers=PeerGates(gates, TOKEN),
            peer_rpc=PeerRpc(
                tokens=(TOKEN,),
                links=links,
                local=partial(queues.serve_peer, plan),
                admission=admission,
                holders=holders,
                handler=handler,
                ready=known.is_set,
                slots=_no_slots,
            ),
            known=known,
        )
        chosen: dict[str, object] = {
            "heartbeat_interval_ms": HEARTBEAT_MS, "handshake_seconds": 30.0, "farewell_seconds": 1.0,
            "handover_seconds": 0.2, "cover_seconds": 0.5, **options,
        }  # fmt: skip
        async with open_gate(components, GateOptions(listen=listen, **chosen)) as server:  # type: ignore[arg-type]
            try:
                yield Gate(server, components, handler, queues)
            finally:
                await large_bodies.close()

    return run


@pytest.fixture
def gate_options() -> dict[str, object]:
    """Overridden by tests of heartbeats and timeouts."""
    return {}


@pytest.fixture
async def gate(run_gate, gate_options: dict[str, object]) -> AsyncGenerator[Gate]:
    async with run_gate(**gate_options) as running:
        yield running


@pytest.fixture
async def connect() -> AsyncGenerator[Connect]:
    """Opens a channel to an address."""
    async with AsyncExitStack() as stack:
        channels: list[grpc.aio.Channel] = []

        def to(address: str) -> GateStub:
            channel = grpc.aio.insecure_channel(address, OPTIONS)
            channels.append(channel)
            return GateStub(channel)

        yield to
        for channel in channels:
            await stack.enter_async_context(channel)


@pytest.fixture
async def client(gate: Gate, connect: Connect) -> GateStub:
    return connect(gate.address)


@pytest.fixture
async def instance(client: GateStub, instances: Instances) -> ScriptedInstance:
    return await ScriptedInstance(client, instances.add(11)).start()


@pytest.fixture
def scripted(instances: Instances):
    """Builds further instances."""

    def make(stub: GateStub, instance_id: int = 12, **about: object) -> ScriptedInstance:
        return ScriptedInstance(stub, instances.add(instance_id, **about))  # type: ignore[arg-type]

    return make


def predict_request(text: str = '{"text":"hi"}', **headers: str) -> pb.ClientRequestProto:
    predict = pb.PredictRequestProto(data=pb.PayloadProto(json=text))
    return pb.ClientRequestProto(account="acme", model="ner", authToken="k", predict=predict, headers=headers)


@pytest.fixture
def request_of() -> Callable[..., pb.ClientRequestProto]:
    return predict_request


@pytest.fixture(scope="session")
def twin_module() -> ModuleType:
    path = Path(__file__).parent.parent / "public_sdk_twin.py"
    spec = importlib.util.spec_from_file_location("public_sdk_twin", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["public_sdk_twin"] = module
    spec.loader.exec_module(module)
    return module


def environment_of(address: str, token: str) -> Mapping[str, str]:
    return {"MLP_GRPC_HOST": address, "MLP_SERVICE_TOKEN": token, "MLP_GRPC_SECURE": "false", "HOSTNAME": "box"}


@pytest.fixture
def environment():
    return environment_of
