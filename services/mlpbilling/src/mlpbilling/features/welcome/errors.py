from datetime import timedelta

from mlplace_kit.errors import DomainError


class WelcomeBonusOff(DomainError):
    code = "mlp.billing.welcome_bonus_off"
    status = 403
    message = "this installation gives no welcome bonus"


class WelcomeBonusUnconfirmed(DomainError):
    code = "mlp.billing.welcome_bonus_unconfirmed"
    status = 403
    message = "the welcome bonus requires a confirmed e-mail address; confirm yours first"


class WelcomeBonusLater(DomainError):
    """The limit of bonuses per day is reached."""

    def __init__(self, wait: timedelta) -> None:
        self.retry_after_seconds = max(1.0, wait.total_seconds())
        super().__init__()


class WelcomeBonusAddressLimit(WelcomeBonusLater):
    code = "mlp.billing.welcome_bonus_address_limit"
    status = 429
    message = "the daily limit of welcome bonuses for your network address is reached; ask again tomorrow"


class WelcomeBonusDayLimit(WelcomeBonusLater):
    code = "mlp.billing.welcome_bonus_day_limit"
    status = 429
    message = "the daily limit of welcome bonuses is reached; ask again tomorrow"
