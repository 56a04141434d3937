from mlplace_kit.errors import DomainError


class TooManyEvents(DomainError):
    code = "mlp.core.too_many_usage_events"
    status = 429
    message = "too many usage events from this address; try again later"
    retry_after_seconds = 60.0
