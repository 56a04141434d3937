"""The example without an SDK, as a separate process."""

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Generator

import pytest

from mlplace_examples.text_counter.__main__ import counted


@pytest.fixture(scope="module")
def address() -> Generator[tuple[str, int]]:
    environment = {**os.environ, "MLP_HTTP_PORT": "0"}
    command = [sys.executable, "-m", "mlplace_examples.text_counter"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout.readline() if process.stdout else ""
        host, _, port = said.removeprefix("listens on ").strip().partition(":")
        yield host, int(port)
        process.terminate()
        assert process.wait(60) == 0


def ask(address: tuple[str, int], method: str, path: str, body: object = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(*address, timeout=60)
    try:
        connection.request(method, path, body, encode_chunked=not isinstance(body, bytes | None))  # type: ignore[arg-type]
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


class TestTextCounter:
    def test_counts(self) -> None:
        assert counted("two words\nthree") == {"words": 3, "characters": 15, "lines": 2}

    def test_is_healthy(self, address: tuple[str, int]) -> None:
        assert ask(address, "GET", "/health") == (200, b"well\n")

    def test_has_a_page(self, address: tuple[str, int]) -> None:
        status, page = ask(address, "GET", "/")
        assert (status, b"<form" in page) == (200, True)

    def test_predicts(self, address: tuple[str, int]) -> None:
        status, answer = ask(address, "POST", "/predict", b'{"text": "two words"}')
        assert (status, json.loads(answer)["words"]) == (200, 2)

    def test_counts_the_form_of_its_page(self, address: tuple[str, int]) -> None:
        found = [ask(address, "POST", "/count", b"text=two+words"), ask(address, "GET", "/count?text=two+words")]
        assert [(status, json.loads(answer)["words"]) for status, answer in found] == [(200, 2), (200, 2)]

    @pytest.mark.parametrize("body", [b"", b"no json", b"[]", b'{"text": 1}'])
    def test_describes_the_expected_request(self, address: tuple[str, int], body: bytes) -> None:
        status, answer = ask(address, "POST", "/predict", body)
        assert (status, json.loads(answer)["code"]) == (400, "text-counter.no_text")

    def test_streams_words(self, address: tuple[str, int]) -> None:
        assert ask(address, "POST", "/words", b"two words") == (200, b'data: "two"\n\ndata: "words"\n\n')

    @pytest.mark.parametrize("chunked", [True, False])
    def test_accepts_bodies_with_and_without_a_length(self, address: tuple[str, int], chunked: bool) -> None:
        body = iter([b"x" * 1000] * 300) if chunked else b"x" * 300_000
        assert json.loads(ask(address, "POST", "/size", body)[1]) == {"bytes": 300_000}

    def test_answers_404_for_unknown_paths(self, address: tuple[str, int]) -> None:
        assert [ask(address, method, "/none", b"")[0] for method in ("GET", "POST")] == [404, 404]
