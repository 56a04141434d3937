"""The licence as this process knows it: read at the start and every hour, and what it says of the installation."""

from datetime import datetime

from mlpcore.features.license.schemas import LicenseData
from mlpcore.features.license.standing import Standing


class LicenseWatch:
    """Without a key no licence is needed: nothing is limited, and nothing is shown."""

    def __init__(self, *, needed: bool, dashboard_url: str | None = None) -> None:
        self.needed = needed
        self.dashboard_url = dashboard_url
        self.standing: Standing | None = None

    def shown(self, now: datetime) -> LicenseData | None:
        return self.standing.shown(now) if self.needed and self.standing else None
