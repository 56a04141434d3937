"""The licence that this process last read, at its start and every hour, with its standing."""

from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from mlpcore.licensing.schemas import LicenseData
from mlpcore.licensing.standing import LicenseState


class LicenseWatch:
    """Without a key the installation needs no licence: nothing is limited, and `shown` returns None."""

    def __init__(self, key: Ed25519PublicKey | None = None, *, dashboard_url: str | None = None) -> None:
        self.key = key
        self.dashboard_url = dashboard_url
        self.standing: LicenseState | None = None

    def shown(self, now: datetime) -> LicenseData | None:
        return self.standing.shown(now) if self.standing else None
