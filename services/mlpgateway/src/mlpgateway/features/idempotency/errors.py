"""Errors of calls with an idempotency key."""

from mlplace_kit.errors import DomainError


class IdempotencyKeyReused(DomainError):
    code = "mlp.gate.idempotency_key_reused"
    status = 422
    message = "this idempotency key was used for another request"


class IdempotentCallRunning(DomainError):
    code = "mlp.gate.idempotent_call_running"
    status = 409
    message = "the call with this idempotency key is still running"
    retry_after_seconds = 1.0


class IdempotencyNotForStreams(DomainError):
    code = "mlp.gate.idempotency_not_for_streams"
    status = 400
    message = "a streamed answer takes no Idempotency-Key; leave it out, or ask for a whole answer"


class AnswerTooLargeToKeep(DomainError):
    code = "mlp.gate.answer_too_large_to_keep"
    status = 502
    message = "the answer is larger than {limit} bytes, which cannot be kept; nothing was charged"
