"""An owner's database that is away, slow, full or broken: no call fails, and none waits long."""

import asyncio
import socket
import ssl
import struct
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
from bson import decode, encode
from prometheus_client import REGISTRY

from mlpgateway.call.call import Answer, Payload
from mlpgateway.egress.look_ups import LookUps
from mlpgateway.egress.rules import EgressRules
from mlpgateway.features.caching.connections import Guard, open_client
from mlpgateway.features.caching.store import CacheStore, Link, Problem
from mlplace_contracts.events import ModelCaching
from mlplace_runtime.tasks import ended
from mlplace_testing.certificates import certificate_for
from mlplace_testing.waiting import eventually

LOOPBACK = EgressRules([ip_network("127.0.0.0/8")])


def said(text: str = '"x"') -> Answer:
    return Answer(Payload(json=text), {"Z-own": "1"})


@pytest.fixture
async def opened(clock) -> AsyncGenerator:
    """Opens stores and ends them."""
    tasks: list[asyncio.Task[None]] = []
    links: list[Link] = []

    def make(uri: str, *, most: int = 10, rules: EgressRules = LOOPBACK, model_id: int = 1, **more) -> CacheStore:
        guard = Guard(rules, more.pop("look_up", LookUps().find), **more)
        links.append(Link(open_client(uri, guard), guard))
        store = CacheStore(model_id, ModelCaching(address="", collection="answers", most=most), links[-1], clock)
        tasks.append(asyncio.create_task(store.run()))
        return store

    yield make
    await ended(*tasks)
    for link in links:
        if link.client is not None:
            await link.client.close()


async def ready(store: CacheStore) -> None:
    async def answers() -> bool:
        return store.ready

    await eventually(answers, seconds=60)


async def troubled(store: CacheStore) -> Problem | None:
    async def noticed() -> Problem | None:
        return store.problem

    return await eventually(noticed, seconds=60)


class Server:
    """Counts connections and answers as a test wants."""

    def __init__(self) -> None:
        self.connections = 0
        self.port = 0
        self.answer: Callable[[bytes], bytes] = lambda _request: b""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while request := await reader.read(65536):
                writer.write(self.answer(request))
        except ConnectionError:
            pass
        finally:
            writer.close()


@pytest.fixture
async def server() -> AsyncGenerator[Server]:
    made = Server()
    async with await asyncio.start_server(made.serve, "127.0.0.1", 0) as listening:
        made.port = listening.sockets[0].getsockname()[1]
        yield made


class TestUnavailable:
    async def test_calls_do_not_wait_for_an_absent_database(self, world, kit, caching) -> None:
        world.know(caching("mongodb://127.0.0.1:9/x"))
        instance = world.instance()
        for _ in range(3):
            answer = await world.predict(world.key())
            assert (answer.status_code, answer.headers["z-cache"]) == (200, "miss")
        assert len(instance.requests) == 3
        assert await troubled(world.components.caches.find(kit.MODEL)) is Problem.UNREACHABLE

    async def test_calls_do_not_wait_for_a_silent_server(self, world, caching, server, kit) -> None:
        world.know(caching(f"mongodb://127.0.0.1:{server.port}/x"))
        world.instance()
        assert (await world.predict(world.key())).status_code == 200
        assert await troubled(world.components.caches.find(kit.MODEL)) is Problem.UNREACHABLE

    @pytest.mark.parametrize(
        "noise", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff" * 64, b"\x00" * 64], ids=["http", "high", "zero"]
    )
    async def test_calls_do_not_wait_for_a_server_of_another_protocol(self, opened, server, noise: bytes) -> None:
        server.answer = lambda _request: noise
        store = opened(f"mongodb://127.0.0.1:{server.port}/x")
        assert await troubled(store) is not None
        assert await store.find("k") is None

    async def test_lost_database_is_noticed_by_a_call_and_found_again(self, opened, mongo_server, mongo_uri) -> None:
        store = opened(mongo_uri)
        await ready(store)
        await mongo_server.freeze()
        try:
            assert await store.find("k") is None
            assert not store.ready
        finally:
            await mongo_server.thaw()
        await ready(store)
        assert store.problem is Problem.UNREACHABLE


