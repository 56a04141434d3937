from mlplace_kit.errors import DomainError


class BadDatasetContent(DomainError):
    """`problem` is a name of `formats.problems.PROBLEMS`, and `reason` its English text.

    `line` and `column` count from 1.
    """

    code = "mlp.core.dataset_content_invalid"
    status = 400
    message = "line {line}, column {column}: {reason}"


class DatasetTooLarge(DomainError):
    code = "mlp.core.dataset_too_large"
    status = 413
    message = "a dataset may have {limit} bytes"


class DatasetDigestDiffers(DomainError):
    code = "mlp.core.dataset_digest_differs"
    status = 400
    message = "the SHA-256 digest of the received file is {actual}, and the request announced {expected}"


class DatasetNotConvertible(DomainError):
    code = "mlp.core.dataset_not_convertible"
    status = 400
    message = "{source} cannot be converted to {target}; use one of {allowed}"


class DatasetNotTable(DomainError):
    code = "mlp.core.dataset_not_table"
    status = 400
    message = "{dataType} has no rows; download the content, edit it and upload it again"


class DatasetPageTooLarge(DomainError):
    code = "mlp.core.dataset_page_too_large"
    status = 413
    message = "the rows of the page have more than {limit} bytes; ask for fewer rows"


class DatasetContentMissing(DomainError):
    """The content was replaced while it was read, or the object store lost it."""

    code = "mlp.core.dataset_content_missing"
    status = 503
    message = "the content of the dataset cannot be read; try again"
    retry_after_seconds = 1.0


class DatasetLimitExceeded(DomainError):
    code = "mlp.core.dataset_limit_exceeded"
    status = 403
    message = "the account has {used} of the {limit} datasets that it may have; delete one"


class StorageLimitExceeded(DomainError):
    """`limit` and `used` are bytes of the account, `size` the bytes that are to come."""

    code = "mlp.core.storage_limit_exceeded"
    status = 413
    message = (
        "datasets and bucket of the account have {used} of the {limit} bytes of its {name}, and {size} more do not "
        "fit; delete some"
    )


class TransfersBusy(DomainError):
    """The last places are for accounts that have no transfer in progress."""

    code = "mlp.core.transfers_busy"
    status = 503
    message = "too many uploads and conversions are in progress; try again in a few seconds"
    retry_after_seconds = 5.0


class TooManyTransfers(DomainError):
    code = "mlp.core.too_many_transfers"
    status = 429
    message = "the account has {limit} uploads or conversions in progress; wait until one has ended"
    retry_after_seconds = 2.0
