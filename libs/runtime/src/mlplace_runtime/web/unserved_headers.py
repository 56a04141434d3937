"""Refuses headers that ask for what a route does not serve: nothing that a caller asked for is ignored."""

import re
from typing import Final

from starlette.datastructures import Headers

from mlplace_kit.errors import HeaderNotServed, ValidationFailed
from mlplace_kit.violations import two_values

IDEMPOTENCY_KEY: Final = "Idempotency-Key"
# Goes on to the end of a value whose last quote has no other, so that none of its quotes is tried again.
_QUOTED: Final = re.compile(r'"(?:[^"\\]++|\\.?)*+"?')
_RESPOND_ASYNC: Final = "respond-async"
_OF_CALLS: Final = ("MLP-Webhook", "MLP-Webhook-Events")


def expect_served(headers: Headers, *, serves_key: bool) -> None:
    """Raises HeaderNotServed: a caller who repeats a request with a key, or wants it to go on in the background, would
    otherwise learn too late that nobody knew. Raises ValidationFailed for different keys.
    """
    keys = set(headers.getlist(IDEMPOTENCY_KEY))
    if keys and not serves_key:
        raise HeaderNotServed(header=IDEMPOTENCY_KEY)
    if len(keys) > 1:
        raise ValidationFailed({IDEMPOTENCY_KEY: two_values()})
    if any(asks_for_background(value) for value in headers.getlist("Prefer")):
        raise HeaderNotServed(header="Prefer: respond-async")
    for name in _OF_CALLS:
        if name in headers:
            raise HeaderNotServed(header=name)


def asks_for_background(prefer: str) -> bool:
    """Returns whether one of the preferences of a `Prefer` header is respond-async (RFC 7240, sections 2 and 4.1).

    A parameter of another preference is none, nor is what stands in quotes. With an empty value it is one; with any
    other it is not known.
    """
    if _RESPOND_ASYNC not in prefer.lower():
        return False
    plain = _QUOTED.sub(lambda text: "" if text[0] == '""' else "quoted", prefer)
    preferences = (each.partition(";")[0].partition("=") for each in plain.split(","))
    return any(name.strip().lower() == _RESPOND_ASYNC and not value.strip() for name, _, value in preferences)
