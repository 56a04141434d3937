"""Errors of full storage."""

from mlplace_kit.errors import DomainError


class StorageLimitExceeded(DomainError):
    """Nothing was stored or charged. `used` and `limit` are bytes of the account, `size` is bytes of the new data."""

    code = "mlp.gate.storage_limit_exceeded"
    status = 413
    message = (
        "the account stores {used} of the {limit} bytes of its storageLimit, and {size} more do not fit; delete "
        "predictions or archived requests, or shorten how long they are kept"
    )


class DiskLow(DomainError):
    code = "mlp.gate.disk_low"
    status = 507
    message = "the disk of the platform is nearly full; nothing new is stored until it has room again"
    retry_after_seconds = 30.0


class DiskFull(DomainError):
    """The usage of a call cannot be written because the disk is full."""

    code = "mlp.gate.disk_full"
    status = 503
    message = "the disk of the platform is full; no call is served until it has room again, and nothing was charged"
    retry_after_seconds = 5.0
