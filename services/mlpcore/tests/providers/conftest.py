import httpx
import pytest

from mlpcore.state import CoreState
from mlplace_testing.world import World

from .called_site import CalledSite
from .hosting_site import HostingSite
from .machine import Site
from .owner import Owner
from .subjects import SUBJECTS


@pytest.fixture
async def owner(client: httpx.AsyncClient, publisher: World, state: CoreState) -> Owner:
    """Who publishes the model `acme/greeting`, which needs a quarter of the memory of a machine."""
    return await Owner.of_greeting(client, publisher, state)


@pytest.fixture(params=SUBJECTS)
async def site(request: pytest.FixtureRequest, client: httpx.AsyncClient, publisher: World, state: CoreState) -> Site:
    made: type[HostingSite | CalledSite] = SUBJECTS[request.param]
    return await made.opened(client, publisher, state)
