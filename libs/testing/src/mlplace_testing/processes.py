"""Services in separate processes that a test can kill and restart quickly."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from mlplace_testing.ports import free_port

_START_SECONDS = 60.0
_STOP_SECONDS = 180.0


class ForkServer:
    """Forks children from one process that has loaded their code, so that only the first start pays for imports.

    It imports from the folders of `code` before those of this process.
    """

    def __init__(self, *modules: str, code: Iterable[Path] = ()) -> None:
        command = [sys.executable, "-m", "mlplace_testing.fork_server", *modules]
        folders = [*map(str, code), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def __enter__(self) -> Self:
        self._line()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._process.communicate(timeout=_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def run(self, module: str, *arguments: str, environment: Mapping[str, str], log: Path) -> int:
        """Starts `module` like `python -m` and returns the pid; `environment` is added to this process's own."""
        whole = {**os.environ, **environment}
        return self._ask(run=module, arguments=arguments, environment=whole, log=str(log))

    def wait(self, pid: int) -> int:
        """Waits for a child that ends by itself. Returns its exit code; negative for a signal."""
        return self._ask(signal=0, pid=pid)

    def end(self, pid: int, number: signal.Signals) -> int:
        """Sends a signal that ends the child and waits. Returns its exit code; negative for a signal."""
        return self._ask(signal=int(number), pid=pid)

    def _ask(self, **command: object) -> int:
        if self._process.stdin is None:
            raise RuntimeError("the fork server has ended")
        self._process.stdin.write(f"{json.dumps(command)}\n")
        self._process.stdin.flush()
        return int(self._line())

    def _line(self) -> str:
        if self._process.stdout is None or not (line := self._process.stdout.readline()):
            raise RuntimeError("the fork server has died")
        return line


class ServiceProcess:
    """`python -m <service> serve` on an HTTP port that stays the same across restarts."""

    def __init__(self, fork_server: ForkServer, service: str, environment: Mapping[str, str], log: Path) -> None:
        self.service = service
        self.port = free_port()
        self.log = log
        self.lives = 0
        self._fork_server = fork_server
        self.environment = {**environment, "MLP_HOST": "127.0.0.1", "MLP_PORT": str(self.port)}
        self.pid: int | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def launch(self) -> None:
        """Starts the process without waiting."""
        self.pid = self._fork_server.run(self.service, "serve", environment=self.environment, log=self.log)
        self.lives += 1

    async def start(self, path: str = "/health/ready") -> None:
        """Starts the process and waits until the path answers. Raises TimeoutError with the end of its log."""
        self.launch()
        await self.answering(path)

    async def answering(self, path: str = "/health/ready") -> None:
        deadline = asyncio.get_running_loop().time() + _START_SECONDS
        async with httpx.AsyncClient(base_url=self.url, timeout=5) as client:
            while asyncio.get_running_loop().time() < deadline:
                try:
                    if (await client.get(path)).is_success:
                        return
                except httpx.TransportError:
                    pass  # not there yet
                await asyncio.sleep(0.02)
        raise TimeoutError(f"{self.service} does not answer {path}: {self.log.read_text()[-2000:]}")

    def kill(self) -> None:
        """Kills the process with SIGKILL and waits for its end."""
        self._end(signal.SIGKILL)

    async def stop(self) -> int:
        """Stops the process with SIGTERM and returns its exit code."""
        async with asyncio.timeout(_STOP_SECONDS):
            return await asyncio.to_thread(self._end, signal.SIGTERM)

    def _end(self, number: signal.Signals) -> int:
        if self.pid is None:
            return 0
        pid, self.pid = self.pid, None
        return self._fork_server.end(pid, number)
