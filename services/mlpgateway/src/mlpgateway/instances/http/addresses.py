"""Where an instance listens, and where callers find it: it is told the second, and its redirects lead there."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from mlpgateway.instances.http.client import HTTPS, Address

Headers = tuple[tuple[bytes, bytes], ...]
_LOCATION: Final = b"location"
_CREATED: Final = 201
_HOST: Final = re.compile(r"[A-Za-z0-9.\-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class PublicAddress:
    """What stands before the paths of an instance for those who call it by way of the platform.

    `prefix` is a path without a slash at its end, still escaped; `host` is what the caller says, None if it is no host.
    """

    secure: bool
    host: str | None
    prefix: str

    @classmethod
    def of(cls, raw: Iterable[tuple[bytes, bytes]], prefix: str, *, secure: bool) -> "PublicAddress":
        """Of a request with these headers."""
        host = next((value.decode("latin-1") for name, value in raw if name == b"host"), "")
        return cls(secure, host if _HOST.fullmatch(host) else None, prefix)

    def headers(self) -> tuple[tuple[str, str], ...]:
        """For the instance. The host has the prefix too: Gradio, from version 4 on, knows no other way to hear of it.

        Whoever believes X-Forwarded-Host has to be told to, and is told not to by the documentation.
        """
        told = (("x-forwarded-prefix", self.prefix),)
        if self.host is None:
            return told
        scheme = "https" if self.secure else "http"
        return *told, ("x-forwarded-proto", scheme), ("x-forwarded-host", self.host + self.prefix)

    def located(self, status: int, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """A Location that is a path, as `from_instance` leaves it, as callers reach it."""
        if not _leads(status):
            return headers
        return [(name, self._outside(value) if name == _LOCATION else value) for name, value in headers]

    def _outside(self, location: bytes) -> bytes:
        prefix = self.prefix.encode("latin-1")
        is_path = location.startswith(b"/") and not location.startswith(b"//")
        if not is_path or location == prefix or location.startswith((prefix + b"/", prefix + b"?")):
            return location
        return prefix + location


def from_instance(status: int, headers: Headers, address: Address) -> Headers:
    """A Location at the instance itself becomes a path: nobody else can reach that address."""
    if not _leads(status):
        return headers
    return tuple((name, _path(value, address) if name.lower() == _LOCATION else value) for name, value in headers)


def _leads(status: int) -> bool:
    return 300 <= status < 400 or status == _CREATED


def _path(location: bytes, address: Address) -> bytes:
    try:
        to = urlsplit(location.decode("latin-1"))
        if not _is_at(to, address):
            return location
    except ValueError:
        return location
    path = to.path if to.path.startswith("/") else f"/{to.path}"
    return SplitResult("", "", f"/{path.lstrip('/')}", to.query, to.fragment).geturl().encode("latin-1")


def _is_at(to: SplitResult, address: Address) -> bool:
    """Behind TLS that ends before it, an instance takes its own scheme for http."""
    if to.scheme not in {"http", "https", ""} or to.hostname is None or to.hostname != address.host.lower():
        return False
    if to.port is None:
        return address.port == HTTPS or (address.port == 80 and to.scheme != "https")
    return to.port == address.port
