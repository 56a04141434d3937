from datetime import datetime
from enum import StrEnum

from mlplace_kit.pagination import Pagination
from mlplace_kit.wire import Output


class SecurityEvent(StrEnum):
    SIGNED_UP = "SIGNED_UP"
    SIGNED_IN = "SIGNED_IN"
    SIGN_IN_FAILED = "SIGN_IN_FAILED"
    SIGN_IN_LOCKED = "SIGN_IN_LOCKED"
    SIGN_IN_SLOWED = "SIGN_IN_SLOWED"
    SIGNED_OUT = "SIGNED_OUT"
    PASSWORD_CHANGED = "PASSWORD_CHANGED"  # noqa: S105  a kind of event  # pragma: allowlist secret
    PASSWORD_RESET_ASKED = "PASSWORD_RESET_ASKED"  # noqa: S105  a kind of event  # pragma: allowlist secret
    PASSWORD_RESET = "PASSWORD_RESET"  # noqa: S105  a kind of event  # pragma: allowlist secret
    EMAIL_CONFIRMED = "EMAIL_CONFIRMED"
    SESSION_REVOKED = "SESSION_REVOKED"
    MEMBERSHIP_CHANGED = "MEMBERSHIP_CHANGED"
    INVITATION_CREATED = "INVITATION_CREATED"
    INVITATION_WITHDRAWN = "INVITATION_WITHDRAWN"
    INVITATION_ACCEPTED = "INVITATION_ACCEPTED"
    INVITATION_DECLINED = "INVITATION_DECLINED"
    PERMISSIONS_CHANGED = "PERMISSIONS_CHANGED"
    USER_BLOCKED = "USER_BLOCKED"
    USER_UNBLOCKED = "USER_UNBLOCKED"
    ACCOUNT_CREATED = "ACCOUNT_CREATED"
    ACCOUNT_CHANGED = "ACCOUNT_CHANGED"
    DOMAINS_CHANGED = "DOMAINS_CHANGED"


class AuditRecord(Output):
    """One security event. Former versions, which locked logins, wrote `SIGN_IN_LOCKED`.

    `userId` is the user whom it affected, `actorUserId` the one who caused it; null if nobody was signed in.
    """

    id: int
    occurred_at: datetime
    kind: SecurityEvent
    actor_user_id: int | None
    user_id: int | None
    account_id: int | None
    login: str | None
    address: str
    user_agent: str
    details: dict[str, str]


class AuditPage(Output):
    paging: Pagination
    records: list[AuditRecord]
