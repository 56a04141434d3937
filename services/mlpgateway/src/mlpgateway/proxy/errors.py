"""Refusals of the hot path."""

from mlplace_gateproto import codes
from mlplace_kit.errors import DomainError


class ConfigNotFound(DomainError):
    code = codes.CONFIG_NOT_FOUND
    status = 404
    message = "the model has no predict config {config}"


class PrototypeNotCallable(DomainError):
    code = codes.PROTOTYPE_NOT_CALLABLE
    status = 400
    message = "a prototype is copied, not called"


class TestingNotAllowed(DomainError):
    """People may call another account's model from the browser only where its owner allows that; keys always may."""

    code = "mlp.gate.testing_not_allowed"
    status = 403
    message = "the owner does not let others test this model in the browser; call it with a key"


class AccountBlocked(DomainError):
    code = codes.ACCOUNT_BLOCKED
    status = 403
    message = "the account that pays is blocked until its balance is refilled"


class InsufficientFunds(DomainError):
    code = "mlp.billing.insufficient_funds"
    status = 402
    message = "the balance does not cover this call"


class RateExceeded(DomainError):
    code = codes.PPS_LIMIT_EXCEEDED
    status = 429
    message = "the account may make {limit} calls in a second"
    retry_after_seconds = 1.0


class NoActiveInstances(DomainError):
    code = codes.NO_ACTIVE_INSTANCES
    status = 503
    message = "no instance of the model is running"
    retry_after_seconds = 5.0


class PredictTimeout(DomainError):
    code = codes.PREDICT_TIMEOUT
    status = 504
    message = "the model did not answer within {seconds} seconds"


class NothingAnswered(DomainError):
    code = codes.INTERNAL_ERROR
    status = 502
    message = "the instance ended the answer without a last part"


class StreamedInputNotSupported(DomainError):
    code = codes.METHOD_NOT_SUPPORTED
    status = 400
    message = "the model does not take its request in parts"


class UsageNotRecorded(DomainError):
    """The answer was there, but not written down: the caller gets an error instead and pays nothing."""

    code = "mlp.gate.usage_not_recorded"
    status = 503
    message = "the call could not be recorded; nothing was charged"
    retry_after_seconds = 1.0
