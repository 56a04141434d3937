"""Translates between the messages of the gate protocol and the gateway's own types."""

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final, NamedTuple, TypeVar, cast

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message

from mlpgateway.call.call import Operation, Payload
from mlpgateway.call.large_json import LARGE_BYTES, LargeText, TextBuffer, is_utf8
from mlpgateway.call.transport import InstanceError, InstanceRequest
from mlpgateway.instances.grpc.encoding import MARK, Route, cut, field, is_overfull
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.limits import HEARTBEAT_OK
from mlplace_kit.errors import DomainError, MalformedRequest
from mlplace_kit.json_text import BYTE_ORDER_MARK

_BYTE_ORDER_MARK: Final = BYTE_ORDER_MARK.decode()
EMPTY_CONFIG: Final = Payload(json="{}")

_JSON: Final[Route] = {pb.PayloadProto.JSON_FIELD_NUMBER: None}
_ANSWERED: Final[Route] = {
    pb.ServiceToGateProto.PREDICT_FIELD_NUMBER: {pb.PredictResponseProto.DATA_FIELD_NUMBER: _JSON},
    pb.ServiceToGateProto.EXT_FIELD_NUMBER: {pb.ExtendedResponseProto.DATA_FIELD_NUMBER: _JSON},
    pb.ServiceToGateProto.PARTIALPREDICT_FIELD_NUMBER: {pb.PartialPredictResponseProto.DATA_FIELD_NUMBER: _JSON},
}
_ASKED: Final[Route] = {
    pb.ClientRequestProto.PREDICT_FIELD_NUMBER: {pb.PredictRequestProto.DATA_FIELD_NUMBER: _JSON},
    pb.ClientRequestProto.PARTIALPREDICT_FIELD_NUMBER: {pb.PartialPredictRequestProto.DATA_FIELD_NUMBER: _JSON},
}
_BUNDLED: Final = pb.RequestBundleProto.MESSAGES_FIELD_NUMBER
_PLACEHOLDER = re.compile(r"\$\{(\w{1,64})\}")
_MAX_MESSAGE = 4096
_MAX_TEXT = 16_384
_MANY: Final = 64 * 1024
"""In bytes. A smaller message cannot have enough fields to matter."""
_MOST_FIELDS: Final = 5000


_Request = TypeVar("_Request", bound=Message)


def parsed(kind: type[_Request], data: bytes) -> _Request:
    """Raises MalformedRequest."""
    if _is_overfull(data, kind):
        raise MalformedRequest(reason="it has too many fields")
    try:
        return kind.FromString(data)
    except DecodeError:
        raise MalformedRequest(reason=f"not a {kind.DESCRIPTOR.name}") from None


class GrpcRequest(NamedTuple):
    """A client's request and, apart from it, its text when that is large. `size` is that of the message in bytes."""

    message: pb.ClientRequestProto
    text: memoryview | None
    size: int


def asked(data: bytes) -> GrpcRequest:
    """Reads a client's request. Whether a large text is UTF-8 is not looked at. Raises MalformedRequest.

    Of a field that is there several times the last text counts.
    """
    size, text = len(data), None
    while len(data) >= LARGE_BYTES and (found := cut(data, _ASKED)) is not None:
        data, text = found
    return GrpcRequest(parsed(pb.ClientRequestProto, data), text, size)


def _is_overfull(data: bytes, kind: type[Message]) -> bool:
    return len(data) >= _MANY and is_overfull(data, cast("Descriptor", kind.DESCRIPTOR), most=_MOST_FIELDS)


def payload_to_wire(payload: Payload) -> pb.PayloadProto:
    message = pb.PayloadProto()
    fill(message, payload)
    return message


def answer_from_wire(data: bytes) -> tuple[pb.ServiceToGateProto, memoryview | None]:
    """Returns the message and, apart from it, its text when that is large. Raises DecodeError."""
    text: memoryview | None = None
    if _is_overfull(data, pb.ServiceToGateProto):
        raise DecodeError
    if len(data) >= LARGE_BYTES and (found := cut(data, _ANSWERED)) is not None:
        data, text = found
        if not is_utf8(text):
            raise DecodeError
    return pb.ServiceToGateProto.FromString(data), text


def payload_from_wire(message: pb.PayloadProto, text: memoryview | None = None) -> Payload:
    """`text` was cut out of the message that contained this one."""
    data_type = message.dataType if message.HasField("dataType") else None
    if text is not None and message.json == MARK:
        return LargeText(source=TextBuffer(text), data_type=data_type)
    if message.HasField("protobuf"):
        return Payload(protobuf=message.protobuf, data_type=data_type)
    if message.HasField("json"):
        return Payload(json=message.json, data_type=data_type)
    return Payload(data_type=data_type)


def answered_payload(message: pb.PayloadProto, text: memoryview | None = None) -> Payload:
    """Returns what an instance answers, without a byte order mark, as of one that speaks HTTP. `text`: as above."""
    if text is not None and bytes(text[:3]) == BYTE_ORDER_MARK:
        text = text[3:]
    elif message.json.startswith(_BYTE_ORDER_MARK):
        message.json = message.json[1:]
    return payload_from_wire(message, text)


