from mlplace_kit.errors import DomainError


class TooManyRequestsToTheTeam(DomainError):
    code = "mlp.core.too_many_team_requests"
    status = 429
    message = "too many requests to the team from this address; try again later"
    retry_after_seconds = 3600.0
