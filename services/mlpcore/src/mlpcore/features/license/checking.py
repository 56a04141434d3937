"""Compares the licence with the usage, at the start and every hour.

Notifies the administrators of each problem at most once a day.
"""

import asyncio
from datetime import datetime
from pathlib import Path

import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.license.repository import LicenseRepository
from mlpcore.features.notifications.dependencies import notifier_of, standings_of
from mlpcore.features.notifications.schemas import NotificationType, Severity
from mlpcore.features.notifications.service import NewNotification
from mlpcore.licensing.schemas import LicenseTerms
from mlpcore.licensing.standing import LicenseState
from mlpcore.licensing.terms import LicenseUnreadableError, read_file
from mlpcore.metrics import LICENSE_EXPIRES
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

log = structlog.get_logger(__name__)

_SECONDS = 3600.0


class LicenseCheck:
    def __init__(self, state: CoreState) -> None:
        self._state = state

    async def turn(self) -> None:
        """Reads the licence and the usage, and stores the standing. Does nothing when no licence is needed."""
        key = self._state.license.key
        if key is None:
            return
        terms = await asyncio.to_thread(self._terms, key)
        async with self._state.database.transaction() as session:
            standing = await self._standing(session, terms)
            await self._tell(session, standing)
        self._state.license.standing = standing
        LICENSE_EXPIRES.set(_end_of(standing, self._state.clock.now()))

    def _terms(self, key: Ed25519PublicKey) -> LicenseTerms | None:
        try:
            return read_file(Path(self._state.settings.license_file), key)
        except LicenseUnreadableError as error:
            log.warning("license_unreadable", reason=str(error))
            return None

    async def _standing(self, session: AsyncSession, terms: LicenseTerms | None) -> LicenseState:
        repository = LicenseRepository(session)
        standing = LicenseState(terms, await repository.usage(), None, self._state.license.dashboard_url)
        if not standing.exceeded:
            await repository.forget_excess()
            return standing
        since = await repository.note_excess(self._state.clock.now())
        return LicenseState(terms, standing.usage, since, standing.dashboard_url)

    async def _tell(self, session: AsyncSession, standing: LicenseState) -> None:
        found = notifications_of(standing, self._state)
        if found:
            accounts = await standings_of(session).accounts_of_administrators()
            for notification in found:
                await notifier_of(session, self._state.clock).notify(accounts, notification)


def _end_of(standing: LicenseState, now: datetime) -> float:
    """Returns what the metric says."""
    terms = standing.terms
    return -1 if terms is None or standing.expired_or_invalid(now) else terms.expires.timestamp()


def notifications_of(standing: LicenseState, state: CoreState) -> list[NewNotification]:
    now = state.clock.now()
    shown = standing.shown(now)
    found: list[tuple[NotificationType, Severity, str]] = []
    if shown.license_expired_or_invalid:
        found.append((NotificationType.LICENSE_NOT_VALID, Severity.ERROR, "The licence has expired or is not valid"))
    elif shown.license_expires_soon:
        found.append((NotificationType.LICENSE_EXPIRES_SOON, Severity.WARNING, "The licence expires soon"))
    if shown.hard_limits_are_exceeded:
        text = "The usage is far above the limits of the licence: nothing new can be created or started"
        found.append((NotificationType.LICENSE_LIMITS_EXCEEDED, Severity.ERROR, text))
    elif shown.soft_limits_are_exceeded:
        text = "The usage is above the limits of the licence"
        found.append((NotificationType.LICENSE_LIMITS_EXCEEDED, Severity.WARNING, text))
    return [
        NewNotification(
            type_,
            severity,
            text,
            occasion=f"{type_}:{severity}:{now.date().isoformat()}",
            expires=shown.license_ends,
            not_before=shown.license_starts,
        )
        for type_, severity, text in found
    ]


def license_loop(state: CoreState) -> Loop:
    check = LicenseCheck(state)
    return Loop("license", lambda: every(_SECONDS, check.turn))
