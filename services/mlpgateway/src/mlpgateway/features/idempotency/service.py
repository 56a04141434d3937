"""Calls with an Idempotency-Key: one effect, one charge, and the first answer for a caller that repeats the call.

The answer and its usage become durable in one transaction, so that neither exists without the other. An error is not
stored: it costs nothing, and the caller may repeat the call.
"""

import asyncio
import re
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol

import structlog
from msgspec.structs import replace

from mlpgateway.call.call import Answer, Call
from mlpgateway.call.handler import ChecksCallers, Shape, unchanged
from mlpgateway.call.large_json import body_within
from mlpgateway.call.stored_text import storable_answer
from mlpgateway.context.metered_call import Keep
from mlpgateway.errors.calls import UsageNotRecorded
from mlpgateway.features.idempotency.errors import AnswerTooLargeToKeep, IdempotencyKeyReused, IdempotentCallRunning
from mlpgateway.features.idempotency.fingerprints import RequestParts, fingerprint_of
from mlpgateway.features.idempotency.repository import LEASE, IdempotentCallRepository
from mlpgateway.features.storage.counting import ROW_BYTES
from mlpgateway.features.storage.limits import StorageLimits
from mlpgateway.policy.access.model_directory import ModelDirectory
from mlplace_contracts.events import UsageRecorded
from mlplace_gateproto import headers as names
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.failures import FAILURES
from mlplace_runtime.tasks import every

HEADER: Final = "idempotency-key"
_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")
KEPT: Final = timedelta(hours=24)
_FORGET_SECONDS: Final = 300.0

log = structlog.get_logger(__name__)


def check_key(key: str) -> str:
    """Raises ValidationFailed."""
    if not _KEY.fullmatch(key):
        raise ValidationFailed({"Idempotency-Key": broken("idempotency_key")})
    return key


class KeepsAnswers(ChecksCallers, Protocol):
    async def kept(self, call: Call, keep: Keep, shape: Shape = unchanged) -> Answer: ...


@dataclass(frozen=True, slots=True)
class _Claim:
    account_id: int
    scope: str
    token: uuid.UUID


class IdempotentCalls:
    """Run `run` as a task: it deletes answers older than a day."""

    def __init__(
        self,
        *,
        database: Database,
        handler: KeepsAnswers,
        directory: ModelDirectory,
        hasher: KeyedHasher,
        clock: Clock,
        storage: StorageLimits,
        most_bytes: int,
    ) -> None:
        self._database = database
        self._handler = handler
        self._directory = directory
        self._hasher = hasher
        self._clock = clock
        self._storage = storage
        self._most_bytes = most_bytes

    async def answer(self, call: Call, *, key: str, request: RequestParts, shape: Shape = unchanged) -> Answer:
        """Returns the answer. `key` is valid. `request` identifies the call: address and body.

        The answer is stored and repeated in its shape. Raises IdempotencyKeyReused, IdempotentCallRunning,
        StorageLimitExceeded, DiskLow, and the errors of the call.
        """
        identity = await self._directory.check(call.caller)
        # An answer that is there is no call, and meets no other stage.
        await self._handler.expect_allowed(call, identity)
        scope = self._hasher.digest(f"{identity.key_id}:{key}")
        claim = _Claim(identity.account_id, scope, uuid.uuid4())
        known = await self._claimed(claim, await fingerprint_of(request))
        return known or await self._serve(call, claim, shape)

    async def _claimed(self, claim: _Claim, fingerprint: str) -> Answer | None:
        """Returns the first answer; None when there is none and this process has to serve the call."""
        async with self._database.transaction() as session:
            known = await IdempotentCallRepository(session).claim(
                claim.account_id, claim.scope, fingerprint=fingerprint, token=claim.token
            )
            if known.mine and known.answer is None:
                await self._storage.expect_room_for_new(session, claim.account_id, ROW_BYTES)
        if known.fingerprint != fingerprint:
            raise IdempotencyKeyReused
        if known.answer is not None:
            return replace(known.answer, headers={**known.answer.headers, names.REPLAYED: "true"})
        if not known.mine:
            raise IdempotentCallRunning
        return None

    async def _serve(self, call: Call, claim: _Claim, shape: Shape) -> Answer:
        writes: list[asyncio.Task[None]] = []

        def keep(answer: Answer, usage: UsageRecorded) -> asyncio.Future[None]:
            writes.append(asyncio.create_task(self._keep(claim, answer, usage)))
            return writes[0]

        async def stored(answer: Answer) -> Answer:
            made = shape(answer)
            return storable_answer(made if isinstance(made, Answer) else await made)

        async with self._leased(claim):
            try:
                return await self._handler.kept(call, keep, stored)
            except BaseException:
                await asyncio.shield(self._release(claim, writes))
                raise

    async def _keep(self, claim: _Claim, answer: Answer, usage: UsageRecorded) -> None:
        body = body_within(answer.payload, self._most_bytes)
        if body is None:
            raise AnswerTooLargeToKeep(limit=str(self._most_bytes))
        try:
            async with self._database.transaction() as session:
                repository = IdempotentCallRepository(session)
                await self._storage.expect_room(session, claim.account_id, ROW_BYTES + len(body))
                if not await repository.keep(claim.account_id, claim.scope, claim.token, answer, body):
                    raise UsageNotRecorded
                await Outbox(session, self._clock).add(usage)
        except FAILURES:
            raise UsageNotRecorded from None

    async def _release(self, claim: _Claim, writes: list[asyncio.Task[None]]) -> None:
        """Releases the claim after a failure. A write in progress ends first: it may have stored an answer."""
        await asyncio.gather(*writes, return_exceptions=True)
        with suppress(*FAILURES):  # the lease expires by itself
            async with self._database.transaction() as session:
                await IdempotentCallRepository(session).release(claim.account_id, claim.scope, claim.token)

    @asynccontextmanager
    async def _leased(self, claim: _Claim) -> AsyncGenerator[None]:
        renewal = asyncio.create_task(self._renew(claim))
        try:
            yield
        finally:
            renewal.cancel()

    async def _renew(self, claim: _Claim) -> None:
        while True:
            await asyncio.sleep(LEASE.total_seconds() / 3)
            try:
                async with self._database.transaction() as session:
                    await IdempotentCallRepository(session).renew(claim.account_id, claim.scope, claim.token)
            except FAILURES as error:
                log.warning("idempotent_call_not_renewed", error=repr(error))

    async def run(self) -> None:
        """Deletes old answers until cancelled."""
        await every(_FORGET_SECONDS, self._forget)

    async def _forget(self) -> None:
        async with self._database.transaction() as session:
            await IdempotentCallRepository(session).forget(KEPT)
