"""The state of a service from its first start until it sleeps, and the total status of its instances."""

import httpx
import pytest

from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.instances.states import model_state
from mlplace_contracts.internal.hosting import ReportedPhase as P
from mlplace_testing.agents import AgentTwin, report
from mlplace_testing.world import World

MODEL = "/api/mlpcore/account/acme/model/greeting"


async def states(client: httpx.AsyncClient, world: World) -> tuple[str, list[str]]:
    """Returns the service's state, the same in both answers that show it, and the total status of its instances."""
    info = (await client.get(MODEL, headers=world.owner)).json()["state"]
    assert (await client.get(f"{MODEL}/status", headers=world.owner)).json()["state"] == info
    rows = (await client.get(f"{MODEL}/instance", headers=world.owner)).json()["instances"]
    return info, [row["statusInfo"]["totalStatus"] for row in rows]


async def change_type(client: httpx.AsyncClient, world: World, hosting_type: str) -> None:
    body = {"modelName": "greeting", "hostingType": hosting_type}
    changed = await client.post(MODEL, json=body, headers=world.owner)
    assert changed.status_code == 200, changed.text


async def request(client: httpx.AsyncClient, world: World, count: int) -> None:
    assert (await client.post(f"{MODEL}/instances", json=count, headers=world.owner)).status_code == 200


@pytest.mark.parametrize(("hosting_type", "end", "ending"), [
    ("AUTOMATIC", "SLEEPING", "SLEEPING"), ("HOSTING_SERVER", "INACTIVE", "DELETED"),
])  # fmt: skip
async def test_automatic_service_sleeps_at_zero_and_others_are_inactive(
    client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, reconciler: Reconciler,
    hosting_type: str, end: str, ending: str,
) -> None:  # fmt: skip
    await change_type(client, publisher, hosting_type)
    assert await states(client, publisher) == ("INACTIVE", [])
    await request(client, publisher, 1)
    await reconciler.turn()
    assert await states(client, publisher) == ("STARTING", ["WAITING"])
    (number,) = await agent.beat()
    await agent.beat(report(number, P.RUNNING))
    await request(client, publisher, 0)
    await reconciler.turn()
    assert await states(client, publisher) == ("REMOVING", [ending])
    await agent.beat(report(number, P.EXITED, exit_code=0))
    assert await states(client, publisher) == (end, [])


def test_connected_and_starting_instances_count_more_than_removed_ones() -> None:
    assert model_state(connected=1, expected=1, removing=1, asleep=True) == "RUNNING"
    assert model_state(connected=0, expected=1, removing=1, asleep=True) == "STARTING"
    assert model_state(connected=0, expected=0, removing=1, asleep=True) == "REMOVING"
    assert model_state(connected=0, expected=0, failed=1, asleep=True) == "REMOVING"
    assert model_state(connected=0, expected=0, failed=1) == "INACTIVE"
