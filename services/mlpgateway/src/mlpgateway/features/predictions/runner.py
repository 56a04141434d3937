"""Serves predictions on any gate with room. Another gate takes over the predictions of a gate that died.

The answer and its usage become durable in one transaction, so a prediction is charged exactly when its answer is
stored.
"""

import asyncio
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.call.call import Answer
from mlpgateway.call.large_json import body_within
from mlpgateway.call.stored_text import storable
from mlpgateway.call.transport import InstanceError
from mlpgateway.errors.calls import UsageNotRecorded
from mlpgateway.features.idempotency.errors import AnswerTooLargeToKeep
from mlpgateway.features.idempotency.service import KeepsAnswers
from mlpgateway.features.predictions import calls
from mlpgateway.features.predictions.change_notices import ChangeNotices
from mlpgateway.features.predictions.errors import PredictionInterrupted
from mlpgateway.features.predictions.fair_turns import out_of_room
from mlpgateway.features.predictions.outputs import IN_ROW_BYTES, Outputs
from mlpgateway.features.predictions.repository import PredictionRepository, size_of
from mlpgateway.features.predictions.states import Status, WebhookEvent
from mlpgateway.features.predictions.tables import Prediction
from mlpgateway.features.storage.limits import StorageLimits
from mlpgateway.shares.admission import Admission
from mlpgateway.shares.share import Share
from mlplace_contracts.events import UsageRecorded
from mlplace_gateproto import headers as names
from mlplace_kit.clock import Clock
from mlplace_kit.errors import DomainError
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.outage import Outage
from mlplace_runtime.secrets import UnreadableSecretError, Vault
from mlplace_runtime.space import Space, SpaceWatch
from mlplace_runtime.web.errors import error_headers, from_unexpected

_POLL_SECONDS: Final = 5.0
"""Notices announce work at once; this finds work whose notice was lost, and renews leases."""
_SHORT_SECONDS: Final = 0.05
_UNREADY_SECONDS: Final = 0.5
_RETRIED: Final = frozenset({429, 503})
_LONGEST_PAUSE_SECONDS: Final = 30.0
_FAILURES: Final = (OSError, TimeoutError, SQLAlchemyError)

log = structlog.get_logger(__name__)


