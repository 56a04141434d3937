"""Web origins (RFC 6454), in the form in which browsers send them in the header Origin."""

import re
import unicodedata
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

ANY_ORIGIN: Final = "*"
MOST_ORIGINS: Final = 20
MOST_ORIGIN: Final = 300
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_ORIGIN: Final = re.compile(r"([hH][tT]{2}[pP][sS]?)://(\[[0-9A-Fa-f:.]+\]|[^\s/?#@:\[\]\\*]+)(?::([0-9]{1,5}))?/?")
_LABELS: Final = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?")
_MOST_HOST: Final = 253
_HEXADECIMAL: Final = re.compile("0x[0-9a-f]*")
"""Such a last label makes a name an address for browsers, which they send with decimal numbers."""
_ENCODED: Final = "xn--"
_OTHER_IN_BROWSERS: Final = frozenset("ßẞς\u200c\u200d")
"""Python's codec replaces or drops these characters, as IDNA 2003 does; browsers follow IDNA 2008 and keep them."""


def web_origin(text: str) -> str | None:
    """Returns the origin in the form of browsers, or `*` for any; None for what is no origin of a site.

    Scheme and host are in lower case, names in ASCII (IDNA), addresses in their shortest form, and without the default
    port. A slash at the end is left out, because address bars show one. The origin `null` belongs to no site.
    """
    if text == ANY_ORIGIN:
        return text
    parts = _ORIGIN.fullmatch(text) if len(text) <= MOST_ORIGIN else None
    host = None if parts is None else _host(parts[2])
    if parts is None or host is None:
        return None
    scheme = parts[1].lower()
    port = int(parts[3] or _DEFAULT_PORTS[scheme])
    if not 0 < port < 65536:
        return None
    return f"{scheme}://{host}" if port == _DEFAULT_PORTS[scheme] else f"{scheme}://{host}:{port}"


def _host(text: str) -> str | None:
    if text.startswith("["):
        return _ip6(text[1:-1])
    name = _ascii(text)
    if name is None or len(name) > _MOST_HOST or not _LABELS.fullmatch(name):
        return None
    last = name.rstrip(".").rpartition(".")[2]
    if _HEXADECIMAL.fullmatch(last) or any(map(_is_no_name, name.split("."))):
        return None
    # Browsers read a name whose last label is a number as an address.
    return _ip4(name) if last.isdigit() else name


def _is_no_name(label: str) -> bool:
    """Returns whether a label in ASCII stands for no characters; browsers refuse such a name."""
    if not label.startswith(_ENCODED):
        return False
    try:
        told = label.removeprefix(_ENCODED).encode().decode("punycode")
    except UnicodeError:
        return True
    return not told or told.isascii() or any(unicodedata.category(character) == "Cc" for character in told)


def _ascii(name: str) -> str | None:
    if name.isascii():
        return name.lower()
    if _OTHER_IN_BROWSERS & set(name):
        return None
    try:
        return name.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None


def _ip4(text: str) -> str | None:
    try:
        return str(IPv4Address(text))
    except AddressValueError:
        return None


def _ip6(text: str) -> str | None:
    try:
        address = IPv6Address(text)
    except AddressValueError:
        return None
    if address.ipv4_mapped is None:
        return f"[{address.compressed}]"
    low = int(address.ipv4_mapped)  # browsers write it without dots
    return f"[::ffff:{low >> 16:x}:{low & 0xFFFF:x}]"
