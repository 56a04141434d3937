"""Warm calls in situations that the random scenarios do not have: disconnects, deadlines, pipelines, many verdicts."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from mlpgateway.call.call import Answer, Operation, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.context.metered_call import MeteredCall
from mlpgateway.entry.adapters.openai import chat
from mlpgateway.entry.adapters.openai.chat import ChatRequest, answer_of
from mlpgateway.entry.http.wire import UNWATCHED_SECONDS
from mlpgateway.instances.grpc import wire
from mlpgateway.instances.grpc.prepared import PreparedPredict
from mlpgateway.instances.http.answer_body import FEW_LINES
from mlpgateway.warm import forms
from mlplace_contracts.events import ModelTimeouts
from mlplace_gateproto import gate_pb2 as pb
from mlplace_runtime.process import trusted_proxies
from mlplace_runtime.telemetry import current
from mlplace_runtime.web import errors
from mlplace_testing.waiting import eventually
from mlplace_testing.work import counted_calls
from services.mlpgateway.tests.warm.http_instance import MANY
from services.mlpgateway.tests.warm.scenario import Player
from services.mlpgateway.tests.warm.site import counts, heard_by, masked

PAID = b"/api/mlpgateway/account/acme/model/paid/predict"
WAYS = pytest.mark.parametrize("warm", [False, True])
MODELS = pytest.mark.parametrize(
    ("model", "number", "shape"), [("paid", 1, "plain"), ("web", 8, "plain"), ("web", 8, "passed-on")]
)


def request(player: Player, do: str, model: str = "paid", shape: str = "plain") -> bytes:
    return player.request(player.keys[0].secret, model, do, shape)


class Answered:
    """Satisfies Reply."""

    answered = False

    def answer(self, status: int, headers: bytes, body: bytes | memoryview, *, proved: bool) -> None:
        del status, headers, body, proved
        self.answered = True

    def break_off(self) -> None:
        """Does nothing: the caller has left."""


class LongShape:
    """A shape of conversations that takes until it is told to end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, defect: Exception | None = None) -> None:
        self.begun, self.ends = asyncio.Event(), asyncio.Event()
        self._defect = defect
        for module in (chat, forms):
            monkeypatch.setattr(module, "answer_of", self._answer_of)

    def _answer_of(self, request: ChatRequest, answer: Answer, request_id: str) -> Awaitable[Answer]:
        return self._made(answer_of(request, answer, request_id))

    async def _made(self, made: Answer | Awaitable[Answer]) -> Answer:
        self.begun.set()
        await self.ends.wait()
        if self._defect is not None:
            raise self._defect
        return made if isinstance(made, Answer) else await made


