"""The one exception that authors raise and callers catch."""

from collections.abc import Mapping
from http import HTTPStatus

from pydantic import ValidationError

from mlplace_gateproto import codes, gate_pb2


class MlpError(Exception):
    """A failure that crosses the wire.

    ``code`` is stable and dotted, ``message`` is English, ``status`` is an HTTP status, ``args`` fill the placeholders
    of the message; ``request_id`` is the trace id when the failure came from the platform.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = HTTPStatus.INTERNAL_SERVER_ERROR,
        args: Mapping[str, str] | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.status = int(status)
        self._details = dict(args or {})
        self.request_id = request_id

    @property
    def args(self) -> dict[str, str]:  # pyright: ignore[reportIncompatibleVariableOverride] - the wire's word for it
        """Named values of the message."""
        return dict(self._details)

    def __str__(self) -> str:
        text = self.message
        for name, value in self._details.items():
            text = text.replace(f"${{{name}}}", value)
        return f"{self.code}: {text}"


class CallCancelledError(Exception):
    """Nobody waits for the answer any more. Let it pass through: what it ends is not answered."""


class SettingsError(Exception):
    """The environment does not describe a place to serve or to call; the text says what is missing."""


class DeclarationError(TypeError):
    """The author's function or class has a form that cannot be served; the text says which part."""


def bad_request(message: str, args: Mapping[str, str] | None = None) -> MlpError:
    return MlpError(codes.BAD_REQUEST, message, status=HTTPStatus.BAD_REQUEST, args=args)


def findings(where: str, error: ValidationError) -> dict[str, str]:
    """Path of each finding, beginning with ``where``, to what is wrong there; the values themselves are left out."""
    listed = error.errors(include_url=False, include_input=False, include_context=False)
    return {".".join([where, *(str(step) for step in finding["loc"])]): finding["msg"] for finding in listed}


def invalid_input(where: str, error: ValidationError) -> MlpError:
    """Bad request with ``path: message`` per finding, and the same pairs as args."""
    found = findings(where, error)
    return bad_request("; ".join(f"{path}: {text}" for path, text in found.items()), found)


def method_not_supported(kind: str) -> MlpError:
    return MlpError(
        codes.METHOD_NOT_SUPPORTED,
        "This service does not support ${type} requests",
        status=HTTPStatus.BAD_REQUEST,
        args={"type": kind},
    )


def internal_error(message: str) -> MlpError:
    return MlpError(codes.INTERNAL_ERROR, message)


def processing_exception(error: BaseException) -> MlpError:
    text = str(error) or type(error).__name__
    return MlpError(codes.PROCESSING_EXCEPTION, text, args={"message": text, "class": type(error).__qualname__})


def to_proto(error: MlpError) -> gate_pb2.ApiErrorProto:
    message = gate_pb2.ApiErrorProto(code=error.code, message=error.message, args=error.args)
    # The enum names four statuses only, but any HTTP number may travel in it.
    message.status = error.status  # pyright: ignore[reportAttributeAccessIssue] - an open enum takes any number
    return message


def from_proto(error: gate_pb2.ApiErrorProto, request_id: str | None) -> MlpError:
    status = int(error.status) or HTTPStatus.INTERNAL_SERVER_ERROR
    return MlpError(error.code, error.message, status=status, args=dict(error.args), request_id=request_id)
