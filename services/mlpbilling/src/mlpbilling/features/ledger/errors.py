from mlplace_kit.errors import DomainError


class BalanceTooLarge(DomainError):
    code = "mlp.billing.balance_too_large"
    status = 409
    message = "the balance would become too large"