@asynccontextmanager
async def long_conversation(
    played: Player, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[tuple[asyncio.StreamReader, LongShape]]:
    """Begins a conversation whose answer is about to get its shape, after one that has ended. The caller leaves."""
    await played.site.settled()
    await played.site.call(request(played, "echo", shape="chat"))
    long = LongShape(monkeypatch)
    async with played.site.connection() as (reader, writer):
        writer.write(request(played, "echo", shape="chat"))
        await asyncio.wait_for(long.begun.wait(), 60)
        yield reader, long


class TestCallOptions:
    """Headers that the ordinary way decides on count also for a caller whose calls are warm."""

    @pytest.mark.parametrize("shape", ["plain", "chat"])
    async def test_repeated_key_gets_the_first_answer_and_is_charged_once(self, player, shape: str) -> None:
        async with player(warm=True) as played:
            site = played.site
            await site.settled()
            for _ in range(2):  # the first one leases money
                await site.call(request(played, "echo", shape=shape))
            keyed = request(played, "echo", shape=shape).replace(b"\r\n", b"\r\nIdempotency-Key: one\r\n", 1)
            first, second = [await site.call(keyed) for _ in range(2)]
            assert (b"z-idempotent-replayed" in first, b"z-idempotent-replayed: true" in second) == (False, True)
            assert first.partition(b"\r\n\r\n")[2] == second.partition(b"\r\n\r\n")[2]
            assert (site.counted.begun, len(await site.world.usage())) == (1, 3)

    async def test_conversation_in_the_background_is_refused(self, player) -> None:
        async with player(warm=True) as played:
            site = played.site
            await site.settled()
            for _ in range(2):
                await site.call(request(played, "echo", shape="chat"))
            asked = request(played, "echo", shape="chat").replace(b"\r\n", b"\r\nPrefer: respond-async\r\n", 1)
            answer = await site.call(asked)
            assert answer.startswith(b"HTTP/1.1 400 ")
            assert b"mlp.gate.header_not_served" in answer
            assert (site.counted.begun, len(await site.world.usage())) == (1, 2)


class TestCaller:
    @WAYS
    @MODELS
    async def test_leaving_cancels_the_call_free_of_charge(
        self, player, warm: bool, model: str, number: int, shape: str
    ) -> None:
        async with player(warm=warm) as played:
            site = played.site
            await site.settled()
            await site.call(request(played, "echo", model, shape))
            async with site.connection() as (_, writer):
                writer.write(request(played, "hold", model, shape))
                await asyncio.wait_for(site.holding.wait(), 60)
            instance = next(each for each in site.instances if each.model_id == played.models[number].number)

            async def given_back() -> bool:
                return instance.cancelled == 1 and set(site.left().values()) == {0}

            await eventually(given_back)
            assert len(await site.world.usage()) == 1

    @WAYS
    async def test_leaving_while_an_answer_gets_its_shape_costs_nothing(self, player, monkeypatch, warm: bool) -> None:
        async with player(warm=warm) as played:
            site = played.site
            async with long_conversation(played, monkeypatch) as (_, long):
                pass

            async def given_back() -> bool:
                return set(site.left().values()) == {0}

            await eventually(given_back)
            long.ends.set()
            assert len(await site.world.usage()) == 1
            if warm:
                assert site.counted.begun == 1

    @WAYS
    async def test_defect_while_an_answer_gets_its_shape_costs_nothing(self, player, monkeypatch, warm: bool) -> None:
        async with player(warm=warm) as played:
            site = played.site
            await site.settled()
            await site.call(request(played, "echo", shape="chat"))
            long = LongShape(monkeypatch, defect=ValueError("a defect"))
            long.ends.set()
            answer = await site.call(request(played, "echo", shape="chat"))
            assert answer.startswith(b"HTTP/1.1 500 ")
            assert set(site.left().values()) == {0}
            assert len(await site.world.usage()) == 1

    @WAYS
    async def test_leaving_in_the_middle_of_a_passed_on_answer_charges_it(self, player, warm: bool) -> None:
        async with player(warm=warm) as played:
            site = played.site
            await site.settled()
            await site.call(request(played, "echo", "web", "passed-on"))
            async with site.connection() as (reader, writer):
                writer.write(request(played, "begin", "web", "passed-on"))
                assert b"transfer-encoding: chunked" in await reader.readuntil(b"\r\n\r\n")
                assert await reader.readuntil(b"abc\r\n") == b"3\r\nabc\r\n"
            await site.has_broken_off()

    @WAYS
    async def test_leaving_with_a_further_request_underway_ends_the_streamed_answer(self, player, warm: bool) -> None:
        async with player(warm=warm) as played:
            site = played.site
            await site.settled()
            await site.call(request(played, "echo", "web", "passed-on"))
            async with site.connection() as (reader, writer):
                writer.write(request(played, "drip", "web", "passed-on"))
                await reader.readuntil(b"abc\r\n")
                writer.write(request(played, "echo"))
                await reader.readuntil(b"abc\r\n")
                writer.transport.abort()
            instance = next(each for each in site.instances if each.model_id == 508)

            async def given_back() -> bool:
                return instance.cancelled == 1 and set(site.left().values()) == {0}

            await eventually(given_back)
            assert len(await site.world.usage()) == 2

    @WAYS
    async def test_streamed_answer_keeps_both_connections(self, player, warm: bool) -> None:
        async with player(warm=warm) as played, played.site.connection() as (reader, writer):
            await played.site.settled()
            for do in ("echo", "parts", "large", "parts", "echo"):
                writer.write(request(played, do, "web", "passed-on"))
                assert (await heard_by(reader)).startswith(b"HTTP/1.1 200 ")
            assert set(played.site.left().values()) == {0}
            if warm:
                assert played.site.counted.passed_on == 4

    @WAYS
    async def test_request_that_begins_before_a_streamed_answer_is_read_completely(self, player, warm: bool) -> None:
        async with player(warm=warm) as played, played.site.connection() as (reader, writer):
            await played.site.settled()
            await played.site.call(request(played, "echo", "web", "passed-on"))
            second = request(played, "echo")
            writer.write(request(played, "large", "web", "passed-on") + second[:-1])
            assert len(await heard_by(reader)) > 100_000
            writer.write(second[-1:])
            answer = await asyncio.wait_for(heard_by(reader), 60)
            assert answer.startswith(b"HTTP/1.1 200 ")
            assert b'"echo"' in answer

    async def test_leaving_before_the_next_request_begins_ends_the_call(self, player) -> None:
        """The task of the next request is cancelled before its first step, so none of its code runs."""
        async with player(warm=True) as played:
            site, reply = played.site, Answered()
            await site.call(request(played, "echo"))
            before = counts()
            head, _, body = request(played, "hold").partition(b"\r\n\r\n")
            headers = [
                (name.lower(), value) for name, _, value in (line.partition(b": ") for line in head.split(b"\r\n"))
            ]
            prepared = site.counted.prepare(PAID, headers[1:], "127.0.0.1")
            leave = prepared.begin(body, reply)
            await site.holding.wait()
            await asyncio.sleep(UNWATCHED_SECONDS)
            next(each for each in site.instances if each.model_id == 501).leave("broken")
            leave()
            assert site.left()["running"] == 1, "the call has not ended yet"
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert set(site.left().values()) == {0}
            assert not reply.answered
            ended = counts() - before
            assert (
                ended[
                    "mlp_http_request_seconds_count[('method', 'POST'), ('service', 'mlpgateway'), ('status', '500')]"
                ]
                == 1
            )
            assert ended["mlp_gateway_active_calls[]"] == 0
            assert not [name for name in ended if "retries" in name]
            assert len(await site.world.usage()) == 1

    @WAYS
    async def test_requests_in_a_row_are_answered_in_order(self, player, warm: bool) -> None:
        async with player(warm=warm) as played:
            site = played.site
            await site.call(request(played, "echo"))
            async with site.connection() as (reader, writer):
                writer.write(b"".join(request(played, do) for do in ("hold", "echo", "headers")))
                await asyncio.wait_for(site.holding.wait(), 60)
                await asyncio.sleep(0)
                for each in site.instances:
                    each.release()
                answers = [masked(await heard_by(reader)) for _ in range(3)]
            assert [answer.split()[1] for answer in answers] == ["200"] * 3
            assert [f'"{do}"' in answer for do, answer in zip(("hold", "echo", "headers"), answers, strict=True)]
            assert [line for answer in answers for line in answer.splitlines() if line.startswith("z-requestid")] == [
                f"z-requestid: request..{number:05d}" for number in (2, 3, 4)
            ]

    @WAYS
    async def test_connection_is_kept_for_the_next_request(self, player, warm: bool) -> None:
        async with player(warm=warm) as played, played.site.connection() as (reader, writer):
            for _ in range(3):
                writer.write(request(played, "echo"))
                assert (await heard_by(reader)).startswith(b"HTTP/1.1 200 ")
            if warm:
                assert played.site.counted.begun == 2  # the first one leased the money


class TestTrustedProxies:
    @WAYS
    @pytest.mark.parametrize("address", ["127.0.0.9", "203.0.113.9", "unknown", "127.0.0.9, 203.0.113.9"])
    @pytest.mark.parametrize(("model", "number", "shape"), [*MODELS.args[1], ("paid", 1, "chat")])
    async def test_networks_of_an_account_count_for_the_address_that_the_proxy_reports(
        self, player, warm: bool, address: str, model: str, number: int, shape: str
    ) -> None:
        del number
        async with player(warm=warm, trusted_proxies="127.0.0.1") as played:
            site = played.site
            await site.settled()
            played.limit_account(100_000, ("127.0.0.0/8",))
            asked = request(played, "echo", model, shape)
            asked = asked.replace(b"\r\n", b"\r\nX-Forwarded-For: %b\r\n" % address.encode(), 1)
            statuses = [int((await site.call(asked)).split()[1]) for _ in range(3)]
            assert statuses == [403 if address.endswith("203.0.113.9") else 200] * 3
            if warm and 200 in statuses:
                assert site.counted.begun + site.counted.passed_on > 0

    async def test_peer_that_may_be_a_new_proxy_is_left_to_the_app(self, player, monkeypatch) -> None:
        """The app waits for the name server. `edge` gets its address when the server runs already."""
        addresses: list[str] = []

        async def resolved(_name: str) -> list[str]:
            return addresses

        monkeypatch.setattr(trusted_proxies, "_addresses_of", resolved)
        async with player(warm=True, trusted_proxies="edge") as played:
            site = played.site
            await site.settled()
            played.limit_account(100_000, ("127.0.0.0/8",))
            asked = request(played, "echo")
            for _ in range(3):
                await site.call(asked)
            assert site.counted.begun > 0
            addresses.append("127.0.0.1")
            asked = asked.replace(b"\r\n", b"\r\nX-Forwarded-For: 203.0.113.9\r\n", 1)
            statuses = [int((await site.call(asked)).split()[1]) for _ in range(3)]
            assert statuses == [403] * 3


class TestShutdown:
    async def test_a_streamed_answer_ends_and_what_was_delivered_is_charged(self, player) -> None:
        async with player(warm=True) as played:
            site = played.site
            await site.settled()
            await site.call(request(played, "echo", "web", "passed-on"))
            async with site.connection() as (reader, writer):
                writer.write(request(played, "begin", "web", "passed-on"))
                await reader.readuntil(b"abc\r\n")
                assert site.counted.passed_on == 1
                await site.counted.direct.close()
                assert set(site.left().values()) == {0}
                assert await reader.read() == b"", "the caller sees that the answer is not whole"
            assert len(await site.world.usage()) == 2

    async def test_an_answer_without_its_shape_costs_nothing(self, player, monkeypatch) -> None:
        async with player(warm=True) as played:
            site = played.site
            async with long_conversation(played, monkeypatch) as (reader, _):
                await site.counted.direct.close()
                assert set(site.left().values()) == {0}
                assert await reader.read() == b"", "the caller sees that there is no answer"
            assert len(await site.world.usage()) == 1

    async def test_without_calls_there_is_nothing_to_wait_for(self, player) -> None:
        async with player(warm=True) as played:
            await asyncio.wait_for(played.site.counted.direct.close(), 60)


class TestLog:
    @MODELS
    async def test_a_call_is_logged_under_its_own_id(
        self, player, monkeypatch: pytest.MonkeyPatch, model: str, number: int, shape: str
    ) -> None:
        """The connection to an instance belongs to the request that opened it, as far as contexts are concerned."""
        del number
        seen: list[str | None] = []

        def broken(self: MeteredCall, answer: Answer) -> None:
            del self, answer
            seen.append(None)
            raise RuntimeError("a defect")

        async with player(warm=True) as played:
            site = played.site
            await site.settled()
            await site.call(request(played, "echo", model, shape))
            monkeypatch.setattr(MeteredCall, "read", broken)
            monkeypatch.setattr(errors.log, "error", lambda *_, **__: seen.append(current.fields().get("request_id")))
            answer = masked(await site.call(request(played, "echo", model, shape)))
            assert answer.split()[1] == "500"
            own = next(line for line in answer.splitlines() if line.startswith("z-requestid")).split()[1]
            assert seen == [None, own]


class TestDeadline:
    @WAYS
    @MODELS
    async def test_silent_instance_ends_in_the_same_refusal(
        self, player, warm: bool, model: str, number: int, shape: str
    ) -> None:
        async with player(warm=warm) as played:
            del model
            played.change_model(number, {"timeouts": ModelTimeouts(pod_start=120, predict=1, fit=600)})
            await played.site.settled()
            await played.call(0, number, "echo", shape)
            began = time.monotonic()
            refused = await played.call(0, number, "silence", shape)
            assert time.monotonic() - began >= 1
            assert refused.split()[1] == "504"
            assert '"phase":"answer"' in refused
            assert '"seconds":"1"' in refused
            assert set(played.site.left().values()) == {0}
            assert len(await played.site.world.usage()) == 1


class TestHttpInstances:
    @WAYS
    async def test_instance_makes_the_gate_hold_no_more_than_the_limit(self, player, warm: bool) -> None:
        async with player(warm=warm, max_body_bytes=1_000_000) as played:
            site = played.site
            await site.settled()
            await played.call(0, 8, "echo", "plain")
            refused = await played.call(0, 8, "endless", "plain")
            assert "it is larger than 1000000 bytes" in refused
            instance = next(each for each in site.instances if each.model_id == 508)

            async def closed() -> bool:
                return instance.cancelled == 1 and set(site.left().values()) == {0}

            await eventually(closed)
            assert instance.written < 16_000_000
            assert (await played.call(0, 8, "echo", "plain")).split()[1] == "200"
            if warm:
                assert site.counted.over_http == 1, "the third call found no connection"

    @WAYS
    @pytest.mark.parametrize("do", ["lines", "events"])
    async def test_many_small_parts_are_read_over_many_turns(self, player, warm: bool, do: str) -> None:
        """So that an instance that floods its caller does not keep the other calls of the gate waiting."""
        async with player(warm=warm) as played:
            site, turns = played.site, 0
            await site.settled()
            await played.call(0, 8, "echo", "plain")
            call = asyncio.create_task(played.call(0, 8, do, "plain"))
            while not call.done():
                await asyncio.sleep(0)
                turns += 1
            assert (await call).split("\n")[-1] == "1"
            assert turns > MANY / FEW_LINES / 4
            assert set(site.left().values()) == {0}
            assert (await played.call(0, 8, "echo", "plain")).split()[1] == "200"
            if warm:
                assert site.counted.over_http >= 1

    async def test_calls_at_once_are_warm_as_far_as_there_are_connections(self, player) -> None:
        async with player(warm=True) as played:
            site = played.site
            await site.settled()
            await played.call(0, 8, "echo", "plain")
            for _ in range(2):
                answers = await asyncio.gather(*(played.call(0, 8, "echo", "plain") for _ in range(5)))
                assert [answer.split()[1] for answer in answers] == ["200"] * 5
            assert site.counted.over_http >= 6
            assert len(await site.world.usage()) == 11


class TestDurableUsage:
    async def test_answers_wait_for_the_disk_when_told_so(self, player) -> None:
        async with player(warm=True, usage_sync="always") as played:
            for _ in range(4):
                assert (await played.call(0, 1, "echo", "plain")).split()[1] == "200"
            assert played.site.counted.begun == 3
            assert len(await played.site.world.usage()) == 4


class TestVerdicts:
    async def test_revoking_a_key_drops_ten_thousand_verdicts_quickly(self, player) -> None:
        """In 50 ms at most: with a few calls of functions for each verdict."""
        async with player(warm=True) as played:
            site, verdicts = played.site, played.site.counted.direct.verdicts
            events, secrets = zip(*(site.world.key_event(played.kit.DEMO) for _ in range(10_000)), strict=True)
            site.world.know(*events)
            prepare = site.counted.direct.prepare
            for secret in secrets:
                headers = [(b"mlp-api-key", secret.encode()), (b"content-length", b"9"), (b"host", b"x")]
                assert prepare(PAID, headers, "127.0.0.1") is not None
            assert len(verdicts) == 10_000
            with counted_calls() as work:
                played.change_model(1, {"composite": True})
            assert work.calls < 20 * 10_000
            assert len(verdicts) == 0

    async def test_cache_is_bounded(self, player) -> None:
        async with player(warm=True) as played:
            verdicts = played.site.counted.direct.verdicts
            verdicts._most = 2
            for key in (0, 1, 2, 0, 1):
                await played.call(key, 1, "echo", "plain")
            assert len(verdicts) == 2

    async def test_expired_key_is_refused_although_a_verdict_stands(self, player, clock) -> None:
        async with player(warm=True) as played:
            assert [(await played.call(5, 1, "echo", "plain")).split()[1] for _ in range(2)] == ["200", "200"]
            assert played.site.counted.begun == 1
            clock.advance(timedelta(hours=1))
            assert (await played.call(5, 1, "echo", "plain")).split()[1] == "401"


class TestPreparedPredict:
    @pytest.mark.parametrize("window", [None, 262_144])
    @pytest.mark.parametrize("trace", [None, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"])
    @pytest.mark.parametrize("text", ["1", '"Привет"', f'"{"x" * 70_000}"'])
    def test_message_is_that_of_the_request(self, window: int | None, trace: str | None, text: str) -> None:
        constant = {"Z-callerAccountId": "5", "MLP-CALL-CHAIN": "7"}
        config = Payload(json='{"a": 1}')
        other = PreparedPredict(InstanceRequest(Operation.PREDICT, None, Payload(json="{}"), None, {}, constant))
        prepared = other.with_config(config)
        headers = constant | {"Z-requestId": "abc"} | ({} if trace is None else {"traceparent": trace})
        whole = InstanceRequest(Operation.PREDICT, Payload(json=text), config, None, {}, headers)
        for number in (1, 127, 128, 2**40):
            message = prepared.message(number, text.encode(), request_id="abc", trace_parent=trace, window=window)
            expected = wire.request_to_wire(number, whole, window=window)
            assert pb.GateToServiceProto.FromString(message) == pb.GateToServiceProto.FromString(expected)
            assert len(message) == len(expected)
