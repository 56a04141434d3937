"""Batches: one message with several requests, and hostile answers to it."""

import uuid

import pytest

from mlpgateway.call.call import Operation, Payload
from mlpgateway.call.ports import ConnectedInstance, InstanceEntry
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.instances.grpc.descriptor import connection_of
from mlpgateway.instances.grpc.link import StreamLink
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.errors import DomainError

ENTRY = InstanceEntry(1, 7, 1, "ner", accepts_connections=True)
BROKEN = "mlp-action.common.internal-error"


@pytest.fixture
async def link() -> StreamLink:
    return StreamLink(ConnectedInstance(uuid.uuid4(), ENTRY, "gate:1", "", 2, "", None, takes_batches=True))


def request(text: str, config: str = "{}", **headers: str) -> InstanceRequest:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return InstanceRequest(Operation.PREDICT, Payload(json=text), Payload(json=config), None, {}, named)


async def written(link: StreamLink) -> pb.GateToServiceProto:
    return pb.GateToServiceProto.FromString(await link.outgoing.next() or b"")


def item(number: int, text: str, **headers: str) -> pb.BatchPayloadResponseProto:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    data = pb.PredictResponseProto(data=pb.PayloadProto(json=text))
    return pb.BatchPayloadResponseProto(requestId=number, predict=data, headers=named)


def say(link: StreamLink, number: int, *items: pb.BatchPayloadResponseProto) -> None:
    link.accept(pb.ServiceToGateProto(requestId=number, batch=pb.BatchResponseProto(data=items)), 1)


async def outcome(answers) -> str | None:
    try:
        return (await anext(answers)).payload.json
    except DomainError as error:
        return error.code


class TestMessages:
    async def test_batch_is_one_message_and_one_request_in_progress(self, link: StreamLink) -> None:
        link.send_batch([request("1", "[9]"), request("2", "[9]")])
        message = await written(link)
        assert [(one.requestId, one.data.json) for one in message.batch.data] == [(1, "1"), (2, "2")]
        assert message.batch.config.json == "[9]"
        assert link.active_requests == 1

    async def test_headers_of_a_single_caller_are_not_sent(self, link: StreamLink) -> None:
        link.send_batch([request("1", Z_requestId="a", shared="s"), request("2", Z_requestId="b", shared="s")])
        assert dict((await written(link)).headers) == {"shared": "s"}

    async def test_each_call_gets_its_own_answer_and_headers_in_any_order(self, link: StreamLink) -> None:
        first, second = link.send_batch([request("1"), request("2")])
        number = (await written(link)).requestId
        say(link, number, item(2, '"b"', Z_custom_billing="7"), item(1, '"a"'))
        assert (await anext(first)).headers == {}
        answer = await anext(second)
        assert (answer.payload.json, answer.headers, answer.last) == ('"b"', {"Z-custom-billing": "7"}, True)
        assert link.active_requests == 0

    async def test_byte_order_mark_is_no_part_of_an_answer(self, link: StreamLink) -> None:
        answers = link.send_batch([request("1"), request("2")])
        message = await written(link)
        say(link, message.requestId, item(1, "\ufeff1"), item(2, "\ufeff\ufeff2"))
        assert [await outcome(each) for each in answers] == ["1", BROKEN]

    async def test_one_call_can_fail_alone(self, link: StreamLink) -> None:
        first, second = link.send_batch([request("1"), request("2")])
        failed = pb.BatchPayloadResponseProto(requestId=1, error=pb.ApiErrorProto(code="no.luck"))
        say(link, (await written(link)).requestId, failed, item(2, '"b"'))
        assert [await outcome(first), await outcome(second)] == ["no.luck", '"b"']

    async def test_cancelled_call_is_dropped_and_the_others_go_on(self, link: StreamLink) -> None:
        first, second = link.send_batch([request("1"), request("2")])
        await first.aclose()
        say(link, (await written(link)).requestId, item(1, '"a"'), item(2, '"b"'))
        assert await outcome(second) == '"b"'

    async def test_batch_without_waiting_callers_is_not_written(self, link: StreamLink) -> None:
        for answers in link.send_batch([request("1"), request("2")]):
            await answers.aclose()
        link.send(request("alone"))
        assert (await written(link)).predict.data.json == "alone"


