"""A light load of billed calls through the edge, with the outcome of each call."""

import itertools
import json
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import httpx

PATH = "/api/mlpgateway/account/acme/model/greeting/predict"
CALLERS = 4
_PAUSE_SECONDS = 0.05
_OK = 200
_RETRYABLE = frozenset({502, 503, 504})
_UNDECIDED = frozenset({"mlp.core.unavailable", "mlp.gate.usage_not_recorded"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """`status` is None if the connection was refused, reset or timed out. Times are of `time.monotonic`."""

    request_id: str
    started: float
    ended: float
    status: int | None
    text: str

    @property
    def answered(self) -> bool:
        return self.status == _OK

    @property
    def code(self) -> str | None:
        """The code of an error of the platform."""
        try:
            body = json.loads(self.text)
        except ValueError:
            return None
        whole = isinstance(body, dict) and {"code", "message", "status", "requestId"} <= body.keys()
        return str(body["code"]) if whole else None

    @property
    def retryable(self) -> bool:
        return self.status in _RETRYABLE and self.code is not None

    @property
    def undecided(self) -> bool:
        """The call may have been recorded: the answer was lost on the way back, or while it was sent."""
        return self.status is None or self.code in _UNDECIDED


class Load(AbstractContextManager["Load"]):
    """Runs during the block. Each call has its own request id, which the platform stores with its usage."""

    def __init__(self, url: str, api_key: str) -> None:
        self._url = url
        self._headers = {"MLP-API-KEY": api_key}
        self._prefix = uuid.uuid4().hex[:12]
        self._numbers = itertools.count()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._outcomes: list[Outcome] = []
        self._threads = [threading.Thread(target=self._work, name=f"caller-{n}") for n in range(CALLERS)]

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
    def prefix(self) -> str:
        """Prefix of this load's request ids."""
        return self._prefix

    @property
    def outcomes(self) -> list[Outcome]:
        with self._lock:
            return list(self._outcomes)

    def since(self, moment: float) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.started >= moment]

    def wait_until(self, condition: Callable[[], bool], *, seconds: float, what: str) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what}: not within {seconds} s; last calls: {self.outcomes[-5:]}")
            time.sleep(0.05)

    def wait_for_answers(self, count: int, *, seconds: float) -> None:
        """Wait until `count` consecutive calls are answered."""

        def in_a_row() -> bool:
            latest = self.since(begun)[-count:]
            return len(latest) == count and all(outcome.answered for outcome in latest)

        begun = time.monotonic()
        self.wait_until(in_a_row, seconds=seconds, what=f"{count} answers in a row")

    def _work(self) -> None:
        with httpx.Client(base_url=self._url, headers=self._headers, timeout=60) as client:
            while not self._stop.wait(_PAUSE_SECONDS):
                outcome = self._call(client)
                with self._lock:
                    self._outcomes.append(outcome)

    def _call(self, client: httpx.Client) -> Outcome:
        request_id = f"{self._prefix}-{next(self._numbers)}"
        started = time.monotonic()
        try:
            answer = client.post(PATH, json={"name": "Ада"}, headers={"Z-requestId": request_id})
        except httpx.HTTPError as error:
            return Outcome(request_id, started, time.monotonic(), None, repr(error))
        return Outcome(request_id, started, time.monotonic(), answer.status_code, answer.text)
