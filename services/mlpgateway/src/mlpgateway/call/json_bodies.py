"""Reads request bodies. Payloads stay JSON text: the gate checks their syntax and builds no objects from them.

A byte order mark before the text is left out, here and by the other services (RFC 8259, section 8.1).
"""

import re
from collections.abc import Callable
from itertools import islice
from typing import Annotated, Final, TypeVar

import msgspec
from msgspec.structs import replace

from mlpgateway.call.call import Content, Operation, Payload
from mlpgateway.call.json_text import is_json
from mlpgateway.call.large_json import LARGE_BYTES, LargeText, TextBuffer, is_utf8, payload_of
from mlpgateway.call.query_fields import read_query
from mlplace_kit.errors import DomainError, MalformedRequest, ValidationFailed
from mlplace_kit.json_text import BYTE_ORDER_MARK, HALF_A_PAIR, MOST_DEPTH, TOO_DEEP, Text, why_not_json
from mlplace_kit.violations import Violation, broken

_MOST_DATA_TYPE = 256
_MARK: Final = BYTE_ORDER_MARK.decode()
MOST_FIELDS: Final = 1000
"""The most parameters of a method and fields of an adapter's request. Millions of them would block the event loop."""
_MOST_NAMES: Final = 500_000
_MANY: Final = 64 * 1024
"""Bytes. A smaller body cannot hold enough fields to matter."""
_PIECE: Final = 256 * 1024
_NAME_END = re.compile(rb'"\s*:')
_PROBLEM = re.compile(r"(?P<problem>.*?)(?: - at `\$\.?(?P<path>.*)`)?", re.DOTALL)
_NAMED_FIELD = re.compile(r"Object (?P<what>missing required|contains unknown) field `(?P<name>.*)`", re.DOTALL)


Body = bytes | bytearray | memoryview
Read = Callable[[Body, bytes], Content]


