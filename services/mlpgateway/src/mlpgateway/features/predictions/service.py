"""Predictions for callers: created from calls, read, followed and cancelled by their account."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, cast

from msgspec.structs import replace

from mlpgateway.call.call import Call
from mlpgateway.call.handler import ChecksCallers
from mlpgateway.call.identity import Identity
from mlpgateway.egress.client import Egress
from mlpgateway.features.idempotency.errors import IdempotencyKeyReused
from mlpgateway.features.idempotency.fingerprints import RequestParts, bytes_in, fingerprint_of
from mlpgateway.features.idempotency.prediction_keys import PredictionKeys
from mlpgateway.features.predictions import calls
from mlpgateway.features.predictions.change_notices import ChangeNotices
from mlpgateway.features.predictions.cleanup import PredictionCleanup
from mlpgateway.features.predictions.errors import (
    DeliveryNotFound,
    PredictionNotEnded,
    PredictionNotFound,
    PredictionOpen,
    TooManyPredictions,
)
from mlpgateway.features.predictions.outputs import Outputs
from mlpgateway.features.predictions.repository import PredictionRepository, size_of
from mlpgateway.features.predictions.schemas import DeliveryData, PredictionData
from mlpgateway.features.predictions.states import OPEN, Status, WebhookEvent
from mlpgateway.features.predictions.tables import Prediction
from mlpgateway.features.predictions.webhooks import WebhookRepository
from mlpgateway.features.storage.limits import StorageLimits
from mlpgateway.policy.access.confirmation import CHECK_SECONDS, LOOK_SECONDS, Confirmation
from mlpgateway.policy.access.model_directory import ModelDirectory
from mlpgateway.shares.share import Share
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.errors import PayloadTooLarge, Unavailable, ValidationFailed
from mlplace_kit.violations import broken
from mlplace_runtime.db.database import Database
from mlplace_runtime.secrets import Vault
from mlplace_runtime.telemetry import current

WEBHOOK: Final = "mlp-webhook"
WEBHOOK_EVENTS: Final = "mlp-webhook-events"
_EVENTS: Final = {event.value.removeprefix("prediction."): event for event in WebhookEvent}
_MOST_OUTPUT: Final = 1024 * 1024
_LINE_BREAKS: Final = bytes.maketrans(b"\r\n", b"  ")
_QUIET_LOOKS: Final = 5
"""Looks at the caller's right between two reads of a row without a notice. Notices announce changes at once; the read
finds changes whose notice was lost, and keeps the stream alive.
"""


@dataclass(frozen=True, slots=True)
class WebhookAsked:
    """The address to notify, and of what: `started`, `completed` or both, as the caller wrote them."""

    url: str | None = None
    events: str | None = None


NO_WEBHOOK: Final = WebhookAsked()


class Predictions:
    """Opens its own transactions, because raw routes use it outside of one."""

    def __init__(
        self,
        *,
        database: Database,
        directory: ModelDirectory,
        callers: ChecksCallers,
        changes: ChangeNotices,
        outputs: Outputs,
        egress: Egress,
        vault: Vault,
        hasher: KeyedHasher,
        storage: StorageLimits,
        cleanup: PredictionCleanup,
        streams: Share,
        most_open: int,
        most_bytes: int,
    ) -> None:
        self._database = database
        self._directory = directory
        self._callers = callers
        self._changes = changes
        self._outputs = outputs
        self._egress = egress
        self._vault = vault
        self._hasher = hasher
        self._storage = storage
        self._cleanup = cleanup
        self._streams = streams
        self._most_open = most_open
        self._most_bytes = most_bytes

    async def create(
        self, call: Call, webhook: WebhookAsked, *, key: str | None, request: RequestParts
    ) -> tuple[PredictionData, bool]:
        """Creates a prediction. `key` is a valid idempotency key, `request` identifies the call.
        Permissions, address and the key that pays are checked at once. Returns the prediction, and whether an earlier
        request created it.

        Raises the errors of a call, AddressNotAllowed, ValidationFailed, IdempotencyKeyReused, TooManyPredictions,
        StorageLimitExceeded, DiskLow.
        """
        identity = await self._directory.check(call.caller)
        await self._callers.expect_allowed(call, identity)
        if bytes_in(request) > self._most_bytes:
            raise PayloadTooLarge(limit=str(self._most_bytes))
        values = self._values(call, identity, webhook, key, await fingerprint_of(request))
        async with self._database.transaction() as session:
            repository = PredictionRepository(session)
            scope = values["scope"]
            row = await repository.of_scope(identity.account_id, str(scope)) if scope else None
            made = False
            if row is None:  # an existing one is returned whatever the limits
                if await repository.open_ones(identity.account_id) >= self._most_open:
                    raise TooManyPredictions(most=str(self._most_open))
                if scope:
                    await PredictionKeys(session).claim(identity.account_id, str(scope), str(values["fingerprint"]))
                size = int(str(values["stored_bytes"]))
                await self._storage.expect_room_for_new(session, identity.account_id, size)
                made = await repository.add(values)
                row = await self._made_or_there(repository, values, made=made)
            if row is None:
                raise PredictionNotFound
            if not _asked_the_same(row, values):
                raise IdempotencyKeyReused
            if made and row.webhook_url is not None:
                await WebhookRepository(session, self._vault).secret(identity.account_id)
            if made:
                await self._changes.serve(session)
        return await self._shown(row), not made

    @staticmethod
    async def _made_or_there(
        repository: PredictionRepository, values: Mapping[str, object], *, made: bool
    ) -> Prediction | None:
        account_id = int(str(values["account_id"]))
        if made:
            return await repository.find(account_id, _id(values), key_id=None)
        return await repository.of_scope(account_id, str(values["scope"]))

    def _values(
        self, call: Call, identity: Identity, webhook: WebhookAsked, key: str | None, fingerprint: str
    ) -> dict[str, object]:
        prediction_id = uuid.uuid4()
        traced = replace(call, trace_parent=call.trace_parent or current.trace_parent())
        packed, credential = calls.pack(traced, prediction_id=str(prediction_id), vault=self._vault)
        if webhook.url is not None:
            self._egress.check(webhook.url)
        return {
            "id": prediction_id,
            "account_id": identity.account_id,
            "key_id": identity.key_id,
            "model_account": call.account,
            "model_name": call.model,
            "request_id": call.request_id,
            "status": Status.QUEUED.value,
            "call": packed,
            "credential": credential,
            "scope": None if key is None else self._hasher.digest(f"{identity.key_id}:{key}"),
            "fingerprint": fingerprint,
            "webhook_url": webhook.url,
            "webhook_events": _events(webhook.events),
            "stored_bytes": size_of(packed),
        }

    async def listed(
        self, account_id: int, *, key_id: int | None, status: Status | None, limit: int, offset: int
    ) -> list[PredictionData]:
        async with self._database.transaction() as session:
            rows = await PredictionRepository(session).newest(
                account_id, key_id=key_id, status=status, limit=limit, offset=offset
            )
            return [PredictionData.of(row, most_output=-1) for row in rows]

    async def read(self, account_id: int, prediction_id: uuid.UUID, *, key_id: int | None) -> PredictionData:
        """Raises PredictionNotFound."""
        return await self._shown(await self._row(account_id, prediction_id, key_id))

    async def output(
        self, account_id: int, prediction_id: uuid.UUID, *, key_id: int | None
    ) -> tuple[AsyncIterator[bytes], bool]:
        """Returns the output in pieces, and whether it is JSON. Raises PredictionNotFound, PredictionOpen."""
        row = await self._row(account_id, prediction_id, key_id)
        if row.output_key is not None:
            return self._outputs.stream(row.output_key), bool(row.output_is_json)
        if row.output is None:
            raise PredictionOpen(status=row.status)
        return _one_piece(row.output), bool(row.output_is_json)

    async def _shown(self, row: Prediction) -> PredictionData:
        wanted = row.output_key is not None and row.output_is_json and (row.output_size or 0) <= _MOST_OUTPUT
        output = await self._outputs.read(row.output_key) if wanted and row.output_key else None
        return PredictionData.of(row, most_output=_MOST_OUTPUT, output=output)

    async def cancel(self, account_id: int, prediction_id: uuid.UUID, *, key_id: int | None) -> PredictionData:
        """Cancels the prediction; a finished one stays unchanged. Raises PredictionNotFound."""
        await self._row(account_id, prediction_id, key_id)
        async with self._database.transaction() as session:
            canceled = await PredictionRepository(session).cancel(prediction_id)
            if canceled is not None:
                await self._changes.announce(session, canceled, WebhookEvent.COMPLETED)
            else:
                await self._changes.serve(session)
        return await self.read(account_id, prediction_id, key_id=key_id)

    async def delete(self, account_id: int, prediction_id: uuid.UUID, *, key_id: int | None) -> None:
        """Raises PredictionNotFound, PredictionNotEnded."""
        if not await self._hide(account_id, key_id, prediction_id):
            row = await self._row(account_id, prediction_id, key_id)
            raise PredictionNotEnded(status=row.status)
        self._cleanup.soon()

    async def delete_all(self, account_id: int, *, key_id: int | None) -> int:
        """Deletes all finished predictions. Returns how many."""
        deleted = await self._hide(account_id, key_id)
        self._cleanup.soon()
        return deleted

    async def _hide(self, account_id: int, key_id: int | None, prediction_id: uuid.UUID | None = None) -> int:
        """Hides finished predictions, and lets their idempotency keys be used again. Returns how many."""
        async with self._database.transaction() as session:
            hidden = await PredictionRepository(session).hide(account_id, key_id=key_id, prediction_id=prediction_id)
            await PredictionKeys(session).forget([(account_id, scope) for scope in hidden if scope is not None])
        return len(hidden)

    async def begin_following(self, account_id: int, prediction_id: uuid.UUID, *, key_id: int | None) -> None:
        """Checks before the stream begins. Raises PredictionNotFound, and ShareExceeded for too many streams."""
        self._streams.check(account_id, 1)
        await self._row(account_id, prediction_id, key_id)

    async def follow(
        self, account_id: int, prediction_id: uuid.UUID, *, key_id: int | None, check: Callable[[], Awaitable[None]]
    ) -> AsyncGenerator[PredictionData | None]:
        """Yields each state until the end, and None at times when nothing changes.

        `check` raises the refusal of a caller who may not follow it any more. It is called every second, and before
        each state. Raises Unavailable when it has said nothing for UNCONFIRMED_SECONDS.
        """
        confirmation = Confirmation()
        seen: tuple[str, int] | None = None
        with self._streams.one(account_id), self._changes.following(prediction_id) as changed:
            while True:
                changed.clear()
                row = await self._row(account_id, prediction_id, key_id)
                await _confirm(check, confirmation)
                state = row.status, row.attempts
                yield await self._shown(row) if state != seen else None
                seen = state
                if row.status not in {status.value for status in OPEN}:
                    return
                for _ in range(_QUIET_LOOKS):
                    with suppress(TimeoutError):
                        async with asyncio.timeout(LOOK_SECONDS):
                            await changed.wait()
                            break
                    await _confirm(check, confirmation)

    async def deliveries(self, account_id: int, prediction_id: uuid.UUID, *, key_id: int | None) -> list[DeliveryData]:
        await self._row(account_id, prediction_id, key_id)
        async with self._database.transaction() as session:
            rows = await WebhookRepository(session, self._vault).of_prediction(account_id, prediction_id)
            return [DeliveryData.of(row) for row in rows]

    async def deliver_again(
        self, account_id: int, prediction_id: uuid.UUID, delivery_id: uuid.UUID, *, key_id: int | None
    ) -> DeliveryData:
        """Raises PredictionNotFound, DeliveryNotFound."""
        await self._row(account_id, prediction_id, key_id)
        async with self._database.transaction() as session:
            row = await WebhookRepository(session, self._vault).again(account_id, prediction_id, delivery_id)
            if row is None:
                raise DeliveryNotFound
            await self._changes.send(session)
            return DeliveryData.of(row)

    async def secret(self, account_id: int, *, anew: bool) -> str:
        async with self._database.transaction() as session:
            repository = WebhookRepository(session, self._vault)
            return await (repository.replace_secret(account_id) if anew else repository.secret(account_id))

    async def _row(self, account_id: int, prediction_id: uuid.UUID, key_id: int | None) -> Prediction:
        async with self._database.transaction() as session:
            row = await PredictionRepository(session).find(account_id, prediction_id, key_id=key_id)
        if row is None:
            raise PredictionNotFound
        return row


async def _confirm(check: Callable[[], Awaitable[None]], confirmation: Confirmation) -> None:
    """Checks. What cannot be decided now is decided at the next time, as long as the last confirmation is not old.

    Raises the refusal, and Unavailable.
    """
    with suppress(Unavailable, TimeoutError):
        async with asyncio.timeout(CHECK_SECONDS):
            await check()
        confirmation.renew()
    if confirmation.is_old:
        raise Unavailable


async def _one_piece(body: bytes) -> AsyncGenerator[bytes]:
    yield body


def _id(values: Mapping[str, object]) -> uuid.UUID:
    found = values["id"]
    if not isinstance(found, uuid.UUID):
        raise TypeError("a prediction has an id")
    return found


def _asked_the_same(row: Prediction, values: Mapping[str, object]) -> bool:
    """Whether the stored prediction is of this request, with this webhook and these events in any order."""
    events = {str(event) for event in cast("list[str]", values["webhook_events"])}
    asked = (values["fingerprint"], values["webhook_url"], events)
    return (row.fingerprint, row.webhook_url, set(row.webhook_events)) == asked


def _events(text: str | None) -> list[str]:
    """Parses `started`, `completed` or both. Raises ValidationFailed."""
    names = [name.strip() for name in (text or "completed").split(",")]
    if not set(names) <= set(_EVENTS):
        raise ValidationFailed(
            {
                "MLP-Webhook-Events": broken(
                    "one_of", message=f"must be one or more of {', '.join(_EVENTS)}", allowed=", ".join(_EVENTS)
                )
            }
        )
    return [_EVENTS[name].value for name in dict.fromkeys(names)]


def event_of(shown: PredictionData | None) -> bytes:
    """Returns a server-sent event; a comment when nothing changed."""
    if shown is None:
        return b": still at it\n\n"
    line = shown.as_json().translate(_LINE_BREAKS)  # white space of the output: strings of JSON contain none
    return b"event: %b\ndata: %b\n\n" % (shown.status.value.encode(), line)
