"""Sends webhooks until they are accepted, to addresses that the platform may call."""

import asyncio
from contextlib import suppress
from functools import partial
from typing import Final

import structlog

from mlpgateway.egress.client import Egress
from mlpgateway.egress.errors import AddressNotAllowed, AddressUnreachable
from mlpgateway.features.predictions.change_notices import ChangeNotices
from mlpgateway.features.predictions.fair_turns import MOST_OF_ONE, out_of_room
from mlpgateway.features.predictions.tables import WebhookDelivery
from mlpgateway.features.predictions.webhooks import PAUSES, WebhookRepository, signature
from mlpgateway.shares.share import Share
from mlplace_kit.clock import Clock
from mlplace_runtime.db.database import Database
from mlplace_runtime.secrets import Vault

_POLL_SECONDS: Final = 10.0
_SHORT_SECONDS: Final = 0.05
_ANSWER_SECONDS: Final = 15.0
_AT_ONCE: Final = 20
_GONE: Final = 410

log = structlog.get_logger(__name__)


class WebhookSender:
    """Run `run` as a task."""

    def __init__(
        self, *, database: Database, egress: Egress, vault: Vault, clock: Clock, changes: ChangeNotices
    ) -> None:
        self._database = database
        self._egress = egress
        self._vault = vault
        self._clock = clock
        self._changes = changes
        self._share = Share("webhooks", _AT_ONCE, MOST_OF_ONE)
        self._sending: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Sends until cancelled. A slow address delays no other: deliveries begin as soon as they are due."""
        try:
            while True:
                self._changes.webhook.clear()
                await self._begin_due()
                with suppress(TimeoutError):
                    async with asyncio.timeout(max(await self._due_in(), _SHORT_SECONDS)):
                        await self._changes.webhook.wait()
        finally:
            for task in self._sending:
                task.cancel()
            await asyncio.gather(*self._sending, return_exceptions=True)

    async def _due_in(self) -> float:
        """Returns the seconds until the next delivery may be sent, at most the interval between looks.

        New deliveries and the ends of running ones are announced at once.
        """
        if len(self._sending) >= self._share.total:
            return _POLL_SECONDS
        async with self._database.transaction() as session:
            due = await WebhookRepository(session, self._vault).due_in(but=out_of_room(self._share))
        return _POLL_SECONDS if due is None else min(due, _POLL_SECONDS)

    async def send_due(self) -> int:
        """Sends all due deliveries. Returns how many were tried."""
        begun = await self._begin_due()
        await asyncio.gather(*begun)
        return len(begun)

    async def _begin_due(self) -> list[asyncio.Task[None]]:
        accounts: list[int] = []
        try:
            async with self._database.transaction() as session:
                room = self._share.total - len(self._sending)
                due = await WebhookRepository(session, self._vault).claim(room, self._share)
                accounts += [delivery.account_id for delivery in due]
        except BaseException:  # nothing was claimed, and rows of a rolled-back transaction cannot be read
            for account_id in accounts:
                self._share.give_back(account_id)
            raise
        return [self._begin(delivery) for delivery in due]

    def _begin(self, delivery: WebhookDelivery) -> asyncio.Task[None]:
        task = asyncio.create_task(self._send(delivery))
        self._sending.add(task)
        task.add_done_callback(partial(self._ended, delivery.account_id))
        return task

    def _ended(self, account_id: int, task: asyncio.Task[None]) -> None:
        self._sending.discard(task)
        self._share.give_back(account_id)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("webhook_result_not_stored", error=repr(error))
        self._changes.webhook.set()

    async def _send(self, delivery: WebhookDelivery) -> None:
        async with self._database.transaction() as session:
            secret = await WebhookRepository(session, self._vault).secret(delivery.account_id)
        status: int | None = None
        error: str | None = None
        hopeless = False
        try:
            status = await self._post(delivery, secret)
        except AddressNotAllowed as refused:
            error, hopeless = refused.text, True
        except AddressUnreachable as refused:
            error = refused.text
        delivered = status is not None and 200 <= status < 300
        again = not delivered and not hopeless and status != _GONE and delivery.attempts <= len(PAUSES)
        log.info("webhook_sent", delivery=str(delivery.id), status=status, attempt=delivery.attempts, again=again)
        async with self._database.transaction() as session:
            await WebhookRepository(session, self._vault).settle(
                delivery,
                status=status,
                error=error,
                delivered=delivered,
                pause=PAUSES[delivery.attempts - 1] if again else None,
            )

    async def _post(self, delivery: WebhookDelivery, secret: str) -> int:
        message_id, timestamp = f"msg_{delivery.id.hex}", int(self._clock.now().timestamp())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "MLPlace-Webhooks/1",
            "webhook-id": message_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(secret, message_id=message_id, timestamp=timestamp, body=delivery.body),
        }
        async with self._egress.post(
            delivery.url, data=delivery.body, headers=headers, seconds=_ANSWER_SECONDS
        ) as answer:
            return answer.status
