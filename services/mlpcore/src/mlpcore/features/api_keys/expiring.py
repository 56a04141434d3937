"""Notifies accounts a week and a day before a key expires, once each, and mails the addresses that the key names.

A mail that fails is not sent again: the account has the notification.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.api_keys.limits import restrictions_of
from mlpcore.features.api_keys.mails import expiry_mail
from mlpcore.features.api_keys.repository import ApiKeyRepository
from mlpcore.features.api_keys.tables import ApiKey
from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.notifications.schemas import NotificationType, Severity
from mlpcore.features.notifications.service import NewNotification
from mlpcore.operations import Entity, EntityName
from mlpcore.state import CoreState
from mlplace_runtime.mail import Mail
from mlplace_runtime.tasks import Loop, every

_DAYS: Sequence[int] = (1, 7)
_SECONDS = 300.0


async def warn_of_expiring_keys(state: CoreState) -> None:
    now = state.clock.now()
    async with state.database.transaction() as session:
        notifier, accounts = notifier_of(session, state.clock), accounts_of(session)
        for key in await ApiKeyRepository(session).expiring(now=now, before=now + timedelta(days=max(_DAYS))):
            notification = warning(key, now)
            if notification and await notifier.notify([key.account_id], notification):
                language = await accounts.language(key.account_id)
                state.mails.after_commit(session, mails_of(key, language=language))


def mails_of(key: ApiKey, *, language: str) -> list[Mail]:
    """Returns one mail per address, so that no recipient sees the other addresses."""
    addresses = restrictions_of(key.restrictions).notification_emails or ()
    if key.expires_at is None:
        return []
    return [expiry_mail(address, key=key.name, expires=key.expires_at, language=language) for address in addresses]


def warning(key: ApiKey, now: datetime) -> NewNotification | None:
    """Returns None for a key that expires later, and for a key whose whole lifetime is not longer than the notice."""
    if key.expires_at is None:
        return None
    days = next((days for days in _DAYS if key.expires_at - now <= timedelta(days=days)), None)
    if days is None or key.expires_at - key.created_at <= timedelta(days=days):
        return None
    words = "a day" if days == 1 else f"{days} days"
    return NewNotification(
        NotificationType.TOKEN_EXPIRATION_WARNING,
        Severity.WARNING,
        f"The API key {key.name} expires in less than {words}",
        entity=Entity(EntityName.ACCOUNT, key.account_id, key.name),
        occasion=f"key-expires:{key.key_id}:{key.expires_at.isoformat()}:{days}",
        expires=key.expires_at,
    )


def expiring_keys_loop(state: CoreState) -> Loop:
    return Loop("expiring-keys", lambda: every(_SECONDS, lambda: warn_of_expiring_keys(state)))
