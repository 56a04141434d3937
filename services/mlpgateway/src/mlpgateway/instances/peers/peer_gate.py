"""Another gate, as this gate knows it: the models it has instances of, and whether it can authenticate calls."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import suppress
from weakref import WeakSet

import grpc
import msgspec
import structlog

from mlpgateway.call.call import Answer, Call, Payload
from mlpgateway.call.large_json import call_with_string
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.delivery.remote_slots import SlotRequest
from mlpgateway.instances.peers import messages
from mlpgateway.instances.peers.channel import PeerChannel, ended_by_peer
from mlpgateway.instances.peers.messages import Entrusted, Forwarded, Way
from mlpgateway.instances.peers.metrics import FORWARDED_CALLS
from mlpgateway.instances.peers.remote_slot import PeerSlot

log = structlog.get_logger(__name__)

SAYS_SOMETHING_SECONDS = 2.0
_SILENCE_SECONDS = 3 * SAYS_SOMETHING_SECONDS
_RETRY_SECONDS = 0.3


class PeerGate:
    """`address` is the one for instances, `internal` the one for other gates. Run `follow` as a task."""

    def __init__(
        self, address: str, internal: str, token: str, changed: Callable[[Collection[int]], None] | None = None
    ) -> None:
        """`changed` is called with the models that the gate gets instances of or loses."""
        self._changed = changed
        self.address = address
        self.internal = internal
        self.models: set[int] = set()
        self.ready = False
        self.calls = 0
        # Set after its first message, or when it could not be reached.
        self.probed = asyncio.Event()
        self._channel = PeerChannel(internal, token)
        self._asked = WeakSet[PeerSlot]()

    async def follow(self) -> None:
        """Follows the gate until cancelled. A gate that falls silent counts as having no instances."""
        while True:
            try:
                await self._follow_once()
            except (grpc.aio.AioRpcError, TimeoutError, msgspec.MsgspecError) as error:
                code = error.code().name if isinstance(error, grpc.aio.AioRpcError) else type(error).__name__
                log.info("gate_out_of_reach", gate=self.address, internal=self.internal, reason=code)
            except asyncio.CancelledError:
                if not ended_by_peer():
                    raise
            finally:
                lost, self.models = self.models, set()
                self.ready = False
                self.probed.set()
                self._notify_watchers(lost)
                self._give_up()
            await asyncio.sleep(_RETRY_SECONDS)

    async def _follow_once(self) -> None:
        call = self._channel.watch()
        try:
            while True:
                async with asyncio.timeout(_SILENCE_SECONDS):
                    data = await call.read()
                if not isinstance(data, bytes):
                    return
                reach = messages.reach(data)
                self.models.update(reach.add)
                self.models.difference_update(reach.gone)
                self.ready = reach.ready
                self.probed.set()
                self._notify_watchers([*reach.add, *reach.gone])
        finally:
            call.cancel()

    def _notify_watchers(self, models: Collection[int]) -> None:
        if self._changed is not None and models:
            self._changed(models)

    def _give_up(self) -> None:
        """Cancels the slot requests that still wait there; their calls ask another gate. Granted slots stay."""
        for remote_slot in list(self._asked):
            remote_slot.give_up()

    def remote_slot(self, wanted: SlotRequest) -> PeerSlot:
        """Requests a slot there."""
        FORWARDED_CALLS.labels("slot").inc()
        remote_slot = PeerSlot(self._channel.request_slot(messages.encode(wanted)))
        self._asked.add(remote_slot)
        return remote_slot

    async def entrust(self, call: Call, way: Way, inputs: AsyncGenerator[Payload] | None) -> AsyncGenerator[Answer]:
        """Lets that gate serve the call as if it had arrived there. Otherwise like ForwardedCall."""
        exchange = self._channel.entrust()
        self.calls += 1
        try:
            await exchange.ask(Entrusted(call_with_string(call), way), more=inputs is not None)
            if inputs is not None:
                exchange.feed(inputs)
            async for answer in exchange.answers():
                yield answer
        finally:
            self.calls -= 1
            await exchange.close()

    def forward(self, model_id: int, way: str = "forward") -> "ForwardedCall":
        return ForwardedCall(self, self._channel, model_id, way)

    async def close(self, *, at_once: bool) -> None:
        """Closes the channel. Without `at_once`, running calls may end first."""
        await self._channel.close(at_once=at_once)


class ForwardedCall:
    """Satisfies InstanceLink and StreamedInputLink for one call: any instance of the model at another gate."""

    __slots__ = (
        "_channel",
        "_way",
        "instance_id",
        "model_id",
        "peer",
    )

    active_requests = 0
    accepts_requests = True

    def __init__(self, peer: PeerGate, channel: PeerChannel, model_id: int, way: str) -> None:
        self._way = way
        self.peer = peer
        self.model_id = model_id
        self.instance_id: int | None = None
        self._channel = channel

    def send(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        return self._answers(Forwarded(call_with_string(request)), None)

    def send_stream(self, request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        return self._answers(Forwarded(request, in_parts=True), inputs)

    async def _answers(self, message: Forwarded, inputs: AsyncGenerator[Payload] | None) -> AsyncGenerator[Answer]:
        exchange = self._channel.forward(self.model_id)
        FORWARDED_CALLS.labels(self._way).inc()
        self.peer.calls += 1
        try:
            await exchange.ask(message, more=inputs is not None)
            # The parts can be read only once, so they are not sent before the other gate has chosen an instance.
            if inputs is not None:
                with suppress(grpc.aio.AioRpcError):
                    self.instance_id = await exchange.instance_id()
                if self.instance_id is not None:
                    exchange.feed(inputs)
            async for answer in exchange.answers():
                if self.instance_id is None:
                    self.instance_id = await exchange.instance_id()
                yield answer
        finally:
            self.peer.calls -= 1
            await exchange.close()
