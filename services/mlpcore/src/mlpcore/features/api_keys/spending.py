"""Notifies accounts of keys that have used most of a spending limit, or whose limit does not cover a call.

The addresses that the key names get a mail. Each notice is given once a day, or once a period when the limit's period
is longer; for a limit on the key's total spending, once ever.
"""

from collections.abc import Sequence
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.api_keys.limits import key_limits, restrictions_of
from mlpcore.features.api_keys.mails import spending_mail
from mlpcore.features.api_keys.repository import ApiKeyRepository
from mlpcore.features.api_keys.tables import ApiKey
from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.notifications.schemas import NotificationText, NotificationType, Severity
from mlpcore.features.notifications.service import NewNotification
from mlpcore.operations import Entity, EntityName
from mlpcore.state import CoreState
from mlplace_contracts.events import Event, KeySpendingNoticed
from mlplace_contracts.topics import KEY_SPENDING
from mlplace_kit.money import exact
from mlplace_runtime.bus.consumer import Consumer

_DAY: Final = 86_400


def key_spending_consumer(state: CoreState) -> Consumer:
    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, KeySpendingNoticed):
                await _tell(session, state, event)

    return Consumer(name="mlpcore.key-spending", topics=(KEY_SPENDING,), types=(KeySpendingNoticed,), handle=handle)


async def _tell(session: AsyncSession, state: CoreState, event: KeySpendingNoticed) -> None:
    """Ignores a key that is revoked, and a limit that the key no longer has."""
    key = await ApiKeyRepository(session).owned(account_id=event.account_id, key_id=event.key_id)
    limits = key and key_limits(key.restrictions, key.created_at)
    if key is None or limits is None or event.rule not in limits.spending:
        return
    if not await notifier_of(session, state.clock).notify([key.account_id], _notification(key, event)):
        return
    language = await accounts_of(session).language(key.account_id)
    addresses = restrictions_of(key.restrictions).notification_emails or ()
    state.mails.after_commit(
        session, [spending_mail(address, key=key.name, event=event, language=language) for address in addresses]
    )


def _notification(key: ApiKey, event: KeySpendingNoticed) -> NewNotification:
    rule, name = event.rule, " ".join(key.name.split())
    amount = exact(rule.amount_nano)
    limit = f"{amount} {rule.currency}" if rule.currency else amount
    text = (
        f"The spending limit of the API key {name} does not cover a call ({limit})"
        if event.exhausted
        else f"The API key {name} has used most of its spending limit ({limit})"
    )
    return NewNotification(
        NotificationType.NONE,
        Severity.ERROR if event.exhausted else Severity.WARNING,
        text,
        entity=Entity(EntityName.ACCOUNT, key.account_id, key.name),
        occasion=f"key-spending:{key.key_id}:{rule.period}:{rule.currency}:{rule.amount_nano}:{rule.since.isoformat()}"
        f":{event.exhausted}:{_window(event)}",
        text_key=NotificationText.KEY_SPENDING_REACHED if event.exhausted else NotificationText.KEY_SPENDING_NEAR,
        text_args={"key": name, "amount": amount} | ({"currency": rule.currency} if rule.currency else {}),
    )


def _window(event: KeySpendingNoticed) -> int:
    if event.rule.period_seconds is None:
        return 0
    return int(event.occurred_at.timestamp() // max(_DAY, event.rule.period_seconds))
