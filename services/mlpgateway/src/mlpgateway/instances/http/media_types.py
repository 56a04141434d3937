"""What an instance declares its answer to be: one decision for all answers that the gate reads.

JSON types are those of the WHATWG MIME Sniffing Standard (section 4.6). A type that names JSON in another form, such as
`application/json-seq` (RFC 7464), is refused: the gate could not tell whether its bytes are what they claim to be.
"""

import re
from enum import Enum, auto
from typing import Final, NamedTuple

from mlpgateway.errors.calls import BrokenAnswer
from mlpgateway.instances.http.client.framing import Headers
from mlplace_runtime.web.content_codings import is_coded

_JSON: Final = frozenset({"application/json", "text/json"})
_SUFFIX: Final = "+json"
_EVENTS: Final = "text/event-stream"
_LINES: Final = frozenset({"ndjson", "x-ndjson", "jsonl", "x-jsonl", "jsonlines", "x-jsonlines"})
"""Subtypes of lines of JSON: none is registered, so each writer has its own."""
_KINDS_OF_LINES: Final = ("application", "text")
_TOKEN: Final = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_VALUE: Final = re.compile(rb"(?P<type>%b/%b)[ \t]*(?:;(?P<parameters>.*))?" % (_TOKEN, _TOKEN))
"""RFC 9110, section 8.3.1; nothing in the parameters matters here but whether a list hides in them."""
_QUOTED: Final = re.compile(rb'"(?:[^"\\]|\\.?)*+"?')
"""It matches at every quote, so no value is searched twice; one without its end goes to the end, as in the standard."""
_MOST_SHOWN: Final = 100


class Form(Enum):
    """How a body is read."""

    JSON = auto()
    EVENTS = auto()
    LINES = auto()
    BYTES = auto()


class Declared(NamedTuple):
    """`media_type` is in lower case, without parameters; None: the instance declares none."""

    form: Form
    media_type: str | None


def declared_by(headers: Headers) -> Declared:
    """Raises BrokenAnswer for a Content-Type that is not one media type, for one of JSON that is not read here, and for
    a body with a coding: the gate asks for none, and reads none.
    """
    if is_coded(headers):
        raise BrokenAnswer(reason="it has a Content-Encoding")
    values = _values(headers)
    if len(values) > 1:
        raise BrokenAnswer(reason="it has several Content-Type headers")
    if not values or not values[0]:
        return Declared(Form.BYTES, None)
    found = _VALUE.fullmatch(values[0])
    if found is None or b"," in _QUOTED.sub(b"", found["parameters"] or b""):
        raise BrokenAnswer(reason="its Content-Type is not one media type")
    media_type = found["type"].decode("ascii").lower()
    return Declared(_form_of(media_type), media_type)


def media_type_of_error(headers: Headers) -> str:
    """Returns the first media type in lower case; empty for none. An error stays one whatever type it declares."""
    return next((value.partition(b";")[0].strip().lower().decode("latin-1") for value in _values(headers)), "")


def _values(headers: Headers) -> list[bytes]:
    return [value.strip(b" \t") for name, value in headers if name.lower() == b"content-type"]


def _form_of(media_type: str) -> Form:
    """Raises BrokenAnswer."""
    if media_type in _JSON or media_type.endswith(_SUFFIX):
        return Form.JSON
    if media_type == _EVENTS:
        return Form.EVENTS
    kind, _, subtype = media_type.partition("/")
    if kind in _KINDS_OF_LINES and subtype in _LINES:
        return Form.LINES
    if "json" in subtype:
        known = "use application/json, application/x-ndjson or text/event-stream"
        raise BrokenAnswer(reason=f"its type {media_type[:_MOST_SHOWN]} is not supported; {known}")
    return Form.BYTES
