"""JSON objects of requests and answers, read field by field. Fields that an adapter does not know stay unchanged."""

from collections.abc import Iterable, Mapping
from typing import Final, Self, TypeVar, cast

import msgspec

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.error_bodies import Unread, names_error
from mlpgateway.call.json_bodies import read_fields
from mlpgateway.call.json_text import values_in
from mlpgateway.call.large_json import LARGE_BYTES, LargeText, TextBuffer
from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.large_bodies.memory import SharedBody
from mlpgateway.errors.gate import AN_ERROR, UnexpectedAnswer
from mlpgateway.policy.access.model_directory import ModelReference
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken

Raw = Mapping[str, msgspec.Raw]
Object = dict[str, object]

_MOST_OBJECTS: Final = 100_000
_NULL: Final = msgspec.Raw(b"null")
_FEW: Final = 5000
"""Colons. An object has at most as many fields; one with more is parsed in the reading process."""
_MOST_NUMBER: Final = 64
"""The most characters of a JSON number, `true` or `false`."""
_BEYOND: Final = object()
_Kind = TypeVar("_Kind", str, bool, int)
_Read = TypeVar("_Read")
_KINDS: Mapping[type, str] = {str: "a text", bool: "true or false", int: "a whole number"}
_EXPECTED: Mapping[type, str] = {str: "text", bool: "boolean", int: "integer"}


class Fields:
    """The fields of a request. Each is taken once; the others are passed on. `null` counts as absent."""

    def __init__(self, given: Raw) -> None:
        self._fields = {name: value for name, value in given.items() if value != _NULL}

    @classmethod
    async def of(cls, incoming: AdapterRequest) -> Self:
        """Raises MalformedRequest, ValidationFailed, Unavailable."""
        body = incoming.body
        if not isinstance(body, SharedBody):
            if cls.are_few(body):
                return cls(read_fields(body))
            body = SharedBody.of(body)
        return cls(await incoming.large_bodies.fields(body))

    @staticmethod
    def are_few(body: bytes) -> bool:
        """Returns whether the body may be read at once, by its colons."""
        return body.count(b":") <= _FEW

    def model(self) -> ModelReference:
        """Raises ValidationFailed."""
        return ModelReference.parse(self.required("model", str))

    def required(self, name: str, kind: type[str]) -> str:
        """Raises ValidationFailed."""
        value = self.take(name, kind)
        if value is None:
            raise ValidationFailed({name: broken("required")})
        return value

    def take(self, name: str, kind: type[_Kind]) -> _Kind | None:
        """Raises ValidationFailed for another type."""
        raw = self._fields.pop(name, None)
        if raw is None:
            return None
        if type(value := _scalar(raw)) is not kind:
            raise ValidationFailed(
                {name: broken("wrong_type", message=f"must be {_KINDS[kind]}", expected=_EXPECTED[kind])}
            )
        return value

    def expect_no_stream(self) -> None:
        """Raises ValidationFailed for a caller who asks an adapter for a stream that has none."""
        if self.take("stream", bool):
            raise ValidationFailed({"stream": broken("not_streamed")})

    def is_number(self, name: str, number: float) -> bool:
        """Raises ValidationFailed for a number beyond a double, which no model could read."""
        raw = self._fields.get(name)
        value = None if raw is None else _scalar(raw)
        if value is _BEYOND:
            raise ValidationFailed({name: broken("number_too_large")})
        return value == number

    def raw(self, name: str) -> msgspec.Raw | None:
        return self._fields.pop(name, None)

    def others(self) -> Mapping[str, msgspec.Raw]:
        """Returns the fields that were not taken."""
        return self._fields

    def rest(self) -> Payload | None:
        """Returns the fields that were not taken as a config; None when there are none."""
        return payload_of(self._fields) if self._fields else None


def _scalar(raw: msgspec.Raw) -> object:
    """Returns the value if it may be a scalar, else None: no list of millions is built just to refuse it.

    A number beyond a double, which is JSON, yields _BEYOND.
    """
    view = memoryview(raw)
    if bytes(view[:1]) != b'"' and len(view) > _MOST_NUMBER:
        return None
    try:
        return msgspec.json.decode(raw)
    except msgspec.ValidationError:
        return _BEYOND


def payload_of(fields: Mapping[str, object]) -> Payload:
    """Returns the fields as a payload. Large ones stay bytes: decoding would cost time and memory."""
    text = msgspec.json.encode(fields)
    return Payload(json=text.decode()) if len(text) < LARGE_BYTES else LargeText(source=TextBuffer(text))


class AnyObject(msgspec.Struct, gc=False):
    """A JSON object, whatever its fields: the decoder skips them."""


class _WithData(Unread, kw_only=True):
    data: msgspec.Raw


_with_data: Final = msgspec.json.Decoder(_WithData)
list_of_objects: Final = msgspec.json.Decoder(list[AnyObject])
_NO_DATA: Final = "JSON without a list of data"


def decoded_answer(
    decoder: "msgspec.json.Decoder[_Read]", text: bytes | memoryview | msgspec.Raw, endpoint: str, problem: str
) -> _Read:
    """Returns what a model answered. Raises UnexpectedAnswer, with `problem` for JSON of another form."""
    try:
        return decoder.decode(text)
    except msgspec.ValidationError:
        raise UnexpectedAnswer(operation=endpoint, kind=problem) from None
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        raise UnexpectedAnswer(operation=endpoint, kind="something other than JSON") from None


def text_in(payload: Payload) -> bytes | memoryview:
    """Returns the JSON text of an answer. That of a large one is not copied."""
    return payload.source.view if type(payload) is LargeText else (payload.json or "").encode()


def expect_few_objects(items: msgspec.Raw, endpoint: str) -> None:
    """Raises UnexpectedAnswer for so many that a list of them would take long to build."""
    if values_in(memoryview(items), _MOST_OBJECTS, marks=(b"{",)) > _MOST_OBJECTS:
        raise UnexpectedAnswer(operation=endpoint, kind=f"a list of more than {_MOST_OBJECTS} objects")


def with_data(answer: Answer, endpoint: str) -> Answer:
    """Returns the answer as it is. Raises UnexpectedAnswer unless it is an object with a list of objects as `data`, and
    for an error.
    """
    body = decoded_answer(_with_data, text_in(answer.payload), endpoint, _NO_DATA)
    expect_few_objects(body.data, endpoint)
    decoded_answer(list_of_objects, body.data, endpoint, _NO_DATA)
    if body.names_error:
        raise UnexpectedAnswer(operation=endpoint, kind=AN_ERROR)
    return answer


def expect_no_error(body: Object, endpoint: str) -> None:
    """Raises UnexpectedAnswer for an answer that names an error, whatever else it has."""
    if names_error(body):
        raise UnexpectedAnswer(operation=endpoint, kind=AN_ERROR)


def list_of(body: Object, name: str, endpoint: str) -> list[Object]:
    """Returns the items of the field. Raises UnexpectedAnswer for anything but a list of objects."""
    items = body.get(name)
    found = objects(items)
    if not isinstance(items, list) or len(found) != len(cast("list[object]", items)):
        raise UnexpectedAnswer(operation=endpoint, kind=f"JSON without a list of {name}")
    return found


def objects(value: object) -> list[Object]:
    """Returns the items of a list that are objects; empty for anything but a list."""
    if not isinstance(value, list):
        return []
    items = cast("Iterable[object]", value)
    return [cast("Object", item) for item in items if isinstance(item, dict)]


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def with_payload(answer: Answer, value: Mapping[str, object]) -> Answer:
    return Answer(payload_of(value), answer.headers, answer.first, answer.last, answer.partial)
