"""The memory that unknown peers can make a gate use, measured in its own process."""

import asyncio
import gzip
import importlib.util
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import ModuleType

import grpc
import pytest

from mlpgateway.http2 import frames
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub

_HERE = Path(__file__).parent
_MEBIBYTE = 1024 * 1024
_CLIENTS = 100
_LARGE = 95 * _MEBIBYTE
_MOST = 64 * _MEBIBYTE
_ROUND_SECONDS = 2.0
_PIECE = b"x" * 16_384

_ASKED = pb.ClientRequestProto(account="a", model="m", authToken="1.2.nobody").SerializeToString()
_SERVED = pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken="1.2.nobody")).SerializeToString()
_BOMB = gzip.compress(b"x" * (12 * _MEBIBYTE))
_GATE = "/com.mlp.gate.Gate/"


@pytest.fixture(scope="module")
def peers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("http2_peers", _HERE.parent / "http2" / "peers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["http2_peers"] = module
    spec.loader.exec_module(module)
    return module


@asynccontextmanager
async def _gate() -> AsyncGenerator[tuple[int, int]]:
    """Yields its process id and its port."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(_HERE / "memory_subject.py"),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.pid, int(await asyncio.wait_for(process.stdout.readline(), 60))
    finally:
        process.stdin.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 60)
        if process.returncode is None:
            process.kill()
            await process.wait()


def _resident(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096


class _Shape:
    """What an unknown peer sends: as much as the gate allows, then it waits for a larger window."""

    def __init__(self, path: str, beginning: bytes, *, flag: int = 0, size: int = _LARGE, calls: int = 1) -> None:
        self.path = _GATE + path
        self.beginning = bytes((flag,)) + size.to_bytes(4) + beginning
        self.more = (("grpc-encoding", "gzip"),) if flag else ()
        self.left = size + 5 - len(self.beginning)
        self.calls = calls


_SHAPES = {
    "a call with an unknown key": _Shape("process", _ASKED),
    "a stream of an instance with an unknown token": _Shape("processAsync", _SERVED),
    "a call whose key does not come": _Shape("processStream", b"\xfa\x3e\xff\xff\xff\x2d"),
    "a health check": _Shape("healthCheck", b"\x0a\xff\xff\xff\x2d"),
    "a call that becomes large": _Shape("process", _BOMB, flag=1, size=len(_BOMB), calls=5),
    "calls that never end": _Shape("process", _ASKED, size=4_000, calls=100),
}


async def _press(peers: ModuleType, port: int, shape: _Shape) -> None:
    async with peers.Peer(port, path=shape.path) as peer:
        peer.greet()
        windows = {0: 65_535}
        left: dict[int, int] = {}
        for _ in range(shape.calls):
            number = peer.head(more=shape.more)
            size = min(len(shape.beginning), windows[0])
            peer.data(number, shape.beginning[:size])
            windows[0] -= size
            windows[number] = 65_535 - size
            left[number] = max(0, shape.left - (1 if shape.calls > 1 else 0))
        with suppress(asyncio.IncompleteReadError, ConnectionError, TimeoutError):
            async with asyncio.timeout(_ROUND_SECONDS):
                while True:
                    _pour(peer, windows, left)
                    await peer.flush()
                    kind, _, stream, content = await peer.frame()
                    if kind == frames.WINDOW_UPDATE and stream in windows:
                        windows[stream] += int.from_bytes(content)


def _pour(peer, windows: dict[int, int], left: dict[int, int]) -> None:
    """Sends all that the windows allow."""
    for number in list(left):
        while (size := min(left[number], windows[number], windows[0], len(_PIECE))) > 0:
            peer.data(number, _PIECE[:size])
            left[number] -= size
            windows[number] -= size
            windows[0] -= size


async def _peak(process: int, done: asyncio.Event) -> int:
    highest = 0
    while not done.is_set():
        highest = max(highest, _resident(process))
        await asyncio.sleep(0.02)
    return highest


async def _is_well(port: int) -> bool:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        return (await GateStub(channel).healthCheck(pb.HeartBeatProto())).status == "Ok"


async def test_hundred_unknown_peers_with_large_messages_use_little_memory(peers):
    async with _gate() as (process, port):
        assert await _is_well(port)
        idle = _resident(process)
        for name, shape in _SHAPES.items():
            done = asyncio.Event()
            watching = asyncio.create_task(_peak(process, done))
            pressing = [asyncio.create_task(_press(peers, port, shape)) for _ in range(_CLIENTS)]
            assert await asyncio.wait_for(_is_well(port), 60)
            await asyncio.gather(*pressing)
            done.set()
            grown = await watching - idle
            assert grown <= _MOST, f"{name}: {grown / _MEBIBYTE:.0f} MiB"
