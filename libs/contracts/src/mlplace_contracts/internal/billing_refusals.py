"""The reasons for which mlpbilling holds no money for a call. The gateway returns the same errors to the caller."""

from mlplace_kit.errors import DomainError


class InsufficientFunds(DomainError):
    code = "mlp.billing.insufficient_funds"
    status = 402
    message = "the balance does not cover this call"


class AccountBlocked(DomainError):
    code = "mlp.billing.account_blocked"
    status = 403
    message = "the account that pays is blocked until its balance is refilled"
