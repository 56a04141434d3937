"""Deletes old predictions with their outputs and webhook deliveries."""

import asyncio
import time
from contextlib import suppress
from datetime import timedelta
from typing import Final

from mlpgateway.features.idempotency.prediction_keys import PredictionKeys
from mlpgateway.features.predictions.outputs import Outputs
from mlpgateway.features.predictions.repository import PredictionRepository
from mlpgateway.features.predictions.webhooks import WebhookRepository
from mlplace_runtime.db.database import Database
from mlplace_runtime.secrets import Vault

_PAUSE_SECONDS: Final = 300.0
_AT_ONCE: Final = 200
_KEYS_SECONDS: Final = 3600.0


class PredictionCleanup:
    """Run `run` as a task apart from the runner: a slow object store must not delay leases and calls."""

    def __init__(self, *, database: Database, vault: Vault, outputs: Outputs, kept: timedelta) -> None:
        """`kept`: how long after its end a prediction is deleted, unless its account set a shorter time."""
        self._database = database
        self._vault = vault
        self._outputs = outputs
        self._kept = kept
        self._wanted = asyncio.Event()
        self._next_look_at_keys = 0.0

    async def run(self) -> None:
        """Runs until cancelled."""
        while True:
            self._wanted.clear()
            await self.clean_up()
            with suppress(TimeoutError):
                async with asyncio.timeout(_PAUSE_SECONDS):
                    await self._wanted.wait()

    def soon(self) -> None:
        """Starts a cleanup now, after a deletion."""
        self._wanted.set()

    async def clean_up(self) -> None:
        """Deletes everything old. Raises the errors of the database and the object store."""
        async with self._database.transaction() as session:
            await WebhookRepository(session, self._vault).forget(self._kept)
        while await self._delete_some() == _AT_ONCE:
            pass
        if time.monotonic() >= self._next_look_at_keys:
            await self.free_keys()
            self._next_look_at_keys = time.monotonic() + _KEYS_SECONDS

    async def free_keys(self) -> None:
        """Frees keys without a prediction: a gate of an older release removes predictions and leaves their keys."""
        last = (0, "")
        while True:
            async with self._database.transaction() as session:
                keys = PredictionKeys(session)
                old = await keys.old(self._kept, after=last, limit=_AT_ONCE)
                taken = await PredictionRepository(session).with_scopes(old)
                await keys.forget([key for key in old if key not in taken])
            if len(old) < _AT_ONCE:
                return
            last = old[-1]

    async def _delete_some(self) -> int:
        """Deletes objects before rows, so that the next cleanup continues an interrupted one."""
        async with self._database.transaction() as session:
            old = await PredictionRepository(session).old(self._kept, _AT_ONCE)
        for prediction_id, has_objects in old:
            if has_objects:
                await self._outputs.forget(prediction_id)
        gone = [prediction_id for prediction_id, _ in old]
        async with self._database.transaction() as session:
            await WebhookRepository(session, self._vault).forget_of(gone)
            await PredictionKeys(session).forget(await PredictionRepository(session).remove(gone))
        return len(old)
