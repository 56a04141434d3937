"""The one exception tree of the platform. `mlplace_runtime.web` renders it; `docs/errors.md` is generated from it."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import ClassVar

from mlplace_kit.violations import MOST_VIOLATIONS, Violation, shown_path


class DomainError(Exception):
    """A refusal that a caller can understand.

    Subclasses set `code` (stable, dotted), `status` (HTTP) and `message` (English; `{name}` is filled from `args`). The
    `details` of the instance become the `args` of the error on the wire.
    """

    code: ClassVar[str] = ""
    status: ClassVar[int] = 500
    message: ClassVar[str] = "internal error"
    retry_after_seconds: float | None = None
    answer_headers: Mapping[str, str] = MappingProxyType({})
    """Further fields of the answer beside the error, by their names on the wire."""

    def __init__(self, /, **details: str) -> None:
        self.details = details
        super().__init__(self.text)

    @property
    def text(self) -> str:
        """Returns the message with its arguments filled in."""
        return self.message.format_map(_Lenient(self.details))


class _Lenient(dict[str, str]):
    """Leaves a placeholder without a value unchanged: rendering an error text must never raise."""

    def __missing__(self, key: str) -> str:
        return "{" + key + "}"


class ValidationFailed(DomainError):
    """Input that cannot be accepted. `details` maps the path of each field to what is wrong with it.

    Callers choose paths and their number, so both are bounded.
    """

    code = "mlp.core.validation_error"
    status = 400
    message = "the request is not valid"

    def __init__(self, found: Mapping[str, Violation]) -> None:
        kept = islice(found.items(), MOST_VIOLATIONS)
        self.violations = {shown_path(path): violation for path, violation in kept}
        self.fields = {path: violation.message for path, violation in self.violations.items()}
        super().__init__(**self.fields)

    @property
    def text(self) -> str:
        return "; ".join(f"{path}: {problem}" for path, problem in self.fields.items()) or self.message


class MalformedRequest(DomainError):
    code = "mlp.core.malformed_request"
    status = 400
    message = "the request is not valid: {reason}"


class UnsupportedContentType(DomainError):
    code = "mlp.core.unsupported_content_type"
    status = 415
    message = "send the body as {expected}"


class ContentEncodingNotSupported(DomainError):
    code = "mlp.core.content_encoding_not_supported"
    status = 415
    message = "send the body as it is, without Content-Encoding"
    answer_headers: Mapping[str, str] = MappingProxyType({"Accept-Encoding": "identity"})  # RFC 9110, section 15.5.16


class PayloadTooLarge(DomainError):
    code = "mlp.gate.request_too_large"
    status = 413
    message = "the request is larger than {limit} {unit}"

    def __init__(self, *, limit: str, unit: str = "bytes") -> None:
        super().__init__(limit=limit, unit=unit)


class LengthNeeded(PayloadTooLarge):
    """A body of unknown length that is longer than such a body may be. `limit`: that length."""

    message = "a body of more than {limit} {unit} needs a Content-Length"


class HeadersTooLarge(DomainError):
    code = "mlp.core.headers_too_large"
    status = 431
    message = "the headers of the request are more than {limit} {unit}"

    def __init__(self, *, limit: str, unit: str = "bytes") -> None:
        super().__init__(limit=limit, unit=unit)


class AddressTooLong(DomainError):
    code = "mlp.core.address_too_long"
    status = 414
    message = "the address of the request has more than {limit} bytes"


class RequestTooSlow(DomainError):
    code = "mlp.core.request_too_slow"
    status = 408
    message = "the request did not come in time"


class TooManyConnections(DomainError):
    code = "mlp.core.too_many_connections"
    status = 429
    message = "your address has too many connections; close some, or try again"
    retry_after_seconds = 1.0


class NotFound(DomainError):
    """The object does not exist or belongs to another account. Both cases must look the same to the caller."""

    code = "mlp.core.not_found"
    status = 404
    message = "{entity} not found"


class RouteNotFound(DomainError):
    code = "mlp.core.route_not_found"
    status = 404
    message = "there is no such address"


class MethodNotAllowed(DomainError):
    code = "mlp.core.method_not_allowed"
    status = 405
    message = "this address does not answer that method"

    def __init__(self, allowed: Iterable[str]) -> None:
        """`allowed`: the methods that the address answers (RFC 9110, section 15.5.6)."""
        super().__init__()
        self.answer_headers = {"Allow": ", ".join(sorted(allowed))}


class HeaderNotServed(DomainError):
    """`header` is the name of the header, or the name and its value."""

    code = "mlp.gate.header_not_served"
    status = 400
    message = "{header} is not served here; leave it out"


class HeaderNeedsAnother(HeaderNotServed):
    """A header without the one that gives it its meaning. `other` is its name, or its name and value."""

    message = "{header} needs {other}"

    def __init__(self, *, header: str, other: str) -> None:
        super().__init__(header=header, other=other)


class NotAuthorized(DomainError):
    code = "mlp.gate.unauthorized"
    status = 401
    message = "sign in, or send a valid API key in MLP-API-KEY or as Authorization: Bearer"


class AccessDenied(DomainError):
    code = "mlp.gate.access_denied"
    status = 403
    message = "you may not do this"


class AccountAccessDenied(DomainError):
    code = "account.access.denied"
    status = 403
    message = "this account is not yours to use"


class AccountNotSelected(DomainError):
    code = "account.not_selected"
    status = 403
    message = "select an account first"


class AccountNotFound(DomainError):
    code = "mlp.gate.account_not_found"
    status = 404
    message = "account not found"


class ModelNotFound(DomainError):
    code = "mlp.gate.model_not_found"
    status = 404
    message = "model not found"


class ConfigNotFound(DomainError):
    code = "mlp.gate.config_not_found"
    status = 404
    message = "configuration not found"


class NameAlreadyExists(DomainError):
    code = "mlp.core.name_already_exists"
    status = 409
    message = "{entity} with the name {name} already exists"


class Conflict(DomainError):
    code = "mlp.core.conflict"
    status = 409
    message = "the object was changed by somebody else; read it again"


class Unavailable(DomainError):
    code = "mlp.core.unavailable"
    status = 503
    message = "a part of the platform does not answer; try again"
    retry_after_seconds = 1.0


class InternalError(DomainError):
    code = "mlp.core.internal_error"
    status = 500
    message = "something went wrong on our side"


def catalogue(root: type[DomainError] = DomainError) -> Iterator[type[DomainError]]:
    """Yields every imported error class that defines a code, sorted by code."""
    seen: set[type[DomainError]] = set()
    queue = [root]
    while queue:
        current = queue.pop()
        for child in current.__subclasses__():
            if child not in seen:
                seen.add(child)
                queue.append(child)
    yield from sorted((c for c in seen if "code" in vars(c)), key=lambda c: (c.code, c.__name__))
