"""Errors of the pipeline."""

from mlplace_gateproto import codes
from mlplace_kit.errors import DomainError, NotAuthorized


class PrototypeNotCallable(DomainError):
    code = codes.PROTOTYPE_NOT_CALLABLE
    status = 400
    message = "a prototype is copied, not called"


class TestingNotAllowed(DomainError):
    """People may call another account's model from the browser only if its owner allows it; keys always may."""

    code = "mlp.gate.testing_not_allowed"
    status = 403
    message = "the owner does not let others test this model in the browser; call it with a key"


class BillingKeyNotValid(NotAuthorized):
    """The key that shall pay is unknown, has ended, or may not call models."""

    code = "mlp.gate.billing_key_not_valid"
    message = "the key in MLP-BILLING-KEY is not valid, or may not call models"


class OriginNotAllowed(DomainError):
    """A page of another site calls with a key that lists other origins. `header` holds that key."""

    code = "mlp.gate.origin_not_allowed"
    status = 403
    message = "the key in {header} does not allow calls from pages of this origin"


class HttpNotOffered(DomainError):
    code = "mlp.gate.http_not_offered"
    status = 404
    message = "the model has no HTTP interface"


class NoActiveInstances(DomainError):
    code = codes.NO_ACTIVE_INSTANCES
    status = 503
    message = "no instance of the model is running"
    retry_after_seconds = 5.0


class InstanceStartTimeout(DomainError):
    """No instance started within the model's start timeout. The start itself continues."""

    code = codes.INSTANCE_START_TIMEOUT
    status = 504
    message = "no instance of the model started within {seconds} seconds"
    retry_after_seconds = 5.0


class QueueFull(DomainError):
    """The queue of the model, or of this gate, is full."""

    code = "mlp.gate.queue_full"
    status = 503
    message = "too many calls wait for the model"
    retry_after_seconds = 1.0


class CallLoop(DomainError):
    """A composite service called itself, directly or through others."""

    code = "mlp.gate.call_loop"
    status = 508
    message = "the call came back to a model that it has passed, or passed too many: {chain}"


class PredictTimeout(DomainError):
    code = codes.PREDICT_TIMEOUT
    status = 504
    message = "the model did not answer within {seconds} seconds"


class CallerTimeout(PredictTimeout):
    """The caller allowed less time than the model does, so the model is not at fault."""


class CallerSilent(CallerTimeout):
    """The caller sends its request in parts, and none has come for long: the model may be waiting for the next one."""

    message = "neither a part of the request nor one of the answer came within {seconds} seconds"


class BrokenAnswer(DomainError):
    """The instance's answer violates the protocol."""

    code = codes.INTERNAL_ERROR
    status = 502
    message = "the instance gave no proper answer: {reason}"


class NothingAnswered(BrokenAnswer):
    def __init__(self) -> None:
        super().__init__(reason="it ended without a last part")


class StreamedInputNotSupported(DomainError):
    code = codes.METHOD_NOT_SUPPORTED
    status = 400
    message = "the model does not take its request in parts"


class UsageNotRecorded(DomainError):
    """The answer existed but its usage was not recorded: the caller gets this error and pays nothing."""

    code = "mlp.gate.usage_not_recorded"
    status = 503
    message = "the call could not be recorded; nothing was charged"
    retry_after_seconds = 1.0
