"""The instances that this gate reaches over HTTP: known from events, and used only while they are healthy."""

import asyncio
import uuid
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final

from mlpgateway.call.ports import ConnectedInstance, ConnectionLog
from mlpgateway.call.transport import InstanceLink
from mlpgateway.instances.http.client.address import Address
from mlpgateway.instances.http.client.pool import Pool
from mlpgateway.instances.http.clients import ClientsByTrust
from mlpgateway.instances.http.health import Health
from mlpgateway.instances.http.link import HttpLink, LocatedInstance
from mlpgateway.readmodels.instances import Instances, serves
from mlpgateway.readmodels.models import Models
from mlplace_contracts.events import InstanceChanged, ModelHttp

_NO_GATE: Final = ""
_LOOK_SECONDS: Final = 1.0
_BETWEEN_LOOKS_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The properties of a link. When one changes, the link is replaced."""

    place: LocatedInstance
    page: str
    only: bool
    serves: bool


@dataclass(slots=True, eq=False)
class _Watched:
    wanted: _Wanted
    link: HttpLink
    health: Health
    pool: Pool
    answers: bool = False
    task: "asyncio.Task[None] | None" = None
    connection: ConnectedInstance | None = field(default=None)


class HttpInstances:
    """Satisfies InstanceLinks. Look-ups do not copy: a change replaces a list and never modifies it.

    Health checks begin with `open`: before that, no gate could serve the instances. Those that do not serve are checked
    and reported, too, but no call finds them.
    """

    def __init__(
        self,
        *,
        instances: Instances,
        models: Models,
        clients: ClientsByTrust,
        connections: ConnectionLog,
        most_bytes: int,
    ) -> None:
        self._instances = instances
        self._models = models
        self._clients = clients
        self._connections = connections
        self._most_bytes = most_bytes
        self._gate = _NO_GATE
        self._watched: dict[int, _Watched] = {}
        self._looks: dict[int, asyncio.Task[None]] = {}
        self._by_model: dict[int, list[InstanceLink]] = {}
        self._listeners: list[Callable[[int], None]] = []
        self._loss_listeners: list[Callable[[InstanceLink], None]] = []
        instances.watch(self.changed)
        models.watch(self.changed)

    def of_model(self, model_id: int) -> list[InstanceLink]:
        """Returns the healthy instances. Do not modify the list."""
        return self._by_model.get(model_id) or []

    def find(self, instance_id: int) -> InstanceLink | None:
        """Returns the instance even when this gate finds it unhealthy; None when it is unknown."""
        watched = self._watched.get(instance_id)
        return None if watched is None else watched.link

    async def look(self, model_id: int) -> None:
        """Checks the model's instances now, because another gate has found a healthy one and this gate has none.

        Waits at most a second, and checks at most once in five seconds.
        """
        look = self._looks.get(model_id)
        if look is None:
            look = asyncio.create_task(self._ask(model_id), name=f"look for instances of {model_id}")
            self._looks[model_id] = look
            asyncio.get_running_loop().call_later(_BETWEEN_LOOKS_SECONDS, self._looks.pop, model_id, None)
        await asyncio.wait([look])

    async def _ask(self, model_id: int) -> None:
        known = [each for each in self._watched.values() if each.wanted.serves]
        mine = [each.health for each in known if each.link.model_id == model_id]
        asked = {asyncio.create_task(health.look()) for health in mine}
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                while asked and not self.of_model(model_id):
                    _, asked = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            pass
        finally:
            for task in asked:
                task.cancel()

    def watch(self, listener: Callable[[int], None]) -> None:
        """Calls the listener with the model of each instance that comes or goes. The listener must not raise."""
        self._listeners.append(listener)

    def watch_lost(self, listener: Callable[[InstanceLink], None]) -> None:
        """Calls the listener with each instance that goes, before the other listeners."""
        self._loss_listeners.append(listener)

    def open(self, gate: str) -> None:
        """Starts the health checks. `gate` is this gate's address, which connection events name."""
        self._gate = gate
        for model in list(self._models.all()):
            self.changed(model.model_id)

    async def close(self) -> None:
        """Stops the health checks. Running calls go on."""
        self._gate = _NO_GATE
        tasks = [watched.task for watched in self._watched.values() if watched.task is not None]
        tasks += self._looks.values()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._watched.clear()
        await self._clients.close()

    def changed(self, model_id: int) -> None:
        """Updates the links after a change of the model or of one of its instances."""
        if not self._gate:
            return
        model = self._models.by_id(model_id)
        http = model.http if model is not None else None
        wanted = _wanted(http, self._instances.over_http(model_id)) if http is not None else {}
        mine = [known for known in self._watched.values() if known.wanted.place.model_id == model_id]
        for watched in mine:
            if wanted.get(watched.wanted.place.instance_id) != watched.wanted:
                self._forget(watched)
        for instance_id, one in wanted.items():
            if instance_id not in self._watched:
                self._begin(one)

    def _begin(self, wanted: _Wanted) -> None:
        clients = self._clients.of(wanted.place.address)
        pool = clients.http.pool(wanted.place.address)
        health = Health(pool, wanted.page)
        link = HttpLink(wanted.place, pool, clients.sockets, suspect=health.doubt, most_bytes=self._most_bytes)
        watched = _Watched(wanted, link, health, pool)
        self._watched[wanted.place.instance_id] = watched
        watched.task = asyncio.create_task(self._look_after(watched), name=f"http-instance-{link.instance_id}")

    def _forget(self, watched: _Watched) -> None:
        del self._watched[watched.wanted.place.instance_id]
        if watched.task is not None:
            watched.task.cancel()
        watched.link.retire()
        watched.pool.retire()
        self._lose(watched, "it may no longer be called")

    async def _look_after(self, watched: _Watched) -> None:
        while True:
            if await watched.health.turn():
                if watched.health.well:
                    self._add(watched)
                else:
                    self._lose(watched, "its page does not answer")
            await watched.health.rest()

    def _add(self, watched: _Watched) -> None:
        link = watched.link
        watched.answers = True
        if watched.wanted.serves:
            self._by_model[link.model_id] = [*self.of_model(link.model_id), link]
        if watched.wanted.only:
            watched.connection = self._connection(watched)
            if watched.connection is not None:
                self._connections.connected(watched.connection)
        if watched.wanted.serves:
            self._notify_watchers(link.model_id)

    def _connection(self, watched: _Watched) -> ConnectedInstance | None:
        place = watched.wanted.place
        found = next((i for i in self._instances.over_http(place.model_id) if i.instance_id == place.instance_id), None)
        if found is None:
            return None
        entry = self._instances.entry(found)
        return ConnectedInstance(
            uuid.uuid4(), entry, self._gate, hostname="", sdk_version=0, image_name="", descriptor_json=None
        )

    def _lose(self, watched: _Watched, reason: str) -> None:
        if not watched.answers:
            return
        watched.answers = False
        link = watched.link
        if watched.wanted.serves:
            self._remove(link)
        if watched.connection is not None:
            self._connections.lost(watched.connection, reason=reason)
            watched.connection = None
        if watched.wanted.serves:
            self._tell_loss(link)

    def _remove(self, link: InstanceLink) -> None:
        rest = [other for other in self.of_model(link.model_id) if other is not link]
        if rest:
            self._by_model[link.model_id] = rest
        else:
            del self._by_model[link.model_id]

    def _tell_loss(self, link: InstanceLink) -> None:
        for listener in self._loss_listeners:
            listener(link)
        self._notify_watchers(link.model_id)

    def _notify_watchers(self, model_id: int) -> None:
        for listener in self._listeners:
            listener(model_id)


def _wanted(http: ModelHttp, instances: Collection[InstanceChanged]) -> dict[int, _Wanted]:
    found: dict[int, _Wanted] = {}
    for instance in instances:
        if instance.http is not None:
            address = Address(instance.http.host, instance.http.port, instance.http.trusted)
            place = LocatedInstance(instance.instance_id, instance.model_id, address)
            found[instance.instance_id] = _Wanted(place, http.page, http.only, serves(instance))
    return found
