"""Errors of the gRPC server and the streams of instances."""

from typing import Final

from mlpgateway.errors.calls import BrokenAnswer
from mlplace_gateproto import codes
from mlplace_kit.errors import DomainError

AN_ERROR: Final = "an error"
"""The kind of an answer that says that it is one, for UnexpectedAnswer."""


class ChannelClosed(DomainError):
    """The instance's stream broke before the answer was complete."""

    code = codes.CHANNEL_CLOSED
    status = 503
    message = "the connection to the instance was lost: {reason}"


class GateIsShutDown(DomainError):
    code = codes.GATE_IS_SHUT_DOWN
    status = 503
    message = "this gate is shutting down; connect to another one"
    retry_after_seconds = 1.0


class GateOverloaded(DomainError):
    """The gate has too many calls in progress; another gate may have capacity."""

    code = "mlp.gate.overloaded"
    status = 503
    message = "too many calls are in progress"
    retry_after_seconds = 1.0


class InstanceByTokenNotFound(DomainError):
    """No instance has the token, or the instance is being removed."""

    code = codes.INSTANCE_BY_TOKEN_NOT_FOUND
    status = 404
    message = "no instance has this connection token"


class TooManyConnects(DomainError):
    """`holder` is `token` or `account` of the instance, or `address` when the instance is unknown.

    `limit` is the allowed number of connects per minute.
    """

    code = "mlp.gate.too_many_connects"
    status = 429
    message = "instances connect too often with one {holder}: {limit} times a minute at a gate"

    def __init__(self, seconds: float, *, holder: str, limit: str) -> None:
        self.retry_after_seconds = max(1.0, seconds)
        super().__init__(holder=holder, limit=limit)


class TooManyStreams(DomainError):
    """`holder` is `token` or `account` of the instance."""

    code = "mlp.gate.too_many_streams"
    status = 429
    message = "one {holder} may have {limit} streams of instances open at a gate"
    retry_after_seconds = 10.0


class InstanceOverloaded(DomainError):
    """The messages that wait to be sent to the instance exceed the gate's memory limit."""

    code = codes.SERVICE_UNAVAILABLE
    status = 503
    message = "the instance does not keep up with its requests"
    retry_after_seconds = 1.0


class AnswerNotRead(DomainError):
    """The caller reads a streamed answer so slowly that the gate cannot keep the unread parts any longer."""

    code = "mlp.gate.answer_not_read"
    status = 408
    message = "the streamed answer was not read in time"


class UnexpectedAnswer(BrokenAnswer):
    """The instance answered with a message whose kind does not match the request."""

    def __init__(self, *, operation: str, kind: str) -> None:
        super().__init__(reason=f"{kind} for {operation}")


class ProtocolViolation(DomainError):
    """An instance or a caller violated the protocol. Only its own stream ends."""

    code = codes.BAD_REQUEST
    status = 400
    message = "{reason}"
