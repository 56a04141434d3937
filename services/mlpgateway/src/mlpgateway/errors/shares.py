"""Errors of shares: the part of a gate's capacity that one holder may take."""

from mlplace_kit.errors import DomainError


class ShareExceeded(DomainError):
    """`holder` is `account` (the caller's), `owner` (the account of the model) or `address` (of a caller that the gate
    does not know yet); `resource` is what the holder has too much of.
    """

    code = "mlp.gate.share_exceeded"
    status = 429
    message = "the {holder} may have {limit} {resource} at a gate at a time"
    retry_after_seconds = 1.0
