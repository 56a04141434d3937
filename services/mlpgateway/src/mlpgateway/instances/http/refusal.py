"""What an instance says with an error status, or in an event named `error`."""

import re
from collections.abc import Mapping
from typing import Final

from mlpgateway.call.error_bodies import MOST_BYTES, MOST_TEXT, ErrorText, said_in
from mlpgateway.call.transport import InstanceError
from mlpgateway.instances.http.client.framing import Headers
from mlpgateway.instances.http.headers import of_answer
from mlplace_gateproto import codes

_TEXT: Final = "text/plain"
"""A body of this kind may be JSON all the same."""
_SPACE: Final = re.compile(r"\s+")


def refusal_of(status: int, headers: Headers, kind: str, body: bytes) -> InstanceError:
    """`kind` is the media type. The status is kept; one that is no error becomes 502."""
    return _refusal(_said(kind, body), status, of_answer(headers), f"the instance answered {status}")


def refusal_of_event(data: bytes, told: Mapping[str, str]) -> InstanceError:
    """`data` is that of an event named `error`: the fields of the body of an error, which say the status, too. `told`
    are the headers of the answer.
    """
    said = _said(_TEXT, data)
    return _refusal(said, said.status, told, "the instance ended its answer with an error")


def _refusal(said: ErrorText, status: int, headers: Mapping[str, str], otherwise: str) -> InstanceError:
    """`otherwise`: the message of an error that has no text."""
    return InstanceError(
        code=said.code or codes.INTERNAL_ERROR,
        message=said.text or otherwise,
        status=status if 400 <= status < 600 else 502,
        details=dict(said.args),
        headers=headers,
    )


def _said(kind: str, body: bytes) -> ErrorText:
    """Pages for browsers say nothing to programs."""
    if "html" in kind or len(body) > MOST_BYTES:
        return ErrorText("", "", {})
    return said_in(body) or ErrorText("", _plain(body) if kind.startswith("text/") else "", {})


def _plain(body: bytes) -> str:
    try:
        return _SPACE.sub(" ", body.decode()).strip()[:MOST_TEXT]
    except UnicodeDecodeError:
        return ""
