"""Validates the head of a request before any app sees it."""

import re
from collections.abc import Sequence
from typing import Final, Protocol

import httptools

from mlplace_kit.errors import AddressTooLong, DomainError, HeadersTooLarge, MalformedRequest, MethodNotAllowed
from mlplace_runtime.process.http.limits import MOST_HEADER_BYTES, MOST_HEADERS, MOST_LINE_BYTES
from mlplace_runtime.process.http.refusals import Reason


class _Parser(Protocol):
    def get_http_version(self) -> str: ...
    def get_method(self) -> bytes: ...


Headers = Sequence[tuple[bytes, bytes]]
Fault = tuple[Reason, DomainError]

_HOST: Final = re.compile(rb"(?:[A-Za-z0-9._~-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
_ABSOLUTE: Final = re.compile(rb"(?i:https?)://([^/?#@]+)/.*", re.DOTALL)
_CHUNKED: Final = b"chunked"
_VERSIONS: Final = frozenset({"1.0", "1.1"})
_CREDENTIALS: Final = frozenset({b"mlp-api-key", b"authorization", b"cookie", b"mlp-internal-token"})
_OF_ALL_ADDRESSES: Final = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
_HEALTH: Final = (b"/health/live", b"/health/ready")


def fault_of(parser: _Parser, target: bytes, headers: Headers) -> Fault | None:
    """Returns what is wrong with a head, or None.

    Two Host headers, no Host, or an absolute address that differs from the Host can be read in two ways, so they are
    refused. So are transfer codings other than `chunked`, which nobody here can undo, and any in HTTP/1.0, which knows
    none (RFC 9112, section 6.1).
    """
    hosts: list[bytes] = []
    codings: list[bytes] = []
    for name, value in headers:
        if name == b"host":
            hosts.append(value)
        elif name == b"transfer-encoding":
            codings.append(value)
    version = parser.get_http_version()
    if version == "1.1" and len(hosts) == 1 and len(headers) <= MOST_HEADERS and _HOST.fullmatch(hosts[0]):
        fault = None
    else:
        fault = _fault_of_start(version, hosts, len(headers))
    if fault is None and codings and (version != "1.1" or len(codings) > 1 or codings[0].lower() != _CHUNKED):
        why = "its Transfer-Encoding is not chunked" if version == "1.1" else "HTTP/1.0 knows no Transfer-Encoding"
        fault = Reason.MALFORMED, MalformedRequest(reason=why)
    return fault or _fault_of_target(parser.get_method(), target, hosts)


def _fault_of_start(version: str, hosts: Sequence[bytes], count: int) -> Fault | None:
    if count > MOST_HEADERS:
        return Reason.HEAD_TOO_LARGE, HeadersTooLarge(limit=str(MOST_HEADERS), unit="headers")
    if version not in _VERSIONS:
        return Reason.MALFORMED, MalformedRequest(reason="it is not HTTP/1.1")
    if len(hosts) != 1 and (hosts or version == "1.1"):
        return Reason.HOST, MalformedRequest(reason="it needs exactly one Host")
    if hosts and not _HOST.fullmatch(hosts[0]):
        return Reason.HOST, MalformedRequest(reason="its Host is not a host name")
    return None


def _fault_of_target(method: bytes, target: bytes, hosts: Sequence[bytes]) -> Fault | None:
    if method == b"CONNECT":
        return Reason.TARGET, MethodNotAllowed(_OF_ALL_ADDRESSES)  # a tunnel leads to a host and names no address
    if b"#" in target:
        return Reason.TARGET, MalformedRequest(reason="its address has a fragment")
    return None if target.startswith(b"/") else _fault_of_absolute(target, hosts)


def _fault_of_absolute(target: bytes, hosts: Sequence[bytes]) -> Fault | None:
    absolute = _ABSOLUTE.fullmatch(target)
    if absolute is None:
        return Reason.TARGET, MalformedRequest(reason="its address must begin with /")
    if hosts and absolute[1].lower() != hosts[0].lower():
        return Reason.HOST, MalformedRequest(reason="its address and its Host differ")
    try:
        httptools.parse_url(target)  # as the server does next: there, a failure would be a defect of ours
    except httptools.HttpParserInvalidURLError:
        return Reason.TARGET, MalformedRequest(reason="its address cannot be read")
    return None


def size_fault_of(target: bytes, headers: Headers, most: int) -> Fault | None:
    """Checks sizes of heads that arrived in large segments; other heads were measured while they arrived."""
    if len(target) > MOST_LINE_BYTES:
        return Reason.ADDRESS_TOO_LONG, AddressTooLong(limit=str(MOST_LINE_BYTES))
    sizes = [len(name) + len(value) for name, value in headers]
    if any(size > MOST_HEADER_BYTES for size in sizes):
        return Reason.HEAD_TOO_LARGE, HeadersTooLarge(limit=str(MOST_HEADER_BYTES))
    if len(target) + sum(sizes) > most:
        return Reason.HEAD_TOO_LARGE, HeadersTooLarge(limit=str(most))
    return None


def is_for_the_reserve(target: bytes, headers: Headers) -> bool:
    """Whether the request may use the reserve: health checks and requests with a credential, which is checked soon."""
    return target.partition(b"?")[0].endswith(_HEALTH) or any(name in _CREDENTIALS for name, _ in headers)
