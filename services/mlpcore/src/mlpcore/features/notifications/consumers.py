"""Handles events of other services: notifies accounts, and keeps the read models of whom to notify."""

from collections.abc import Sequence
from decimal import ROUND_DOWN, Decimal

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.notifications.choices_repository import ChoiceRepository
from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.notifications.repository import StandingRepository
from mlpcore.features.notifications.schemas import NotificationText, NotificationType, Severity
from mlpcore.features.notifications.service import NewNotification, Notifier
from mlpcore.operations import Entity, EntityName, OperationType
from mlpcore.state import CoreState
from mlplace_contracts.enums import SUPERADMIN_PERMISSION, Role
from mlplace_contracts.events import BalanceChanged, Event, MembershipChanged, RefillDone, UserChanged
from mlplace_contracts.topics import BALANCES, MEMBERSHIPS, REFILLS, USERS
from mlplace_runtime.bus.consumer import Consumer

_NANO = Decimal(10) ** 9
_CENT = Decimal("0.01")
_BLOCKED = (Severity.ERROR, OperationType.BLOCK, "The account is blocked: its balance is below zero")
_UNBLOCKED = (Severity.INFO, OperationType.UNBLOCK, "The account is not blocked any more")


def notification_consumer(state: CoreState) -> Consumer:
    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        notifications = EventNotifications(
            StandingRepository(session), ChoiceRepository(session), notifier_of(session, state.clock)
        )
        for event in events:
            match event:
                case BalanceChanged():
                    await notifications.balance(event)
                case UserChanged():
                    await notifications.user(event)
                case RefillDone():
                    await notifications.refill(event)
                case MembershipChanged():
                    await notifications.membership(event)
                case _:
                    pass

    return Consumer(
        name="mlpcore.notifications",
        topics=(BALANCES, USERS, REFILLS, MEMBERSHIPS),
        types=(BalanceChanged, UserChanged, RefillDone, MembershipChanged),
        handle=handle,
    )


class EventNotifications:
    def __init__(self, standings: StandingRepository, choices: ChoiceRepository, notifier: Notifier) -> None:
        self._standings = standings
        self._choices = choices
        self._notifier = notifier

    async def balance(self, event: BalanceChanged) -> None:
        """Notifies an account that becomes blocked or unblocked. It is blocked while it is blocked in either currency.

        The two currencies have separate events.
        """
        await self._standings.lock_account(event.account_id)
        before = await self._standings.is_blocked(event.account_id)
        await self._standings.set_standing(
            account_id=event.account_id, currency=event.currency, version=event.version, blocked=event.blocked
        )
        after = await self._standings.is_blocked(event.account_id)
        if after is not before:
            severity, operation, text = _BLOCKED if after else _UNBLOCKED
            notification = NewNotification(
                NotificationType.PIPELINE_OPERATION,
                severity,
                text,
                operation=operation,
                entity=_account(event.account_id),
            )
            await self._notifier.notify([event.account_id], notification)

    async def user(self, event: UserChanged) -> None:
        permissions = {permission.upper() for permission in event.permissions}
        administrator = event.active and SUPERADMIN_PERMISSION in permissions
        await self._standings.set_administrator(
            user_id=event.user_id, version=event.version, administrator=administrator
        )
        await self._choices.set_login(user_id=event.user_id, login=event.login, active=event.active)

    async def refill(self, event: RefillDone) -> None:
        """Notifies of a payment by card, which completes after some time. Other refills show their result at once."""
        if event.source != "CARD":
            return
        amount = str((event.amount_nano / _NANO).quantize(_CENT, rounding=ROUND_DOWN))
        notification = NewNotification(
            NotificationType.NONE,
            Severity.INFO,
            f"The balance was topped up by {amount} {event.currency}",
            entity=_account(event.account_id),
            occasion=f"refill:{event.refill_id}",
            text_key=NotificationText.REFILL_DONE,
            text_args={"amount": amount, "currency": event.currency},
        )
        await self._notifier.notify([event.account_id], notification)

    async def membership(self, event: MembershipChanged) -> None:
        """Notifies the account when a user gains or loses access. Changed roles and the owner cause no notification.

        Events of earlier versions have no login and cause none either.
        """
        await self._standings.lock_account(event.account_id)
        before = await self._standings.is_member(account_id=event.account_id, user_id=event.user_id)
        await self._standings.set_member(
            account_id=event.account_id, user_id=event.user_id, version=event.version, member=bool(event.roles)
        )
        granted = await self._standings.is_member(account_id=event.account_id, user_id=event.user_id)
        if granted is before or event.login is None or Role.OWNER in event.roles:
            return
        words = "has access to the account now" if granted else "has no access to the account any more"
        notification = NewNotification(
            NotificationType.PIPELINE_OPERATION,
            Severity.INFO,
            f"{event.login} {words}",
            operation=OperationType.GRANT if granted else OperationType.EVICT,
            entity=_account(event.account_id),
            occasion=f"membership:{event.user_id}:{event.version}",
            text_key=NotificationText.ACCESS_GRANTED if granted else NotificationText.ACCESS_ENDED,
            text_args={"login": event.login},
        )
        await self._notifier.notify([event.account_id], notification)


def _account(account_id: int) -> Entity:
    return Entity(EntityName.ACCOUNT, account_id, str(account_id))
