"""What an instance says of an error: its own code, text and arguments, in whichever form it says them."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final, NamedTuple, cast

import msgspec

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.large_json import LargeText
from mlpgateway.call.transport import InstanceError
from mlplace_gateproto import codes

MOST_BYTES: Final = 64 * 1024
"""Of the body of an error."""
MOST_TEXT: Final = 2000
_MOST_CODE: Final = 128
_MOST_ARGS: Final = 32
_TEXTS: Final = ("message", "detail", "error", "title", "error_description", "msg")
"""The fields that hold the text, in the platform's own errors and in those of common frameworks (RFC 9457, OpenAI)."""
_NOT_JSON: Final = (msgspec.DecodeError, RecursionError, UnicodeError)
_Fields = dict[str, object]
_object: Final = msgspec.json.Decoder(_Fields)
_STATUS: Final = re.compile(r"[0-9]{3}")
_LEAST_STATUS: Final = HTTPStatus.BAD_REQUEST
_MOST_STATUS: Final = 599
_UnreadField = msgspec.Raw | msgspec.UnsetType
_NAMED: Final = '"error"'
"""Stands in every answer that is an error, as a name or a value, and inside no text: there, quotes are escaped."""
_NAMED_IN_BYTES: Final = re.compile(_NAMED.encode())
_ESCAPED: Final = re.compile(r"\\u00(?:65|72|6[fF])")
"""Stands in an answer that is an error and has not `_NAMED`: JSON may write a letter of `error` as an escape."""
_ESCAPED_IN_BYTES: Final = re.compile(_ESCAPED.pattern.encode())
_MOST_READ: Final = 16 * 1024 * 1024
"""Characters of the parts of one answer that may be errors: about 0.02 s. Beyond them no error is found."""
_LONGEST_EMPTY: Final = 64
"""Bytes. A value that is longer is not empty, nor a name."""


class ErrorText(NamedTuple):
    """Each is empty where the body has none; `status` is then 502."""

    code: str
    text: str
    args: Mapping[str, str]
    status: int = HTTPStatus.BAD_GATEWAY


def said_in(body: bytes) -> ErrorText | None:
    """Returns what a body of JSON says; None for a body that is too large or something other than JSON."""
    if len(body) > MOST_BYTES:
        return None
    try:
        value: object = msgspec.json.decode(body)
    except _NOT_JSON:
        return None
    if not isinstance(value, dict):
        return ErrorText("", _text(value), {})
    return _said_by(cast("_Fields", value))


def error_in(answer: Answer) -> InstanceError | None:
    """Returns the error that an answer holds though its status says success; None if it holds none.

    Model servers such as vLLM, TGI and Ollama send `{"error": …}` in place of a part, since the status is already sent.
    """
    left = _MOST_READ
    for part in (*answer.before, answer.payload):
        if type(part) is not Payload or not part.json or len(part.json) > MOST_BYTES or not _may_name_error(part.json):
            continue
        left -= len(part.json)
        if left < 0:
            return None
        if (error := _error_in(part.json, answer.headers)) is not None:
            return error
    return None


def _error_in(text: str, headers: Mapping[str, str]) -> InstanceError | None:
    try:
        if not _unread.decode(text).names_error:
            return None
        fields = _object.decode(text)
    except _NOT_JSON:
        return None
    said = _said_by(fields)
    return InstanceError(
        code=said.code or codes.INTERNAL_ERROR,
        message=said.text,
        status=said.status,
        details=dict(said.args),
        headers=headers,
    )


def names_error(fields: _Fields) -> bool:
    """Returns whether an answer is an error, by its fields, of which some may be unread. Those of an older form stand
    beside `"object": "error"`.
    """
    error = fields.get("error")
    return fields.get("object") == "error" or bool(_value(error) if isinstance(error, msgspec.Raw) else error)


class Unread(msgspec.Struct, kw_only=True):
    """The fields of an answer that say whether it is an error. Other values of any size may stand in their place."""

    error: _UnreadField = msgspec.UNSET
    object: _UnreadField = msgspec.UNSET

    @property
    def names_error(self) -> bool:
        """Whether `names_error` is true of the whole answer."""
        return names_error({"error": _value(self.error), "object": _value(self.object)})


_unread: Final = msgspec.json.Decoder(Unread)


def is_error(part: Payload) -> bool:
    """Returns whether a part of an answer of any form names an error."""
    text = part.source.view if type(part) is LargeText else part.json or ""
    if not _may_name_error(text):
        return False
    try:
        return _unread.decode(text).names_error
    except _NOT_JSON:
        return False


def _may_name_error(text: str | memoryview) -> bool:
    """Returns False for most answers that are no errors, without reading them as JSON."""
    if isinstance(text, str):
        return _NAMED in text or _ESCAPED.search(text) is not None
    return bool(_NAMED_IN_BYTES.search(text) or _ESCAPED_IN_BYTES.search(text))


def _value(unread: _UnreadField) -> object:
    """Returns the value, of a long one only that it is there: it is not empty."""
    if isinstance(unread, msgspec.UnsetType):
        return None
    if len(memoryview(unread)) > _LONGEST_EMPTY:
        return True
    try:
        return msgspec.json.decode(unread)
    except _NOT_JSON:  # such as a number beyond 64 bits
        return True


def _inner(fields: _Fields) -> _Fields:
    """Returns the fields of the error itself, which OpenAI's form has in `error`."""
    inner = fields.get("error")
    return cast("_Fields", inner) if isinstance(inner, dict) else fields


def _said_by(whole: _Fields) -> ErrorText:
    fields = _inner(whole)
    text = next((found for name in _TEXTS if (found := _text(fields.get(name)))), "")
    code = _number_in(fields.get("code"))
    own = code[:_MOST_CODE] if isinstance(code, str) else ""
    return ErrorText(own, text or _text(fields), _args(fields.get("args")), _status_of(fields, whole))


def _status_of(*places: _Fields) -> int:
    """Returns the status that a model server would have answered with, of several places the first that says one."""
    told = (_number_in(fields.get(name)) for fields in places for name in ("code", "status"))
    return next(
        (value for value in told if isinstance(value, int) and _LEAST_STATUS <= value <= _MOST_STATUS),
        HTTPStatus.BAD_GATEWAY,
    )


def _number_in(value: object) -> object:
    """Returns a status that is a text as the number, and any other value as it is: LiteLLM sends the code as a text."""
    return int(value) if isinstance(value, str) and _STATUS.fullmatch(value) else value


def _text(value: object) -> str:
    """Returns a text as it is, and another value as JSON, shortened; empty for nothing."""
    if not value:
        return ""
    return (value if isinstance(value, str) else msgspec.json.encode(value).decode())[:MOST_TEXT]


def _args(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict):
        return {}
    given = list(cast("_Fields", value).items())[:_MOST_ARGS]
    return {name[:_MOST_CODE]: _text(item) for name, item in given}
