"""Translates between client messages and calls."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from msgspec.structs import replace

from mlpgateway.call.call import Answer, Call, Caller, Content, InputPart, Operation, Payload
from mlpgateway.call.context import check_priorities
from mlpgateway.call.headers import ABOUT_MONEY
from mlpgateway.call.json_bodies import checked_type, json_in
from mlpgateway.call.large_json import LargeText, payload_of
from mlpgateway.features.idempotency.fingerprints import RequestParts
from mlpgateway.instances.grpc import wire
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto import headers as names
from mlplace_kit.credentials import parse_credential
from mlplace_kit.errors import DomainError, MalformedRequest, ValidationFailed
from mlplace_kit.ids import new_request_id
from mlplace_kit.money import exact
from mlplace_kit.prices import least_max_price
from mlplace_kit.violations import broken, two_values
from mlplace_runtime.web.errors import error_headers

_REQUEST_ID = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")
_TRACE_PARENT = "traceparent"
_MAX_PRICE = names.MAX_PRICE.lower()
_BILLING_KEY = names.BILLING_KEY.lower()
_CONTENT_HIDDEN = names.CONTENT_HIDDEN.lower()
_PRIORITY = names.PRIORITY.lower()
_OF_METADATA = frozenset({_MAX_PRICE, _BILLING_KEY, _CONTENT_HIDDEN, _PRIORITY})
_MAX_HEADERS = 64
_MAX_HEADER = 8192

# Headers that callers must not get: what an instance reports to the gate about money, and keys that a caller lent it.
_KEPT_FROM_CALLERS = ABOUT_MONEY | {names.BILLING_KEY.lower(), names.API_KEY.lower()}
# Headers that only the gate may send to an instance, or an instance to the gate. From a caller they are dropped.
_NOT_FROM_CALLERS = (_KEPT_FROM_CALLERS - {names.BILLING_KEY.lower()}) | frozenset(
    name.lower()
    for name in (
        names.CALLER_ACCOUNT_ID,
        names.API_KEY_NAME,
        names.BILLING_KEY_NAME,
        names.BILLING_ACCOUNT_ID,
        names.BILLING_USER_ID,
        names.ORIGIN_ACCOUNT_ID,
        names.ORIGIN_API_KEY_NAME,
        names.SERVER_TIME,
    )
)


_EXT = (pb.ClientResponseProto.EXT_FIELD_NUMBER, pb.ExtendedResponseProto.DATA_FIELD_NUMBER)
_PART = (pb.ClientResponseProto.PARTIALPREDICT_FIELD_NUMBER, pb.PartialPredictResponseProto.DATA_FIELD_NUMBER)
_WHOLE = (pb.ClientResponseProto.PREDICT_FIELD_NUMBER, pb.PredictResponseProto.DATA_FIELD_NUMBER)


class Addressed(Protocol):
    """The common fields of client requests."""

    account: str
    model: str
    authToken: str  # noqa: N815  the name on the wire


def call_of(
    request: pb.ClientRequestProto,
    *,
    data: Payload | None,
    request_id: str,
    client_ip: str,
    trace_parent: str | None = None,
    metadata: Iterable[tuple[str, str | bytes]] | None = None,
) -> Call:
    """Returns the call. `data` is None when it is streamed. Raises MalformedRequest, ValidationFailed."""
    if request.timeoutSec < 0:
        raise ValidationFailed({"timeoutSec": broken("at_least", min="0")})
    headers = headers_to_instance(with_metadata(request.headers, metadata), request_id)
    content = _content(request, data)
    return Call(
        request_id=request_id,
        account=request.account,
        model=request.model,
        operation=content.operation,
        caller=caller_of(request, headers=headers, client_ip=client_ip),
        data=content.data,
        config=content.config,
        method_name=content.method_name,
        params=content.params,
        headers=headers,
        timeout_seconds=float(request.timeoutSec) if request.timeoutSec else None,
        trace_parent=trace_parent,
    )


def identifying(asked: wire.GrpcRequest) -> RequestParts:
    """Returns what identifies a request: all but who calls, its headers and its timeout."""
    request = pb.ClientRequestProto()
    request.CopyFrom(asked.message)
    for name in ("authToken", "headers", "timeoutSec"):
        request.ClearField(name)
    message = request.SerializeToString(deterministic=True)
    if asked.text is None:
        return b"process\n", message
    return b"process %d\n" % len(message), message, asked.text


def _content(request: pb.ClientRequestProto, data: Payload | None) -> Content:
    match request.WhichOneof("body"):
        case "predict":
            return _prediction(request.predict, data)
        case "partialPredict":
            return _prediction(request.partialPredict, data)
        case "ext":
            ext = request.ext
            params = {name: _of_known_type(f"params.{name}", value) for name, value in ext.params.items()}
            return Content(Operation.EXT, method_name=ext.methodName, params=params)
        case _:
            raise MalformedRequest(reason="it carries no request")


def _prediction(body: pb.PredictRequestProto | pb.PartialPredictRequestProto, data: Payload | None) -> Content:
    config = _checked("config", body.config) if body.HasField("config") else None
    return Content(Operation.PREDICT, data=data, config=config)


def data_of(asked: wire.GrpcRequest) -> Payload | None:
    """Returns the data of a prediction; None for another operation. Raises ValidationFailed.

    A LargeText is not looked at: whether it is JSON is for `read_data` to say.
    """
    match asked.message.WhichOneof("body"):
        case "predict":
            message = asked.message.predict.data
        case "partialPredict":
            message = asked.message.partialPredict.data
        case _:
            return None
    if asked.text is not None and type(payload := _of_known_type("data", message, asked.text)) is LargeText:
        return payload
    payload = _checked("data", message)
    return payload if payload.json is None else payload_of(payload.json, payload.data_type)


def input_part(message: pb.PayloadProto, *, last: bool) -> InputPart:
    """Returns one part of a request's data. Raises ValidationFailed."""
    payload = _checked("data", message)
    return InputPart(payload.json, payload.protobuf, payload.data_type, last)


