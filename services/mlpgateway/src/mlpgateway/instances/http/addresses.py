"""The address of an instance, and the public address of its paths, which headers announce and redirects must use."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from mlpgateway.instances.http.client.address import HTTPS, Address

Headers = tuple[tuple[bytes, bytes], ...]
_LOCATION: Final = b"location"
_CREATED: Final = 201
_HOST: Final = re.compile(r"[A-Za-z0-9.\-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class PublicAddress:
    """The public address of an instance's paths, for callers that reach it through the platform.

    `prefix` is a percent-encoded path without a trailing slash. `host` is the caller's Host header, None when invalid.
    """

    secure: bool
    host: str | None
    prefix: str

    @classmethod
    def of(cls, raw: Iterable[tuple[bytes, bytes]], prefix: str, *, secure: bool) -> "PublicAddress":
        """Returns the address for a request with these headers."""
        host = next((value.decode("latin-1") for name, value in raw if name == b"host"), "")
        return cls(secure, host if _HOST.fullmatch(host) else None, prefix)

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Returns headers for the instance. The host includes the prefix: Gradio 4 and later learn it no other way.

        An application only trusts X-Forwarded-Host when it is told to; the documentation advises against it.
        """
        told = (("x-forwarded-prefix", self.prefix),)
        if self.host is None:
            return told
        scheme = "https" if self.secure else "http"
        return *told, ("x-forwarded-proto", scheme), ("x-forwarded-host", self.host + self.prefix)

    def located(self, status: int, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """Adds the prefix to a Location that is a path, as `from_instance` returns it."""
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
    """Reduces a Location at the instance itself to its path: callers cannot reach the instance's address."""
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
    """Returns whether the URL points to the address. Behind a TLS proxy, an instance may call its own scheme http."""
    if to.scheme not in {"http", "https", ""} or to.hostname is None or to.hostname != address.host.lower():
        return False
    if to.port is None:
        return address.port == HTTPS or (address.port == 80 and to.scheme != "https")
    return to.port == address.port
