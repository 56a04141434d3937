"""What members of accounts choose: which events they see, and which are mailed to them."""

from collections.abc import Sequence

from mlpcore.features.notifications.choices_repository import ChoiceRepository
from mlpcore.features.notifications.errors import NotificationMailRefused
from mlpcore.features.notifications.recipients import Recipients
from mlpcore.features.notifications.schemas import (
    EventSetting,
    EventSettingData,
    NotificationEvent,
    NotificationSettingsData,
    NotificationSettingsRequest,
)
from mlpcore.features.notifications.tables import NotificationSettings
from mlplace_kit.clock import Clock
from mlplace_kit.denials import SessionNeeded
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import Violation, broken
from mlplace_runtime.web.policy import Access


class NotificationChoices:
    def __init__(self, repository: ChoiceRepository, recipients: Recipients, clock: Clock) -> None:
        self._repository = repository
        self._recipients = recipients
        self._clock = clock

    async def read(self, access: Access) -> NotificationSettingsData:
        account_id, user_id, login = _person(access)
        chosen = await self._repository.find(account_id=account_id, user_id=user_id)
        return await self._shown(chosen, user_id, login)

    async def change(self, access: Access, wanted: NotificationSettingsRequest) -> NotificationSettingsData:
        """Raises ValidationFailed for an event that is named twice, and NotificationMailRefused."""
        account_id, user_id, login = _person(access)
        if problems := _twice(wanted.events):
            raise ValidationFailed(problems)
        if any(setting.mailed for setting in wanted.events):
            refusal = await self._recipients.refusal(user_id=user_id, login=login)
            if refusal is not None:
                raise NotificationMailRefused(why=refusal.value)
        chosen = await self._repository.locked(
            account_id=account_id, user_id=user_id, login=login, now=self._clock.now()
        )
        _apply(chosen, wanted.events)
        chosen.login = login
        await self._repository.flush()
        return await self._shown(chosen, user_id, login)

    async def _shown(self, chosen: NotificationSettings | None, user_id: int, login: str) -> NotificationSettingsData:
        hidden, mailed = (chosen.hidden, chosen.mailed) if chosen else ((), ())
        events = [
            EventSettingData(event=event, shown=event not in hidden, mailed=event in mailed)
            for event in NotificationEvent
        ]
        refusal = await self._recipients.refusal(user_id=user_id, login=login)
        return NotificationSettingsData(events=events, address=login, mail_refusal=refusal)


def _person(access: Access) -> tuple[int, int, str]:
    """The policy lets only people with a session in."""
    user_id, login = access.principal.user_id, access.principal.login
    if user_id is None or login is None:
        raise SessionNeeded
    return access.account.account_id, user_id, login


def _twice(events: Sequence[EventSetting]) -> dict[str, Violation]:
    named = [setting.event for setting in events]
    return {f"events.{place}.event": broken("twice") for place, event in enumerate(named) if event in named[:place]}


def _apply(chosen: NotificationSettings, events: Sequence[EventSetting]) -> None:
    hidden, mailed = set(chosen.hidden), set(chosen.mailed)
    for setting in events:
        (hidden.discard if setting.shown else hidden.add)(setting.event.value)
        (mailed.add if setting.mailed else mailed.discard)(setting.event.value)
    chosen.hidden, chosen.mailed = sorted(hidden), sorted(mailed)
