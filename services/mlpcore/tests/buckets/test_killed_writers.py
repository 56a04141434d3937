"""A writer that is killed at any point loses nothing, and the sweep deletes what it leaves."""

import asyncio
import signal
from collections.abc import Generator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.buckets.sweeping import sweep
from mlpcore.features.buckets.tables import BucketBlob
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock
from mlplace_runtime.objectstore import open_folder
from mlplace_testing.processes import ForkServer
from mlplace_testing.world import World

from .killed_writer import CONTENT

S3 = "/api/mlpcore/account/acme/s3"
OLD = b"the old content"


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
    ("operation", "point", "content"),
    [
        ("put", "announced", OLD),
        ("put", "stored", OLD),
        ("put", "uncommitted", OLD),
        ("put", "committed", CONTENT),
        ("delete", "uncommitted", OLD),
        ("delete", "committed", None),
        ("sweep", "swept", CONTENT),
    ],
)
async def test_killed_writer_leaves_an_object_that_is_whole_and_nothing_else(
    http: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock, folder: Path, tmp_path: Path,
    writers: ForkServer, operation: str, point: str, content: bytes | None,
) -> None:  # fmt: skip
    await put(http, world, OLD)
    if operation == "sweep":
        await put(http, world, CONTENT)
    arguments = (state.database.url, str(folder), operation, point, str(world.acme.account_id))
    log = tmp_path / "log"
    pid = writers.run("killed_writer", *arguments, environment={}, log=log)
    assert await asyncio.to_thread(writers.wait, pid) == -signal.SIGKILL, log.read_text()
    for _ in range(2):
        found = await http.get(f"{S3}/content", params={"key": "key"}, headers=world.owner)
        assert found.status_code == (404 if content is None else 200), found.text
        assert content is None or found.content == content
        shown = (await http.get(f"{S3}/storage", headers=world.owner)).json()
        assert shown["bucketBytes"] == len(content or b"")
        clock.advance(timedelta(hours=25))
        await sweep(state)
    async with state.database.transaction() as session:
        rows = int((await session.execute(sa.select(sa.func.count()).select_from(BucketBlob))).scalar_one())
    kept = 0 if content is None else 1
    assert (len(await state.objects.list("buckets")), rows) == (kept, kept)


async def put(http: httpx.AsyncClient, world: World, content: bytes) -> None:
    answer = await http.put(f"{S3}/content", params={"key": "key"}, content=content, headers=world.owner)
    assert answer.status_code == 200, answer.text
