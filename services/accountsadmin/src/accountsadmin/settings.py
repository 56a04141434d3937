"""Settings of accountsadmin: environment variables that start with `MLP_ACCOUNTSADMIN_`."""

from datetime import timedelta

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mlplace_kit.settings import Settings
from mlplace_runtime.db.urls import DatabaseUrl

_MAX_BODY_BYTES = 1_000_000


class AccountsadminSettings(Settings):
    model_config = SettingsConfigDict(env_prefix="MLP_ACCOUNTSADMIN_", extra="ignore", frozen=True)

    database_url: DatabaseUrl
    """`postgresql+asyncpg://...` of the role that serves, with its password."""
    owner_database_url: DatabaseUrl = ""
    """`postgresql+asyncpg://...` of the role that migrates; only `migrate` needs it."""

    session_idle: timedelta = timedelta(days=30)
    """A session ends after this time without use."""
    session_lifetime: timedelta = timedelta(days=90)
    """A session ends this long after sign-in, even if it is in use."""

    attempts_window: timedelta = timedelta(minutes=15)
    """Window in which wrong passwords and registrations are counted."""
    attempts_per_login: int = Field(default=10, ge=1)
    """Wrong passwords for one login within the window, from one address or one known device.

    Each further attempt waits 1 s, 2 s, 4 s and so on. A known device is a browser in which the user has signed in.
    """
    attempts_per_login_everywhere: int = Field(default=30, ge=1)
    """Wrong passwords for one login within the window, from all unknown devices together.

    Further attempts queue: 12 per minute. Known devices are not affected.
    """
    attempts_per_address: int = Field(default=100, ge=1)
    """Wrong passwords from one address within the window, for all logins, from unknown devices.

    Further attempts queue: 12 per minute.
    """
    attempts_longest_wait: timedelta = Field(default=timedelta(seconds=60), gt=timedelta(0))
    """Longest wait because of one's own wrong passwords or in the queue of an address."""
    device_lifetime: timedelta = timedelta(days=180)
    """How long after the last sign-in a browser remains a known device of a user."""
    registrations_per_address: int = Field(default=50, ge=1)
    """New users from one address within the window."""

    mails_per_login: int = Field(default=3, ge=1)
    """Mails with links to one address within the window."""
    mails_per_login_per_day: int = Field(default=20, ge=1)
    """Mails to one address within a day, including invitations, whoever requests them."""
    mails_per_address: int = Field(default=20, ge=1)
    """Mails with links that one network address may request within the window."""

    invitations_per_account: int = Field(default=50, ge=1)
    """Invitations that the owners of one account may send within the window."""

    public_url: str = Field(default="http://localhost:8080", pattern=r"^https?://[^/\s]+$")
    """URL of the platform for people. Links in mails begin with it, unless the request came by a known domain."""

    argon2_memory_kib: int = Field(default=65_536, ge=8)
    """Memory per hash; with three passes it is the second recommended option of RFC 9106."""
    argon2_passes: int = Field(default=3, ge=1)
    """Passes over that memory for each password."""
    argon2_workers: int = Field(default=2, ge=1)
    """Passwords that are hashed at the same time; others wait."""

    @property
    def max_body_bytes(self) -> int:
        """The largest body of a request."""
        return _MAX_BODY_BYTES
