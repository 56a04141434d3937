from mlplace_kit.errors import DomainError


class ObjectKeyInvalid(DomainError):
    """`reason`: the rule that the key breaks."""

    code = "mlp.core.object_key_invalid"
    status = 400
    message = "the key of the object is not allowed: {reason}"


class ObjectNotFound(DomainError):
    code = "mlp.core.object_not_found"
    status = 404
    message = "the bucket has no object with this key"


class ObjectConditionFailed(DomainError):
    """The request was to store the object only if there is none with its key, or one with a certain ETag."""

    code = "mlp.core.object_condition_failed"
    status = 412
    message = "another object has this key"


class ObjectTooLarge(DomainError):
    code = "mlp.core.object_too_large"
    status = 413
    message = "an object, or one part of it, may have {limit} bytes"


class ObjectContentMissing(DomainError):
    """The object was replaced while it was read, or the object store lost it."""

    code = "mlp.core.object_content_missing"
    status = 503
    message = "the content of the object cannot be read; try again"
    retry_after_seconds = 1.0


class TooManyObjects(DomainError):
    code = "mlp.core.object_limit_exceeded"
    status = 403
    message = "the account has as many objects as it may have: {limit}; delete objects"


class TooManyUploads(DomainError):
    code = "mlp.core.upload_limit_exceeded"
    status = 403
    message = "the account has {limit} unfinished uploads; complete or abort some"


class UploadNotFound(DomainError):
    code = "mlp.core.upload_not_found"
    status = 404
    message = "there is no such unfinished upload"


class UploadPartInvalid(DomainError):
    """A part that the caller lists is missing or has another ETag."""

    code = "mlp.core.upload_part_invalid"
    status = 400
    message = "part {number} of the upload is missing or has another ETag"


class UploadPartsUnordered(DomainError):
    code = "mlp.core.upload_parts_unordered"
    status = 400
    message = "list the parts of the upload by rising numbers, at least one"


class UploadPartTooSmall(DomainError):
    code = "mlp.core.upload_part_too_small"
    status = 400
    message = "part {number} has {size} bytes; each part but the last needs {least}"