class _WithConfig(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    data: msgspec.Raw
    config: msgspec.Raw = msgspec.Raw()
    data_type: str | None = None


class _WithConfigAsText(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    data: str
    config: str | None = None
    data_type: str | None = None


class _Method(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    method_name: str
    params: Annotated[dict[str, str], msgspec.Meta(max_length=MOST_FIELDS)] = {}


class _RawParams(msgspec.Struct):
    params: Annotated[dict[str, msgspec.Raw], msgspec.Meta(max_length=MOST_FIELDS)] = {}


_DATA_TYPE, _CONFIG_ID = "dataType", "configId"
QUERY_FIELDS: Final = (_DATA_TYPE, _CONFIG_ID)
"""The fields of a query that a call reads."""
_Read = TypeVar("_Read")
_any = msgspec.json.Decoder(msgspec.Raw)
_with_config = msgspec.json.Decoder(_WithConfig)
_with_config_as_text = msgspec.json.Decoder(_WithConfigAsText)
_method = msgspec.json.Decoder(_Method)
_raw_params = msgspec.json.Decoder(_RawParams)
_fields = msgspec.json.Decoder(Annotated[dict[str, msgspec.Raw], msgspec.Meta(max_length=MOST_FIELDS)])


def read_predict(body: Body, query: bytes) -> Content:
    """Reads a body that is the model's request itself. Raises MalformedRequest, ValidationFailed."""
    body = without_mark(body)
    data = Payload(json=_text(body)) if len(body) < LARGE_BYTES else _large(body)
    decoded(_any, body)
    if not query:
        return Content(Operation.PREDICT, data)
    values = read_query(query, QUERY_FIELDS)
    data = replace(data, data_type=checked_type(values.get(_DATA_TYPE)))
    return Content(Operation.PREDICT, data, config_id=_config_id(values.get(_CONFIG_ID)))


def without_mark(body: Body) -> Body:
    """Returns the body without a byte order mark."""
    if body[:3] != BYTE_ORDER_MARK:
        return body
    return memoryview(body)[3:] if len(body) >= LARGE_BYTES else bytes(body[3:])


def _large(body: Body) -> LargeText:
    _check_text(body)
    return LargeText(source=TextBuffer(body))


def read_with_config(body: Body, _query: bytes) -> Content:
    """Reads a body that contains data and config as JSON. Raises MalformedRequest, ValidationFailed."""
    body = without_mark(body)
    _check_text(body)
    read = decoded(_with_config, body)
    config = bytes(read.config).decode()
    return Content(
        Operation.PREDICT,
        _within(read.data, checked_type(read.data_type)),
        Payload(json=config) if config not in {"", "null"} else None,
    )


def _within(text: msgspec.Raw, data_type: str | None) -> Payload:
    """Returns a part of a checked body as a payload."""
    if len(view := memoryview(text)) >= LARGE_BYTES:
        return LargeText(source=TextBuffer(view), data_type=data_type)
    return Payload(json=bytes(view).decode(), data_type=data_type)


def read_with_config_as_text(body: Body, _query: bytes) -> Content:
    """Reads a body that contains data and config as strings of JSON. Raises MalformedRequest, ValidationFailed."""
    body = without_mark(body)
    _check_text(body)
    read = decoded(_with_config_as_text, body)
    return Content(
        Operation.PREDICT,
        payload_of(json_in("data", read.data), checked_type(read.data_type)),
        Payload(json=json_in("config", read.config)) if read.config is not None else None,
    )


def read_data(body: Body, _query: bytes) -> Content:
    """Reads a large text of a message's field `data`. Raises ValidationFailed."""
    text = without_mark(body)
    if not is_utf8(text):
        raise ValidationFailed({"data": broken("json")})
    _check_json("data", text)
    return Content(Operation.PREDICT, LargeText(source=TextBuffer(text)))


def read_method(body: Body, _query: bytes) -> Content:
    """Reads the call of a method. The values of params stay unchanged. Raises MalformedRequest, ValidationFailed."""
    body = without_mark(body)
    _check_text(body)
    if len(body) >= _MANY and has_many_strings(body, 2 * MOST_FIELDS + 3):
        raise ValidationFailed({"params": broken("too_many", max=str(MOST_FIELDS))})
    try:
        read = decoded(_method, body)
    except ValidationFailed as error:
        raise _wrong_param(body) or error from None
    if not read.method_name or len(read.method_name) > _MOST_DATA_TYPE:
        raise ValidationFailed({"methodName": broken("length", min="1", max=str(_MOST_DATA_TYPE))})
    params = {name: Payload(json=value) for name, value in read.params.items()}
    return Content(Operation.EXT, method_name=read.method_name, params=params)


def _wrong_param(body: Body) -> ValidationFailed | None:
    """Returns the error for the first param that is no text; None if they are not what is wrong with the body."""
    try:
        params = _raw_params.decode(body).params
    except msgspec.MsgspecError:
        return None
    wrong = next((name for name, value in params.items() if bytes(memoryview(value)[:1]) != b'"'), None)
    if wrong is None:
        return None
    told = broken("wrong_type", message="must be text that holds JSON", expected="text")
    return ValidationFailed({f"params.{wrong}": told})


def read_fields(body: Body) -> dict[str, msgspec.Raw]:
    """Returns the fields of a JSON object, each as its text. Raises MalformedRequest, ValidationFailed."""
    body = without_mark(body)
    _check_text(body)
    if len(body) >= _MANY and _has_names(body, _MOST_NAMES):
        raise ValidationFailed({"body": broken("too_many_fields", max=str(MOST_FIELDS))})
    return decoded(_fields, body)


def _has_names(body: Body, number: int) -> bool:
    """Returns whether the body may hold more than `number` field names, in inner objects, too. Builds no objects."""
    return next(islice(_NAME_END.finditer(body), number, None), None) is not None


def has_many_strings(text: Body, most: int) -> bool:
    """Returns whether JSON text has more than `most` strings. Builds no objects.

    The count is a bound: up to twice as many strings may pass, `most` or fewer always do. The first quote of a string
    never follows a backslash, its last quote may: each string counts once or twice. Each piece may add one quote when
    it begins within an escape.
    """
    view, quotes, allowed = memoryview(text), 0, 2 * most
    for at in range(0, len(view), _PIECE):
        piece = bytes(view[at : at + _PIECE])
        quotes += piece.count(b'"') - piece.count(b'\\"')
        allowed += 1
        if quotes > allowed:
            return True
    return False


def _check_text(body: Body) -> None:
    """Raises MalformedRequest unless the body is UTF-8. Does not decode a large body as a whole."""
    if len(body) < LARGE_BYTES:
        _text(body)
    elif not is_utf8(body):
        raise MalformedRequest(reason="not UTF-8")


def _text(body: Body) -> str:
    try:
        return str(body, "utf-8")
    except UnicodeDecodeError:
        raise MalformedRequest(reason="not UTF-8") from None


def decoded(decoder: "msgspec.json.Decoder[_Read]", body: Body) -> _Read:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        # The decoder stops at the first problem; the rest of the body may be no text or no JSON at all.
        _check_text(body)
        raise _invalid(str(error)) if is_json(body) else MalformedRequest(reason=why_not_json(body, is_json)) from None
    except (msgspec.DecodeError, RecursionError):
        raise MalformedRequest(reason=why_not_json(body, is_json)) from None


def json_in(name: str, text: str) -> str:
    """Returns the text of a field without a byte order mark. Raises ValidationFailed, which names the field."""
    text = text.removeprefix(_MARK)
    _check_json(name, text)
    return text


def _check_json(name: str, text: Text) -> None:
    """Raises ValidationFailed, which names the field. Bytes must be UTF-8."""
    if not is_json(text):
        raise ValidationFailed({name: _why_no_json(text)})


def _why_no_json(text: Text) -> Violation:
    reason = why_not_json(text, is_json)
    if reason == TOO_DEEP:
        return broken("json_depth", max=str(MOST_DEPTH))
    return broken("json", message=f"must hold JSON; {HALF_A_PAIR}" if reason == HALF_A_PAIR else None)


def _invalid(message: str) -> DomainError:
    """Returns the decoder's message as a ValidationFailed of field path and problem."""
    found = _PROBLEM.fullmatch(message)
    problem, path = (found["problem"], found["path"] or "") if found else (message, "")
    if named := _NAMED_FIELD.fullmatch(problem):
        path = f"{path}.{named['name']}" if path else named["name"]
        violation = broken("required" if named["what"].startswith("missing") else "unknown_field")
    else:
        violation = broken("invalid", message=problem[:256])
    return ValidationFailed({path or "body": violation})


def checked_type(data_type: str | None, field: str = "dataType") -> str | None:
    """Returns the type of data that a caller named. Instances may answer with it, and then it is stored.

    Raises ValidationFailed.
    """
    if data_type is not None and "\0" in data_type:
        raise ValidationFailed({field: broken("nul_character")})
    if data_type is not None and len(data_type) > _MOST_DATA_TYPE:
        raise ValidationFailed(
            {field: broken("too_long", message=f"use at most {_MOST_DATA_TYPE} characters", max=str(_MOST_DATA_TYPE))}
        )
    return data_type


def _config_id(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ValidationFailed({"configId": broken("id")})
    return int(text)
