"""Refusals by the share that one holder may take of what a gate has."""

from mlplace_kit.errors import DomainError


class ShareExceeded(DomainError):
    """`holder` is `account` (the caller's), `owner` (the account of the model) or `address` (of a caller whom the gate
    does not know yet); `resource` is what it has too much of.
    """

    code = "mlp.gate.share_exceeded"
    status = 429
    message = "the {holder} may have {limit} {resource} at a gate at a time"
    retry_after_seconds = 1.0
