"""One run: start the platform, then twice load it, let it rest and count its resources; compare the counts."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from mlplace_testing.ports import free_port
from tests.soak.census import Census, Enumerator
from tests.soak.instance import Instance
from tests.soak.judging import Bounds, leaks, slope
from tests.soak.load import Load
from tests.soak.people import Stage, set_the_stage

ROOT = Path(__file__).parents[2]
_START_SECONDS = 240.0
_REST_SECONDS = 40.0
_QUIET_ROUNDS = 4
_WARM_UP_SHARE = 1 / 3


@dataclass(frozen=True, slots=True)
class Report:
    leaks: list[str]
    done: Counter[str]
    memory: list[tuple[float, float]]
    before: Census
    after: Census

    def __str__(self) -> str:
        growth = slope(self.memory) * 60
        counts = [
            f"{name} {getattr(self.before, name)} → {getattr(self.after, name)}"
            for name in ("tasks", "files", "threads", "connections", "sessions")
        ]
        first, last = self.memory[0][1] / 1024, self.memory[-1][1] / 1024
        lines = [
            ", ".join(f"{number} × {kind}" for kind, number in self.done.most_common()),
            f"memory {first:.0f} → {last:.0f} MiB, {growth:.0f} KiB a minute; {', '.join(counts)}",
            *self.leaks,
        ]
        return "\n".join(lines)


async def soak(seconds: float, bounds: Bounds, *, leak: str = "") -> Report:
    """A third of the time is the warm-up."""
    with tempfile.TemporaryDirectory(prefix="mlplace-soak-") as name:
        folder = Path(name)
        with _platform(folder, leak) as (process, port):
            url = f"http://localhost:{port}"
            await _until_up(process, folder)
            stage = await set_the_stage(url, f"localhost:{port + 10}", folder / "data")
            counter = Enumerator(process.pid, folder / "data", folder / "counts.json")
            return await _measured(stage, counter, seconds, bounds)


async def _measured(stage: Stage, counter: Enumerator, seconds: float, bounds: Bounds) -> Report:
    async with _connected(stage) as instance:
        warming = Load(stage, instance)
        await warming.run(seconds * _WARM_UP_SHARE)
        before = await _at_rest(counter)
        load, memory = Load(stage, instance), list[tuple[float, float]]()
        watching = asyncio.create_task(_watch(counter, memory))
        await load.run(seconds * (1 - _WARM_UP_SHARE))
        watching.cancel()
        after = await _at_rest(counter)
    found = leaks(memory, calls=load.calls, before=before, after=after, bounds=bounds)
    if found:
        found += _new_names(before, after)
    return Report(found, load.done, memory, before, after)


def _new_names(before: Census, after: Census) -> list[str]:
    new = Counter(after.names) - Counter(before.names)
    return [f"  {number} more of {name}" for name, number in new.most_common(10)]


async def _watch(counter: Enumerator, memory: list[tuple[float, float]]) -> None:
    while True:
        memory.append((time.monotonic(), counter.rss_kib()))
        await asyncio.sleep(0.25)


async def _at_rest(counter: Enumerator) -> Census:
    """Wait until no count falls any more: calls in progress end, idle connections close."""
    ends = asyncio.get_running_loop().time() + _REST_SECONDS
    lowest = await counter.census()
    quiet = 0
    while quiet < _QUIET_ROUNDS and asyncio.get_running_loop().time() < ends:
        await asyncio.sleep(0.5)
        now = await counter.census()
        less = (now.tasks, now.files, now.connections) < (lowest.tasks, lowest.files, lowest.connections)
        quiet = 0 if less else quiet + 1
        lowest = now if less else lowest
    return lowest


@contextlib.asynccontextmanager
async def _connected(stage: Stage) -> AsyncGenerator[Instance]:
    instance = Instance(stage.gate, stage.token)
    task = asyncio.create_task(instance.run())
    try:
        async with httpx.AsyncClient(base_url=stage.url, timeout=60) as client:
            async with asyncio.timeout(60):
                while not (await _probe(client, stage)).is_success:  # noqa: ASYNC110  polls another process
                    await asyncio.sleep(0.1)
        yield instance
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _probe(client: httpx.AsyncClient, stage: Stage) -> httpx.Response:
    return await client.post(
        f"{stage.path}/predict", content='{"do":"echo"}', headers={"MLP-API-KEY": stage.caller_key}
    )


@contextlib.contextmanager
def _platform(folder: Path, leak: str) -> Generator[tuple["subprocess.Popen[bytes]", int]]:
    port = free_port(10)
    command = [sys.executable, "-m", "tests.soak.launcher", str(port), str(folder / "data")]
    env = {**os.environ, "SOAK_COUNTS": str(folder / "counts.json"), "SOAK_LEAK": leak, "MLP_LOG_LEVEL": "WARNING"}
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=output, stderr=output, start_new_session=True)
    try:
        yield process, port
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(90)
        except subprocess.TimeoutExpired:
            process.kill()
        for left in psutil.process_iter(["cmdline"]):
            if str(folder) in " ".join(left.info["cmdline"] or []):
                left.kill()


async def _until_up(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    async with asyncio.timeout(_START_SECONDS):
        while "stop: Ctrl-C" not in (output := (folder / "output").read_text()):
            if process.poll() is not None:
                raise RuntimeError(output[-2000:])
            await asyncio.sleep(0.1)
