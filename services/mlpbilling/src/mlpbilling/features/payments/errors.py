from mlplace_kit.errors import DomainError


class CardRefillOff(DomainError):
    code = "mlp.billing.card_refill_off"
    status = 403
    message = "this installation takes no cards"


class TooManyPayments(DomainError):
    code = "mlp.billing.too_many_payments"
    status = 429
    message = "too many payments of this account are open; finish one, or wait until it expires"
    retry_after_seconds = 60.0


class PaymentProviderAway(DomainError):
    code = "mlp.billing.payment_provider_away"
    status = 503
    message = "the payment provider does not answer; try again"
    retry_after_seconds = 5.0


class CallbackForged(DomainError):
    """Raised alike for every reason, so that a forger learns nothing."""

    code = "mlp.billing.callback_forged"
    status = 403
    message = "this callback is not signed by the provider"


class PaymentMismatch(DomainError):
    """The provider's report does not match the ordered payment. It is recorded for people to check."""

    code = "mlp.billing.payment_mismatch"
    status = 409
    message = "the payment is not the one that was ordered"
