"""WebSockets that are passed on to an instance."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest

from mlpgateway.call.call import Answer, HttpHead, Payload
from mlpgateway.call.transport import InstanceError
from mlpgateway.instances.http import sockets
from mlpgateway.instances.http.sockets import CallerSocket, closed_as
from mlpgateway.shares.admission import Admission, Capacity
from mlplace_contracts.events import ModelPriorityQueue
from mlplace_gateproto import codes
from mlplace_gateproto import headers as names
from mlplace_kit.passes import PagePass
from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.proxies import BehindProxies
from mlplace_runtime.process.http.server import HttpServer
from mlplace_runtime.process.trusted_proxies import TrustedProxies
from mlplace_testing.waiting import eventually

HANDSHAKE = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}  # fmt: skip
"""For a client that shows the body of a refusal."""


@pytest.fixture
def talk(over_wire):
    """Opens a WebSocket at the model, as the caller with a key."""

    def opened(path: str = "/talk", headers: dict[str, str] | None = None, **about: object):
        given = over_wire.world.key() if headers is None else headers
        return over_wire.client.ws_connect(f"{over_wire.base}{path}", headers=given, **about)

    return opened


async def opens(talk) -> bool:
    try:
        async with talk():
            return True
    except aiohttp.WSServerHandshakeError:
        return False


async def refusal(opening) -> aiohttp.WSServerHandshakeError:
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await opening
    return refused.value


class TestLostRights:
    @pytest.mark.parametrize("status", [401, 403, 404])
    async def test_refusal_of_the_instance_is_no_lost_right(self, status: int) -> None:
        said: list[dict[str, object]] = []

        async def answers() -> AsyncGenerator[Answer]:
            yield Answer(Payload(), {}, last=False, http=HttpHead(101, (), ""))
            raise InstanceError(code="own.refusal", message="no", status=status, details={}, headers={})

        async def send(message: Any) -> None:
            said.append(message)

        await CallerSocket(asyncio.Event().wait, send, SimpleNamespace()).serve(answers(), ())  # type: ignore[arg-type]
        assert [message["type"] for message in said] == ["websocket.accept", "websocket.close"]
        assert (said[1]["code"], said[1]["reason"]) == (1011, "own.refusal")

    async def test_socket_of_a_deleted_key_is_closed_and_charged(self, talk, over_wire, instance, kit, tools) -> None:
        world = over_wire.world
        world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        event, secret = world.key_event()
        world.know(event)
        async with talk(headers={"MLP-API-KEY": secret}) as socket:
            await socket.send_str("one")
            assert await socket.receive_str() == "one"
            world.know(event.model_copy(update={"version": 2, "active": False}))
            await world.components.pipeline.open_streams.look()
            message = await asyncio.wait_for(socket.receive(), 60)
            assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1008)
            assert message.extra == "mlp.gate.unauthorized"
        await tools.until(lambda: len(instance.closed) == 1)
        assert len(await world.usage()) == 1

    @pytest.mark.parametrize("before", [False, True], ids=["alone", "behind a stream"])
    async def test_socket_is_closed_when_its_model_offers_no_http_any_more(
        self, talk, over_wire, instance, kit, tools, before
    ) -> None:
        world = over_wire.world
        event, secret = world.key_event()
        world.know(event)
        open_streams = world.components.pipeline.open_streams
        if before:  # a stream of the same key that is no HTTP of the model's own stays
            caller = kit.call_with({"MLP-API-KEY": secret}).caller
            call = SimpleNamespace(caller=caller, account="acme", model="ner", http=None)
            open_streams.add(SimpleNamespace(call=call))
        async with talk(headers={"MLP-API-KEY": secret}) as socket:
            await socket.send_str("one")
            assert await socket.receive_str() == "one"
            world.know(kit.model_changed(http=None))
            await open_streams.look()
            message = await asyncio.wait_for(socket.receive(), 60)
            assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1008)
            assert message.extra == "mlp.gate.http_not_offered"
        await tools.until(lambda: len(instance.closed) == 1)


class TestMessages:
    async def test_messages_pass_unchanged_in_both_directions(self, talk, over_wire, tools) -> None:
        async with talk() as socket:
            for text in ("one", "", "ещё"):
                await socket.send_str(text)
                assert await socket.receive_str() == text
            for data in (b"\x00\xff", b"", bytes(1_000_000)):
                await socket.send_bytes(data)
                assert await socket.receive_bytes() == data
            await tools.until(lambda: over_wire.world.components.admission.held == 0)

    async def test_many_messages_keep_their_order(self, talk) -> None:
        async with talk() as socket:

            async def say() -> None:
                for number in range(500):
                    await socket.send_str(str(number))

            saying = asyncio.create_task(say())
            assert [await socket.receive_str() for _ in range(500)] == [str(number) for number in range(500)]
            await saying

    async def test_too_large_message_of_the_caller_ends_the_connection(self, talk, instance, tools) -> None:
        """The close is sent at the beginning of the message: a sender that goes on may only see a lost connection."""
        async with talk() as socket:
            with suppress(ConnectionError):
                await socket.send_bytes(bytes(4 * 1024 * 1024 + 1))
            message = await socket.receive()
        assert message.type is not aiohttp.WSMsgType.BINARY
        await tools.until(lambda: bool(instance.closed))

    async def test_too_large_message_of_the_instance_ends_the_connection(self, talk) -> None:
        async with talk(max_msg_size=0) as socket:
            await socket.send_str(f"large {16 * 1024 * 1024 + 1}")
            assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
            assert socket.close_code == 1009


class TestFloods:
    @pytest.mark.parametrize("frame", ["8100", "0000", "8a00", "8900"], ids=["text", "part", "pong", "ping"])
    async def test_flood_of_an_instance_does_not_block_the_loop(self, talk, frame) -> None:
        """Counted in turns of the event loop, not in seconds."""
        number, turns = 4000, 0
        begin, end = ("010161", "800162") if frame == "0000" else ("810161", "81026162")
        async with talk() as socket:
            heard = asyncio.create_task(_heard(socket, "ab"))
            for raw in (f"{begin} 1", f"{frame} {number}", f"{end} 1"):
                await socket.send_str(f"raw {raw}")
            while not heard.done():
                await asyncio.sleep(0)
                turns += 1
        assert turns >= number // 32


async def _heard(socket: aiohttp.ClientWebSocketResponse, text: str) -> None:
    while await socket.receive_str() != text:
        pass


class TestHandshake:
    async def test_query_and_identity_are_passed_on_without_secrets(self, talk, over_wire, instance) -> None:
        given = {**over_wire.world.key(), "Origin": "https://a.example", "Cookie": "a=b", "X-Mine": "1"}
        async with talk("/talk?a=%20b", given):
            ((_, path, headers, _),) = instance.seen
        assert path == "/talk?a=%20b"
        assert (headers[names.CALLER_ACCOUNT_ID], headers["X-Mine"]) == ("1000000002", "1")
        assert not {"Origin", "Cookie", "MLP-API-KEY"} & set(headers)

    async def test_common_protocol_is_chosen(self, talk) -> None:
        async with talk(protocols=("first", "third")) as socket:
            assert socket.protocol == "third"
        async with talk(protocols=("first",)) as socket:
            assert socket.protocol is None

    async def test_handshake_has_request_id_and_limits(self, talk, instance) -> None:
        instance.headers = {"Set-Cookie": "a=b", "X-Theirs": "1"}
        async with talk() as socket:
            headers = socket._response.headers
        assert headers["Z-requestId"]
        assert headers["RateLimit"]
        assert not {"Set-Cookie", "X-Theirs"} & set(headers)

    async def test_refusal_of_the_instance_is_passed_on_and_free(self, talk, over_wire, kit, tools) -> None:
        over_wire.world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        assert (await refusal(talk("/failing"))).status == 500
        assert await over_wire.world.usage() == []

    @pytest.mark.parametrize("path", ["/plain", "/moved"])
    async def test_answer_that_is_no_websocket_is_an_error_and_free(self, talk, over_wire, kit, tools, path) -> None:
        over_wire.world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        assert (await refusal(talk(path))).status == 502
        assert await over_wire.world.usage() == []

    async def test_anonymous_handshake_is_refused_in_the_common_error_format(self, over_wire, instance) -> None:
        async with over_wire.client.get(f"{over_wire.base}/talk", headers=HANDSHAKE) as answer:
            told = await answer.json()
        assert (answer.status, told["code"]) == (401, "mlp.gate.unauthorized")
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert answer.headers["Z-requestId"]
        assert instance.seen == []

    async def test_header_that_is_not_served_is_refused(self, talk, over_wire, instance) -> None:
        given = {**over_wire.world.key(), "MLP-Webhook": "https://a.example"}
        assert (await refusal(talk(headers=given))).status == 400
        assert instance.seen == []

    @pytest.mark.parametrize(
        ("header", "status"), [("MLP-Max-Price", 400), ("Z-Priority", 400), ("MLP-BILLING-KEY", 401)]
    )
    async def test_nonsense_about_money_and_priority_is_refused(self, over_wire, instance, header, status) -> None:
        given = {**HANDSHAKE, **over_wire.world.key(), header: "nonsense"}
        async with over_wire.client.get(f"{over_wire.base}/talk", headers=given) as answer:
            told = await answer.json()
        assert (answer.status, header in told["message"]) == (status, True)
        assert (instance.seen, await over_wire.world.usage()) == ([], [])

    @pytest.mark.parametrize(("trusted", "address"), [("127.0.0.1", "203.0.113.9"), ("192.0.2.1", "127.0.0.1")])
    async def test_address_that_a_trusted_proxy_names_counts(self, hosted, kit, trusted, address) -> None:
        limits = kit.limits_changed(kit.DEMO)
        hosted.know(limits.model_copy(update={"allowed_networks": ("198.51.100.7/32",)}))
        listener = listen("127.0.0.1", 0)
        server = HttpServer(BehindProxies(hosted.app, TrustedProxies(trusted)), listener)
        await server.start()
        talk = f"http://127.0.0.1:{listener.getsockname()[1]}/api/mlpgateway/account/acme/model/ner/http/talk"
        given = {**HANDSHAKE, **hosted.key(), "X-Forwarded-For": "198.51.100.7, 203.0.113.9"}
        async with aiohttp.ClientSession() as client, client.get(talk, headers=given) as answer:
            told = await answer.json()
        await server.stop()
        assert (answer.status, told["args"]) == (403, {"address": address})

    async def test_unknown_model_is_refused(self, over_wire) -> None:
        address = over_wire.base.replace("/ner/", "/none/")
        assert (await refusal(over_wire.client.ws_connect(address, headers=over_wire.world.key()))).status == 404

    async def test_other_path_of_the_gateway_is_refused(self, over_wire) -> None:
        address = over_wire.base.replace("/http", "/predict")
        assert (await refusal(over_wire.client.ws_connect(address, headers=over_wire.world.key()))).status == 404

    @pytest.mark.parametrize(
        ("origin", "opens"),
        [("http://{host}", True), ("https://evil.example", False), ("null", False), ("http://[", False), (None, False)],
    )
    async def test_session_handshake_from_another_site_is_refused(self, talk, over_wire, kit, origin, opens) -> None:
        """Browsers name the page in each handshake, and send the visitor's cookies whosever page it is."""
        people = over_wire.world.people
        session = people.user(people.account(kit.ACME, "acme"))
        given = {**session, "Origin": origin.format(host=f"127.0.0.1:{over_wire.port}")} if origin else session
        if opens:
            async with talk(headers=given) as socket:
                await socket.send_str("a")
                assert await socket.receive_str() == "a"
        else:
            assert (await refusal(talk(headers=given))).status == 403

    async def test_account_with_too_many_sockets_is_refused(self, talk, over_wire, kit) -> None:
        sockets = over_wire.world.components.pipeline._stages.shares.sockets
        sockets.take(kit.DEMO, sockets.most(kit.DEMO) - 2)
        async with talk() as one, talk():
            refused = await refusal(talk())
            assert refused.status == 429
            await one.close()
            await eventually(lambda: opens(talk))

    async def test_message_without_room_at_the_gate_ends_the_connection(self, talk, over_wire, kit) -> None:
        admission = over_wire.world.components.admission
        admission.bytes.take(kit.DEMO, admission.bytes.total, mine=0)
        async with talk() as socket:
            await socket.send_str("a")
            assert (await socket.receive()).data == 1013


