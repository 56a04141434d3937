"""Streamed answers: one line for each part, sent at once."""

import asyncio
from collections.abc import AsyncGenerator, Mapping

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest
from mlplace_testing.waiting import eventually

STREAM = "predict-with-config-v2-stream"
PATH = f"/api/mlpgateway/account/acme/model/ner/{STREAM}"


class TestLines:
    async def test_each_part_is_one_line_and_one_chunk(self, world, kit, raw) -> None:
        world.instance(kit.says('{"a":\r\n 1}', "2", "3"))
        request = raw(world.app, PATH, world.key())
        await request.task
        assert request.chunks == [b'{"a":   1}\n', b"2\n", b"3\n", b""]

    async def test_part_is_sent_before_the_next_one_exists(self, world, raw) -> None:
        go = asyncio.Event()

        async def slow(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            yield Answer(Payload(json="1"), {}, last=False, partial=True)
            await go.wait()
            yield Answer(Payload(json="2"), {}, first=False, last=True, partial=True)

        world.instance(slow)
        request = raw(world.app, PATH, world.key())
        await asyncio.wait_for(request.arrived.wait(), 60)
        assert request.chunks == [b"1\n"]
        assert await world.usage() == []
        go.set()
        await request.task
        assert len(await world.usage()) == 1

    async def test_whole_answer_is_one_line(self, world) -> None:
        world.instance()
        answer = await world.predict(world.key(), '{"data": "5"}', STREAM)
        assert (answer.text, answer.headers["content-type"]) == ("5\n", "application/json")

    async def test_predict_returns_the_last_part_of_a_streamed_answer(self, world, kit) -> None:
        world.instance(kit.says("1", "2", "3"))
        assert (await world.predict(world.key())).text == "3"


class TestErrors:
    async def test_error_before_the_first_part_is_a_status(self, world, kit) -> None:
        world.instance(kit.fails(kit.Failing))
        assert (await world.predict(world.key(), '{"data": "5"}', STREAM)).status_code == 503

    async def test_error_after_the_first_part_is_the_last_line(self, world, kit) -> None:
        world.instance(kit.fails(kit.Failing, "1", "2"))
        answer = await world.predict(world.key(), '{"data": "5"}', STREAM)
        *lines, last = answer.text.splitlines()
        assert (answer.status_code, lines) == (200, ["1", "2"])
        assert '"code":"mlp-action.common.channel-closed-error"' in last
        assert await world.usage() == []

    async def test_stream_without_a_last_part_is_an_error(self, world) -> None:
        async def stops(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            yield Answer(Payload(json="1"), {}, last=False, partial=True)

        world.instance(stops)
        answer = await world.predict(world.key(), '{"data": "5"}', STREAM)
        assert answer.text.splitlines()[0] == "1"
        assert '"status":502' in answer.text.splitlines()[1]
        assert await world.usage() == []


class TestServerSentEvents:
    """For callers that accept them."""

    ACCEPT: Mapping[str, str] = {"Accept": "text/event-stream"}

    async def test_each_part_is_a_message_and_the_end_an_event(self, world, kit, raw) -> None:
        world.instance(kit.says('{"a":\n 1}', "2"))
        request = raw(world.app, PATH, {**world.key(), **self.ACCEPT})
        await request.task
        assert request.chunks == [b'data: {"a":  1}\n\n', b"data: 2\n\n", b"event: end\ndata: {}\n\n"]
        headers = dict(request.sent[0]["headers"])
        assert headers[b"content-type"] == b"text/event-stream; charset=utf-8"
        assert headers[b"x-accel-buffering"] == b"no"

    async def test_error_after_the_first_part_is_an_event(self, world, kit) -> None:
        world.instance(kit.fails(kit.Failing, "1"))
        answer = await world.predict({**world.key(), **self.ACCEPT}, '{"data": "5"}', STREAM)
        first, error, rest = answer.text.split("\n\n")
        assert (first, rest) == ("data: 1", "")
        assert error.startswith('event: error\ndata: {"code":"mlp-action.common.channel-closed-error"')

    async def test_error_before_the_first_part_is_a_status(self, world, kit) -> None:
        world.instance(kit.fails(kit.Failing))
        answer = await world.predict({**world.key(), **self.ACCEPT}, '{"data": "5"}', STREAM)
        assert (answer.status_code, answer.headers["content-type"]) == (503, "application/json")

    async def test_instance_sends_no_more_than_the_caller_reads(self, world, raw) -> None:
        made = 0

        async def endless(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            nonlocal made
            while True:
                made += 1
                yield Answer(Payload(json=str(made)), {}, last=False, partial=True)

        world.instance(endless)
        request = raw(world.app, PATH, {**world.key(), **self.ACCEPT}, reads=3)
        await asyncio.wait_for(request.stuck.wait(), 60)
        assert made == 3
        request.hang_up()
        await asyncio.wait({request.task}, timeout=60)
        assert request.task.done()
        assert made == 3


class TestDisconnects:
    async def test_disconnect_while_waiting_cancels_the_call_for_free(self, world, kit, raw) -> None:
        async def hang(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            await asyncio.Event().wait()
            yield Answer(Payload(), {})

        world.know(kit.model_changed(billing=kit.CALLS))
        twin = world.instance(hang)
        for path in (PATH, "/p/acme/ner"):
            request = raw(world.app, path, world.key())
            await eventually(lambda: active(twin))
            request.hang_up()
            await asyncio.wait({request.task}, timeout=60)
            assert request.task.done()
            assert (twin.active_requests, request.sent) == (0, [])
        assert await world.usage() == []
        assert world.components.admission.running == 0
        await world.components.leases.release_all()
        assert world.billing.available(kit.DEMO) == world.billing.money[kit.DEMO]

    async def test_disconnect_in_a_stream_is_charged_for_the_received_parts(self, world, kit, raw) -> None:
        async def endless(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            yield Answer(Payload(json="1"), {}, last=False, partial=True)
            await asyncio.Event().wait()

        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance(endless)
        request = raw(world.app, PATH, world.key())
        await asyncio.wait_for(request.arrived.wait(), 60)
        request.hang_up()
        await asyncio.wait({request.task}, timeout=60)
        assert request.task.done()
        usages = await eventually(world.usage)
        assert [usage.amount_nano for usage in usages] == [10]

    async def test_disconnect_in_the_body_ends_the_request(self, world) -> None:
        twin = world.instance()
        incoming: asyncio.Queue[Mapping[str, object]] = asyncio.Queue()
        incoming.put_nowait({"type": "http.request", "body": b"{", "more_body": True})
        incoming.put_nowait({"type": "http.disconnect"})
        sent: list[Mapping[str, object]] = []
        scope = {
            "type": "http", "method": "POST", "path": "/p/acme/ner", "query_string": b"", "client": None,
            "headers": [(name.lower().encode(), value.encode()) for name, value in world.key().items()],
        }  # fmt: skip

        async def send(message: Mapping[str, object]) -> None:
            sent.append(message)

        await world.app(scope, incoming.get, send)
        assert (sent, twin.requests) == ([], [])


async def active(twin) -> int:
    return twin.active_requests
