"""A well-behaved tenant who calls their own model at a steady pace while others attack.

The calls run in a separate process (`python -m tests.attacks.bystander`), so that an attacker's work in the test's
process does not count as the platform's delay.
"""

import asyncio
import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path

import grpc.aio
import httpx

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub

MODEL_SECONDS = 0.05
_CALLERS = 4
_PAUSE_SECONDS = 0.03
_QUIET_SECONDS = 2.0
_STILL_SECONDS = 0.5
"""Seconds for which the baseline measured after an attack can serve as the baseline before the next one."""
_LEAST_CALLS = 20
_TIMES = 2.0
_ROUNDS_THAT_DECIDE = 2
"""Of three."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One call: its start (monotonic clock of the machine), duration, and status."""

    began: float
    seconds: float
    status: int
    text: str


@dataclass(frozen=True, slots=True)
class Window:
    """The bystander's calls between two moments."""

    samples: list[Sample]

    @property
    def p95(self) -> float:
        ordered = sorted(sample.seconds for sample in self.samples)
        return ordered[min(len(ordered) - 1, math.ceil(len(ordered) * 0.95) - 1)]

    @property
    def refused(self) -> list[Sample]:
        return [sample for sample in self.samples if sample.status != 200]


@dataclass(frozen=True, slots=True)
class Compared:
    """The calls beside one attack, and those before and after it."""

    before: Window
    attacked: Window
    after: Window

    @property
    def ratio(self) -> float:
        """How many times the slower p95 without the attack the one beside it is."""
        return self.attacked.p95 / max(self.before.p95, self.after.p95)

    def __str__(self) -> str:
        return (
            f"p95 {self.attacked.p95 * 1000:.0f} ms under attack ({len(self.attacked.samples)} calls), "
            f"{self.before.p95 * 1000:.0f} ms before and {self.after.p95 * 1000:.0f} ms after"
        )


class Bystander:
    """Reads the bystander's calls."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_bytes = 0
        self._samples: list[Sample] = []
        self._after: tuple[float, Window] | None = None

    @contextlib.asynccontextmanager
    async def undisturbed(self, *, times: float = _TIMES) -> AsyncGenerator[None]:
        """Wrap an attack: no call may be refused, and the p95 must stay within `times` the baseline.

        The baseline is measured before and after the attack, since the speed of a shared machine changes within
        seconds.
        """
        async with self._compared() as windows:
            yield
        assert windows[0].ratio <= times, str(windows[0])

    async def undisturbed_by(self, attack: Callable[[], Awaitable[None]]) -> None:
        """`undisturbed` for an attack that can be repeated: the median of three rounds is judged.

        For attacks that need a processor of their own: beside other load, the machine delays single rounds. The third
        round is left out when the first two agree.
        """
        compared: list[Compared] = []
        within = 0
        while max(within, len(compared) - within) < _ROUNDS_THAT_DECIDE:
            async with self._compared() as windows:
                await attack()
            compared += windows
            within += windows[0].ratio <= _TIMES
        assert within == _ROUNDS_THAT_DECIDE, [str(windows) for windows in compared]

    @contextlib.asynccontextmanager
    async def _compared(self) -> AsyncGenerator[list[Compared]]:
        """The list has the windows of the attack in its body when that is over. No call of theirs was refused."""
        windows: list[Compared] = []
        before = await self._before()
        began = time.monotonic()
        yield windows
        attacked = await self._since(began)
        after = await self._window(_QUIET_SECONDS)
        self._after = time.monotonic(), after
        refused = [sample for window in (before, attacked, after) for sample in window.refused]
        assert not refused, refused[:3]
        windows.append(Compared(before, attacked, after))

    async def _before(self) -> Window:
        if self._after is not None and time.monotonic() - self._after[0] < _STILL_SECONDS:
            return self._after[1]
        return await self._window(_QUIET_SECONDS)

    async def _window(self, seconds: float) -> Window:
        began = time.monotonic()
        await asyncio.sleep(seconds)
        return await self._since(began)

    async def _since(self, began: float) -> Window:
        """Calls that ended after `began`; waits until there are enough for a p95."""
        while True:
            samples = [sample for sample in self._read() if sample.began >= began]
            if len(samples) >= _LEAST_CALLS:
                return Window(samples)
            await asyncio.sleep(0.1)

    def _read(self) -> list[Sample]:
        with self._path.open("rb") as samples:
            samples.seek(self._read_bytes)
            for line in samples:
                if line.endswith(b"\n"):
                    self._read_bytes += len(line)
                    self._samples.append(Sample(**json.loads(line)))
        return self._samples


@contextlib.contextmanager
def calling(*, url: str, gate: str, model_path: str, key: str, token: str, path: Path) -> Generator[Bystander]:
    """Run the processes of the bystander and of their model's only instance."""
    settings = {"URL": url, "GATE": gate, "MODEL_PATH": model_path, "KEY": key, "TOKEN": token, "SAMPLES": str(path)}
    path.touch()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.attacks.bystander"], env={**os.environ, **settings}, start_new_session=True
    )
    try:
        _wait_for_first(process, path)
        yield Bystander(path)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _wait_for_first(process: "subprocess.Popen[bytes]", path: Path) -> None:
    ends = time.monotonic() + 60
    while path.stat().st_size == 0:
        if process.poll() is not None or time.monotonic() > ends:
            raise RuntimeError("the bystander cannot call")
        time.sleep(0.1)


