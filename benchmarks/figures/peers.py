"""The same conversation through the gateway and through other proxies."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

import httpx
import psutil

from benchmarks.content import Content
from benchmarks.figures.rounds import Figure, Size, Subject, interleaved
from benchmarks.load.generators import Generators
from benchmarks.platform_stack import Stack
from benchmarks.processes import module, running, wait_for_port
from benchmarks.subjects import conversation, litellm, nginx
from benchmarks.talkers import served_over_http, talking
from mlplace_testing.ports import free_port

FRAMES = 64
ONE, MANY, STREAMS = 1, 64, 16
DIRECT, NGINX, BARE, LITELLM = "no proxy", "nginx proxy_pass", "bare raw-ASGI proxy", "LiteLLM proxy"
OVER_GRPC, OVER_HTTP = "gateway, gRPC instance", "gateway, HTTP instance"
_STREAMED = ", streamed"
_PATH = "/v1/chat/completions"
_MOST_ROUNDS = 3


def streamed(name: str) -> str:
    return name + _STREAMED


def measure(stack: Stack, content: Content, generators: Generators, size: Size) -> Figure:
    """LiteLLM is installed only for full runs, and skipped if the installation fails."""
    size = Size(min(size.rounds, _MOST_ROUNDS), size.seconds, size.warm_up, size.share)
    skipped: dict[str, str] = {}
    with ExitStack() as undo:
        upstream = free_port()
        others = undo.enter_context(_others(stack, upstream, skipped, whole=size.share == 1.0))
        gateway = undo.enter_context(stack.measuring("mlpgateway"))
        gates = [(gateway, stack.gate_port)]
        talker = undo.enter_context(talking(stack, content, "chat", gates, frames=FRAMES, pace_ms=0))
        passed_on = undo.enter_context(served_over_http(stack, content, "passed-on", gateway, upstream))
        whole = [
            *(_chat(name, *place, stream=False) for name, place in others.items()),
            talker.chat(OVER_GRPC, gateway, stream=False),
            passed_on.chat(OVER_HTTP, gateway, frames=0),
        ]
        rows = interleaved(generators, whole, size, concurrency=(ONE, MANY))
        in_parts = [
            *(_chat(streamed(name), *place, stream=True) for name, place in others.items()),
            talker.chat(streamed(OVER_GRPC), gateway, stream=True),
            passed_on.chat(streamed(OVER_HTTP), gateway, frames=FRAMES),
        ]
        rows += interleaved(generators, in_parts, size, concurrency=(ONE, STREAMS))
    return Figure("peers", rows, skipped, extra={"frames": FRAMES, "litellm": litellm.version()})


def _chat(name: str, port: int, pids: Sequence[int], *, stream: bool) -> Subject:
    headers = {"authorization": f"Bearer {litellm.KEY}"}
    body = conversation.request(litellm.MODEL, stream=stream)
    return Subject(name, port, pids, (_PATH,), headers, json_body=body, frames=FRAMES if stream else 0)


@contextmanager
def _others(
    stack: Stack, upstream: int, skipped: dict[str, str], *, whole: bool
) -> Generator[dict[str, tuple[int, tuple[int, ...]]]]:
    """Port and processes of each peer. The fake model that is measured alone runs on the measured core."""
    log = stack.folder / "peers.log"
    found: dict[str, tuple[int, tuple[int, ...]]] = {}
    with ExitStack() as undo:

        def start(
            command: Sequence[str], port: int, *, measured: bool = True, env: Mapping[str, str] | None = None
        ) -> int:
            cores = stack.cores.measured if measured else stack.cores.others
            process = undo.enter_context(running(command, cores=cores, log=log, env=env))
            wait_for_port(port, process, log)
            return process.pid

        own, bare, edge, lite = (free_port() for _ in range(4))
        start(module("benchmarks.subjects.fake_openai", upstream, FRAMES), upstream, measured=False)
        found[DIRECT] = own, (start(module("benchmarks.subjects.fake_openai", own, FRAMES), own),)
        if binary := nginx.find():
            command = nginx.command(binary, stack.folder / "edge", port=edge, upstream=upstream, more=nginx.STREAMING)
            master = start(command, edge)
            found[NGINX] = edge, tuple(child.pid for child in psutil.Process(master).children())
        else:
            skipped[NGINX] = "no nginx on PATH"
        found[BARE] = bare, (start(module("benchmarks.subjects.bare_http_proxy", bare, upstream), bare),)
        if reason := _why_no_litellm(whole=whole):
            skipped[LITELLM] = reason
        else:
            folder = stack.folder / "litellm"
            command = litellm.command(folder, port=lite, upstream=upstream)
            pid = start(command, lite, env=litellm.environment(folder))
            found[LITELLM] = lite, _family(pid)
            _warm(lite)
        yield found


def _why_no_litellm(*, whole: bool) -> str | None:
    if not whole:
        return "no part of a tiny run"
    try:
        litellm.install()
    except litellm.NotInstalledError as error:
        return str(error)
    return None


def _family(pid: int) -> tuple[int, ...]:
    return pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))


def _warm(port: int) -> None:
    """The first call loads modules that later calls need."""
    body = conversation.request(litellm.MODEL, stream=False)
    headers = {"authorization": f"Bearer {litellm.KEY}"}
    for _ in range(3):
        httpx.post(f"http://127.0.0.1:{port}{_PATH}", content=body, headers=headers, timeout=60).raise_for_status()
