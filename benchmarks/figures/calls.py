"""A call through the gateway, compared with proxies that do less."""

import re
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from benchmarks.content import BODY, Content
from benchmarks.figures.rounds import Figure, Size, Subject, interleaved
from benchmarks.load.generators import Generators
from benchmarks.load.requests import Order
from benchmarks.machine import Cores
from benchmarks.platform_stack import Stack
from benchmarks.processes import module, running, wait_for_port
from benchmarks.subjects import nginx
from mlplace_testing.ports import free_port

CONCURRENCY = (1, 64)
ECHO, GRPC_ECHO = "echo server alone (the load's ceiling)", "gRPC echo server alone"
OVER_HTTP, OVER_GRPC = "gateway, HTTP caller", "gateway, gRPC caller"
BARE, NAIVE = "bare ASGI + grpc.aio proxy", "naive FastAPI + httpx proxy"
_STAGES = {
    "let in: key, rights, limits, hold of money": ("mlp_gateway_own_seconds", 'stages="let_in"'),
    "the instance: choice, stream, its own work": ("mlp_gateway_instance_seconds", ""),
    "record: usage into the spool": ("mlp_gateway_own_seconds", 'stages="record"'),
    "whole request over HTTP": ("mlp_http_request_seconds", 'method="POST"'),
}


@dataclass(frozen=True, slots=True)
class _Proxies:
    echo: Subject
    grpc_echo: Subject
    bare: Subject
    naive: Subject
    nginx: Subject | None


def measure(stack: Stack, content: Content, generators: Generators, size: Size) -> Figure:
    skipped: dict[str, str] = {}
    with ExitStack() as undo:
        gateway = undo.enter_context(stack.measuring("mlpgateway"))
        proxies = undo.enter_context(_proxies(stack.folder, stack.cores, content))
        if proxies.nginx is None:
            skipped["nginx → echo"] = "no nginx on PATH"
        over_http = Subject(OVER_HTTP, gateway.port, (gateway.process.pid,), (content.call_path,), content.call_headers)
        over_grpc = Subject(OVER_GRPC, stack.gate_port, (gateway.process.pid,), body=content.grpc_call)
        found = [proxies.echo, proxies.grpc_echo, proxies.nginx, over_http, over_grpc, proxies.bare, proxies.naive]
        subjects = [subject for subject in found if subject is not None]
        rows = interleaved(generators, subjects, size, concurrency=CONCURRENCY)
        stages = _stages(generators, over_http, gateway.url, size)
    return Figure("calls", rows, skipped, extra={"stages_us": stages})


@contextmanager
def _proxies(folder: Path, cores: Cores, content: Content) -> Generator[_Proxies]:
    """The trivial server that is measured alone runs on the measured core, upstreams run with the load."""
    headers = {"MLP-API-KEY": "benchmark"}
    with ExitStack() as stack:

        def start(command: Sequence[str], port: int, on: frozenset[int]) -> int:
            process = stack.enter_context(running(command, cores=on, log=folder / "subjects.log"))
            wait_for_port(port, process, folder / "subjects.log")
            return process.pid

        own, own_grpc, echo, grpc, bare, naive = (free_port() for _ in range(6))
        own_pid = start(module("benchmarks.subjects.echo_http", own), own, cores.measured)
        own_grpc_pid = start(module("benchmarks.subjects.echo_grpc", own_grpc), own_grpc, cores.measured)
        start(module("benchmarks.subjects.echo_http", echo), echo, cores.others)
        start(module("benchmarks.subjects.echo_grpc", grpc), grpc, cores.others)
        bare_pid = start(module("benchmarks.subjects.bare_proxy", bare, grpc), bare, cores.measured)
        naive_pid = start(module("benchmarks.subjects.naive_proxy", naive, echo), naive, cores.measured)
        yield _Proxies(
            echo=Subject(ECHO, own, (own_pid,)),
            grpc_echo=Subject(GRPC_ECHO, own_grpc, (own_grpc_pid,), body=content.grpc_call),
            bare=Subject(BARE, bare, (bare_pid,)),
            naive=Subject(NAIVE, naive, (naive_pid,), ("/account/owner/model/echo/predict",), headers),
            nginx=_nginx(start, folder, echo, cores),
        )


def _nginx(start, folder: Path, upstream: int, cores: Cores) -> Subject | None:  # noqa: ANN001  a closure of _proxies
    binary = nginx.find()
    if binary is None:
        return None
    port = free_port()
    master = start(nginx.command(binary, folder / "nginx", port=port, upstream=upstream), port, cores.measured)
    workers = tuple(child.pid for child in psutil.Process(master).children())
    return Subject("nginx → echo", port, workers)


def _stages(generators: Generators, subject: Subject, address: str, size: Size) -> dict[str, float]:
    """Mean time of each stage of a call, from the gateway's histograms, with one call at a time."""
    before = httpx.get(f"{address}/metrics").text
    generators.fulfil(
        Order(
            "http", subject.port, BODY, 1, size.seconds * 2, 0.0, subject.pids, subject.paths, "POST", subject.headers
        )
    )
    after = httpx.get(f"{address}/metrics").text
    found: dict[str, float] = {}
    for name, (metric, label) in _STAGES.items():
        seconds = _total(after, f"{metric}_sum", label) - _total(before, f"{metric}_sum", label)
        count = _total(after, f"{metric}_count", label) - _total(before, f"{metric}_count", label)
        found[name] = round(seconds / count * 1e6, 1)
    return found


def _total(text: str, name: str, label: str) -> float:
    lines = re.findall(rf"^{name}(\{{[^}}]*\}})? (\S+)$", text, re.MULTILINE)
    return sum(float(value) for labels, value in lines if label in labels)
