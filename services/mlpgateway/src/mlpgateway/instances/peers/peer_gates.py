"""All other gates: followed as they come and go, and used for instances that this gate does not reach."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine
from functools import partial
from hashlib import blake2b

from mlpgateway.call.call import Answer, Call, Payload
from mlpgateway.call.handler import Shape, shaped, unchanged
from mlpgateway.call.ports import GateDirectory, GateMembers
from mlpgateway.call.transport import InstanceLink, NotTakenError
from mlpgateway.errors.calls import NothingAnswered
from mlpgateway.instances.peers.messages import Way
from mlpgateway.instances.peers.metrics import FORWARDED_CALLS
from mlpgateway.instances.peers.peer_gate import ForwardedCall, PeerGate
from mlplace_kit.errors import Unavailable

_GATHER_SECONDS = 3.0
_LOOK_SECONDS = 0.05


class PeerGates:
    """Satisfies Elsewhere, and CallHandler for calls that this gate cannot authenticate yet.

    Look-ups send no request: the other gates report their models beforehand.
    """

    def __init__(self, directory: GateDirectory, token: str) -> None:
        """`token` is the internal token of the platform's services."""
        self._directory = directory
        self._token = token
        self._own = ""
        self._known: dict[str, PeerGate] = {}
        self._retiring: frozenset[str] = frozenset()
        self._follows: dict[PeerGate, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._unwatch: Callable[[], None] | None = None
        self._listeners: list[Callable[[int], None]] = []
        self._gathered = asyncio.Event()
        self._gathered.set()

    def watch(self, listener: Callable[[int], None]) -> None:
        """Calls the listener with each model that another gate gets instances of, or loses."""
        self._listeners.append(listener)

    def _models_changed(self, models: Collection[int]) -> None:
        for model_id in models:
            for listener in self._listeners:
                listener(model_id)

    async def start(self, own: str) -> None:
        """`own` is the address of this gate, which must already be in the directory."""
        self._own = own
        self._gathered.clear()
        self._unwatch = self._directory.watch(self._changed)
        self._changed(await self._directory.members())
        self._spawn(self._gather())

    async def close(self) -> None:
        """Stops following the gates. Cuts off calls that are still running at other gates."""
        if self._unwatch:
            self._unwatch()
        tasks = [*self._follows.values(), *self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for peer in self._known.values():
            await peer.close(at_once=True)
        self._known.clear()
        self._gathered.set()

    def _changed(self, members: GateMembers) -> None:
        found = {address: internal for address, internal in members.internal if internal and address != self._own}
        self._retiring = frozenset(members.retiring)
        for address, peer in list(self._known.items()):
            if found.get(address) != peer.internal:
                del self._known[address]
                self._spawn(self._forget(peer))
        for address, internal in found.items():
            if address not in self._known:
                peer = self._known[address] = PeerGate(address, internal, self._token, self._models_changed)
                self._follows[peer] = asyncio.create_task(peer.follow(), name=f"follow gate {address}")

    async def _forget(self, peer: PeerGate) -> None:
        task = self._follows.pop(peer)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await peer.close(at_once=False)

    async def _gather(self) -> None:
        """Waits for the first report of each gate: calls that need those reports wait for this."""
        try:
            async with asyncio.timeout(_GATHER_SECONDS):
                for peer in list(self._known.values()):
                    await peer.probed.wait()
        except TimeoutError:
            pass
        finally:
            self._gathered.set()

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ---- Forwarding

    async def route(self, model_id: int, *, but: Collection[InstanceLink]) -> ForwardedCall | None:
        """Returns a gate with an instance of the model, not in `but`: preferably one that stays and has few calls."""
        if not self._gathered.is_set():
            await self._gathered.wait()
        return self.route_now(model_id, but=but)

    def route_now(self, model_id: int, *, but: Collection[InstanceLink]) -> ForwardedCall | None:
        tried = [link.peer for link in but if isinstance(link, ForwardedCall)]
        able = [peer for peer in self._known.values() if model_id in peer.models and peer not in tried]
        if not able:
            return None
        return min(able, key=self._reluctance).forward(model_id)

    def reaches(self, model_id: int) -> bool:
        return any(model_id in peer.models for peer in self._known.values())

    def owner(self, model_id: int, *, here: bool) -> ForwardedCall | None:
        """Returns the gate that queues the model's calls for all gates, so that an instance's concurrency is kept.

        It is the gate with an instance that ranks first by rendezvous hashing: all gates agree without messages.
        """
        able = {peer.address: peer for peer in self._known.values() if model_id in peer.models}
        if not able:
            return None
        names = [*able, self._own] if here else [*able]
        staying = [name for name in names if name not in self._retiring]
        first = max(staying or names, key=partial(_rank, model_id))
        if first not in able:
            return None
        return able[first].forward(model_id, "queue")

    async def slot_givers(self, model_id: int) -> list[PeerGate]:
        """Satisfies SlotGivers: the gates that stay and that hashing ranks before this one."""
        if not self._gathered.is_set():
            await self._gathered.wait()
        return self.slot_givers_now(model_id)

    def slot_givers_now(self, model_id: int) -> list[PeerGate]:
        if not self._known:
            return []
        able = sorted(self._staying(), key=lambda peer: _rank(model_id, peer.address), reverse=True)
        if self._own in self._retiring:
            return able
        own = _rank(model_id, self._own)
        return [peer for peer in able if _rank(model_id, peer.address) > own]

    def _reluctance(self, peer: PeerGate) -> tuple[bool, int, float]:
        return peer.address in self._retiring, peer.calls, random.random()  # noqa: S311  spreads load, keeps no secret

    async def cover(self, models: Callable[[], Collection[int]], seconds: float) -> bool:
        """Waits until staying gates have instances of all these models. Returns at once when no gate stays.

        Returns False on timeout.
        """
        try:
            async with asyncio.timeout(seconds):
                while (staying := self._staying()) and not _cover(staying, models()):  # noqa: ASYNC110  sets of many gates
                    await asyncio.sleep(_LOOK_SECONDS)
        except TimeoutError:
            return False
        return True

    def _staying(self) -> list[PeerGate]:
        return [peer for address, peer in self._known.items() if address not in self._retiring and peer.ready]

    # ---- Entrusting

    async def unary(self, call: Call, shape: Shape = unchanged) -> Answer:
        """Raises Unavailable when no other gate can authenticate the call either.

        That gate settles the call before the answer gets its shape here, so an answer without that shape is charged.
        """
        last: Answer | None = None
        async for answer in self._entrust(call, shape, "unary", None):
            last = answer
        if last is None:
            raise NothingAnswered
        return last

    def stream(self, call: Call, shape: Shape = unchanged) -> AsyncGenerator[Answer]:
        return self._entrust(call, shape, "stream", None)

    def duplex(self, call: Call, inputs: AsyncGenerator[Payload], shape: Shape = unchanged) -> AsyncGenerator[Answer]:
        return self._entrust(call, shape, "duplex", inputs)

    async def _entrust(
        self, call: Call, shape: Shape, way: Way, inputs: AsyncGenerator[Payload] | None
    ) -> AsyncGenerator[Answer]:
        await self._gathered.wait()
        able = [peer for peer in self._known.values() if peer.ready]
        if not able:
            raise Unavailable
        FORWARDED_CALLS.labels("entrust").inc()
        try:
            async for answer in min(able, key=self._reluctance).entrust(call, way, inputs):
                yield await shaped(answer, shape)
        except NotTakenError:
            raise Unavailable from None


def _rank(model_id: int, gate: str) -> bytes:
    return blake2b(f"{model_id} {gate}".encode(), digest_size=8).digest()


def _cover(peers: Collection[PeerGate], models: Collection[int]) -> bool:
    return all(any(model in peer.models for peer in peers) for model in models)
