"""Addresses of MongoDB that tenants write, and the options that they may set. No option may name a file, a proxy or
another identity.
"""

import re
from typing import Final
from urllib.parse import unquote

_MOST_HOSTS: Final = 16
_ADDRESS: Final = re.compile(
    r"mongodb(?P<srv>\+srv)?://(?:[^@/?\s]+@)?(?P<hosts>[^@/?\s]+)(?:/(?P<database>[^?\s]*))?(?:\?(?P<options>\S*))?",
    re.ASCII,
)
_HOST: Final = re.compile(r"(?P<name>[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::(?P<port>[0-9]{1,5}))?")
_DATABASE: Final = re.compile(r"[^\s/\\.\"$*<>:|?\x00]{0,63}")
_OPTIONS: Final[dict[str, re.Pattern[str]]] = {
    name.lower(): re.compile(pattern)
    for name, pattern in (
        ("appName", r"[^\x00-\x1f\x7f]{1,128}"),
        ("authMechanism", "DEFAULT|SCRAM-SHA-1|SCRAM-SHA-256"),
        ("authSource", r"[^\s/\\.\"$*<>:|?\x00]{1,63}"),
        ("directConnection", "true|false"),
        ("replicaSet", r"[A-Za-z0-9._-]{1,128}"),
        ("retryReads", "true|false"),
        ("retryWrites", "true|false"),
        ("ssl", "true|false"),
        ("tls", "true|false"),
        ("w", r"majority|[0-9]{1,2}"),
    )
}


def fault_in(uri: str) -> str | None:
    """Returns what is wrong with the URI, in words for its author; None when it may be used."""
    found = _ADDRESS.fullmatch(uri)
    if found is None:
        return "must look like mongodb://user:password@host:port/database"  # pragma: allowlist secret
    hosts = found["hosts"].split(",")
    if len(hosts) > _MOST_HOSTS or (found["srv"] and len(hosts) > 1):
        return "names too many hosts"
    if not all(map(_is_host, hosts)):
        return "has an invalid host: use names or addresses, with or without a port"
    if not _DATABASE.fullmatch(unquote(found["database"] or "")):
        return "has a database name that MongoDB does not accept"
    return _fault_in_options(found["options"] or "")


def _is_host(text: str) -> bool:
    found = _HOST.fullmatch(text)
    return found is not None and not text.endswith(".sock") and 1 <= int(found["port"] or 1) <= 65_535


def _fault_in_options(text: str) -> str | None:
    for option in filter(None, text.split("&")):
        name, _, value = option.partition("=")
        pattern = _OPTIONS.get(name.lower())
        if pattern is None:
            return f"has the option {name[:64]}, which is not supported here"
        if not pattern.fullmatch(unquote(value)):
            return f"has a value of {name} that is not supported here"
    return None
