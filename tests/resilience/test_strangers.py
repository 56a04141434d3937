"""Attacks of unauthenticated clients on the edge, from a separate container, while a tenant calls their model.

The edge counts by address, so the attackers' container has another address than the tenant.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager
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
_SECONDS = 60.0

Attack = Callable[[], Awaitable[dict[str, Any]]]


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
    """Started before the measurement, because starting a container occupies both processors for a second."""
    identity = project.compose("run", "--detach", "--no-deps", "demo", "sleep", "900").split()[-1]
    project.yields(Container("demo", identity))
    yield Container("demo", identity)
    project.remove(Container("demo", identity))


@asynccontextmanager
async def _prepared(project: Project, stranger: Container, name: str) -> AsyncGenerator[Attack]:
    """The attack begins when the returned function is called."""
    program = ("nice", "-n", "19", "python", "-c", _SCRIPT.read_text(), name, "edge", "8080")
    with project.opened(stranger, *program) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert await asyncio.to_thread(process.stdout.readline) == "ready\n"

        async def attack() -> dict[str, Any]:
            said, _ = await asyncio.to_thread(process.communicate, "go\n", _SECONDS)
            return json.loads(said)

        yield attack


class TestStrangers:
    async def test_endless_heads_of_strangers_delay_nobody(
        self, project: Project, stranger: Container, bystander: Bystander
    ) -> None:
        async with _prepared(project, stranger, "endless_heads") as attack, bystander.undisturbed(times=_TIMES):
            found = await attack()
        assert not {"200", "-1"} & found["statuses"].keys(), found

    async def test_slow_heads_of_strangers_leave_room_for_others(
        self, project: Project, stranger: Container, bystander: Bystander
    ) -> None:
        async with _prepared(project, stranger, "slow_heads") as attack, bystander.undisturbed(times=_TIMES):
            found = await attack()
        assert found["open"] < found["opened"], found

    async def test_unfinished_bodies_of_strangers_hold_no_room(
        self, project: Project, stranger: Container, bystander: Bystander
    ) -> None:
        async with _prepared(project, stranger, "unfinished_bodies") as attack, bystander.undisturbed(times=_TIMES):
            found = await attack()
        assert found["statuses"].keys() <= {"401", "408", "429", "503", "0"}, found

    async def test_slow_bodies_of_strangers_delay_nobody(
        self, project: Project, stranger: Container, bystander: Bystander
    ) -> None:
        async with _prepared(project, stranger, "slow_bodies") as attack, bystander.undisturbed(times=_TIMES):
            await attack()

    async def test_strangers_that_speak_no_http_are_refused(
        self, project: Project, stranger: Container, bystander: Bystander
    ) -> None:
        async with _prepared(project, stranger, "garbage") as attack, bystander.undisturbed(times=_TIMES):
            found = await attack()
        assert not any(status.startswith(("2", "5", "-")) for status in found["statuses"]), found
