"""Announces changes of predictions at once: to the gateway's processes, and by webhook to callers who asked."""

import asyncio
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.features.predictions.states import WebhookEvent
from mlpgateway.features.predictions.tables import Prediction
from mlpgateway.features.predictions.webhooks import WebhookRepository
from mlplace_kit.clock import Clock
from mlplace_runtime.db.notices import Notices
from mlplace_runtime.secrets import Vault

_WORK: Final = "work"
_WEBHOOK: Final = "webhook"
_CHANGED: Final = "changed "


class ChangeNotices:
    """Notices arrive when the session's transaction commits, at this gate and at the others."""

    def __init__(self, notices: Notices, vault: Vault, clock: Clock) -> None:
        self._notices = notices
        self._vault = vault
        self._clock = clock
        self._followers: dict[str, set[asyncio.Event]] = {}
        notices.watch(self._heard)
        self.work = asyncio.Event()
        """Set when there is a call to serve or to stop."""
        self.webhook = asyncio.Event()
        """Set when there is a webhook to send."""

    async def announce(self, session: AsyncSession, row: Prediction, event: WebhookEvent) -> None:
        """Announces an event in the transaction that causes it."""
        await self.changed(session, row.id)
        if await WebhookRepository(session, self._vault).add_delivery(row, event, self._clock.now()):
            await self.send(session)

    async def changed(self, session: AsyncSession, prediction_id: uuid.UUID) -> None:
        await self._notices.say(session, f"{_CHANGED}{prediction_id}")

    async def serve(self, session: AsyncSession) -> None:
        """Announces that there is a call to serve or to stop."""
        await self._notices.say(session, _WORK)

    async def send(self, session: AsyncSession) -> None:
        """Announces that there is a webhook to send."""
        await self._notices.say(session, _WEBHOOK)

    @contextmanager
    def following(self, prediction_id: uuid.UUID) -> Generator[asyncio.Event]:
        """Returns an event that is set at each change of the prediction."""
        changed, name = asyncio.Event(), str(prediction_id)
        followers = self._followers.setdefault(name, set())
        followers.add(changed)
        try:
            yield changed
        finally:
            followers.discard(changed)
            if not followers and self._followers.get(name) is followers:
                del self._followers[name]

    def _heard(self, word: str) -> None:
        """Handles a notice. An empty one means that notices may have been lost."""
        if word in {_WORK, ""}:
            self.work.set()
        if word in {_WEBHOOK, ""}:
            self.webhook.set()
        names = [word.removeprefix(_CHANGED)] if word else list(self._followers)
        for name in names:
            for changed in self._followers.get(name, ()):
                changed.set()
