"""Refusals of the usage spool."""

from mlplace_kit.errors import DomainError


class UsageSpoolFull(DomainError):
    """The event bus has been away for long, and unshipped usage fills the gate's share of the disk."""

    code = "mlp.gate.usage_spool_full"
    status = 503
    message = "the gate keeps as much unshipped usage as it may; nothing was charged"
    retry_after_seconds = 5.0
