"""Requests to HTTP instances for callers without a task."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from mlpgateway.call.call import Answer, Operation, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.errors.calls import BrokenAnswer
from mlpgateway.errors.gate import ChannelClosed
from mlpgateway.instances.http.answer_body import FEW_LINES
from mlpgateway.instances.http.client.errors import ConnectionLostError, InvalidRequestError
from mlpgateway.instances.http.client.request import OutgoingRequest, head_of
from mlpgateway.instances.http.prepared import PreparedHttpPredict
from mlpgateway.instances.http.told_call import ToldHttpCall
from mlpgateway.instances.http.translation import request_of
from mlplace_kit.errors import DomainError
from mlplace_runtime.process.turns import Turns

CONSTANT = {"Z-callerAccountId": "5", "MLP-CALL-CHAIN": "7", "MLP-BILLING-KEY": "ключ"}
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
EVENTS = ((b"Content-Type", b"text/event-stream; charset=utf-8"), (b"Z-own", b"x"))
LINES = ((b"Content-Type", b"application/x-ndjson"),)
JSON = ((b"content-type", b"application/json"),)


class TestPreparedHttpPredict:
    @pytest.mark.parametrize("config", [None, "{}", '{"a": "я"}'])
    @pytest.mark.parametrize("trace", [None, TRACE])
    @pytest.mark.parametrize("text", ["1", '"Привет"', f'"{"x" * 60_000}"'])
    def test_bytes_are_those_of_the_request(self, config: str | None, trace: str | None, text: str) -> None:
        settings = None if config is None else Payload(json=config)
        prepared = PreparedHttpPredict(InstanceRequest(Operation.PREDICT, None, None, None, {}, CONSTANT))
        if settings is not None:
            prepared = prepared.with_config(settings)
        headers = {"Z-requestId": "abc"} | CONSTANT | ({} if trace is None else {"traceparent": trace})
        whole = InstanceRequest(Operation.PREDICT, Payload(json=text), settings, None, {}, headers)
        asked = request_of(whole)
        body = bytes(asked.body)
        sent = OutgoingRequest("POST", asked.target, (*headers.items(), *asked.headers.items()), body)
        assert prepared.body(text.encode()) == body
        head = prepared.head(b"host:81", len(text.encode()), request_id="abc", trace_parent=trace)
        assert head == head_of(sent, "host:81")

    def test_header_that_cannot_be_sent_is_refused(self) -> None:
        with pytest.raises(InvalidRequestError):
            PreparedHttpPredict(InstanceRequest(Operation.PREDICT, None, None, None, {}, {"MLP-BILLING-KEY": "a\r\nb"}))


class Told:
    """A call and what it tells. `order` is what happened, in order."""

    def __init__(self, most_bytes: int = 100) -> None:
        self.order: list[str] = []
        self.answers: list[Answer] = []
        self.errors: list[DomainError] = []
        turns = Turns()
        connection = SimpleNamespace(
            cancel=lambda: self.order.append("cancelled"),
            turn=lambda work: turns.ask("instance", work),
            pause_reading=lambda: self.order.append("paused"),
            resume_reading=lambda: self.order.append("resumed"),
        )
        self.call = ToldHttpCall(
            connection,  # type: ignore[arg-type]  # these are the methods that are used
            most_bytes,
            answered=self._answered,
            failed=self._failed,
            translate=lambda error: ChannelClosed(reason=str(error)),
            left=lambda: self.order.append("left"),
        )
        self.on_answer: Callable[[], None] = lambda: None

    def _answered(self, answer: Answer) -> None:
        self.order.append("answered")
        self.answers.append(answer)
        self.on_answer()

    def _failed(self, error: DomainError) -> None:
        self.order.append("failed")
        self.errors.append(error)


class TestToldHttpCall:
    async def test_whole_answer_is_told_at_its_end(self) -> None:
        told = Told()
        told.call.head(200, JSON, 4)
        told.call.part(b"[1")
        told.call.part(b"2]")
        assert told.order == []
        told.call.end()
        await asyncio.sleep(0)
        assert told.order == ["left", "answered"]
        assert told.answers[0].payload.json == "[12]"

    async def test_last_event_ends_the_call_and_the_end_of_the_answer_keeps_the_connection(self) -> None:
        told = Told()
        told.call.head(200, EVENTS, None)
        told.call.part(b"data: 1\n\ndata: 2\n\ndata: [DONE]\n\n")
        told.call.part(b"data: 3\n\n")
        told.call.end()
        await asyncio.sleep(0)
        assert told.order == ["answered", "left", "answered"]
        assert [answer.payload.json for answer in told.answers] == ["1", "2"]
        assert [answer.headers for answer in told.answers] == [{"Z-own": "x"}, {}]

    async def test_last_event_without_the_end_of_the_answer_closes_the_connection(self) -> None:
        told = Told()
        told.call.head(200, EVENTS, None)
        told.call.part(b"data: 1\n\ndata: [DONE]\n\n")
        assert told.order == ["left", "answered"]
        await asyncio.sleep(0)
        assert told.order == ["left", "answered", "cancelled"]

    async def test_answer_beyond_the_limit_fails_and_closes_the_connection(self) -> None:
        told = Told(most_bytes=10)
        told.call.head(200, JSON, None)
        told.call.part(b"x" * 10)
        told.call.part(b"x")
        told.call.part(b"x" * 1000)
        await asyncio.sleep(0)
        assert told.order == ["left", "failed", "cancelled"]
        assert isinstance(told.errors[0], BrokenAnswer)

    async def test_lost_connection_fails_once(self) -> None:
        told = Told()
        told.call.head(200, JSON, 4)
        told.call.failed(ConnectionLostError("it ended too early", reused=True, began=True))
        told.call.abandon()
        await asyncio.sleep(0)
        assert told.order == ["left", "failed"]

    async def test_abandoned_call_closes_the_connection_and_tells_nothing(self) -> None:
        told = Told()
        told.call.head(200, JSON, 4)
        told.call.abandon()
        told.call.abandon()
        told.call.part(b"1234")
        told.call.end()
        await asyncio.sleep(0)
        assert told.order == ["left", "cancelled"]

    async def test_call_can_be_abandoned_when_a_part_is_told(self) -> None:
        told = Told()
        told.on_answer = told.call.abandon
        told.call.head(200, EVENTS, None)
        told.call.part(b"data: 1\n\ndata: 2\n\ndata: 3\n\n")
        await asyncio.sleep(0)
        assert told.order == ["answered", "left", "cancelled"]


class TestManyParts:
    """A piece of the answer that holds more parts than one turn of the event loop may handle."""

    MANY = 100 * FEW_LINES

    async def begun(self) -> Told:
        told = Told()
        told.call.head(200, LINES, None)
        told.call.part(b"1\n" * self.MANY)
        assert len(told.answers) <= 5 * FEW_LINES
        return told

    async def test_parts_are_told_over_many_turns_while_the_connection_is_paused(self) -> None:
        told, turns = await self.begun(), 0
        while told.order[-1] != "resumed":
            before = len(told.answers)
            await asyncio.sleep(0)
            assert len(told.answers) - before <= 4 * FEW_LINES
            turns += 1
        assert turns >= 20
        assert told.order.index("paused") < told.order.index("resumed")
        assert len(told.answers) == self.MANY - 1, "the last one is held until the end"
        told.call.end()
        assert told.order[-2:] == ["left", "answered"]

    async def test_end_and_failure_wait_for_the_parts(self) -> None:
        ended, failed = await self.begun(), await self.begun()
        ended.call.end()
        failed.call.failed(ConnectionLostError("it ended too early", reused=True, began=True))
        for _ in range(200):
            await asyncio.sleep(0)
        assert [answer.payload.json for answer in ended.answers] == ["1"] * self.MANY
        assert len(failed.answers) == self.MANY - 1
        assert (len(failed.errors), failed.order[-1]) == (1, "failed")
        assert "resumed" not in ended.order + failed.order, "the connection may serve another request"

    async def test_abandoned_call_tells_nothing_more(self) -> None:
        told = await self.begun()
        before = len(told.answers)
        told.call.abandon()
        for _ in range(200):
            await asyncio.sleep(0)
        assert len(told.answers) == before
        assert told.order[-2:] == ["left", "cancelled"]

    async def test_call_abandoned_after_its_end_leaves_the_connection_alone(self) -> None:
        told = await self.begun()
        told.call.end()
        told.call.abandon()
        await asyncio.sleep(0)
        assert "cancelled" not in told.order
