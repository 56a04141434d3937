from datetime import timedelta

from mlplace_kit.errors import DomainError


class WelcomeBonusOff(DomainError):
    code = "mlp.billing.welcome_bonus_off"
    status = 403
    message = "this installation gives no welcome bonus"


class WelcomeBonusUnconfirmed(DomainError):
    code = "mlp.billing.welcome_bonus_unconfirmed"
    status = 403
    message = "confirm your e-mail address first: the welcome bonus is for people whose mail arrives"


class WelcomeBonusLater(DomainError):
    """The limit of bonuses per day is reached."""

    def __init__(self, wait: timedelta) -> None:
        self.retry_after_seconds = max(1.0, wait.total_seconds())
        super().__init__()


class WelcomeBonusAddressLimit(WelcomeBonusLater):
    code = "mlp.billing.welcome_bonus_address_limit"
    status = 429
    message = "enough welcome bonuses went to your network address today; ask again tomorrow"


class WelcomeBonusDayLimit(WelcomeBonusLater):
    code = "mlp.billing.welcome_bonus_day_limit"
    status = 429
    message = "enough welcome bonuses were given today; ask again tomorrow"