class TestHostileAnswers:
    async def test_foreign_and_unknown_ids_are_dropped(self, link: StreamLink) -> None:
        own = link.send_batch([request("1"), request("2")])
        other = link.send(request("other"))
        third = link.send_batch([request("3"), request("4")])
        number = (await written(link)).requestId
        say(link, number, *(item(made_up, '"stolen"') for made_up in (0, 3, -1, 2**62)), item(1, '"a"'), item(1, '"x"'))
        assert [await outcome(answers) for answers in own] == ['"a"', BROKEN]
        assert link.active_requests == 2, "the others still wait"
        await other.aclose()
        for answers in third:
            await answers.aclose()

    async def test_answer_to_an_ended_batch_is_dropped(self, link: StreamLink) -> None:
        link.send_batch([request("1"), request("2")])
        number = (await written(link)).requestId
        say(link, number, item(1, '"a"'), item(2, '"b"'))
        waiting = link.send_batch([request("3"), request("4")])
        say(link, number, item(1, '"late"'), item(2, '"late"'))
        say(link, (await written(link)).requestId, item(1, '"c"'), item(2, '"d"'))
        assert [await outcome(answers) for answers in waiting] == ['"c"', '"d"']

    async def test_batch_answer_to_a_single_request_is_dropped(self, link: StreamLink) -> None:
        answers = link.send(request("1"))
        number = (await written(link)).requestId
        say(link, number, item(number, '"a"'))
        data = pb.PredictResponseProto(data=pb.PayloadProto(json='"fine"'))
        link.accept(pb.ServiceToGateProto(requestId=number, predict=data), 1)
        assert await outcome(answers) == '"fine"'

    @pytest.mark.parametrize("kind", ["predict", "partialPredict", "ext"])
    async def test_answer_of_another_kind_fails_every_call(self, link: StreamLink, kind: str) -> None:
        batch = link.send_batch([request("1"), request("2")])
        message = pb.ServiceToGateProto(requestId=(await written(link)).requestId)
        getattr(message, kind).SetInParent()
        link.accept(message, 1)
        assert [await outcome(answers) for answers in batch] == [BROKEN, BROKEN]

    async def test_error_or_lost_stream_fails_each_call_with_its_own_error(self, link: StreamLink) -> None:
        batch = link.send_batch([request("1"), request("2")])
        number = (await written(link)).requestId
        link.accept(pb.ServiceToGateProto(requestId=number, error=pb.ApiErrorProto(code="x.y")), 1)
        assert [await outcome(answers) for answers in batch] == ["x.y", "x.y"]
        lost = link.send_batch([request("1"), request("2")])
        link.broken("gone")
        assert {await outcome(answers) for answers in lost} == {"mlp-action.common.channel-closed-error"}

    async def test_item_without_a_body_fails_its_call(self, link: StreamLink) -> None:
        first, second = link.send_batch([request("1"), request("2")])
        say(link, (await written(link)).requestId, pb.BatchPayloadResponseProto(requestId=1), item(2, '"b"'))
        assert [await outcome(first), await outcome(second)] == [BROKEN, '"b"']


class TestBatchSupport:
    @pytest.mark.parametrize(("output", "takes"), [(True, True), (False, False)])
    def test_descriptor_with_a_real_method_means_support(self, output: bool, takes: bool) -> None:
        start = pb.StartServingProto()
        method = start.serviceDescriptor.methods["predict_batch"]
        if output:
            method.output.type = "array X"
        assert connection_of(ENTRY, start, gate="g").takes_batches is takes

    @pytest.mark.parametrize(
        ("methods", "takes"),
        [({"fit", "predict"}, True), ({"init", "predict", "fit"}, False), ({"init", "predict"}, False)],
    )
    def test_java_models_count_as_supporting_batches(self, methods: set[str], takes: bool) -> None:
        start = pb.StartServingProto()
        for name in methods:
            start.serviceDescriptor.methods[name].output.type = "json"
        assert connection_of(ENTRY, start, gate="g").takes_batches is takes

    def test_descriptor_without_the_method_means_no_support(self) -> None:
        assert connection_of(ENTRY, pb.StartServingProto(), gate="g").takes_batches is False
