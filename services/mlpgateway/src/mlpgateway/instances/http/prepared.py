"""HTTP requests that differ only in their data and their ids: the rest is made once."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from mlpgateway.call.call import HttpRequest, Payload
from mlpgateway.call.headers import TRACE_PARENT
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.instances.http.client.request import OutgoingRequest, head_of
from mlpgateway.instances.http.translation import request_of
from mlplace_gateproto import headers as names

_DATA: Final = "\x00"
"""Stands for the data: no JSON text contains it."""
_LINE_AND_HOST: Final = b"GET / HTTP/1.1\r\nHost: x\r\n"
_HOST: Final = b"\r\nHost: x\r\n"
_NO_BODY: Final = b"Content-Length: 0\r\n\r\n"
_REQUEST_ID: Final = f"\r\n{names.REQUEST_ID}: ".encode()
_TRACE: Final = f"{TRACE_PARENT}: ".encode()


class PreparedHttpPredict:
    """A predict request without its host, data, request id and trace parent."""

    __slots__ = ("_after", "_before", "_constant", "_content", "_extra", "_line", "_request")

    def __init__(self, request: InstanceRequest, constant: bytes | None = None) -> None:
        """`request.headers` are the constant ones, and `constant` their lines, if made already. Its data is not used.

        Raises InvalidRequestError.
        """
        asked = request_of(replace(request, data=Payload(json=_DATA)))
        self._request = request
        self._before, _, self._after = bytes(asked.body).partition(_DATA.encode())
        self._extra = len(self._before) + len(self._after)
        self._line = b"POST %b HTTP/1.1\r\nHost: " % asked.target.encode()
        self._constant = _lines(request.headers) if constant is None else constant
        self._content = _lines(asked.headers) + b"Content-Length: "

    def with_config(self, config: Payload) -> "PreparedHttpPredict":
        """Returns the same request with another config."""
        return PreparedHttpPredict(replace(self._request, config=config), self._constant)

    def head(self, host: bytes, size: int, *, request_id: str, trace_parent: str | None) -> bytes:
        """Returns the same head as `head_of`. `size` is that of the data in bytes; both ids are printable ASCII."""
        parts = [self._line, host, _REQUEST_ID, request_id.encode("ascii"), b"\r\n", self._constant]
        if trace_parent is not None:
            parts += (_TRACE, trace_parent.encode("ascii"), b"\r\n")
        parts += (self._content, b"%d\r\n\r\n" % (size + self._extra))
        return b"".join(parts)

    def body(self, text: bytes) -> bytes:
        """`text` is the data as JSON in UTF-8."""
        return b"".join((self._before, text, self._after)) if self._extra else text


class PreparedPassOn:
    """A request that is passed on, without what its caller sends and its ids."""

    __slots__ = ("_constant",)

    def __init__(self, request: InstanceRequest) -> None:
        """`request.headers` are the constant ones. Raises InvalidRequestError."""
        self._constant = _lines(request.headers)

    @staticmethod
    def before(http: HttpRequest) -> tuple[bytes, bytes]:
        """Returns the lines of the head before and after the host. Raises InvalidRequestError."""
        line, _, headers = head_of(OutgoingRequest(http.method, http.target, http.headers, b""), "x").partition(_HOST)
        return line + _HOST[:-3], headers.removesuffix(_NO_BODY)

    def head(
        self, before: tuple[bytes, bytes], host: bytes, size: int, *, request_id: str, trace_parent: str | None
    ) -> bytes:
        """Returns the same head as `head_of`. `size` is that of the body in bytes; both ids are printable ASCII."""
        line, headers = before
        parts = [line, host, b"\r\n", headers, _REQUEST_ID[2:], request_id.encode("ascii"), b"\r\n", self._constant]
        if trace_parent is not None:
            parts += (_TRACE, trace_parent.encode("ascii"), b"\r\n")
        parts.append(b"Content-Length: %d\r\n\r\n" % size)
        return b"".join(parts)


def _lines(headers: Mapping[str, str]) -> bytes:
    """Returns the lines of the headers as `head_of` writes them."""
    head = head_of(OutgoingRequest("GET", "/", tuple(headers.items())), "x")
    return head.removeprefix(_LINE_AND_HOST).removesuffix(b"\r\n")
