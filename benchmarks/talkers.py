"""Priced models with all kinds of limits: a chat model, an HTTP model, and one that takes calls one by one."""

import asyncio
import json
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from benchmarks.content import (
    CALLER,
    OWNER,
    TRACE,
    Content,
    add_service,
    external_instance,
    instance_of,
    new_key,
    signed_in,
    tell,
)
from benchmarks.figures.rounds import Subject
from benchmarks.platform_stack import Running, Stack, wait
from benchmarks.processes import module
from benchmarks.services import KEY_LIMITS, SETTINGS
from benchmarks.subjects import conversation
from mlplace_contracts.events import InstanceHttp
from mlplace_testing.ports import free_port

_CHAT = "/api/adapters/openai/chat/completions"
_CONNECTED_SECONDS = 60.0
_FIRST_INSTANCE = 3_000_000_000
_UNQUEUED = {**SETTINGS["full"], "priorityQueue": {"enabled": False}, "timeouts": {"predictTimeoutSec": 600}}
_QUEUED = {**_UNQUEUED, "priorityQueue": {"enabled": True, "concurrencyLevel": 10_000}}
_ONE_BY_ONE = {**_UNQUEUED, "priorityQueue": {"enabled": True, "concurrencyLevel": 1}}


@dataclass(frozen=True, slots=True)
class Talker:
    """A priced model with retries, and a key with all kinds of limits."""

    name: str
    key: str
    frames: int

    def chat(self, name: str, gate: Running, *, stream: bool) -> Subject:
        """The request of an OpenAI client library."""
        return Subject(
            name, gate.port, (gate.process.pid,), (_CHAT,), self._headers("authorization", f"Bearer {self.key}"),
            json_body=conversation.request(f"owner/{self.name}", stream=stream), frames=self.frames if stream else 0,
        )  # fmt: skip

    def events(self, name: str, gate: Running) -> Subject:
        """The request of a caller that reads a stream of events from the platform's own route."""
        path = f"/api/mlpgateway/account/owner/model/{self.name}/predict-with-config-v2-stream"
        headers = self.predict_headers | {"accept": "text/event-stream"}
        body = json.dumps({"data": json.dumps({"stream": True})})
        return Subject(name, gate.port, (gate.process.pid,), (path,), headers, json_body=body, frames=self.frames)

    @property
    def predict_path(self) -> str:
        return f"/api/mlpgateway/account/owner/model/{self.name}/predict"

    @property
    def predict_headers(self) -> dict[str, str]:
        return self._headers("MLP-API-KEY", self.key)

    def _headers(self, name: str, key: str) -> dict[str, str]:
        return {name: key, "traceparent": TRACE}


@contextmanager
def talking(
    stack: Stack,
    content: Content,
    name: str,
    gates: Sequence[tuple[Running, int]],
    *,
    frames: int,
    pace_ms: int,
    queued: bool = True,
) -> Generator[Talker]:
    """Run the instance at all gates, given with their gRPC ports, during the block.

    `queued`: with a priority queue, which is at one gate for all of them.
    """
    _, token, key = wait(_made(stack, content, name, _QUEUED if queued else _UNQUEUED))
    talker = Talker(name, key, frames)
    command = module("benchmarks.subjects.talker", frames, pace_ms, *(port for _, port in gates))
    with stack.helping(command, MLP_SERVICE_TOKEN=token):
        for gate, _ in gates:
            wait(_until_it_talks(talker.chat(name, gate, stream=False)))
        yield talker


@contextmanager
def working(
    stack: Stack, content: Content, name: str, gate: Running, grpc_port: int, *, milliseconds: int
) -> Generator[Subject]:
    """Run the model's only instance during the block. It takes this long for a call, one at a time."""
    _, token, key = wait(_made(stack, content, name, _ONE_BY_ONE))
    talker = Talker(name, key, 0)
    subject = Subject(name, gate.port, (gate.process.pid,), (talker.predict_path,), talker.predict_headers)
    command = module("benchmarks.subjects.worker_instance", grpc_port, milliseconds)
    with stack.helping(command, MLP_SERVICE_TOKEN=token):
        wait(_until_it_talks(subject))
        yield subject


