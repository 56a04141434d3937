"""Whatever an instance sends: no caller gets another's answer, and only that stream suffers."""

import asyncio
import uuid
from collections.abc import AsyncGenerator

from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlpgateway.call.call import Answer, Operation, Payload
from mlpgateway.call.ports import ConnectedInstance, InstanceEntry
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.errors.gate import ProtocolViolation
from mlpgateway.instances.grpc.link import StreamLink
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.codes import CHANNEL_CLOSED, INTERNAL_ERROR
from mlplace_kit.errors import DomainError

ENTRY = InstanceEntry(1, 7, 1, "ner", accepts_connections=True)
numbers = st.one_of(st.integers(0, 6), st.integers(-(2**63), 2**63 - 1))


def _message(kind: str, number: int, *, finish: bool) -> pb.ServiceToGateProto:
    data = pb.PayloadProto(json=str(number))
    match kind:
        case "predict":
            return pb.ServiceToGateProto(requestId=number, predict=pb.PredictResponseProto(data=data))
        case "partialPredict":
            part = pb.PartialPredictResponseProto(data=data, finish=finish)
            return pb.ServiceToGateProto(requestId=number, partialPredict=part)
        case "ext":
            return pb.ServiceToGateProto(requestId=number, ext=pb.ExtendedResponseProto(data=data))
        case "error":
            return pb.ServiceToGateProto(requestId=number, error=pb.ApiErrorProto(code=str(number)))
        case _:
            return pb.ServiceToGateProto(requestId=number, batch=pb.BatchResponseProto())


messages = st.builds(
    _message, st.sampled_from(["predict", "partialPredict", "ext", "error", "batch"]), numbers, finish=st.booleans()
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sent=st.lists(messages, max_size=30), garbage=st.binary(max_size=40))
def test_answers_stay_with_their_requests(sent: list[pb.ServiceToGateProto], garbage: bytes) -> None:
    asyncio.run(_check(sent, garbage))


async def _check(sent: list[pb.ServiceToGateProto], garbage: bytes) -> None:
    link = StreamLink(ConnectedInstance(uuid.uuid4(), ENTRY, "gate:1", "", 2, "", None))
    request = InstanceRequest(Operation.PREDICT, Payload(json="1"), None, None, {}, {})
    exchanges = [link.send(request) for _ in range(5)]
    for message in sent:
        link.accept(message, message.ByteSize())
    try:
        link.accept(pb.ServiceToGateProto.FromString(garbage), len(garbage))
    except (DecodeError, ProtocolViolation):
        link.outgoing.close()
    link.broken("end of the test")
    assert link.active_requests == 0
    for number, exchange in enumerate(exchanges, start=1):
        texts, code = await _outcome(exchange)
        assert set(texts) <= {str(number)}
        assert code in {None, str(number), CHANNEL_CLOSED, INTERNAL_ERROR}


async def _outcome(exchange: AsyncGenerator[Answer]) -> tuple[list[str | None], str | None]:
    """Returns the texts of the answers, and the code of the error that ended them, if any."""
    texts: list[str | None] = []
    try:
        async for answer in exchange:
            texts.append(answer.payload.json)  # noqa: PERF401  what came before an error counts
    except DomainError as error:
        return texts, error.code
    return texts, None
