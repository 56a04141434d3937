"""The machine's clock jumps by an hour, ahead and back, while callers call."""

import asyncio
import json
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from tests.attacks.installation import Target, running

_CALLS = 40


class Clock:
    """Of the platform and of all that it starts; the test's own is the real one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.shift(0)
        path.chmod(0o644)  # PostgreSQL may run as another user

    def shift(self, seconds: int) -> None:
        """In place: the processes have mapped the file."""
        with self._path.open("r+b" if self._path.exists() else "wb") as file:
            file.write(struct.pack("q", seconds))


@pytest.fixture(scope="module")
def clocked() -> Generator[tuple[Target, Clock]]:
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("a C compiler builds the shifted clock; none is installed")
    with tempfile.TemporaryDirectory(prefix="mlplace-clock-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        library, clock = folder / "shifted_clock.so", Clock(folder / "clock")
        source = Path(__file__).with_name("shifted_clock.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)
        library.chmod(0o755)
        with running(folder, LD_PRELOAD=str(library), SHIFTED_CLOCK=str(folder / "clock")) as target:
            yield target, clock


class TestAJumpOfAnHour:
    @pytest.mark.parametrize("seconds", [3600, -3600, 0], ids=["ahead", "back by two", "to where it was"])
    async def test_refuses_no_call(self, clocked: tuple[Target, Clock], seconds: int) -> None:
        """Calls that are paid for go on, and people stay signed in."""
        target, clock = clocked
        key = json.loads((target.data / "demo.json").read_text())["api_key"]
        path = "/api/mlpgateway/account/acme/model/greeting/predict"
        async with httpx.AsyncClient(base_url=target.url, headers={"MLP-API-KEY": key}, timeout=60) as client:
            await _call(client, path)
            clock.shift(seconds)
            for _ in range(_CALLS):
                await _call(client, path)
                await asyncio.sleep(0.1)


async def _call(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.post(path, json={"name": "Ada"})
    assert answer.status_code == 200, answer.text
