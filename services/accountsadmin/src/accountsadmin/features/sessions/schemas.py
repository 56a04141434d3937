from datetime import datetime

from mlplace_kit.wire import Output


class SessionData(Output):
    """`current` marks the session of this request. `id` is a number for this list, not the secret in the cookie."""

    id: int
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    address: str
    user_agent: str
    current: bool
