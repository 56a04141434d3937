"""Settings of accountsadmin: environment variables that start with `MLP_ACCOUNTSADMIN_`."""

from datetime import timedelta

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mlplace_kit.settings import Settings


class AccountsadminSettings(Settings):
    model_config = SettingsConfigDict(env_prefix="MLP_ACCOUNTSADMIN_", extra="ignore", frozen=True)

    database_url: str
    """`postgresql+asyncpg://...` of the role that serves, with its password."""
    owner_database_url: str = ""
    """Of the role that migrates; only `migrate` needs it."""

    session_idle: timedelta = timedelta(days=30)
    """A session that nobody uses for so long ends."""
    session_lifetime: timedelta = timedelta(days=90)
    """A session ends so long after sign-in, used or not."""

    attempts_window: timedelta = timedelta(minutes=15)
    """Time over which wrong passwords and registrations are counted."""
    attempts_per_login: int = Field(default=10, ge=1)
    """Wrong passwords for one login within the window, from one address or one known device. Each further attempt waits
    1 s, 2 s, 4 s and so on. A known device is a browser in which the user has signed in."""
    attempts_per_login_everywhere: int = Field(default=30, ge=1)
    """Wrong passwords for one login within the window from all unknown devices. Beyond that these wait for each other:
    12 attempts a minute. Known devices do not wait for them."""
    attempts_per_address: int = Field(default=100, ge=1)
    """Wrong passwords from one address within the window, for whichever login, from unknown devices. Beyond that they
    wait for each other: 12 attempts a minute."""
    attempts_longest_wait: timedelta = Field(default=timedelta(seconds=60), gt=timedelta(0))
    """The longest wait for one's own wrong passwords and in the line of an address."""
    device_lifetime: timedelta = timedelta(days=180)
    """How long a browser in which a user has signed in stays a known device after the last sign-in."""
    registrations_per_address: int = Field(default=50, ge=1)
    """New users from one address within the window."""

    mails_per_login: int = Field(default=3, ge=1)
    """Links sent to one address within the window."""
    mails_per_login_per_day: int = Field(default=20, ge=1)
    """Mails sent to one address within a day, invitations included, whoever asks for them."""
    mails_per_address: int = Field(default=20, ge=1)
    """Links that one network address may ask for within the window."""

    invitations_per_account: int = Field(default=50, ge=1)
    """Invitations that the owners of one account may send within the window."""

    public_url: str = Field(default="http://localhost:8080", pattern=r"^https?://[^/\s]+$")
    """Where people find the platform: links in mails begin with it, but for those who come by a known domain."""

    argon2_memory_kib: int = Field(default=65_536, ge=8)
    """With three passes the second recommended option of RFC 9106."""
    argon2_passes: int = Field(default=3, ge=1)
    """Passes over that memory for each password."""
    argon2_workers: int = Field(default=2, ge=1)
    """Passwords that are hashed at the same time; others wait."""
