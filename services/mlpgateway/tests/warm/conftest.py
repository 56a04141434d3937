"""A gateway behind a real HTTP server, with the warm path or without."""

from contextlib import asynccontextmanager

import pytest

from mlpgateway.readmodels.all import ReadModels
from mlpgateway.warm.direct import WarmCalls
from mlpgateway.wiring.warm import make_warm_calls
from mlplace_contracts.events import Event
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer
from services.mlpgateway.tests.warm.scenario import Player
from services.mlpgateway.tests.warm.site import Counted, Site


def _forget(read_models: ReadModels, direct: WarmCalls, forgotten: type[Event]) -> None:
    """Breaks the cache of verdicts: it does not hear of one type of event."""
    changed = direct.verdicts.changed
    read_models.listeners.remove(changed)
    read_models.watch(lambda event: None if isinstance(event, forgotten) else changed(event))


@pytest.fixture
def open_site(open_world):
    """Returns a context manager: a served world, with the warm path or without. Its verdicts may ignore one type of
    event.
    """

    @asynccontextmanager
    async def opened(
        *, warm: bool, forgotten: type[Event] | None = None, trusted_proxies: str = "", **settings: object
    ):
        async with open_world(**{"instance_networks": "127.0.0.0/8", **settings}) as world:
            world.components.http_instances.open("127.0.0.1:1")
            counted = None
            if warm:
                components = world.components
                direct = make_warm_calls(
                    pipeline=components.pipeline,
                    stages=components.pipeline.stages,
                    admission=components.admission,
                    read_models=components.read_models,
                    hasher=KeyedHasher(b"a secret for tests only"),
                    secure=False,
                )
                if forgotten is not None:
                    _forget(components.read_models, direct, forgotten)
                counted = Counted(direct)
            listener = listen("127.0.0.1", 0)
            server = HttpServer(world.app, listener, trusted_proxies=trusted_proxies, direct=counted)
            await server.start()
            site = Site(world, listener.getsockname()[1], server, counted)
            try:
                yield site
            finally:
                await server.stop()
                await site.settled()
                for instance in list(site.instances):
                    instance.leave("over")
                    await instance.close()
                await world.components.http_instances.close()

    return opened


@pytest.fixture
def player(open_site, kit, clock):
    """Returns a context manager: a site with keys, models and an instance of each model."""

    class Opened:
        def __init__(self, *, warm: bool, **settings: object) -> None:
            self._site = open_site(warm=warm, **settings)

        async def __aenter__(self) -> Player:
            player = Player(await self._site.__aenter__(), kit, clock, "request..")
            player.set_up()
            return player

        async def __aexit__(self, *ending: object) -> None:
            await self._site.__aexit__(*ending)

    return Opened