class PredictionRunner:
    """Run `run` as a task. At its end, its predictions are queued again."""

    def __init__(
        self,
        *,
        database: Database,
        handler: KeepsAnswers,
        admission: Admission,
        vault: Vault,
        clock: Clock,
        ready: Callable[[], bool],
        changes: ChangeNotices,
        outputs: Outputs,
        share: Share,
        storage: StorageLimits,
        space: SpaceWatch,
        deadline: timedelta,
        most_bytes: int,
    ) -> None:
        """`share` bounds the calls that run here at once. `deadline`: how long one may be postponed before it fails."""
        self._database = database
        self._handler = handler
        self._admission = admission
        self._vault = vault
        self._clock = clock
        self._ready = ready
        self._changes = changes
        self._outputs = outputs
        self._share = share
        self._storage = storage
        self._space = space
        self._deadline = deadline
        self._most_bytes = most_bytes
        self._token = uuid.uuid4()
        self._running: dict[uuid.UUID, asyncio.Task[None]] = {}
        self._canceled: set[uuid.UUID] = set()
        self._outage = Outage("predictions")

    async def run(self) -> None:
        """Serves predictions until cancelled."""
        try:
            while True:
                self._changes.work.clear()
                pause = await self._look_if_ready()
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._changes.work.wait()
        finally:
            for task in self._running.values():
                task.cancel()
            await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def _look_if_ready(self) -> float:
        """Like `look`. While the database is away, running calls go on: it may be back when they end."""
        if not self._ready():
            return _UNREADY_SECONDS
        try:
            pause = await self.look()
        except _FAILURES as error:
            return self._outage.failed(error)
        self._outage.over()
        return pause

    async def look(self) -> float:
        """Renews leases, stops cancelled predictions and claims queued ones.

        Returns after how many seconds to look again if no notice comes before.
        """
        claimed: list[Prediction] = []
        accounts: list[int] = []
        try:
            due = await self._take_on(claimed, accounts)
        except BaseException:  # nothing was claimed, and rows of a rolled-back transaction cannot be read
            for account_id in accounts:
                self._share.give_back(account_id)
            raise
        for row in claimed:
            if row.id in self._running:
                self._share.give_back(row.account_id)
                continue  # still served here, although its lease had expired
            task = self._running[row.id] = asyncio.create_task(self._serve(row))
            task.add_done_callback(partial(self._ended, row.id, row.account_id))
        return _POLL_SECONDS if due is None else min(max(due, _SHORT_SECONDS), _POLL_SECONDS)

    async def _take_on(self, claimed: list[Prediction], accounts: list[int]) -> float | None:
        """Does the work of `look` in one transaction, and fills both lists.

        Returns the seconds until more work is due that could be served here; None when there is none.
        """
        async with self._database.transaction() as session:
            repository = PredictionRepository(session)
            if not self._running and not await repository.any_open():
                return None
            self._stop(await repository.renew(self._token, self._running))
            ended, left = await repository.recover(_shown(PredictionInterrupted()))
            for row in ended:
                await self._changes.announce(session, row, WebhookEvent.COMPLETED)
            # While the disk is nearly full, predictions wait: their answers would have to be stored.
            roomy = self._space.level < Space.LOW
            room = max(0, self._share.total - len(self._running)) if roomy else 0
            claimed += await repository.claim(self._token, room, self._share)
            accounts += [row.account_id for row in claimed]
            for row in claimed:
                await self._changes.announce(session, row, WebhookEvent.STARTED)
            if left and len(claimed) == room:
                await self._changes.serve(session)
            soon = roomy and len(claimed) < room
            return await repository.due_in(but=out_of_room(self._share)) if soon else None

    def _stop(self, canceled: set[uuid.UUID]) -> None:
        for prediction_id in canceled - self._canceled:
            task = self._running.get(prediction_id)
            if task is not None:
                self._canceled.add(prediction_id)
                task.cancel()

    def _ended(self, prediction_id: uuid.UUID, account_id: int, task: asyncio.Task[None]) -> None:
        self._running.pop(prediction_id, None)
        self._share.give_back(account_id)
        self._canceled.discard(prediction_id)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("prediction_not_finished", prediction=str(prediction_id), error=repr(error))
        self._changes.work.set()

    # ---- One call

    async def _serve(self, row: Prediction) -> None:
        writes: list[asyncio.Task[None]] = []

        def keep(answer: Answer, usage: UsageRecorded) -> asyncio.Future[None]:
            writes.append(asyncio.create_task(self._keep(row, answer, usage)))
            return writes[0]

        try:
            with self._admission.enter(row.account_id) as entry:
                entry.holds(len(row.call))
                call = calls.unpack(row.call, row.credential or b"", prediction_id=str(row.id), vault=self._vault)
                await self._handler.kept(call, keep)
        except asyncio.CancelledError:
            await asyncio.shield(self._end_early(row, writes))
            raise
        except UnreadableSecretError as error:
            await self._fail(row, from_unexpected(error))
        except Exception as error:  # noqa: BLE001  any error is the outcome that the caller reads
            await self._missed(row, from_unexpected(error))

    async def _keep(self, row: Prediction, answer: Answer, usage: UsageRecorded) -> None:
        """Stores the answer. Raises AnswerTooLargeToKeep, StorageLimitExceeded, UsageNotRecorded.

        A large answer is counted before it is written, so that the object store holds nothing uncounted. A cancel that
        came before that makes the answer worthless; a later one finds a prediction that has its answer.
        """
        payload = answer.payload
        body = body_within(payload, self._most_bytes)
        if body is None:
            raise AnswerTooLargeToKeep(limit=str(self._most_bytes))
        values = {
            "status": Status.SUCCEEDED.value,
            "output_size": len(body),
            "output_is_json": payload.protobuf is None,
            "usage": {**_figures(usage), **_waits(answer)},
        }
        large, size = len(body) > IN_ROW_BYTES, size_of(row.call, len(body))
        try:
            if large:
                async with self._database.transaction() as session:
                    await self._hold(session, row, size)
            place = {"output_key": await self._outputs.keep(row.id, body)} if large else {"output": body}
            async with self._database.transaction() as session:
                if not large:
                    await self._hold(session, row, size)
                done = await PredictionRepository(session).finish(row.id, self._token, {**values, **place})
                if done is None:
                    raise UsageNotRecorded
                await Outbox(session, self._clock).add(usage)
                await self._changes.announce(session, done, WebhookEvent.COMPLETED)
        except _FAILURES as error:
            log.warning("prediction_answer_not_stored", prediction=str(row.id), error=repr(error))
            raise UsageNotRecorded from None

    async def _hold(self, session: AsyncSession, row: Prediction, size: int) -> None:
        """Counts the bytes. Raises StorageLimitExceeded, UsageNotRecorded."""
        await self._storage.expect_room(session, row.account_id, size - row.stored_bytes)
        if not await PredictionRepository(session).hold(row, self._token, size):
            raise UsageNotRecorded

    async def _missed(self, row: Prediction, error: DomainError) -> None:
        """Postpones the prediction after a temporary error, up to its deadline; any other error is the outcome."""
        passes = error.status in _RETRIED and not isinstance(error, InstanceError)
        if not passes or not await self._postponed(row, error):
            await self._fail(row, error)

    async def _postponed(self, row: Prediction, error: DomainError) -> bool:
        pause = min(max(error.retry_after_seconds or 1.0, 1.0), _LONGEST_PAUSE_SECONDS)
        async with self._database.transaction() as session:
            left = await PredictionRepository(session).postpone(
                row.id, self._token, seconds=pause, deadline=self._deadline
            )
            if left is not None and left.status == Status.CANCELED.value:
                await self._changes.announce(session, left, WebhookEvent.COMPLETED)
        return left is not None

    async def _fail(self, row: Prediction, error: DomainError) -> None:
        async with self._database.transaction() as session:
            ended = await PredictionRepository(session).fail(row.id, self._token, _shown(error))
            if ended is not None:
                await self._changes.announce(session, ended, WebhookEvent.COMPLETED)

    async def _end_early(self, row: Prediction, writes: list[asyncio.Task[None]]) -> None:
        """Ends a cancelled prediction, or queues it again on shutdown.

        A write in progress ends first: it may succeed.
        """
        await asyncio.gather(*writes, return_exceptions=True)
        with suppress(*_FAILURES):  # the lease expires by itself
            async with self._database.transaction() as session:
                left = await PredictionRepository(session).put_back(row.id, self._token)
                if left is None:
                    return
                if left.status == Status.CANCELED.value:
                    await self._changes.announce(session, left, WebhookEvent.COMPLETED)
                    return
                await self._changes.changed(session, row.id)
                await self._changes.serve(session)


def _figures(usage: UsageRecorded) -> dict[str, object]:
    return {
        "instance_id": usage.instance_id,
        "units": usage.units,
        "amount_nano": usage.amount_nano,
        "currency": usage.currency,
        "model_time_ms": usage.model_time_ms,
    }


def _waits(answer: Answer) -> dict[str, object]:
    """Returns the milliseconds of waiting, by what the call waited for. The gate has written these headers itself:
    those of an instance never get here.
    """
    milliseconds = int(answer.headers.get(names.WAIT_MS, "0"))
    woken = answer.headers.get(names.WAIT_PHASE) == "start"
    slot = 0 if woken else milliseconds
    # Gates of the former release read `seat_ms`.
    return {"wake_ms": milliseconds if woken else 0, "slot_ms": slot, "seat_ms": slot}


def _shown(error: DomainError) -> Mapping[str, object]:
    """Returns the error as it can be stored: otherwise the prediction would have no outcome."""
    args = {storable(name): storable(value) for name, value in error.details.items()}
    return {
        "code": storable(error.code),
        "message": storable(error.text),
        "status": error.status,
        "args": args,
        "retryAfter": error_headers(error).get(names.RETRY_AFTER),
    }
