"""Runs the all-in-one platform as a separate process, as an operator starts it."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil

from mlplace_testing.ports import free_port

ROOT = Path(__file__).parents[2]
_START_SECONDS = 240.0
_READY = "stop: Ctrl-C"


@dataclass(frozen=True, slots=True)
class Target:
    """A running platform: its ports and its process."""

    port: int
    grpc_port: int
    data: Path
    process: psutil.Process

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def gate(self) -> str:
        return f"127.0.0.1:{self.grpc_port}"

    @property
    def resident_bytes(self) -> int:
        return int(self.process.memory_info().rss)

    @property
    def open_files(self) -> int:
        return int(self.process.num_fds())

    @property
    def log(self) -> list[dict[str, Any]]:
        """The structured log events so far."""
        lines = (self.data / "platform.log").read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def metric(self, text: str) -> bool:
        """Whether the platform answers its health check."""
        return httpx.get(f"{self.url}{text}", timeout=60).is_success


@contextlib.contextmanager
def running(folder: Path, **settings: str) -> Generator[Target]:
    """Start a new platform with the demo in `folder`. `settings` are environment variables."""
    port = free_port(10)
    data = folder / "data"
    command = [sys.executable, "-m", "standalone", "run", "--port", str(port), "--data-dir", str(data)]
    environment = {**os.environ, "MLP_LOG_LEVEL": "INFO", **settings}
    output = folder / "output"
    with output.open("wb") as stream:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=stream, stderr=stream, start_new_session=True
        )
    try:
        _wait_until_up(process, output)
        yield Target(port, port + 10, data, psutil.Process(process.pid))
    finally:
        _stop(process, folder)


def _wait_until_up(process: "subprocess.Popen[bytes]", output: Path) -> None:
    ends = time.monotonic() + _START_SECONDS
    while _READY not in (said := output.read_text()):
        if process.poll() is not None or time.monotonic() > ends:
            raise RuntimeError(f"the platform did not start: {said[-2000:]}")
        time.sleep(0.1)


def _stop(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Kill it: a clean stop would wait for calls that attackers have left, and other tests cover it."""
    process.kill()
    process.wait()
    for left in psutil.process_iter(["cmdline"]):
        if str(folder) in " ".join(left.info["cmdline"] or []):
            with contextlib.suppress(psutil.NoSuchProcess):
                left.kill()
