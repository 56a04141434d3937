"""How soon a freed place is used: two services, a server for one instance, the real mlpcore and the real agent."""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

from benchmarks.content import OWNER, Content, signed_in
from benchmarks.figures.rounds import Figure, Size, from_values
from benchmarks.platform_stack import Stack, wait
from benchmarks.processes import module
from benchmarks.subjects import timed_program

NAME = "the last place"
_GROUP, _IMAGE = "freed-place", "example.org/timed:1"
_SERVICES = ("first", "second")
_CHANGES_OF_ROUND = 6
_LONGEST_SECONDS = 60.0
_LOOK_SECONDS = 0.02


def measure(stack: Stack, content: Content, size: Size) -> Figure:
    """`place_ms`: from the end of the program that held the place until mlpcore has given it to the waiting instance.
    `ms`: until the program of that instance runs.
    """
    folder = stack.folder / "freed-place"
    folder.mkdir()
    values = wait(_changes(stack, content, folder, count=size.of(size.rounds * _CHANGES_OF_ROUND)))
    return Figure("freed-place", [from_values(NAME, 1, values)])


async def _changes(stack: Stack, content: Content, folder: Path, *, count: int) -> dict[str, list[float]]:
    notes = folder / "notes"
    found: dict[str, list[float]] = {"ms": [], "place_ms": []}
    async with signed_in(stack, OWNER) as client:
        owner = _Owner(client, f"/api/mlpcore/account/{content.owner_id}")
        configuration = _agent(stack, folder, notes, await owner.prepare())
        with stack.helping(module("mlplace_agent", "run", "--config", configuration)):
            holding, waiting = _SERVICES
            await owner.request(holding, 1)
            await _noted(notes, 1)
            for number in range(count):
                await owner.request(waiting, 1)
                await owner.until_it_waits(waiting)
                await owner.request(holding, 0)
                *_, (ends, ended_at), (begins, began_at) = await _noted(notes, 2 * number + 3)
                if (ends, begins) != ("ends", "begins"):
                    raise RuntimeError(
                        f"the instances took turns in the wrong order: {await asyncio.to_thread(_read, notes)}"
                    )
                found["ms"].append((began_at - ended_at) * 1000)
                found["place_ms"].append((await owner.placed_at(waiting) - ended_at) * 1000)
                holding, waiting = waiting, holding
            await owner.request(holding, 0)
            await _noted(notes, 2 * count + 2)
    return found


def _agent(stack: Stack, folder: Path, notes: Path, token: str) -> Path:
    """Writes the configuration of an agent whose heartbeats have the interval that the platform sets by default."""
    program = [sys.executable, "-I", timed_program.__file__, str(notes)]
    path = folder / "agent.json"
    configuration = {
        "platform_url": stack.services["mlpcore"].url,
        "state_dir": str(folder / "state"),
        "enrolment_token": token,
        "programs": {_IMAGE: {"command": program}},
    }
    path.write_text(json.dumps(configuration))
    return path


async def _noted(notes: Path, count: int) -> Sequence[tuple[str, float]]:
    """Waits until the programs have written so many lines. Raises TimeoutError."""
    deadline = time.monotonic() + _LONGEST_SECONDS
    while True:
        found = await asyncio.to_thread(_read, notes)
        if len(found) >= count:
            return found
        if time.monotonic() > deadline:
            raise TimeoutError(f"{len(found)} of {count} changes of the programs after {_LONGEST_SECONDS:g} s")
        await asyncio.sleep(_LOOK_SECONDS)


def _read(notes: Path) -> Sequence[tuple[str, float]]:
    lines = notes.read_text().splitlines() if notes.exists() else []
    return [(word, float(moment)) for word, moment in map(str.split, lines)]


class _Owner:
    def __init__(self, client: httpx.AsyncClient, account: str) -> None:
        self._client = client
        self._account = account

    async def prepare(self) -> str:
        """Creates the group, its server and the services. Returns the token with which the agent enrols."""
        await self._post("resource-groups", {"name": _GROUP})
        configuration = "provider: hosting_server\nmaxInstances: 1\n"
        server = {"serverName": "only", "rawConfiguration": configuration}
        token = str((await self._post(f"resource-groups/{_GROUP}/server", server)).json()["enrolmentToken"])
        image = (await self._post("image", {"name": "timed", "image": _IMAGE})).json()["id"]
        for name in _SERVICES:
            model = {"modelName": name, "imageId": image["imageId"], "imageAccountId": image["accountId"]}
            await self._post("model", {**model, "hostingType": "HOSTING_SERVER", "resourceGroup": _GROUP})
        return token

    async def request(self, name: str, count: int) -> None:
        await self._post(f"model/{name}/instances", count)

    async def until_it_waits(self, name: str) -> None:
        """Waits until mlpcore has refused the instance a place. Raises TimeoutError."""
        deadline = time.monotonic() + _LONGEST_SECONDS
        while [(row["waiting"] or {}).get("reason") for row in await self._instances(name)] != ["NotEnoughRoom"]:
            if time.monotonic() > deadline:
                raise TimeoutError(f"the instance of {name} does not wait for room")
            await asyncio.sleep(_LOOK_SECONDS)

    async def placed_at(self, name: str) -> float:
        (instance,) = await self._instances(name)
        events = await self._get(f"model/{name}/instance/{instance['id']}/events")
        (moment,) = (each["createdTimestamp"] for each in events["events"] if each["reason"] == "Scheduled")
        return datetime.fromisoformat(moment).timestamp()

    async def _instances(self, name: str) -> list[dict[str, Any]]:
        return (await self._get(f"model/{name}/instance"))["instances"]

    async def _get(self, path: str) -> Any:
        return (await self._client.get(f"{self._account}/{path}")).raise_for_status().json()

    async def _post(self, path: str, body: object) -> httpx.Response:
        answer = await self._client.post(f"{self._account}/{path}", json=body)
        if not answer.is_success:
            raise RuntimeError(f"{path} answered {answer.status_code}: {answer.text[:500]}")
        return answer
