"""Host names, and the redirect targets that are allowed after sign-in."""

import re
from urllib.parse import SplitResult, unquote, urlsplit

from pydantic_core import PydanticCustomError

from mlplace_kit.networks import is_address

_HOST_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")
_CONTROL_OR_SPACE = re.compile(r"[\x00-\x20\x7f\\]")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def host_name(header: str) -> str:
    """Returns the name in a Host header in lower case, without the port; empty if there is none."""
    try:
        return (urlsplit(f"//{header}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def valid_host_name(text: str) -> str:
    """A name that ends with a number is an address for browsers (URL Standard), so it has to be one."""
    lowered = text.lower()
    ends_with_number = lowered.rpartition(".")[2].isdigit()
    if not _HOST_NAME.fullmatch(lowered) or (ends_with_number and not is_address(lowered)):
        raise PydanticCustomError("host_name", "must be a host name without scheme and port")
    return lowered


def stays_on_this_host(url: str) -> bool:
    """Whether the URL is a path that no browser takes for another host, even after it is decoded and normalized."""
    if _CONTROL_OR_SPACE.search(url) or not url.startswith("/"):
        return False
    path = unquote(re.split(r"[?#]", url, maxsplit=1)[0])
    segments = path.split("/")[1:]
    return "\\" not in path and "//" not in path and not {".", ".."}.intersection(segments)


def absolute_host(url: str, *, secure: bool) -> str | None:
    """Returns the host of an absolute URL with http or https, default port and no credentials; None for any other URL.

    With `secure` only https is accepted.
    """
    parts = _web_address(url, secure=secure)
    if parts is None or parts.port not in {None, _DEFAULT_PORTS[parts.scheme]}:
        return None
    return parts.hostname


def on_host(url: str, header: str, *, secure: bool) -> bool:
    """Whether a web URL has the name and the port of a Host header."""
    parts = _web_address(url, secure=secure)
    own = _web_address(f"{parts.scheme}://{header}", secure=secure) if parts and header else None
    return parts is not None and own is not None and _place(parts) == _place(own)


def _place(parts: SplitResult) -> tuple[str | None, int]:
    return parts.hostname, parts.port or _DEFAULT_PORTS[parts.scheme]


def _web_address(url: str, *, secure: bool) -> SplitResult | None:
    """Returns None for a URL with credentials, another scheme, no host, or an invalid port."""
    if _CONTROL_OR_SPACE.search(url):
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    allowed = {"https"} if secure else {"https", "http"}
    return parts if parts.scheme in allowed and parts.hostname and "@" not in parts.netloc else None