def _checked(name: str, message: pb.PayloadProto) -> Payload:
    """Returns the payload. An empty text stands for no data. Raises ValidationFailed."""
    payload = _of_known_type(name, message)
    text = json_in(name, payload.json) if payload.json else payload.json
    return payload if text is payload.json else replace(payload, json=text)


def _of_known_type(name: str, message: pb.PayloadProto, text: memoryview | None = None) -> Payload:
    """Raises ValidationFailed for a type of data that no caller may name. `text` was cut out of the request."""
    payload = wire.payload_from_wire(message, text)
    checked_type(payload.data_type, f"{name}.dataType")
    return payload


def caller_of(request: Addressed, *, headers: Mapping[str, str], client_ip: str) -> Caller:
    """Returns the caller. Raises ValidationFailed for a maximum price that is not an amount, and for several payers."""
    token = request.authToken or None
    told = [value for name, value in headers.items() if name.lower() == _MAX_PRICE]
    payer = _only_payer({value for name, value in headers.items() if name.lower() == _BILLING_KEY})
    return Caller(
        credential=token,
        credential_is_session=token is not None and parse_credential(token) is None,
        billing_key=payer,
        client_ip=client_ip,
        max_price_nano=least_max_price(told, field=names.MAX_PRICE) if told else None,
    )


def credential_caller(token: str, client_ip: str) -> Caller:
    """Returns a caller of whom only the credential and the address are known."""
    return Caller(
        credential=token, credential_is_session=parse_credential(token) is None, billing_key=None, client_ip=client_ip
    )


def headers_to_instance(given: Mapping[str, str], request_id: str) -> dict[str, str]:
    """Returns the headers of the protocol that a caller may send. Raises MalformedRequest."""
    kept = {name: value for name, value in given.items() if _is_callers(name)}
    if len(kept) > _MAX_HEADERS or any(len(value) > _MAX_HEADER for value in kept.values()):
        raise MalformedRequest(reason="it carries too many or too large headers")
    return {**kept, names.REQUEST_ID: request_id}


def _is_callers(name: str) -> bool:
    lower = name.lower()
    return lower.startswith(("z-", "mlp-", "content-hidden")) and lower not in _NOT_FROM_CALLERS and len(name) <= 128


