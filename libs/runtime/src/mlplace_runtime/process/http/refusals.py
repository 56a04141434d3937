"""Refusals of the server itself, before any app is asked: their reasons, wire format and metric."""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Final

import structlog
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from mlplace_kit.errors import DomainError
from mlplace_runtime.telemetry.metrics import HTTP_REFUSED
from mlplace_runtime.web.errors import error_bytes, error_headers

_EVERY_SECONDS: Final = 10.0
_FIXED: Final = b"content-type: application/json\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\n"

log = structlog.get_logger(__name__)


class Reason(StrEnum):
    """Labels of the metric."""

    HEAD_TOO_LARGE = "head_too_large"
    ADDRESS_TOO_LONG = "address_too_long"
    HEAD_TOO_SLOW = "head_too_slow"
    BODY_TOO_SLOW = "body_too_slow"
    BODY_TOO_LATE = "body_too_late"
    BODY_NOT_WANTED = "body_not_wanted"
    ANSWER_NOT_READ = "answer_not_read"
    FRAMING = "framing"
    FRAGMENTS = "fragments"
    PINGS = "pings"
    MALFORMED = "malformed"
    FAILED = "failed"
    HOST = "host"
    TARGET = "target"
    PIPELINED = "pipelined"
    CONNECTIONS = "connections"
    CONNECTIONS_OF_ADDRESS = "connections_of_address"
    EVICTED = "evicted"
    RESERVED = "reserved"


class Refusals:
    """Counts refusals, and logs each reason at most every ten seconds with its count."""

    def __init__(self, *, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._new: Counter[Reason] = Counter()
        self._last: dict[Reason, str] = {}
        self._silent_until: dict[Reason, float] = {}

    def note(self, reason: Reason, address: str) -> None:
        HTTP_REFUSED.labels(reason.value).inc()
        self._new[reason] += 1
        self._last[reason] = address

    def log_due(self) -> None:
        """Logs what is due. Call it regularly."""
        if not self._new:
            return
        now = self._seconds()
        for reason in [reason for reason in self._new if self._silent_until.get(reason, 0.0) <= now]:
            log.warning("http_refused", reason=reason.value, count=self._new.pop(reason), address=self._last[reason])
            self._silent_until[reason] = now + _EVERY_SECONDS


def refusal(error: DomainError, request_id: str, default_headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Returns a complete response in the common error format that ends the connection."""
    body = error_bytes(error, request_id)
    named = [*default_headers, *((name.encode(), value.encode()) for name, value in error_headers(error).items())]
    return b"".join(
        (
            STATUS_LINE[error.status],
            *(b"%b: %b\r\n" % header for header in named if header[0] != b"connection"),
            _FIXED,
            b"z-requestid: %b\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % (request_id.encode(), len(body)),
            body,
        )
    )
