"""Judges the handshake of a WebSocket before the connection leaves HTTP (RFC 6455, section 4.2)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from types import MappingProxyType
from typing import Final

from websockets.datastructures import Headers
from websockets.exceptions import InvalidHandshake, InvalidHeader, InvalidHeaderValue
from websockets.http11 import Request
from websockets.server import ServerProtocol

from mlplace_kit.errors import MalformedRequest
from mlplace_runtime.process.http.heads import Fault
from mlplace_runtime.process.http.refusals import Reason

_VERSION: Final = "Sec-WebSocket-Version"
_LISTS: Final = {
    b"connection": "Connection",
    b"upgrade": "Upgrade",
    b"sec-websocket-extensions": "Sec-WebSocket-Extensions",
    b"sec-websocket-protocol": "Sec-WebSocket-Protocol",
}
_MOST_ELEMENTS: Final = 32
"""The library reads these lists, on the loop, and takes a microsecond or more for each element."""


class UnknownSocketVersion(MalformedRequest):
    """Names the version that a caller may speak instead (RFC 6455, section 4.4; RFC 9110, section 15.5.22)."""

    status = HTTPStatus.UPGRADE_REQUIRED.value
    answer_headers: Mapping[str, str] = MappingProxyType(
        {_VERSION: "13", "Upgrade": "websocket", "Connection": "Upgrade"}
    )


def request_of(target: bytes, headers: Iterable[tuple[bytes, bytes]]) -> Request:
    """Returns the handshake as the library takes it. `target` has neither scheme nor host."""
    told = Headers((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)
    return Request(target.decode("ascii"), told)


def fault_of_handshake(headers: Sequence[tuple[bytes, bytes]]) -> Fault | None:
    """Returns what is wrong with the handshake, or None. The library judges; its text may hold bytes of the caller.

    Raises what the library failed with, which is no fault of the caller.
    """
    elements = Counter[bytes]()
    for name, value in headers:
        if name in _LISTS:
            elements[name] += 1 + value.count(b",")
            if elements[name] > _MOST_ELEMENTS:
                return Reason.MALFORMED, MalformedRequest(reason=f"its {_LISTS[name]} has too many elements")
    judge = ServerProtocol()
    judge.accept(request_of(b"/", headers))
    error = judge.handshake_exc
    if error is None:
        return None
    if not isinstance(error, InvalidHandshake):
        raise error
    if not isinstance(error, InvalidHeader):
        return Reason.MALFORMED, MalformedRequest(reason="its handshake cannot be read")
    if error.name == _VERSION and isinstance(error, InvalidHeaderValue):
        return Reason.MALFORMED, UnknownSocketVersion(reason=f"its {_VERSION} is not 13")
    wrong = "is missing" if error.value is None else "is not valid"
    return Reason.MALFORMED, MalformedRequest(reason=f"its {error.name} {wrong}")