class TestAddresses:
    async def test_addresses_of_this_host_are_not_called(self, opened, server) -> None:
        store = opened(
            f"mongodb://127.0.0.1:{server.port},localhost:{server.port},[::1]:{server.port}/x", rules=EgressRules()
        )
        assert await troubled(store) is Problem.ADDRESS_NOT_ALLOWED
        assert server.connections == 0

    async def test_changing_name_is_resolved_once_per_connection(self, opened, server) -> None:
        looks: list[str] = []

        async def rebinding(host: str, _port: int) -> list[str]:
            looks.append(host)
            return ["127.0.0.1"] if len(looks) % 2 == 0 else ["203.0.113.1", "127.0.0.1"]

        store = opened(f"mongodb://db.example:{server.port}/x", rules=EgressRules(), look_up=rebinding)
        assert await troubled(store) is Problem.ADDRESS_NOT_ALLOWED
        assert looks
        assert server.connections == 0

    async def test_members_reported_by_a_server_are_checked(self, opened, server) -> None:
        """The first address is permitted; the members that it reports are not."""
        sink, told = Server(), Server()
        async with (
            await asyncio.start_server(sink.serve, "127.0.0.2", 0) as inside,
            await asyncio.start_server(told.serve, "127.0.0.1", 0) as outside,
        ):
            hidden, shown = (each.sockets[0].getsockname()[1] for each in (inside, outside))
            told.answer = _secondary(f"127.0.0.1:{shown}", primary=f"127.0.0.2:{hidden}")
            rules = EgressRules([ip_network("127.0.0.1/32")])
            store = opened(f"mongodb://127.0.0.1:{shown}/x?replicaSet=rs", rules=rules)
            assert await troubled(store) is Problem.ADDRESS_NOT_ALLOWED
            assert told.connections > 0
            assert sink.connections == 0


class TestTls:
    async def test_name_is_verified_at_the_checked_address_and_nothing_is_sent_otherwise(
        self, opened, tmp_path
    ) -> None:
        certificate, asked = certificate_for("127.0.0.1"), []
        (tmp_path / "c.pem").write_text(certificate.certificate + certificate.key)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(tmp_path / "c.pem")
        context.sni_callback = lambda _socket, name, _context: asked.append(name)
        told = Server()

        async def rebinding(_host: str, _port: int) -> list[str]:
            return ["127.0.0.1"]

        async with await asyncio.start_server(told.serve, "127.0.0.1", 0, ssl=context) as listening:
            port = listening.sockets[0].getsockname()[1]
            store = opened(f"mongodb://db.example:{port}/x?tls=true", look_up=rebinding)
            assert await troubled(store) is Problem.UNREACHABLE
        assert set(asked) == {"db.example"}
        assert told.connections == 0


class TestFull:
    """A database that answers reads and refuses every write."""

    async def test_refusing_database_is_written_to_with_growing_pauses_and_still_read(self, opened, server) -> None:
        server.answer = _full
        store = opened(f"mongodb://127.0.0.1:{server.port}/x")
        store._chance = lambda: 0.0
        await ready(store)
        dropped = _count("mlp_gateway_cache_dropped_total")
        for pause in (1.0, 2.0, 4.0):
            store._writes_rest_until = 0.0
            asked = time.monotonic()
            store.put("k", said())
            until = await eventually(_rest_of(store), seconds=60)
            assert asked + pause <= until <= time.monotonic() + pause
            assert await store.find("k") is None
        assert (store.ready, store.problem) == (True, Problem.NOT_WRITABLE)
        assert _count("mlp_gateway_cache_dropped_total") - dropped == 3


def _rest_of(store: CacheStore) -> Callable[[], Awaitable[float]]:
    async def look() -> float:
        return store._writes_rest_until

    return look


def _count(name: str) -> float:
    return REGISTRY.get_sample_value(name) or 0.0


_SERVER = {
    "ok": 1, "helloOk": True, "isWritablePrimary": True, "minWireVersion": 0, "maxWireVersion": 21,
    "maxBsonObjectSize": 16777216, "maxMessageSizeBytes": 2**31 - 1, "maxWriteBatchSize": 1000,
}  # fmt: skip
_OLD = 2004  # OP_QUERY, with which drivers open a connection


def _full(request: bytes) -> bytes:
    """Answers as an empty server without room."""
    told: dict[str, object] = {"ok": 1}
    command = {} if _operation(request) == _OLD else decode(request[21 : 21 + struct.unpack_from("<i", request, 21)[0]])
    if not command or {"hello", "ismaster"} & command.keys():
        told = _SERVER
    elif "find" in command:
        told |= {"cursor": {"id": 0, "ns": "x.answers", "firstBatch": []}}
    elif "update" in command:
        told |= {"n": 0, "nModified": 0, "writeErrors": [{"index": 0, "code": 14031, "errmsg": "no space is left"}]}
    return _reply(request, told)


def _secondary(name: str, *, primary: str) -> Callable[[bytes], bytes]:
    """Answers as a member that takes no writes, so a client has to connect to the primary."""
    kind = {"isWritablePrimary": False, "secondary": True}
    about = {"setName": "rs", "setVersion": 1, "hosts": [name, primary], "me": name, "primary": primary}
    return lambda request: _reply(request, {**_SERVER, **kind, **about})


def _operation(request: bytes) -> int:
    return struct.unpack("<iiii", request[:16])[3]


