from datetime import timedelta

from mlplace_kit.errors import DomainError


class TooManyAttempts(DomainError):
    code = "accountsadmin.too_many_attempts"
    status = 429
    message = "too many attempts; try again in {seconds} s"

    def __init__(self, wait: timedelta) -> None:
        self.retry_after_seconds = max(1.0, wait.total_seconds())
        super().__init__(seconds=str(round(self.retry_after_seconds)))
