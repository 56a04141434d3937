"""Refusals and failures of the gate itself."""

from mlpgateway.errors.calls import BrokenAnswer
from mlplace_gateproto import codes
from mlplace_kit.errors import DomainError


class ChannelClosed(DomainError):
    """The stream of the instance broke before the answer was complete."""

    code = codes.CHANNEL_CLOSED
    status = 503
    message = "the connection to the instance was lost: {reason}"


class GateIsShutDown(DomainError):
    code = codes.GATE_IS_SHUT_DOWN
    status = 503
    message = "this gate is shutting down; connect to another one"
    retry_after_seconds = 1.0


class GateOverloaded(DomainError):
    """More calls are in progress than the gate keeps up with; another gate may have room."""

    code = "mlp.gate.overloaded"
    status = 503
    message = "too many calls are in progress"
    retry_after_seconds = 1.0


class InstanceByTokenNotFound(DomainError):
    """Also the answer to an instance that is being removed."""

    code = codes.INSTANCE_BY_TOKEN_NOT_FOUND
    status = 404
    message = "no instance has this connection token"


class TooManyConnects(DomainError):
    """`holder` is the `token` or the `account` of the instance, or the `address` of an unknown one.

    `limit` counts a minute.
    """

    code = "mlp.gate.too_many_connects"
    status = 429
    message = "instances connect too often with one {holder}: {limit} times a minute at a gate"

    def __init__(self, seconds: float, *, holder: str, limit: str) -> None:
        self.retry_after_seconds = max(1.0, seconds)
        super().__init__(holder=holder, limit=limit)


class TooManyStreams(DomainError):
    """`holder` is the `token` or the `account` of the instance."""

    code = "mlp.gate.too_many_streams"
    status = 429
    message = "one {holder} may have {limit} streams of instances open at a gate"
    retry_after_seconds = 10.0


class InstanceOverloaded(DomainError):
    """More waits to be written to the instance than a gate keeps in memory."""

    code = codes.SERVICE_UNAVAILABLE
    status = 503
    message = "the instance does not keep up with its requests"
    retry_after_seconds = 1.0


class AnswerNotRead(DomainError):
    """The caller reads a streamed answer too slowly for the gate to keep what it has not read."""

    code = "mlp.gate.answer_not_read"
    status = 408
    message = "the streamed answer was not read in time"


class UnexpectedAnswer(BrokenAnswer):
    """The instance answered with a message of another kind than the request."""

    def __init__(self, *, operation: str, kind: str) -> None:
        super().__init__(reason=f"{kind} for {operation}")


class ProtocolViolation(DomainError):
    """An instance or a caller sent what the protocol does not allow here. Its stream ends; others do not notice."""

    code = codes.BAD_REQUEST
    status = 400
    message = "{reason}"
