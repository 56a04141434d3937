"""Usage events of the web interface: pages and clicks, readable by the visitor's account and the model's owner."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from mlpcore.features.clicks.errors import TooManyEvents
from mlpcore.features.clicks.repository import ClickRepository
from mlpcore.features.clicks.schemas import ClickHistoryData, click_data
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken
from mlplace_runtime.auth.principal import Principal

KEPT_FOR: Final = timedelta(days=90)
PER_MINUTE: Final = 2000
_SHOWN_DAYS = 30
_SKEW = timedelta(days=1)


class ClickService:
    def __init__(self, repository: ClickRepository, hasher: KeyedHasher, clock: Clock, *, enabled: bool) -> None:
        self._repository = repository
        self._hasher = hasher
        self._clock = clock
        self._enabled = enabled

    async def save(
        self, events: Sequence[ClickHistoryData], *, principal: Principal, visitor_id: str | None, address: str
    ) -> None:
        """Does nothing when the installation has usage events disabled. Raises TooManyEvents."""
        if not (self._enabled and events):
            return
        now = self._clock.now()
        origin = self._hasher.digest(f"click:{address}")
        before = await self._repository.count_from(address_hash=origin, since=now - timedelta(minutes=1))
        if before + len(events) > PER_MINUTE:
            raise TooManyEvents
        common: dict[str, object] = {
            "visitor_id": visitor_id,
            "user_id": principal.user_id,
            "received_at": now,
            "address_hash": origin,
        }
        await self._repository.add([{**_row(event, principal, now), **common} for event in events])

    async def of_account(self, *, account_id: int, start: date | None, end: date | None) -> list[ClickHistoryData]:
        first, last = self._period(start, end)
        found = await self._repository.of_account(account_id=account_id, start=first, end=last)
        return [click_data(click, account_id=account_id) for click in found]

    async def of_model(
        self, *, account_id: int, model_id: int, start: date | None, end: date | None
    ) -> list[ClickHistoryData]:
        """Returns events on the pages of the account's model, of visitors of all accounts."""
        first, last = self._period(start, end)
        found = await self._repository.of_model(model_id=model_id, start=first, end=last)
        return [click_data(click, account_id=account_id) for click in found]

    def _period(self, start: date | None, end: date | None) -> tuple[datetime, datetime]:
        """Returns the start of the first day and the end of the last in UTC; by default the last 30 days."""
        last = end or self._clock.now().date()
        first = start or last - timedelta(days=min(_SHOWN_DAYS, (last - date.min).days))
        if first > last:
            raise ValidationFailed({"startDate": broken("date_order", other="endDate")})
        return datetime.combine(first, time.min, UTC), datetime.combine(last, time.max, UTC)


def _row(event: ClickHistoryData, principal: Principal, now: datetime) -> dict[str, object]:
    own = event.account_id is not None and event.account_id in principal.grants
    return {
        "account_id": event.account_id if own else None,
        "event_type": event.event_type,
        "page_url": event.page_url,
        "description": event.description,
        "element_id": event.element_id,
        "entity_type": event.entity_type,
        "entity_id": event.entity_id,
        "created_at": _moment(event.creation_time, now),
    }


def _moment(milliseconds: int | None, now: datetime) -> datetime:
    """Returns the visitor's time, or `now` when it is more than a day off."""
    if milliseconds is None:
        return now
    earliest, latest = (int((now + skew).timestamp() * 1000) for skew in (-_SKEW, _SKEW))
    if not earliest <= milliseconds <= latest:
        return now
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
