"""The instances that are connected to this gate."""

import asyncio
from collections.abc import Callable, Iterable

from mlpgateway.call.transport import InstanceLink
from mlpgateway.instances.grpc.link import StreamLink
from mlpgateway.instances.grpc.metrics import CONNECTED_INSTANCES


class ConnectedInstances:
    """Satisfies InstanceLinks. Look-ups do not copy: a change replaces a list and never modifies it.

    Instances that do not serve are only among `all`: no call finds them, and nobody hears that they come or go.
    """

    def __init__(self, *, grace_seconds: float = 20.0) -> None:
        """`grace_seconds`: how long calls may still run at an instance whose permission was revoked."""
        self._grace_seconds = grace_seconds
        self._by_model: dict[int, list[InstanceLink]] = {}
        self._all: dict[StreamLink, None] = {}
        self._waiting: dict[int, asyncio.Future[None]] = {}
        self._listeners: list[Callable[[int], None]] = []
        self._loss_listeners: list[Callable[[InstanceLink], None]] = []
        # Set and replaced at each change: read this first, then the state.
        self.changed = asyncio.Event()

    def of_model(self, model_id: int) -> list[InstanceLink]:
        """Includes links that accept no more requests. Do not modify the list."""
        return self._by_model.get(model_id) or []

    def streams_of(self, model_id: int) -> list[StreamLink]:
        return [link for link in self._by_model.get(model_id) or () if isinstance(link, StreamLink)]

    def descriptors_of(self, model_id: int) -> Iterable[str]:
        """Returns the descriptors of the connected instances, as JSON."""
        found = (link.connection.descriptor_json for link in self.streams_of(model_id))
        return (text for text in found if text)

    def models(self) -> set[int]:
        """Returns the models with at least one instance that accepts requests."""
        return {model for model, links in self._by_model.items() if any(link.accepts_requests for link in links)}

    def watch(self, listener: Callable[[int], None]) -> None:
        """Calls the listener with the model of each instance that comes or goes. The listener must not raise."""
        self._listeners.append(listener)

    def watch_lost(self, listener: Callable[[InstanceLink], None]) -> None:
        """Calls the listener with each instance that goes, before the other listeners."""
        self._loss_listeners.append(listener)

    def _notify_watchers(self, model_id: int) -> None:
        for listener in self._listeners:
            listener(model_id)

    def wake(self) -> None:
        """Wakes everyone who waits for a change."""
        self.changed.set()
        self.changed = asyncio.Event()

    async def connected(self, model_id: int) -> None:
        """Waits until an instance of the model accepts requests here. The connect itself wakes it; nothing polls."""
        while not any(link.accepts_requests for link in self.of_model(model_id)):
            future = self._waiting.get(model_id)
            if future is None:
                future = self._waiting[model_id] = asyncio.get_running_loop().create_future()
            await asyncio.shield(future)

    def revoke(self, instance_id: int) -> None:
        """Ends the instance's streams after their calls are done: it may no longer be connected."""
        for link in self.all():
            if link.instance_id == instance_id:
                link.retire(grace_seconds=self._grace_seconds)
        self.wake()

    def __len__(self) -> int:
        return len(self._all)

    def all(self) -> list[StreamLink]:
        return list(self._all)

    def add(self, link: StreamLink, *, serves: bool = True) -> None:
        self._all[link] = None
        CONNECTED_INSTANCES.inc()
        self.wake()
        if not serves:
            return
        self._by_model[link.model_id] = [*self.of_model(link.model_id), link]
        waiting = self._waiting.pop(link.model_id, None)
        if waiting is not None:
            waiting.set_result(None)
        self._notify_watchers(link.model_id)

    def remove(self, link: StreamLink) -> None:
        if link not in self._all:
            return
        del self._all[link]
        CONNECTED_INSTANCES.dec()
        self.wake()
        if link not in self.of_model(link.model_id):
            return
        rest = [other for other in self.of_model(link.model_id) if other is not link]
        if rest:
            self._by_model[link.model_id] = rest
        else:
            del self._by_model[link.model_id]
        for listener in self._loss_listeners:
            listener(link)
        self._notify_watchers(link.model_id)
