"""Callers that call one model without a pause, to see whether a change on the platform costs a call."""

import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

import httpx


class ConstantCalls:
    """`answers`: how many calls got each status, or failed with each error."""

    def __init__(self, url: str, api_key: str, body: object) -> None:
        self._url = url
        self._headers = {"MLP-API-KEY": api_key}
        self._body = body
        self._ends = threading.Event()
        self.answers: Counter[str] = Counter()

    @contextmanager
    def made(self, callers: int) -> Generator[None]:
        """Calls during the block, and ends when each caller has its last answer."""
        threads = [threading.Thread(target=self._call_on) for _ in range(callers)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._ends.set()
            for thread in threads:
                thread.join()

    def _call_on(self) -> None:
        with httpx.Client(headers=self._headers, timeout=60) as client:
            while not self._ends.is_set():
                self.answers[self._outcome(client)] += 1

    def _outcome(self, client: httpx.Client) -> str:
        try:
            answer = client.post(self._url, json=self._body)
        except httpx.HTTPError as error:
            return type(error).__name__
        return "200" if answer.is_success else answer.text
