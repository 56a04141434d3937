"""The headers that pass the gateway in each direction. Names compare case-insensitively; all others are dropped."""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Final

from mlpgateway.call.identity import Identity, Payer
from mlplace_gateproto import headers as names
from mlplace_kit.money import exact

_FROM_CALLERS: Final = {name.lower(): name for name in (names.REQUEST_ID, names.PRIORITY, names.CONTENT_HIDDEN)}
# Headers in which an instance reports money to the gate. Callers do not see them.
ABOUT_MONEY: Final = frozenset(
    name.lower()
    for name in (
        names.CUSTOM_BILLING,
        names.CUSTOM_BILLING_DETAILS,
        names.CUSTOM_SELF_COST,
        names.CUSTOM_SELF_COST_CURRENCY,
        names.BILLING_CURRENCY_TYPE,
        names.DEFERRED_BILLING_ID,
        names.RECURRING_BILLING_ID,
    )
)
_CONTENT_HIDDEN: Final = names.CONTENT_HIDDEN.lower()
TRACE_PARENT: Final = "traceparent"
MOST_HEADER: Final = 1024
"""Characters of the name, and of the value, of a header that an instance sends to callers. Longer ones are dropped."""
MOST_HEADERS: Final = 32
_OF_THE_GATE: Final = frozenset(
    name.lower() for name in (names.REQUEST_ID, names.WAIT_PHASE, names.WAIT_MS, names.CACHE, names.REPLAYED)
)
"""Headers (Z-*), in lower case, that callers get from the gate only. Those of an instance are dropped at each entry."""
_RETRY_AFTER: Final = names.RETRY_AFTER.lower()
_DELAY: Final = re.compile(
    r"[0-9]{1,9}|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} "
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT"
)
_NEVER_OF_INSTANCES: Final = ("mlp-", "ratelimit", "x-ratelimit")


def to_instance(
    given: Mapping[str, str],
    *,
    request_id: str,
    identity: Identity,
    payer: Payer,
    trace_parent: str | None,
    chain: str | None = None,
    max_price_nano: int | None = None,
) -> dict[str, str]:
    """Returns the caller's allowed headers and those that only the gate sets: who calls, who pays, chain and trace."""
    headers = {canonical: given[name] for name in given if (canonical := _FROM_CALLERS.get(name.lower()))}
    headers[names.REQUEST_ID] = request_id
    headers |= constant_to_instance(identity=identity, payer=payer, chain=chain)
    if max_price_nano is not None:
        headers[names.MAX_PRICE] = exact(max_price_nano)
    if trace_parent is not None:
        headers[TRACE_PARENT] = trace_parent
    return headers


def constant_to_instance(*, identity: Identity, payer: Payer, chain: str | None) -> dict[str, str]:
    """Returns the headers that are the same for all calls of one key and model, if callers send none of their own.

    Only the request id and the trace parent are missing, and a maximum price that the caller has set.
    """
    headers = {names.CALLER_ACCOUNT_ID: str(identity.account_id), names.BILLING_ACCOUNT_ID: str(payer.account_id)}
    if payer.billing_key:
        headers[names.BILLING_KEY] = payer.billing_key
    if chain is not None:
        headers[names.CALL_CHAIN] = chain
    return headers


def to_caller(given: Mapping[str, str]) -> Mapping[str, str]:
    """Returns the headers of an instance that callers may see beside an answer: none about money, identities, keys,
    limits and delays, and none of those that only the gate sets.
    """
    return {
        name: value
        for name, value in given.items()
        if (lower := name.lower()) != _RETRY_AFTER and _is_for_callers(lower)
    }


def hide_contents(given: Mapping[str, str]) -> bool:
    """Returns whether the headers forbid to store the contents of this call."""
    return any(name.lower() == _CONTENT_HIDDEN and value.lower() == "true" for name, value in given.items())


def of_refusal(given: Mapping[str, str]) -> dict[str, str]:
    """Returns the headers that callers may see beside an instance's error: the protocol's own, and Retry-After."""
    own = {
        name: value
        for name, value in given.items()
        if (lower := name.lower()).startswith("z-") and _is_for_callers(lower) and is_header(name, value)
    }
    delays = (value for name, value in given.items() if name.lower() == _RETRY_AFTER and is_delay(value))
    delay = next(delays, None)
    kept = {} if delay is None else {names.RETRY_AFTER: delay}
    return kept | dict(islice(own.items(), MOST_HEADERS - len(kept)))


def is_delay(text: str) -> bool:
    """Returns whether the text is a value of Retry-After: seconds, or a date (RFC 9110, sections 10.2.3 and 5.6.7).

    The date has the form that senders must use. Whether its day exists is not checked: the caller reads it.
    """
    return _DELAY.fullmatch(text) is not None


def is_header(name: str, value: str) -> bool:
    return is_name(name) and is_value(value)


def is_name(name: str) -> bool:
    return len(name) <= MOST_HEADER and name.isascii() and name.replace("-", "").isalnum()


def is_value(text: str) -> bool:
    return len(text) <= MOST_HEADER and text.isascii() and text.isprintable()


def is_of_gate(name: str) -> bool:
    """Returns whether callers get a header of this name, in lower case, from the gate only."""
    return name in _OF_THE_GATE or name.startswith(_NEVER_OF_INSTANCES)


def _is_for_callers(name: str) -> bool:
    return name not in ABOUT_MONEY and not is_of_gate(name)
