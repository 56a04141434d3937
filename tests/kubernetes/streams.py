"""Streams of a model outside the cluster, over HTTP and gRPC, running all the time, with the fate of each."""

import json
import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import grpc
import httpx

from mlplace_gateproto import gate_pb2
from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually

PARTS = 32  # eight seconds: less than the time that a stopping gate gives to running calls
STREAMS = 2  # over HTTP, and as many over gRPC
_COUNTING = Path(__file__).parent / "counting.py"
_CONNECT_SECONDS = 60
_CALL_SECONDS = 120
_QUESTION = json.dumps({"count": PARTS})


@dataclass(frozen=True, slots=True)
class Fate:
    """How many parts arrived from when to when, in seconds of `time.monotonic`, and what went wrong."""

    began: float
    ended: float
    parts: int
    problem: str | None
    over: str = "HTTP"

    @property
    def whole(self) -> bool:
        return self.parts == PARTS and self.problem is None


@contextmanager
def counting_model(platform: Platform, caller: httpx.Client, folder: Path) -> Generator[str]:
    """A new model of the caller with one instance on this machine: the path of its stream."""
    base = f"/api/mlpcore/account/{platform.account_of(caller)}"
    name = f"counting-{uuid.uuid4().hex[:8]}"
    image = caller.post(f"{base}/image", json={"name": name, "image": f"example.org/{name}:1", "accessMode": "private"})
    identity = image.raise_for_status().json()["id"]
    body = {
        "modelName": name, "imageAccountId": identity["accountId"], "imageId": identity["imageId"],
        "taskType": "custom", "hostingType": "EXTERNAL",
    }  # fmt: skip
    caller.post(f"{base}/model", json=body).raise_for_status()
    made = caller.post(f"{base}/model/{name}/external").raise_for_status().json()
    probes = {probe: str(folder / probe.lower()) for probe in ("MLP_STARTUP_PROBE_FILE", "MLP_LIVENESS_PROBE_FILE")}
    process = subprocess.Popen([sys.executable, str(_COUNTING)], env={**os.environ, **made["envVariables"], **probes})
    try:
        eventually(
            lambda: [row["connected"] for row in caller.get(f"{base}/model/{name}/external").raise_for_status().json()],
            until=lambda rows: rows == [True],
            seconds=_CONNECT_SECONDS,
        )
        yield f"{base.replace('mlpcore', 'mlpgateway')}/model/{name}/predict-with-config-v2-stream"
    finally:
        process.terminate()
        process.wait(60)


class Streams(AbstractContextManager["Streams"]):
    """Runs during the block; the streams that are open at its end run to theirs."""

    def __init__(self, platform: Platform, path: str) -> None:
        self._platform = platform
        self._path = path
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._fates: list[Fate] = []
        self._threads = [
            threading.Thread(target=work, name=f"stream-{number}")
            for work in (self._work_over_http, self._work_over_grpc)
            for number in range(STREAMS)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    @property
    def fates(self) -> list[Fate]:
        with self._lock:
            return list(self._fates)

    def _go_on(self, listen: Callable[[], Fate]) -> None:
        while not self._stop.is_set():
            fate = listen()
            with self._lock:
                self._fates.append(fate)

    def _work_over_http(self) -> None:
        with self._platform.client(**{"MLP-API-KEY": self._platform.api_key}) as client:
            self._go_on(partial(self._listen_over_http, client))

    def _listen_over_http(self, client: httpx.Client) -> Fate:
        parts, began = 0, time.monotonic()
        try:
            with client.stream("POST", self._path, json={"data": _QUESTION}) as answer:
                if answer.status_code != httpx.codes.OK:
                    return Fate(began, time.monotonic(), 0, answer.read().decode())
                for line in answer.iter_lines():
                    parts += "number" in line
        except httpx.HTTPError as error:
            return Fate(began, time.monotonic(), parts, repr(error))
        return Fate(began, time.monotonic(), parts, None)

    def _work_over_grpc(self) -> None:
        """One connection for all streams, as clients keep it."""
        options = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0))
        with grpc.insecure_channel(os.environ["MLP_ACCEPTANCE_GRPC"], options=options) as channel:
            self._go_on(partial(self._listen_over_grpc, GateStub(channel)))

    def _listen_over_grpc(self, stub: GateStub) -> Fate:
        _, account, _, model = self._path.removeprefix("/api/mlpgateway").split("/")[1:5]
        question = gate_pb2.PredictRequestProto(data=gate_pb2.PayloadProto(json=_QUESTION))
        request = gate_pb2.ClientRequestProto(
            account=account, model=model, authToken=self._platform.api_key, predict=question
        )
        parts, began = 0, time.monotonic()
        try:
            for message in stub.processResponseStream(request, timeout=_CALL_SECONDS):
                if message.HasField("error"):
                    return Fate(began, time.monotonic(), parts, str(message.error), "gRPC")
                parts += "number" in message.partialPredict.data.json
        except grpc.RpcError as error:
            return Fate(began, time.monotonic(), parts, repr(error), "gRPC")
        return Fate(began, time.monotonic(), parts, None, "gRPC")
