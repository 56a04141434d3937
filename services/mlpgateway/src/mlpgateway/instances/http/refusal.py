"""What an instance says with an error status: its own code, text and arguments, in whichever form it says them."""

import re
from collections.abc import Mapping
from typing import Final, cast

import msgspec

from mlpgateway.call.transport import InstanceError
from mlpgateway.instances.http.client.framing import Headers
from mlpgateway.instances.http.headers import of_protocol
from mlplace_gateproto import codes
from mlplace_gateproto.headers import RETRY_AFTER

MOST_BYTES: Final = 64 * 1024
"""Of the body of an error."""
_MOST_TEXT: Final = 2000
_TEXT: Final = "text/plain"
"""A body of this kind may be JSON all the same."""
_MOST_CODE: Final = 128
_MOST_ARGS: Final = 32
_TEXTS: Final = ("message", "detail", "error", "title", "error_description", "msg")
"""The fields that hold the text, in the platform's own errors and in those of common frameworks (RFC 9457, OpenAI)."""
_SPACE: Final = re.compile(r"\s+")


def refusal_of(status: int, headers: Headers, kind: str, body: bytes) -> InstanceError:
    """`kind` is the media type. The status is kept; one that is no error becomes 502."""
    code, text, args = _said(kind, body)
    return InstanceError(
        code=code or codes.INTERNAL_ERROR,
        message=text[:_MOST_TEXT] or f"the instance answered {status}",
        status=status if 400 <= status < 600 else 502,
        details=args,
        headers=_headers(headers),
    )


class _Status(msgspec.Struct):
    status: int = 500


def refusal_of_event(data: bytes) -> InstanceError:
    """`data` is that of an event named `error`, with the same fields as the body of an error, and maybe its status."""
    try:
        status = msgspec.json.decode(data, type=_Status).status
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        status = 500
    return refusal_of(status, (), _TEXT, data)


def _headers(headers: Headers) -> Mapping[str, str]:
    told = of_protocol(headers)
    for name, value in headers:
        if name.lower() == RETRY_AFTER.lower().encode():
            told[RETRY_AFTER] = value.decode("latin-1")
    return told


def _said(kind: str, body: bytes) -> tuple[str, str, dict[str, str]]:
    """Returns code, text and arguments; empty where the body has none. Pages for browsers say nothing to programs."""
    if len(body) > MOST_BYTES or "html" in kind:
        return "", "", {}
    try:
        value: object = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return "", _plain(body) if kind.startswith("text/") else "", {}
    if not isinstance(value, dict):
        return "", _text(value), {}
    fields = cast("dict[str, object]", value)
    inner = fields.get("error")
    if isinstance(inner, dict):  # OpenAI's form
        fields = cast("dict[str, object]", inner)
    text = next((found for name in _TEXTS if (found := _text(fields.get(name)))), "")
    code = fields.get("code")
    return (code if isinstance(code, str) else "")[:_MOST_CODE], text or _text(fields), _args(fields.get("args"))


def _text(value: object) -> str:
    """Returns a text as it is, and another value as JSON; empty for nothing."""
    if not value:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _plain(body: bytes) -> str:
    try:
        return _SPACE.sub(" ", body.decode()).strip()
    except UnicodeDecodeError:
        return ""


def _args(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    given = list(cast("dict[str, object]", value).items())[:_MOST_ARGS]
    return {name[:_MOST_CODE]: _text(item)[:_MOST_TEXT] for name, item in given}