def headers_to_caller(given: Mapping[str, str], request_id: str) -> dict[str, str]:
    """Returns the instance's headers without those about money, and always the caller's request id."""
    kept = {name: value for name, value in given.items() if name.lower() not in _KEPT_FROM_CALLERS}
    return {**kept, names.REQUEST_ID: request_id}


def response_of(answer: Answer, *, operation: Operation, request_id: str) -> pb.ClientResponseProto:
    response = pb.ClientResponseProto(headers=headers_to_caller(answer.headers, request_id))
    if operation is Operation.EXT:
        wire.fill(response.ext.data, answer.payload)
    elif answer.partial:
        part = response.partialPredict
        part.start, part.finish = answer.first, answer.last
        wire.fill_part(part.data, answer.payload)
    else:
        wire.fill(response.predict.data, answer.payload)
    return response


def response_to_wire(answer: Answer, *, operation: Operation, request_id: str) -> bytes:
    payload = answer.payload
    if type(payload) is not LargeText:
        return response_of(answer, operation=operation, request_id=request_id).SerializeToString()
    others = pb.ClientResponseProto(headers=headers_to_caller(answer.headers, request_id)).SerializeToString()
    if operation is Operation.EXT:
        return wire.around(payload, _EXT, others, b"")
    if answer.partial:
        marks = pb.PartialPredictResponseProto(start=answer.first, finish=answer.last)
        return wire.around(payload, _PART, others, marks.SerializeToString())
    return wire.around(payload, _WHOLE, others, b"")


def error_response(error: DomainError, request_id: str) -> pb.ClientResponseProto:
    """Returns the error as a message, whose headers are those that the error has over HTTP."""
    headers = headers_to_caller(error_headers(error), request_id)
    return pb.ClientResponseProto(error=wire.error_to_wire(error), headers=headers)


def request_id_of(headers: Mapping[str, str]) -> str:
    """Returns the caller's id if it is safe to log, else a new one."""
    given = headers.get(names.REQUEST_ID, "")
    return given if _REQUEST_ID.fullmatch(given) else new_request_id()


def trace_parent_of(headers: Mapping[str, str], metadata: Iterable[tuple[str, str | bytes]] | None) -> str | None:
    """Returns the trace parent of the message, else that of the metadata, which the edge sets for untraced calls."""
    given = headers.get(_TRACE_PARENT)
    return given or next(
        (value for name, value in metadata or () if name == _TRACE_PARENT and isinstance(value, str)), None
    )


def with_metadata(headers: Mapping[str, str], metadata: Iterable[tuple[str, str | bytes]] | None) -> Mapping[str, str]:
    """Returns the headers with those of the metadata that say how to serve a call.

    Of several prices the least one counts, and `content-hidden` if one of them asks for it; the message's own priority
    takes precedence. Raises ValidationFailed for a price that is no amount, for several payers, and for a priority that
    is no whole number, in the message, too.
    """
    check_priorities(value for name, value in headers.items() if name.lower() == _PRIORITY)
    given = [(name, value) for name, value in metadata or () if name in _OF_METADATA and isinstance(value, str)]
    if not given:
        return headers
    given = [*((lower, value) for name, value in headers.items() if (lower := name.lower()) in _OF_METADATA), *given]
    others = {name: value for name, value in headers.items() if name.lower() not in _OF_METADATA}
    said = {name: [value for other, value in given if other == name] for name in _OF_METADATA}
    check_priorities(said[_PRIORITY])
    least = least_max_price(said[_MAX_PRICE], field=names.MAX_PRICE)
    told = {
        names.BILLING_KEY: _only_payer(set(said[_BILLING_KEY])),
        names.MAX_PRICE: None if least is None else exact(least),
        names.CONTENT_HIDDEN: "true" if "true" in map(str.lower, said[_CONTENT_HIDDEN]) else None,
        names.PRIORITY: next(iter(said[_PRIORITY]), None),
    }
    return others | {name: value for name, value in told.items() if value is not None}


def _only_payer(keys: Collection[str]) -> str | None:
    """Raises ValidationFailed for several keys."""
    if len(keys) > 1:
        raise ValidationFailed({names.BILLING_KEY: two_values()})
    return next(iter(keys), None)
