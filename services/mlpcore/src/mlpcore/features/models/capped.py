"""Notifies owners, once a day per model, when their model reports a higher price than a call is charged."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.notifications.schemas import NotificationText, NotificationType, Severity
from mlpcore.features.notifications.service import NewNotification
from mlpcore.operations import Entity, EntityName
from mlpcore.state import CoreState
from mlplace_contracts.events import ChargeCapped, Event
from mlplace_contracts.topics import CAPPED_CHARGES
from mlplace_kit.money import exact
from mlplace_runtime.bus.consumer import Consumer

_DAY: Final = 86_400
_BOUNDS_OF_SERVICES: Final = frozenset({"model", "platform"})


def capped_charges_consumer(state: CoreState) -> Consumer:
    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, ChargeCapped):
                await notifier_of(session, state.clock).notify([event.account_id], _notification(event))

    return Consumer("mlpcore.capped-charges", (CAPPED_CHARGES,), (ChargeCapped,), handle)


def _notification(event: ChargeCapped) -> NewNotification:
    """WARNING when the model exceeds its own maximal price; INFO when a bound of the payer applies."""
    own = event.capped_by in _BOUNDS_OF_SERVICES
    reported, charged = exact(event.reported_amount_nano), exact(event.amount_nano)
    bound = "its maximal price" if own else "the payer's limit or balance"
    return NewNotification(
        NotificationType.NONE,
        Severity.WARNING if own else Severity.INFO,
        f"The service {event.model_name} reported {reported} {event.currency} for a call, above {bound}: "
        f"{charged} {event.currency} were charged",
        entity=Entity(EntityName.MODEL, event.account_id, event.model_name, event.model_id),
        occasion=f"charge-capped:{event.model_id}:{own}:{int(event.occurred_at.timestamp() // _DAY)}",
        text_key=NotificationText.CHARGE_CAPPED if own else NotificationText.CHARGE_CAPPED_BY_PAYER,
        text_args={"model": event.model_name, "reported": reported, "amount": charged, "currency": event.currency},
    )
