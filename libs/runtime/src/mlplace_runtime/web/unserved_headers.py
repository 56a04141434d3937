"""Refuses headers that ask for what a route does not serve: nothing that a caller asked for is ignored."""

import re
from typing import Final

from starlette.datastructures import Headers

from mlplace_kit.errors import HeaderNotServed, ValidationFailed
from mlplace_kit.violations import broken

IDEMPOTENCY_KEY: Final = "Idempotency-Key"
RESPOND_ASYNC: Final = re.compile(
    r'(?:^|[,;\s])respond-async(?:\s*=\s*(?:""\s*)?(?:$|[,;])|(?!\s*=)(?:$|[,;\s]))', re.IGNORECASE
)
"""Matches a `Prefer` that asks for an answer in the background. An empty value is none (RFC 7240, section 2)."""
_OF_CALLS: Final = ("MLP-Webhook", "MLP-Webhook-Events")


def expect_served(headers: Headers, *, serves_key: bool) -> None:
    """Raises HeaderNotServed: a caller who repeats a request with a key, or wants it to go on in the background, would
    otherwise learn too late that nobody knew. Raises ValidationFailed for different keys.
    """
    keys = set(headers.getlist(IDEMPOTENCY_KEY))
    if keys and not serves_key:
        raise HeaderNotServed(header=IDEMPOTENCY_KEY)
    if len(keys) > 1:
        raise ValidationFailed({IDEMPOTENCY_KEY: broken("too_many", max="1")})
    if any(RESPOND_ASYNC.search(value) for value in headers.getlist("Prefer")):
        raise HeaderNotServed(header="Prefer: respond-async")
    for name in _OF_CALLS:
        if name in headers:
            raise HeaderNotServed(header=name)
