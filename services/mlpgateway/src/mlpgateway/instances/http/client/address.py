"""Where an instance listens."""

from dataclasses import dataclass
from typing import Final

HTTPS: Final = 443
_HTTP: Final = 80


@dataclass(frozen=True, slots=True)
class Address:
    """Where an instance listens. `trusted`: a server of the platform reported it; it may be in an internal network."""

    host: str
    port: int
    trusted: bool

    @property
    def is_secure(self) -> bool:
        """Port 443 means TLS."""
        return self.port == HTTPS

    @property
    def authority(self) -> str:
        """The value of the Host header, without a port that the scheme implies."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port in {_HTTP, HTTPS} else f"{host}:{self.port}"

    @property
    def base(self) -> str:
        """The base URL without a trailing slash."""
        return f"{'https' if self.is_secure else 'http'}://{self.authority}"
