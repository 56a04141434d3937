"""A writer that is killed between an object and its row loses nothing, and the sweep deletes what it leaves."""

import asyncio
import signal
from collections.abc import Generator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from mlpcore.features.buckets.sweeping import sweep as sweep_buckets
from mlpcore.features.datasets.sweeping import sweep
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock
from mlplace_runtime.objectstore import open_folder
from mlplace_testing.processes import ForkServer
from mlplace_testing.world import World

from .killed_writer import CONTENT

DATASETS = "/api/mlpcore/account/acme/dataset"
OLD = '{"texts": ["old"]}'


@pytest.fixture(scope="module")
def writers() -> Generator[ForkServer]:
    """Starts writers that need not load the service's code first."""
    with ForkServer("killed_writer", code=[Path(__file__).parent]) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "objects"


@pytest.fixture
def state(state: CoreState, folder: Path) -> CoreState:
    """With a store that another process can open."""
    return replace(state, objects=open_folder(folder))


@pytest.mark.parametrize(
    ("operation", "point", "contents"),
    [
        ("create", "stored", {"old": OLD}),
        ("create", "uncommitted", {"old": OLD}),
        ("replace", "stored", {"old": OLD}),
        ("replace", "uncommitted", {"old": OLD}),
        ("replace", "committed", {"old": CONTENT}),
        ("delete", "uncommitted", {"old": OLD}),
        ("delete", "committed", {}),
    ],
)
async def test_killed_writer_loses_nothing_and_its_orphan_is_swept(
    client: httpx.AsyncClient, world: World, state: CoreState, folder: Path, tmp_path: Path,
    writers: ForkServer, operation: str, point: str, contents: dict[str, str],
) -> None:  # fmt: skip
    form = {"file": ("x", OLD.encode())}
    made = await client.post(f"{DATASETS}/raw?name=old&dataType=json/texts", files=form, headers=world.owner)
    pk = made.json()["id"]
    arguments = (state.database.url, str(folder), operation, point, str(pk["accountId"]), str(pk["datasetId"]))
    log = tmp_path / "log"
    pid = writers.run("killed_writer", *arguments, environment={}, log=log)
    assert await asyncio.to_thread(writers.wait, pid) == -signal.SIGKILL, log.read_text()
    left = len(await state.objects.list("datasets"))
    orphans = 0 if (operation, point) == ("delete", "uncommitted") else 1
    assert (left, await found(client, world)) == (len(contents) + orphans, contents)
    await sweep(state)
    assert len(await state.objects.list("datasets")) == left
    await sweep(state, young=timedelta(0))
    if (operation, point) == ("replace", "committed"):
        assert len(await state.objects.list("datasets")) == left, "readers may still open the earlier content"
        await sweep_buckets(replace(state, clock=ManualClock(datetime.now(UTC) + timedelta(days=1))))
    assert (len(await state.objects.list("datasets")), await found(client, world)) == (len(contents), contents)


async def test_file_that_a_killed_writer_has_not_finished_is_swept(
    client: httpx.AsyncClient, world: World, state: CoreState, folder: Path
) -> None:
    form = {"file": ("x", OLD.encode())}
    await client.post(f"{DATASETS}/raw?name=old&dataType=json/texts", files=form, headers=world.owner)
    left = folder / "datasets" / str(world.acme.account_id) / "unfinished#1"
    left.write_bytes(b"a part")
    await sweep(state)
    assert left.exists()
    await sweep(state, young=timedelta(0))
    assert (left.exists(), await found(client, world)) == (False, {"old": OLD})


async def found(client: httpx.AsyncClient, world: World) -> dict[str, str]:
    """Returns the contents by the names of their datasets."""
    listed = (await client.get(DATASETS, headers=world.owner)).json()
    texts: dict[str, str] = {}
    for each in listed:
        content = await client.get(f"{DATASETS}/{each['id']['datasetId']}/content", headers=world.owner)
        assert content.status_code == 200
        texts[each["name"]] = content.text
    return texts