@dataclass(frozen=True, slots=True)
class HttpService:
    """An HTTP model like `Talker`: requests below `path` are passed on."""

    name: str
    key: str

    @property
    def path(self) -> str:
        return f"/api/mlpgateway/account/owner/model/{self.name}/http"

    @property
    def headers(self) -> dict[str, str]:
        return {"MLP-API-KEY": self.key, "traceparent": TRACE}

    def chat(self, name: str, gate: Running, *, frames: int) -> Subject:
        """A conversation at an OpenAI-compatible model, in parts if `frames` is not 0."""
        path, body = f"{self.path}/v1/chat/completions", conversation.request(self.name, stream=frames > 0)
        return Subject(name, gate.port, (gate.process.pid,), (path,), self.headers, json_body=body, frames=frames)


@contextmanager
def served_over_http(
    stack: Stack, content: Content, name: str, gate: Running, port: int, *, queued: bool = True
) -> Generator[HttpService]:
    """Connect a server on this machine, which runs longer than the block."""
    http = {"isHttpEnabled": True, "httpPort": port, "mainPageEndpoint": "/", "httpInterfaceOnly": True}
    model_id, _, key = wait(_made(stack, content, name, {**(_QUEUED if queued else _UNQUEUED), "httpSettings": http}))
    place = InstanceHttp(host="127.0.0.1", port=port, trusted=True)
    _, changed = instance_of(stack, model_id, content.owner_id, _FIRST_INSTANCE + model_id, place)
    wait(tell(stack, changed))
    service = HttpService(name, key)
    wait(_until_it_talks(service.chat(name, gate, frames=0)))
    yield service


@dataclass(frozen=True, slots=True)
class Answering:
    """A model that two services offer: one at the gate, one over HTTP at `port`. Both have all kinds of limits."""

    gateway: Running
    streamed: Talker
    passed_on: HttpService
    port: int

    def at_gate(self, name: str) -> Subject:
        return self._subject(name, self.streamed.predict_path, self.streamed.predict_headers)

    def over_http(self, name: str) -> Subject:
        return self._subject(name, f"{self.passed_on.path}/predict", self.passed_on.headers)

    def predict_over_http(self, name: str) -> Subject:
        """A call of the platform's own route, which the gate translates."""
        return self._subject(name, f"{self.passed_on.path.removesuffix('/http')}/predict", self.passed_on.headers)

    def _subject(self, name: str, path: str, headers: dict[str, str]) -> Subject:
        return Subject(name, self.gateway.port, (self.gateway.process.pid,), (path,), headers)


@contextmanager
def answering(
    stack: Stack,
    content: Content,
    name: str,
    gateway: Running,
    grpc_port: int,
    takes_ms: tuple[int, int],
    *,
    queued: bool = True,
) -> Generator[Answering]:
    """Run the model during the block. Each call takes a random time between both."""
    _, token, key = wait(_made(stack, content, name, _QUEUED if queued else _UNQUEUED))
    port = free_port()
    command = module("benchmarks.subjects.slow_model", port, grpc_port, *takes_ms)
    with (
        stack.helping(command, MLP_SERVICE_TOKEN=token),
        served_over_http(stack, content, f"{name}-http", gateway, port, queued=queued) as passed_on,
    ):
        model = Answering(gateway, Talker(name, key, 0), passed_on, port)
        wait(_until_it_talks(model.at_gate(name)))
        yield model


async def _made(stack: Stack, content: Content, name: str, settings: Mapping[str, object]) -> tuple[int, str, str]:
    async with signed_in(stack, OWNER) as owner:
        model_id = await add_service(owner, content.owner_id, name, settings, priced=True)
        token = await external_instance(owner, content.owner_id, name)
    async with signed_in(stack, CALLER) as caller:
        return model_id, token, await new_key(caller, content.caller_id, **KEY_LIMITS)


async def _until_it_talks(subject: Subject) -> None:
    deadline = time.monotonic() + _CONNECTED_SECONDS
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{subject.port}", timeout=60) as client:
        while True:
            answer = await client.post(subject.paths[0], content=subject.json_body, headers=subject.headers)
            if answer.is_success:
                return
            if time.monotonic() > deadline:
                raise TimeoutError(f"{subject.name}: {answer.text}")
            await asyncio.sleep(0.2)
