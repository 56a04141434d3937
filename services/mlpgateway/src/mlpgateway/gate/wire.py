"""Between the messages of the gate protocol and the gateway's own vocabulary."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NoReturn, Protocol, TypeVar

import grpc
from google.protobuf.message import DecodeError

from mlpgateway.proxy.call import Operation, Payload
from mlpgateway.proxy.transport import InstanceError, InstanceRequest
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.limits import HEARTBEAT_OK
from mlplace_kit.errors import DomainError, MalformedRequest

EMPTY_CONFIG: Final = Payload(json="{}")

_PLACEHOLDER = re.compile(r"\$\{(\w{1,64})\}")
_MAX_MESSAGE = 4096
_MAX_TEXT = 16_384


class _Aborts(Protocol):
    async def abort(self, code: grpc.StatusCode, details: str = "") -> NoReturn: ...


_Request = TypeVar("_Request", pb.ClientRequestProto, pb.ClientTtsRequestProto, pb.ClientAsrRequestProto)
_Context = TypeVar("_Context", bound=_Aborts)
_Response = TypeVar("_Response")


def parsed(kind: type[_Request], data: bytes) -> _Request:
    """Raises MalformedRequest."""
    try:
        return kind.FromString(data)
    except DecodeError:
        raise MalformedRequest(reason=f"not a {kind.DESCRIPTOR.name}") from None


def parsing(
    kind: type[_Request], serve: Callable[[_Request, _Context], Awaitable[_Response]]
) -> Callable[[bytes, _Context], Awaitable[_Response]]:
    """For requests of one message. What cannot be parsed is answered, but no failure of ours: it leaves no trace."""

    async def parse_and_serve(data: bytes, context: _Context) -> _Response:
        try:
            request = parsed(kind, data)
        except MalformedRequest as error:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, error.text)
        return await serve(request, context)

    return parse_and_serve


def payload_to_wire(payload: Payload) -> pb.PayloadProto:
    if payload.protobuf is not None:
        return pb.PayloadProto(dataType=payload.data_type, protobuf=payload.protobuf)
    return pb.PayloadProto(dataType=payload.data_type, json=payload.json or "")


def payload_from_wire(message: pb.PayloadProto) -> Payload:
    data_type = message.dataType if message.HasField("dataType") else None
    if message.HasField("protobuf"):
        return Payload(protobuf=message.protobuf, data_type=data_type)
    if message.HasField("json"):
        return Payload(json=message.json, data_type=data_type)
    return Payload(data_type=data_type)


def request_to_wire(request_id: int, request: InstanceRequest) -> pb.GateToServiceProto:
    if request.operation is Operation.EXT:
        params = {name: payload_to_wire(value) for name, value in request.params.items()}
        ext = pb.ExtendedRequestProto(methodName=request.method_name or "", params=params)
        return pb.GateToServiceProto(requestId=request_id, ext=ext, headers=request.headers)
    predict = pb.PredictRequestProto(
        data=payload_to_wire(request.data or Payload()), config=config_to_wire(request.config)
    )
    return pb.GateToServiceProto(requestId=request_id, predict=predict, headers=request.headers)


def part_to_wire(
    request_id: int, part: Payload, request: InstanceRequest, *, start: bool, finish: bool
) -> pb.GateToServiceProto:
    """One message of a request whose input comes in parts; config and headers ride on the first."""
    partial = pb.PartialPredictRequestProto(
        data=payload_to_wire(part),
        config=config_to_wire(request.config) if start else None,
        start=start,
        finish=finish,
    )
    headers = request.headers if start else None
    return pb.GateToServiceProto(requestId=request_id, partialPredict=partial, headers=headers)


def config_to_wire(config: Payload | None) -> pb.PayloadProto:
    """Services in use refuse a request without a config, so there always is one."""
    if config is None or (not config.json and config.protobuf is None):
        config = EMPTY_CONFIG
    return payload_to_wire(config)


def error_to_wire(error: DomainError) -> pb.ApiErrorProto:
    message = pb.ApiErrorProto(code=error.code, message=error.text, args=error.details)
    message.status = error.status  # type: ignore[assignment]  # an open enum: any HTTP status is a value of it
    return message


def error_from_wire(error: pb.ApiErrorProto, headers: Mapping[str, str]) -> InstanceError:
    """An error of an instance. What is not an HTTP error status counts as 500."""
    args = dict(error.args)
    return InstanceError(
        code=error.code,
        message=filled(error.message, args),
        status=error.status if 400 <= error.status <= 599 else 500,
        details=args,
        headers=headers,
    )


def filled(message: str, args: Mapping[str, str]) -> str:
    """The message with its `${name}` placeholders filled, within a bounded length."""
    text = _PLACEHOLDER.sub(lambda match: args.get(match[1], match[0])[:_MAX_TEXT], message[:_MAX_MESSAGE])
    return text[:_MAX_TEXT]


def heartbeat(interval_ms: int) -> pb.HeartBeatProto:
    return pb.HeartBeatProto(status=HEARTBEAT_OK, interval=interval_ms)
