"""Publishes the connects and disconnects of instances, in order."""

import asyncio
import itertools
from collections import deque
from collections.abc import Callable

import structlog

from mlpgateway.call.ports import ConnectedInstance
from mlpgateway.errors.calls import UsageNotRecorded
from mlpgateway.outbox.writer import OutboxWriter
from mlplace_contracts.events import Event, GateStarted, InstanceConnected, InstanceLost
from mlplace_kit.clock import Clock

log = structlog.get_logger(__name__)

_RETRY_SECONDS = 0.5
_MOST_AT_ONCE = 500


class ConnectionRecorder:
    """Satisfies ConnectionLog. Run `run` as a task; call `flush` before it is cancelled.

    `seen` hears of the model and the id of each instance that connects.
    """

    def __init__(self, writer: OutboxWriter, clock: Clock, *, seen: Callable[[int, int], None]) -> None:
        self._writer = writer
        self._clock = clock
        self._seen = seen
        self._events: deque[Event] = deque()
        self._something = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()

    def started(self, gate: str) -> None:
        self._add(GateStarted(gate=gate, occurred_at=self._clock.now()))

    def connected(self, connection: ConnectedInstance) -> None:
        entry = connection.entry
        self._seen(entry.model_id, entry.instance_id)
        self._add(
            InstanceConnected(
                instance_id=entry.instance_id,
                model_id=entry.model_id,
                account_id=entry.account_id,
                gate=connection.gate,
                stream_id=connection.stream_id,
                occurred_at=self._clock.now(),
                hostname=connection.hostname,
                sdk_version=connection.sdk_version,
                image_name=connection.image_name,
                descriptor_json=connection.descriptor_json,
            )
        )

    def lost(self, connection: ConnectedInstance, *, reason: str) -> None:
        entry = connection.entry
        self._add(
            InstanceLost(
                instance_id=entry.instance_id,
                model_id=entry.model_id,
                account_id=entry.account_id,
                gate=connection.gate,
                stream_id=connection.stream_id,
                occurred_at=self._clock.now(),
                reason=reason,
            )
        )

    def _add(self, event: Event) -> None:
        self._events.append(event)
        self._empty.clear()
        self._something.set()

    async def run(self) -> None:
        """Writes events until cancelled. Retries while the database is away: nothing else stores the connections."""
        while True:
            await self._something.wait()
            batch = list(itertools.islice(self._events, _MOST_AT_ONCE))
            try:
                await asyncio.gather(*(asyncio.shield(self._writer.add(event)) for event in batch))
            except UsageNotRecorded:
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            for _ in batch:
                self._events.popleft()
            if not self._events:
                self._something.clear()
                self._empty.set()

    async def flush(self, seconds: float) -> None:
        """Waits until all events so far are written, up to `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                await self._empty.wait()
        except TimeoutError:
            log.warning("connections_not_recorded", events=len(self._events))
