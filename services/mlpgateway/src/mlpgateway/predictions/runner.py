"""Serves the calls that nobody waits for, on whichever gate has room; what a gate leaves behind, another one takes on.

The answer and its usage become durable in one transaction, so that a call is charged exactly when its answer is there.
"""

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.gate.admission import Admission
from mlpgateway.once.errors import AnswerTooLargeToKeep
from mlpgateway.once.service import KeepsAnswers
from mlpgateway.predictions import calls
from mlpgateway.predictions.errors import PredictionInterrupted
from mlpgateway.predictions.repository import PredictionRepository
from mlpgateway.predictions.states import Status, WebhookEvent
from mlpgateway.predictions.tables import Prediction
from mlpgateway.predictions.webhooks import WebhookRepository
from mlpgateway.proxy.call import Answer
from mlpgateway.proxy.errors import UsageNotRecorded
from mlpgateway.proxy.transport import InstanceError
from mlplace_contracts.events import UsageRecorded
from mlplace_kit.clock import Clock
from mlplace_kit.errors import DomainError
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.secrets import UnreadableSecretError, Vault
from mlplace_runtime.web.errors import from_unexpected

_POLL_SECONDS: Final = 1.0
_FORGET_SECONDS: Final = 300.0
_RETRIED: Final = frozenset({429, 503})
_LONGEST_PAUSE_SECONDS: Final = 30.0
_FAILURES: Final = (OSError, TimeoutError, SQLAlchemyError)

log = structlog.get_logger(__name__)


