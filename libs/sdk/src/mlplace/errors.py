"""Exceptions of the SDK. ``MlpError`` is the one that authors raise and callers catch."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from itertools import islice
from typing import Final

from pydantic import ValidationError

from mlplace_gateproto import codes, gate_pb2, headers

_MOST_LISTED: Final = 20
_MOST_NAME: Final = 100


class MlpError(Exception):
    """A failure that is sent over the wire.

    ``code`` is stable and dotted, ``message`` is English, ``status`` is an HTTP status, ``args`` fill the placeholders
    of the message. ``request_id`` is the trace id if the failure came from the platform. ``retry_after`` says after how
    many seconds a new attempt makes sense.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = HTTPStatus.INTERNAL_SERVER_ERROR,
        args: Mapping[str, str] | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.status = int(status)
        self._details = dict(args or {})
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def args(self) -> dict[str, str]:  # pyright: ignore[reportIncompatibleVariableOverride] - the wire's word for it
        """The values of the message's placeholders."""
        return dict(self._details)

    def __str__(self) -> str:
        text = self.message
        for name, value in self._details.items():
            text = text.replace(f"${{{name}}}", value)
        return f"{self.code}: {text}"


class CallCancelledError(Exception):
    """Nobody waits for the answer any more. Do not catch it: a cancelled call needs no answer."""


class SettingsError(Exception):
    """The environment lacks what serving or calling needs; the text names it."""


class DeclarationError(TypeError):
    """The author's function or class has a form that cannot be served; the text names the part."""


def bad_request(message: str, args: Mapping[str, str] | None = None) -> MlpError:
    return MlpError(codes.BAD_REQUEST, message, status=HTTPStatus.BAD_REQUEST, args=args)


def findings(where: str, error: ValidationError) -> dict[str, str]:
    """Returns the path of each finding, beginning with ``where``, and its message, without the invalid values."""
    listed = error.errors(include_url=False, include_input=False, include_context=False)
    return {".".join([where, *(str(step) for step in finding["loc"])]): finding["msg"] for finding in listed}


def invalid_input(where: str, error: ValidationError) -> MlpError:
    """Returns a bad-request error with ``path: message`` per finding, and the same pairs as args."""
    found = findings(where, error)
    return bad_request("; ".join(f"{path}: {text}" for path, text in found.items()), found)


def method_not_supported(kind: str) -> MlpError:
    return MlpError(
        codes.METHOD_NOT_SUPPORTED,
        "This service does not support ${type} requests",
        status=HTTPStatus.BAD_REQUEST,
        args={"type": kind},
    )


def method_unknown(name: str, methods: Collection[str]) -> MlpError:
    """Returns the error for a method that is not among the model's ``methods``, of which it lists some."""
    listed = ", ".join([*islice(methods, _MOST_LISTED), *(["…"] if len(methods) > _MOST_LISTED else [])])
    return MlpError(
        codes.METHOD_NOT_SUPPORTED,
        "the model has no method ${method}; it has ${methods}",
        status=HTTPStatus.BAD_REQUEST,
        args={"type": "ext", "method": name[:_MOST_NAME], "methods": listed},
    )


def internal_error(message: str) -> MlpError:
    return MlpError(codes.INTERNAL_ERROR, message)


def processing_exception(error: BaseException) -> MlpError:
    text = str(error) or type(error).__name__
    return MlpError(codes.PROCESSING_EXCEPTION, text, args={"message": text, "class": type(error).__qualname__})


def to_proto(error: MlpError) -> gate_pb2.ApiErrorProto:
    message = gate_pb2.ApiErrorProto(code=error.code, message=error.message, args=error.args)
    # The enum has names for four statuses only, but any HTTP status can be sent in it.
    message.status = error.status  # pyright: ignore[reportAttributeAccessIssue] - an open enum takes any number
    return message


def from_proto(error: gate_pb2.ApiErrorProto, given: Mapping[str, str]) -> MlpError:
    """``given`` are the headers of the answer."""
    return MlpError(
        error.code,
        error.message,
        status=int(error.status) or HTTPStatus.INTERNAL_SERVER_ERROR,
        args=dict(error.args),
        request_id=given.get(headers.REQUEST_ID),
        retry_after=seconds_of(given.get(headers.RETRY_AFTER)),
    )


def seconds_of(retry_after: str | None) -> float | None:
    """Returns the seconds of a Retry-After header, which may be a date with its zone; None for any other text."""
    if not retry_after:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after)
    try:
        at = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return None
    return max(0.0, (at - datetime.now(UTC)).total_seconds()) if at.tzinfo is not None else None