def request_to_wire(request_id: int, request: InstanceRequest, *, window: int | None = None) -> bytes:
    message = pb.GateToServiceProto(requestId=request_id, window=window, headers=request.headers)
    if request.operation is Operation.EXT:
        message.ext.methodName = request.method_name or ""
        for name, value in request.params.items():
            fill(message.ext.params[name], value)
        return message.SerializeToString()
    if type(request.data) is LargeText:
        config = pb.PredictRequestProto(config=payload_to_wire(_present(request.config)))
        numbers = (pb.GateToServiceProto.PREDICT_FIELD_NUMBER, pb.PredictRequestProto.DATA_FIELD_NUMBER)
        return around(request.data, numbers, message.SerializeToString(), config.SerializeToString())
    fill(message.predict.data, request.data or Payload())
    fill(message.predict.config, _present(request.config))
    return message.SerializeToString()


def around(data: LargeText, numbers: tuple[int, int], others: bytes, after: bytes) -> bytes:
    """Serialises a message around its large text, which then exists only in the result.

    A message object would hold another copy of the text, and three during serialisation. `numbers`: the field of the
    message with the body, and the body's with the payload. `others`: the other fields of the message. `after`: those of
    the body.
    """
    source = data.source
    data_type = b"" if data.data_type is None else pb.PayloadProto(dataType=data.data_type).SerializeToString()
    text = field(pb.PayloadProto.JSON_FIELD_NUMBER, [source.view])
    body = [*field(numbers[1], [data_type, *text]), after]
    whole = b"".join([others, *field(numbers[0], body)])
    source.moved(whole, len(whole) - len(after) - len(source.view))
    return whole


def fill(message: pb.PayloadProto, payload: Payload) -> None:
    """Fills a message in place: assigning one message to another would copy it. No data becomes an empty text."""
    fill_part(message, payload)
    if message.WhichOneof("body") is None:
        message.json = ""


def fill_part(message: pb.PayloadProto, payload: Payload) -> None:
    """Fills a message in place, but adds no body without data: an empty text is no JSON, so readers would fail."""
    if payload.data_type is not None:
        message.dataType = payload.data_type
    if payload.protobuf is not None:
        message.protobuf = payload.protobuf
    elif text := payload.json:
        message.json = text


def part_to_wire(
    request_id: int, part: Payload, request: InstanceRequest, *, start: bool, finish: bool, window: int | None = None
) -> bytes:
    """Returns one message of a request with streamed input; the first one carries config and headers.

    A part without data has no `data` field: instances take any `data` for a part of the input.
    """
    data = pb.PayloadProto()
    fill_part(data, part)
    partial = pb.PartialPredictRequestProto(
        data=None if data.WhichOneof("body") is None else data,
        config=config_to_wire(request.config) if start else None,
        start=start,
        finish=finish,
    )
    headers = request.headers if start else None
    message = pb.GateToServiceProto(requestId=request_id, window=window, partialPredict=partial, headers=headers)
    return message.SerializeToString()


def cancel_to_wire(request_id: int) -> bytes:
    return pb.GateToServiceProto(requestId=request_id, cancel=pb.CancelProto()).SerializeToString()


def flow_to_wire(request_id: int, taken: int) -> bytes:
    return pb.GateToServiceProto(requestId=request_id, flow=pb.FlowProto(taken=taken)).SerializeToString()


def config_to_wire(config: Payload | None) -> pb.PayloadProto:
    """Instances in use refuse a request without a config, so there always is one."""
    return payload_to_wire(_present(config))


def _present(config: Payload | None) -> Payload:
    return EMPTY_CONFIG if config is None or (not config.json and config.protobuf is None) else config


def error_to_wire(error: DomainError) -> pb.ApiErrorProto:
    message = pb.ApiErrorProto(code=error.code, message=error.text, args=error.details)
    message.status = error.status  # type: ignore[assignment]  # an open enum: any HTTP status is a value of it
    return message


def error_from_wire(error: pb.ApiErrorProto, headers: Mapping[str, str]) -> InstanceError:
    """Returns an instance's error. Without a status it has 500; one of no error becomes 502, as over HTTP."""
    args = dict(error.args)
    return InstanceError(
        code=error.code,
        message=filled(error.message, args),
        status=_status_of(error),
        details=args,
        headers=headers,
    )


def _status_of(error: pb.ApiErrorProto) -> int:
    if not error.status:
        return HTTPStatus.INTERNAL_SERVER_ERROR
    return error.status if 400 <= error.status <= 599 else HTTPStatus.BAD_GATEWAY


def filled(message: str, args: Mapping[str, str]) -> str:
    """Returns the message with its `${name}` placeholders replaced, limited in length."""
    text = _PLACEHOLDER.sub(lambda match: args.get(match[1], match[0])[:_MAX_TEXT], message[:_MAX_MESSAGE])
    return text[:_MAX_TEXT]


def bundle_to_wire(messages: Sequence[bytes]) -> bytes:
    """Returns one message that bundles several serialised ones."""
    parts = [piece for message in messages for piece in field(_BUNDLED, [message])]
    return b"".join(field(pb.GateToServiceProto.BUNDLE_FIELD_NUMBER, parts))


def heartbeat(interval_ms: int) -> pb.HeartBeatProto:
    return pb.HeartBeatProto(status=HEARTBEAT_OK, interval=interval_ms)
