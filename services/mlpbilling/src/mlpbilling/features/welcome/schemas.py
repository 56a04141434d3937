from mlplace_kit.wire import Output


class WelcomeOffer(Output):
    """`amount_currency` is what the user gets; 0 if no bonus is offered."""

    offered: bool
    amount_currency: float
