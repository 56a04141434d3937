"""Host names, and where a sign-in may send the browser afterwards."""

import re
from urllib.parse import SplitResult, unquote, urlsplit

from pydantic_core import PydanticCustomError

_HOST_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")
_CONTROL_OR_SPACE = re.compile(r"[\x00-\x20\x7f\\]")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def host_name(header: str) -> str:
    """The name in a Host header, lower case, without the port; empty when there is none."""
    try:
        return (urlsplit(f"//{header}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def valid_host_name(text: str) -> str:
    lowered = text.lower()
    if not _HOST_NAME.fullmatch(lowered):
        raise PydanticCustomError("host_name", "must be a host name without scheme and port")
    return lowered


def stays_on_this_host(url: str) -> bool:
    """A path that no browser reads as another host, and that stays one when it is resolved and written anew."""
    if _CONTROL_OR_SPACE.search(url) or not url.startswith("/"):
        return False
    path = unquote(re.split(r"[?#]", url, maxsplit=1)[0])
    segments = path.split("/")[1:]
    return "\\" not in path and "//" not in path and not {".", ".."}.intersection(segments)


def absolute_host(url: str, *, secure: bool) -> str | None:
    """The host of an absolute address that may be allowed: plain web address, no credentials, the default port.

    None for everything else. `secure` leaves HTTPS only.
    """
    parts = _web_address(url, secure=secure)
    if parts is None or parts.port not in {None, _DEFAULT_PORTS[parts.scheme]}:
        return None
    return parts.hostname


def on_host(url: str, header: str, *, secure: bool) -> bool:
    """Whether a plain web address has the name and the port of a Host header."""
    parts = _web_address(url, secure=secure)
    own = _web_address(f"{parts.scheme}://{header}", secure=secure) if parts and header else None
    return parts is not None and own is not None and _place(parts) == _place(own)


def _place(parts: SplitResult) -> tuple[str | None, int]:
    return parts.hostname, parts.port or _DEFAULT_PORTS[parts.scheme]


def _web_address(url: str, *, secure: bool) -> SplitResult | None:
    """None for what has credentials, another scheme, no host, or a port that is no number."""
    if _CONTROL_OR_SPACE.search(url):
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    allowed = {"https"} if secure else {"https", "http"}
    return parts if parts.scheme in allowed and parts.hostname and "@" not in parts.netloc else None
