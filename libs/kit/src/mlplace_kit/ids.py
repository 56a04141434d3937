"""Identifiers and random secrets. Nothing here does I/O, except reading the random source of the operating system.

Identifiers come from a generator that each process seeds from that source. Secrets come from the source itself.
"""

import random
import secrets
import string
import time
import uuid

_ALPHANUMERIC = string.ascii_letters + string.digits


def new_event_id() -> uuid.UUID:
    """Returns a version 7 UUID (RFC 9562): 48 bits of Unix milliseconds, then random bits. Ids sort by their time."""
    return uuid.UUID(int=_version_7())


def new_event_id_text() -> str:
    """Returns the text of a new event id. Building the UUID object costs more than everything else."""
    return _uuid_text(_version_7())


def _version_7() -> int:
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & ((1 << 48) - 1)) << 80
    value |= 0x7 << 76
    value |= _number(12) << 64
    value |= 0b10 << 62
    value |= _number(62)
    return value


def new_usage_id() -> uuid.UUID:
    """Returns a version 4 UUID."""
    return uuid.UUID(int=_version_4())


def new_usage_id_text() -> str:
    """Returns the text of a new usage id."""
    return _uuid_text(_version_4())


def _version_4() -> int:
    return _number(128) & ~(0xF << 76) & ~(0b11 << 62) | 0x4 << 76 | 0b10 << 62


def _uuid_text(value: int) -> str:
    digits = f"{value:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def new_request_id() -> str:
    """Returns a trace id for a call whose caller sent none: 32 lower-case hexadecimal digits."""
    return f"{_number(128):032x}"


def _number(bits: int) -> int:
    """Returns random bits for ids of calls. They are unique but not secret: reading the system's source costs
    microseconds.
    """
    return random.getrandbits(bits)


def random_alphanumeric(length: int) -> str:
    """Returns `length` characters of [A-Za-z0-9], 5.95 bits each."""
    return "".join(secrets.choice(_ALPHANUMERIC) for _ in range(length))


def random_lower_alphanumeric(length: int) -> str:
    """Returns `length` characters of [a-z0-9], 5.17 bits each."""
    return "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(length))
