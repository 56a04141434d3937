"""Errors of rate and spending limits."""

from mlplace_gateproto import codes
from mlplace_kit.errors import DomainError


class RateExceeded(DomainError):
    """`limit` is in calls per second."""

    code = codes.PPS_LIMIT_EXCEEDED
    status = 429
    message = "the account may make {limit} calls in a second"
    retry_after_seconds = 1.0


class PageRateExceeded(DomainError):
    code = "mlp.gate.page_limit_exceeded"
    status = 429
    message = "the account may load {limit} files of pages in {seconds} seconds"


class VisitorRateExceeded(DomainError):
    """`period` is MINUTE or DAY. `of` is `address`, `model` (the owner's limit) or `all` visitors."""

    code = "mlp.gate.visitor_limit_exceeded"
    status = 429
    message = "without signing in, no more calls are possible now: {limit} in a {period} ({of})"

    def __init__(self, *, limit: str, period: str, of: str = "address") -> None:
        super().__init__(limit=limit, period=period, of=of)


class TooManySockets(DomainError):
    code = "mlp.gate.too_many_sockets"
    status = 429
    message = "the account may have {limit} WebSockets open at a gate"


class KeyRateExceeded(DomainError):
    """`period` is SECOND to YEAR."""

    code = codes.KEY_LIMIT_EXCEEDED
    status = 429
    message = "the key may make {limit} calls in a {period}"


class KeySpendingExceeded(DomainError):
    """`period` is MINUTE to MONTH, or TOTAL for the key's lifetime. Without Retry-After a retry cannot succeed."""

    code = codes.KEY_SPENDING_LIMIT_EXCEEDED
    status = 429
    message = "the key's spending limit of {limit} {currency} ({period}) does not cover the call"


class AccessDeniedFromAddress(DomainError):
    code = codes.ACCESS_DENIED_FROM_IP
    status = 403
    message = "the account cannot be used from the address {address}"


class LlmNotAllowed(DomainError):
    code = "mlp.gate.llm_not_allowed"
    status = 403
    message = "the key may not use the language model {llm}"