class TestPage:
    async def test_pass_of_the_page_opens_a_socket(self, over_wire, hasher, clock, kit) -> None:
        made = PagePass.until(clock.now() + timedelta(0), account_id=kit.ACME, owner_id=kit.ACME, model_id=500)
        address = f"http://127.0.0.1:{over_wire.port}/api/mlpgateway/application/{made.signed(hasher)}/talk"
        async with over_wire.client.ws_connect(address, origin="null") as socket:
            await socket.send_str("a")
            assert await socket.receive_str() == "a"
        assert (await refusal(over_wire.client.ws_connect(address.replace("-500-", "-501-")))).status == 401


class TestEnd:
    async def test_close_by_the_instance_is_passed_on_and_charged_once(self, talk, over_wire, kit, tools) -> None:
        over_wire.world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        async with talk() as socket:
            await socket.send_str("close")
            message = await socket.receive()
        assert (message.type, message.data, message.extra) == (aiohttp.WSMsgType.CLOSE, 4001, "enough")
        assert [usage.units for usage in await over_wire.world.usage()] == [1]

    async def test_close_by_the_caller_reaches_the_instance_and_is_charged_once(
        self, talk, over_wire, instance, kit, tools
    ) -> None:
        over_wire.world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        async with talk() as socket:
            await socket.send_str("a")
            await socket.receive_str()
        await tools.until(lambda: instance.closed == [1000])
        await tools.until(lambda: not over_wire.world.components.admission.running)
        assert [usage.units for usage in await over_wire.world.usage()] == [1]

    async def test_vanished_caller_is_noticed_and_charged(self, talk, over_wire, instance, kit, tools) -> None:
        over_wire.world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        socket = await talk()
        await socket.send_str("a")
        await socket.receive_str()
        socket._response.connection.transport.abort()
        await tools.until(lambda: bool(instance.closed))
        await tools.until(lambda: not over_wire.world.components.admission.running)
        assert [usage.units for usage in await over_wire.world.usage()] == [1]
        await socket.close()

    async def test_vanished_instance_is_an_error_after_its_messages_and_free(self, talk, over_wire, kit, tools) -> None:
        over_wire.world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        async with talk() as socket:
            await socket.send_str("a")
            await socket.send_str("vanish")
            assert await socket.receive_str() == "a"
            message = await socket.receive()
        assert (message.data, message.extra) == (1011, codes.CHANNEL_CLOSED)
        assert await over_wire.world.usage() == []
        (link,) = over_wire.world.components.http_instances.of_model(500) or (None,)
        assert link is None or link.active_requests == 0

    async def test_silence_does_not_end_the_connection(self, talk, over_wire, kit, tools) -> None:
        impatient = kit.model_changed(http=tools.HTTP)
        timeouts = impatient.timeouts.model_copy(update={"predict": 1})
        over_wire.world.know(impatient.model_copy(update={"timeouts": timeouts, "version": impatient.version + 1}))
        async with talk() as socket:
            await asyncio.sleep(1.5)
            await socket.send_str("still here")
            assert await socket.receive_str() == "still here"

    async def test_connection_ends_after_the_maximum_time(
        self, talk, over_wire, instance, kit, tools, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Permissions and balance are checked when the caller reconnects."""
        over_wire.world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        monkeypatch.setattr(sockets, "LONGEST_SECONDS", 3.0)
        async with talk() as socket:
            await socket.send_str("a")
            assert await socket.receive_str() == "a"
            message = await socket.receive()
        assert message.data == 1012
        await tools.until(lambda: instance.closed == [1000])
        assert [usage.units for usage in await over_wire.world.usage()] == [1]

    async def test_close_before_an_instance_is_there_ends_the_call(self, talk, over_wire, tools, instance, kit) -> None:
        world = over_wire.world
        world.know(kit.model_changed(http=tools.HTTP, reject_if_inactive=False, hosting_type="HOSTING_SERVER"))
        await instance.runner.cleanup()
        await tools.until(lambda: not world.components.http_instances.of_model(500))

        async def wait() -> None:
            async with talk():
                pass

        waiting = asyncio.create_task(wait())
        await tools.until(lambda: bool(world.components.admission.running))
        waiting.cancel()
        await tools.until(lambda: not world.components.admission.running)


MIB = 1024 * 1024


class Held:
    """Satisfies Entry."""

    size = 0

    def holds(self, size: int) -> None:
        self.size += size

    def has_room(self, _size: int) -> bool:
        return True

    def lets_go(self, size: int) -> None:
        self.size -= size


class Conversation:
    """A caller, and an instance that takes one message and no more until `reads` is set. `said` is what the caller
    gets, `heard` what the instance takes.
    """

    def __init__(self, *messages: str, leaves: bool = False, breaks: bool = False, held: Any = None) -> None:
        self._incoming: list[dict[str, object]] = [{"type": "websocket.receive", "text": text} for text in messages]
        if leaves:
            self._incoming.append({"type": "websocket.disconnect"})
        self._breaks = breaks
        self.said: list[dict[str, object]] = []
        self.heard: list[str | None] = []
        self.full, self.reads, self.closed = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.socket = CallerSocket(self._receive, self._send, held or Held())  # type: ignore[arg-type]

    async def _receive(self) -> dict[str, object]:
        if not self._incoming:
            await asyncio.Event().wait()
        return self._incoming.pop(0)

    async def _send(self, message: Any) -> None:
        if self._breaks and message["type"] == "websocket.send":
            raise OSError
        self.said.append(message)

    async def _answers(self) -> AsyncGenerator[Answer]:
        try:
            yield Answer(Payload(), {}, last=False, http=HttpHead(101, (), ""))
            async with aclosing(self.socket.messages()) as messages:
                self.heard.append((await anext(messages)).json)
                if self._breaks:
                    yield Answer(Payload(json="a"), {}, first=False, last=False, partial=True)
                self.full.set()
                await self.reads.wait()
                async for message in messages:
                    self.heard.append(message.json)
        finally:
            self.closed.set()

    async def run(self) -> None:
        with self.socket:
            await self.socket.serve(self._answers(), ())


class TestDeafInstance:
    """An instance that does not read must not keep its caller's call, slot and money."""

    @pytest.fixture(autouse=True)
    def _soon(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sockets, "LAST_SECONDS", 0.05)

    async def test_caller_who_leaves_ends_the_conversation(self) -> None:
        talking = Conversation("a", "b", "c", leaves=True)
        await asyncio.wait_for(talking.run(), 60)
        assert talking.closed.is_set()
        assert [message["type"] for message in talking.said] == ["websocket.accept"]

    async def test_lost_connection_ends_the_conversation_when_there_is_no_room_to_hear_it(self) -> None:
        talking = Conversation(*["a" * sockets._AHEAD_BYTES] * 9, leaves=True)
        running = asyncio.create_task(talking.run())
        await talking.full.wait()
        talking.socket.lose()
        await asyncio.wait_for(running, 60)
        assert talking.closed.is_set()

    async def test_messages_before_the_loss_of_the_connection_arrive(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sockets, "LAST_SECONDS", 60)
        messages = [str(number) * sockets._AHEAD_BYTES for number in range(9)]
        talking = Conversation(*messages, leaves=True)
        running = asyncio.create_task(talking.run())
        await talking.full.wait()
        talking.socket.lose()
        talking.reads.set()
        await asyncio.wait_for(running, 60)
        assert talking.heard == messages

    async def test_short_memory_leaves_messages_with_the_caller(self) -> None:
        admission = Admission(Capacity(size=12 * MIB))  # a quarter of it for each account
        messages = ["a" * 100_000] * 90
        with admission.enter(1) as other, admission.enter(1) as entry:
            other.holds(3 * MIB - 150_000)
            talking = Conversation(*messages, leaves=True, held=entry)
            running = asyncio.create_task(talking.run())
            await talking.full.wait()
            talking.reads.set()
            await asyncio.wait_for(running, 60)
        assert talking.heard == messages

    async def test_message_for_which_there_is_no_memory_ends_the_conversation(self) -> None:
        admission = Admission(Capacity(size=12 * MIB))
        with admission.enter(1) as other, admission.enter(1) as entry:
            other.holds(3 * MIB - 1)
            talking = Conversation("a" * 100_000, held=entry)
            await asyncio.wait_for(talking.run(), 60)
        assert [message.get("code") for message in talking.said] == [None, 1013]

    async def test_failure_of_sending_ends_the_conversation(self) -> None:
        talking = Conversation("a", "b", "c", breaks=True)
        await asyncio.wait_for(talking.run(), 60)
        assert talking.closed.is_set()

    @pytest.mark.parametrize("number", [1, 9], ids=["room", "no room"])
    async def test_longest_time_ends_the_conversation(self, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sockets, "LONGEST_SECONDS", 0.2)
        talking = Conversation(*["a" * sockets._AHEAD_BYTES] * number)
        await asyncio.wait_for(talking.run(), 60)
        assert talking.closed.is_set()
        assert [message.get("code") for message in talking.said] == [None, 1012]

    async def test_messages_ahead_are_bounded(self) -> None:
        talking = Conversation(*["a" * sockets._AHEAD_BYTES] * 9, leaves=True)
        running = asyncio.create_task(talking.run())
        await talking.full.wait()
        await asyncio.wait([running], timeout=0.1)
        assert len(talking._incoming) >= 6
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    async def test_empty_messages_ahead_are_bounded(self) -> None:
        talking = Conversation(*[""] * 900)
        running = asyncio.create_task(talking.run())
        await talking.full.wait()
        await asyncio.wait([running], timeout=0.1)
        assert len(talking._incoming) >= 900 - sockets._AHEAD_MESSAGES - 2
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    async def test_caller_over_the_wire_who_leaves_frees_slot_and_is_charged(self, talk, over_wire, kit, tools) -> None:
        queue = ModelPriorityQueue(enabled=True, concurrency=1)
        over_wire.world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS, priority_queue=queue))
        components = over_wire.world.components
        over_wire.server._server.config.ws_ping_interval = over_wire.server._server.config.ws_ping_timeout = 1.0
        socket = await talk("/deaf")
        flood = asyncio.create_task(_flood(socket))
        await tools.until(lambda: components.admission.held > sockets._AHEAD_BYTES)
        flood.cancel()
        await asyncio.gather(flood, return_exceptions=True)
        socket._response.connection.transport.abort()
        await _until_free(components, tools)
        assert [usage.units for usage in await over_wire.world.usage()] == [1]
        await socket.close()

    async def test_longest_time_over_the_wire_closes_with_its_code(
        self, talk, over_wire, kit, tools, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sockets, "LONGEST_SECONDS", 3.0)
        queue = ModelPriorityQueue(enabled=True, concurrency=1)
        over_wire.world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS, priority_queue=queue))
        socket = await talk("/deaf", autoclose=False)
        flood = asyncio.create_task(_flood(socket))
        message = await asyncio.wait_for(socket.receive(), 60)
        flood.cancel()
        await asyncio.gather(flood, return_exceptions=True)
        socket._response.connection.transport.abort()
        assert message.data == 1012
        await _until_free(over_wire.world.components, tools)
        assert [usage.units for usage in await over_wire.world.usage()] == [1]


async def _flood(socket: aiohttp.ClientWebSocketResponse) -> None:
    while True:
        await socket.send_bytes(bytes(1024 * 1024))


async def _until_free(components, tools) -> None:
    await eventually(lambda: _is_free(components), seconds=90)


async def _is_free(components) -> bool:
    return not components.admission.running and not components.queues.http.queues


class TestCode:
    @pytest.mark.parametrize(("code", "told"), [(1000, 1000), (4999, 4999), (1006, 1000), (1005, 1000), (None, 1000)])
    def test_close_code_is_one_that_may_be_sent(self, code: int | None, told: int) -> None:
        assert closed_as(code, None).code == told
