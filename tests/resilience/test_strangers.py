"""What strangers do to the edge, from a container of their own, while a tenant calls their service.

The container has an address of its own: the edge counts by address, and the tenant's is another.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.acceptance.conftest import Platform
from tests.attacks.bystander import Bystander, calling
from tests.attacks.people import People
from tests.resilience.containers import Container, Project

_SCRIPT = Path(__file__).parents[1] / "attacks" / "strangers.py"
_TIMES = 2.0


@pytest.fixture(scope="module")
async def bystander(platform: Platform, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Bystander]:
    tenant = await People(platform.url, platform.checkout / ".data" / "demo.json").bystander()
    with calling(
        url=platform.url,
        gate=f"localhost:{(urlsplit(platform.url).port or 80) + 10}",
        model_path=tenant.path,
        key=tenant.key,
        token=tenant.token,
        path=tmp_path_factory.mktemp("bystander") / "samples",
    ) as started:
        yield started


@pytest.fixture(scope="module")
def stranger(project: Project) -> Generator[Container]:
    """Runs before an attack is measured: to start a container takes both processors for a second."""
    identity = project.compose("run", "--detach", "--no-deps", "demo", "sleep", "900").split()[-1]
    yield Container("demo", identity)
    project.remove(Container("demo", identity))


async def _attack(project: Project, stranger: Container, name: str) -> dict[str, Any]:
    said = await asyncio.to_thread(project.python, stranger, _SCRIPT.read_text(), name, "edge", "8080")
    return json.loads(said.splitlines()[-1])


class TestStrangers:
    async def test_with_endless_heads_delay_nobody(
        self, project: Project, stranger: Container, bystander: Bystander
    ) -> None:
        async with bystander.undisturbed(times=_TIMES):
            found = await _attack(project, stranger, "endless_heads")
        assert not {"200", "-1"} & found["statuses"].keys(), found

    async def test_with_slow_heads_leave_room_for_others(
        self, project: Project, stranger: Container, bystander: Bystander
    ) -> None:
        async with bystander.undisturbed(times=_TIMES):
            found = await _attack(project, stranger, "slow_heads")
        assert found["open"] < found["opened"], found

    async def test_with_bodies_that_never_end_hold_no_room(
        self, project: Project, stranger: Container, bystander: Bystander
    ) -> None:
        async with bystander.undisturbed(times=_TIMES):
            found = await _attack(project, stranger, "unfinished_bodies")
        assert found["statuses"].keys() <= {"401", "408", "429", "503", "0"}, found

    async def test_with_slow_bodies_delay_nobody(
        self, project: Project, stranger: Container, bystander: Bystander
    ) -> None:
        async with bystander.undisturbed(times=_TIMES):
            await _attack(project, stranger, "slow_bodies")

    async def test_that_speak_no_http_are_refused(
        self, project: Project, stranger: Container, bystander: Bystander
    ) -> None:
        async with bystander.undisturbed(times=_TIMES):
            found = await _attack(project, stranger, "garbage")
        assert not any(status.startswith(("2", "5", "-")) for status in found["statuses"]), found
