from mlplace_kit.errors import DomainError


class InsufficientFunds(DomainError):
    code = "mlp.billing.insufficient_funds"
    status = 402
    message = "the balance does not cover this call"


class AccountBlocked(DomainError):
    code = "mlp.billing.account_blocked"
    status = 403
    message = "the account is blocked until its balance is refilled"


class ReservationChanged(DomainError):
    code = "mlp.billing.reservation_changed"
    status = 409
    message = "this reservation id was used for another request"
