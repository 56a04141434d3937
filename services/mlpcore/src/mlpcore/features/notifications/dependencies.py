from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.notifications.choices import NotificationChoices
from mlpcore.features.notifications.choices_repository import ChoiceRepository
from mlpcore.features.notifications.recipients import Recipients
from mlpcore.features.notifications.repository import NotificationRepository, StandingRepository
from mlpcore.features.notifications.service import NotificationService, Notifier
from mlpcore.state import StateDep
from mlplace_kit.clock import Clock
from mlplace_runtime.web.dependencies import SessionDep


def notifier_of(session: AsyncSession, clock: Clock) -> Notifier:
    return Notifier(NotificationRepository(session), clock)


def standings_of(session: AsyncSession) -> StandingRepository:
    return StandingRepository(session)


def notification_service(session: SessionDep, state: StateDep) -> NotificationService:
    return NotificationService(
        NotificationRepository(session),
        notifier_of(session, state.clock),
        state.clock,
        license_dashboard=state.license.dashboard_url,
    )


def notification_choices(session: SessionDep, state: StateDep) -> NotificationChoices:
    recipients = Recipients(state.people, mail_on=state.mailer is not None)
    return NotificationChoices(ChoiceRepository(session), recipients, state.clock)


NotificationChoicesDep = Annotated[NotificationChoices, Depends(notification_choices)]
NotificationServiceDep = Annotated[NotificationService, Depends(notification_service)]