async def serve(gate: str, token: str, *, seconds: float, headers: Mapping[str, str] | None = None) -> None:
    """An instance that echoes each call after `seconds`, and reconnects when it is disconnected.

    `headers` are those of its answers.
    """
    while True:
        async with grpc.aio.insecure_channel(gate) as channel:
            with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
                await _serve_stream(channel, token, seconds, dict(headers or {}))
        await asyncio.sleep(0.2)


async def _serve_stream(channel: grpc.aio.Channel, token: str, seconds: float, headers: dict[str, str]) -> None:
    stream = GateStub(channel).processAsync()  # type: ignore[call-arg]  # messages are written
    lock = asyncio.Lock()
    tasks: set[asyncio.Task[None]] = set()

    async def write(message: pb.ServiceToGateProto) -> None:
        async with lock:  # gRPC allows one write at a time
            await stream.write(message)

    async def answer(message: pb.GateToServiceProto) -> None:
        await asyncio.sleep(seconds)
        predict = pb.PredictResponseProto(data=message.predict.data)
        await write(pb.ServiceToGateProto(requestId=message.requestId, predict=predict, headers=headers))

    await write(pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken=token)))
    try:
        while isinstance(message := await stream.read(), pb.GateToServiceProto):
            if message.HasField("predict"):
                tasks.add(task := asyncio.create_task(answer(message)))
                task.add_done_callback(tasks.discard)
            elif message.HasField("heartBeat"):
                await write(pb.ServiceToGateProto(heartBeat=message.heartBeat))
    finally:
        stream.cancel()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _call_steadily(client: httpx.AsyncClient, model_path: str, path: Path) -> None:
    with path.open("a", buffering=1) as samples:
        while True:
            began = time.monotonic()
            try:
                answer = await client.post(f"{model_path}/predict", json={"text": "steady"})
                status, text = answer.status_code, "" if answer.is_success else answer.text[:300]
            except httpx.HTTPError as error:
                status, text = 0, repr(error)
            sample = {"began": began, "seconds": time.monotonic() - began, "status": status, "text": text}
            samples.write(f"{json.dumps(sample)}\n")
            await asyncio.sleep(_PAUSE_SECONDS)


async def _main() -> None:
    environment = os.environ
    path = environment["MODEL_PATH"]
    instance = asyncio.create_task(serve(environment["GATE"], environment["TOKEN"], seconds=MODEL_SECONDS))
    headers = {"MLP-API-KEY": environment["KEY"]}
    async with httpx.AsyncClient(base_url=environment["URL"], headers=headers, timeout=60) as client:
        while not (await client.post(f"{path}/predict", json={})).is_success:  # noqa: ASYNC110  polls another process
            await asyncio.sleep(0.1)
        calls = [_call_steadily(client, path, Path(environment["SAMPLES"])) for _ in range(_CALLERS)]
        await asyncio.gather(instance, *calls)


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with contextlib.suppress(KeyboardInterrupt, SystemExit):
        asyncio.run(_main())


if __name__ == "__main__":
    main()
