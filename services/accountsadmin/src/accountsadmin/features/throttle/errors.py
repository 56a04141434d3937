import math
from datetime import timedelta

from mlplace_kit.errors import DomainError


class TooManyAttempts(DomainError):
    code = "accountsadmin.too_many_attempts"
    status = 429
    message = "too many attempts; try again in {seconds} s"

    def __init__(self, wait: timedelta) -> None:
        seconds = max(1, math.ceil(wait.total_seconds()))
        self.retry_after_seconds = float(seconds)
        super().__init__(seconds=str(seconds))