class PredictionRunner:
    """Run `run` beside it; `wanted` has it look at once. It ends with its calls put back."""

    def __init__(
        self,
        *,
        database: Database,
        handler: KeepsAnswers,
        admission: Admission,
        vault: Vault,
        clock: Clock,
        ready: Callable[[], bool],
        told: Callable[[], None],
        at_once: int,
        patience: timedelta,
        kept: timedelta,
        most_bytes: int,
    ) -> None:
        """`at_once` calls run here at the same time. `patience`: how long one may be put off before it fails.

        `told` hears that webhooks are to be sent.
        """
        self._database = database
        self._handler = handler
        self._admission = admission
        self._vault = vault
        self._clock = clock
        self._ready = ready
        self._told = told
        self._at_once = at_once
        self._patience = patience
        self._kept = kept
        self._most_bytes = most_bytes
        self._token = uuid.uuid4()
        self._running: dict[uuid.UUID, asyncio.Task[None]] = {}
        self._canceled: set[uuid.UUID] = set()
        self._forget_due = 0.0
        self.wanted = asyncio.Event()

    async def run(self) -> None:
        """Until cancelled."""
        try:
            while True:
                self.wanted.clear()
                if self._ready():
                    await self.look()
                with suppress(TimeoutError):
                    async with asyncio.timeout(_POLL_SECONDS):
                        await self.wanted.wait()
        finally:
            for task in self._running.values():
                task.cancel()
            await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def look(self) -> None:
        """Keep what runs here, stop what is to be stopped, take on what waits."""
        async with self._database.transaction() as session:
            repository = PredictionRepository(session)
            self._stop(await repository.renew(self._token))
            for lost in await repository.recover(_shown(PredictionInterrupted())):
                await self._tell(session, lost, WebhookEvent.COMPLETED)
            claimed = await repository.claim(self._token, max(0, self._at_once - len(self._running)))
            for row in claimed:
                await self._tell(session, row, WebhookEvent.STARTED)
            await self._forget(session)
        self._told()
        for row in claimed:
            if row.id in self._running:
                continue  # still being served here, though its lease had run out
            task = self._running[row.id] = asyncio.create_task(self._serve(row))
            task.add_done_callback(partial(self._ended, row.id))

    def _stop(self, canceled: set[uuid.UUID]) -> None:
        for prediction_id in canceled - self._canceled:
            task = self._running.get(prediction_id)
            if task is not None:
                self._canceled.add(prediction_id)
                task.cancel()

    def _ended(self, prediction_id: uuid.UUID, task: asyncio.Task[None]) -> None:
        self._running.pop(prediction_id, None)
        self._canceled.discard(prediction_id)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("prediction_not_finished", prediction=str(prediction_id), error=repr(error))
        self.wanted.set()

    async def _forget(self, session: AsyncSession) -> None:
        if time.monotonic() >= self._forget_due:
            self._forget_due = time.monotonic() + _FORGET_SECONDS
            await PredictionRepository(session).forget(self._kept)
            await WebhookRepository(session, self._vault).forget(self._kept)

    # ---- One call

    async def _serve(self, row: Prediction) -> None:
        writes: list[asyncio.Task[None]] = []

        def keep(answer: Answer, usage: UsageRecorded) -> asyncio.Future[None]:
            writes.append(asyncio.create_task(self._keep(row, answer, usage)))
            return writes[0]

        try:
            with self._admission.enter():
                call = calls.unpack(row.call, row.credential or b"", prediction_id=str(row.id), vault=self._vault)
                await self._handler.kept(call, keep)
        except asyncio.CancelledError:
            await asyncio.shield(self._end_early(row, writes))
            raise
        except UnreadableSecretError as error:
            await self._fail(row, from_unexpected(error))
        except Exception as error:  # noqa: BLE001  whatever it is, it is the outcome that the caller reads
            await self._missed(row, from_unexpected(error))

    async def _keep(self, row: Prediction, answer: Answer, usage: UsageRecorded) -> None:
        """Raises AnswerTooLargeToKeep, UsageNotRecorded."""
        payload = answer.payload
        body = (payload.json or "").encode() if payload.protobuf is None else payload.protobuf
        if len(body) > self._most_bytes:
            raise AnswerTooLargeToKeep(limit=str(self._most_bytes))
        values = {
            "status": Status.SUCCEEDED.value,
            "output": body,
            "output_is_json": payload.protobuf is None,
            "usage": _figures(usage),
        }
        try:
            async with self._database.transaction() as session:
                done = await PredictionRepository(session).finish(row.id, self._token, values)
                if done is None:
                    raise UsageNotRecorded
                await Outbox(session, self._clock).add(usage)
                await self._tell(session, done, WebhookEvent.COMPLETED)
        except _FAILURES:
            raise UsageNotRecorded from None
        self._told()

    async def _missed(self, row: Prediction, error: DomainError) -> None:
        """What will pass is tried again while there is patience; what the service says is the outcome."""
        passes = error.status in _RETRIED and not isinstance(error, InstanceError)
        if not passes or not await self._postponed(row, error):
            await self._fail(row, error)

    async def _postponed(self, row: Prediction, error: DomainError) -> bool:
        pause = min(max(error.retry_after_seconds or 1.0, 1.0), _LONGEST_PAUSE_SECONDS)
        async with self._database.transaction() as session:
            return await PredictionRepository(session).postpone(
                row.id, self._token, seconds=pause, patience=self._patience
            )

    async def _fail(self, row: Prediction, error: DomainError) -> None:
        await self._finish(row, {"status": Status.FAILED.value, "error": dict(_shown(error))})

    async def _end_early(self, row: Prediction, writes: list[asyncio.Task[None]]) -> None:
        """Canceled by its caller, or this gate goes away. A write that has begun ends first: it may be the answer."""
        await asyncio.gather(*writes, return_exceptions=True)
        with suppress(*_FAILURES):  # the lease ends by itself
            if row.id in self._canceled:
                await self._finish(row, {"status": Status.CANCELED.value})
                return
            async with self._database.transaction() as session:
                await PredictionRepository(session).put_back(row.id, self._token)

    async def _finish(self, row: Prediction, values: Mapping[str, object]) -> None:
        async with self._database.transaction() as session:
            done = await PredictionRepository(session).finish(row.id, self._token, values)
            if done is not None:
                await self._tell(session, done, WebhookEvent.COMPLETED)
        self._told()

    async def _tell(self, session: AsyncSession, row: Prediction, event: WebhookEvent) -> None:
        await WebhookRepository(session, self._vault).tell(row, event, self._clock.now())


def _figures(usage: UsageRecorded) -> dict[str, object]:
    return {
        "instance_id": usage.instance_id,
        "units": usage.units,
        "amount_nano": usage.amount_nano,
        "currency": usage.currency,
        "model_time_ms": usage.model_time_ms,
    }


def _shown(error: DomainError) -> Mapping[str, object]:
    return {"code": error.code, "message": error.text, "status": error.status, "args": dict(error.details)}