def _reply(request: bytes, told: Mapping[str, object]) -> bytes:
    """Wraps an answer: OP_QUERY gets OP_REPLY (1), OP_MSG gets OP_MSG (2013)."""
    document, number = encode(told), struct.unpack("<iiii", request[:16])[1]
    old = struct.pack("<iqii", 8, 0, 0, 1) + document
    body, kind = (old, 1) if _operation(request) == _OLD else (struct.pack("<ib", 0, 0) + document, 2013)
    return struct.pack("<iiii", 16 + len(body), 1, number, kind) + body


class TestRecords:
    async def test_stored_answer_is_found(self, opened, mongo_uri) -> None:
        store = opened(mongo_uri)
        parts = (Payload(json='"\\u0000 é"', data_type="t"),)
        answer = Answer(Payload(protobuf=b"\x00\xff"), {"Z-a.b$": "1"}, before=parts)
        store.put("k", answer)
        assert await eventually(lambda: store.find("k"), seconds=60) == answer

    async def test_only_the_newest_records_up_to_the_limit_stay(self, opened, mongo_uri, records, clock) -> None:
        store = opened(mongo_uri, most=3)
        await ready(store)
        for number in range(8):
            clock.advance(timedelta(seconds=1))
            store.put(f"k{number}", said())
            await eventually(lambda key=f"k{number}": store.find(key), seconds=60)
        await _kept(records, {"k5", "k6", "k7"})

    async def test_several_gates_keep_one_limit(self, opened, mongo_uri, records) -> None:
        gates = [opened(mongo_uri, most=5) for _ in range(3)]
        for gate in gates:
            await ready(gate)
        for number in range(30):
            gates[number % 3].put(f"k{number}", said())
        await eventually(lambda: records.count_documents({}), until=lambda found: found == 5, seconds=60)

    async def test_models_in_one_collection_have_separate_limits(self, opened, mongo_uri, records) -> None:
        one, two = opened(mongo_uri, most=2), opened(mongo_uri, most=2, model_id=2)
        for number in range(4):
            one.put(f"a{number}", said())
            two.put(f"b{number}", said())
        for model_id in (1, 2):
            await eventually(
                lambda model_id=model_id: records.count_documents({"model": model_id}),
                until=lambda found: found == 2, seconds=60,
            )  # fmt: skip

    async def test_smaller_limit_applies_from_the_start(self, opened, mongo_uri, records) -> None:
        await records.insert_many([{"_id": str(n), "model": 1, "at": n} for n in range(9)])
        await ready(opened(mongo_uri, most=4))
        await eventually(lambda: records.count_documents({}), until=lambda found: found == 4, seconds=60)

    @pytest.mark.parametrize(
        "garbage",
        [
            {}, {"format": 1}, {"format": 1, "parts": [], "headers": []}, {"format": 1, "parts": "x", "headers": []},
            {"format": 1, "parts": [{"json": 5, "type": None}], "headers": []},
            {"format": 1, "parts": [{"json": "1", "type": None}], "headers": [["a"]]},
            {"format": 1, "parts": [{"json": "1", "type": None}], "headers": {"a": "b"}},
            {"format": 2, "parts": [{"json": "1", "type": None}], "headers": []},
            {"format": 1, "parts": [{"bytes": "text", "type": None}], "headers": []},
        ],
    )  # fmt: skip
    async def test_foreign_record_is_ignored_and_replaced(self, opened, mongo_uri, records, garbage) -> None:
        await records.insert_one({"_id": "k", **garbage})
        store = opened(mongo_uri)
        await ready(store)
        assert await store.find("k") is None
        assert store.problem is Problem.UNREADABLE_RECORD
        store.put("k", said())
        assert await eventually(lambda: store.find("k"), seconds=60) == said()

    async def test_cached_headers_about_money_and_identity_are_ignored(self, opened, mongo_uri, records) -> None:
        told = [["Z-custom-billing", "9"], ["MLP-BILLING-KEY", "k"], ["Z-own", "1"], ["RateLimit", "0"]]
        part = {"json": '"x"', "type": None}
        await records.insert_one({"_id": "k", "format": 1, "parts": [part], "headers": told})
        store = opened(mongo_uri)
        await ready(store)
        assert await store.find("k") == said()


async def _kept(records, keys: set[str]) -> None:
    async def there() -> set[str]:
        return {document["_id"] async for document in records.find({})}

    await eventually(there, until=lambda found: found == keys, seconds=60)


class TestConnecting:
    async def test_cancelled_connect_leaves_no_open_socket(self) -> None:
        with socket.create_server(("127.0.0.1", 0), backlog=0) as full, socket.create_connection(full.getsockname()):
            client = open_client("mongodb://{}:{}".format(*full.getsockname()), Guard(LOOPBACK, LookUps().find))
            before = _open_files()
            asking = asyncio.create_task(client.admin.command("ping"))
            await eventually(_more_than(before))
            await ended(asking)
            await client.close()
            await eventually(_more_than(before), until=lambda more: not more)


def _open_files() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def _more_than(before: int) -> Callable[[], Awaitable[bool]]:
    async def look() -> bool:
        return _open_files() > before

    return look
