from mlplace_kit.errors import DomainError


class WelcomeBonusTaken(DomainError):
    code = "mlp.billing.welcome_bonus_taken"
    status = 409
    message = "the welcome bonus is given once to each person"


class IdempotencyKeyReused(DomainError):
    code = "mlp.billing.idempotency_key_reused"
    status = 409
    message = "this idempotency key was used for another request"
