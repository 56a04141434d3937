"""Programs that speak HTTP/1.0, or HTTP/1.1 with everything that the standard allows: `curl` and `ab`."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.clients.installed import program
from tests.clients.served import Served

TEXT = "good morning"
SAID = f"You said: {TEXT}"
LARGE = 3 * 1024 * 1024
VERSIONS = ["--http1.0", "--http1.1"]
CALLS, CALLERS = 200, 8


def _body(served: Served, text: str = TEXT, **more: object) -> str:
    return json.dumps({"model": served.models["chat"], "messages": [{"role": "user", "content": text}], **more})


class Curl:
    """`ask` returns status, headers in lower case, and body."""

    def __init__(self, served: Served) -> None:
        self._program = program("curl", "curl")
        self._served = served

    def ask(self, path: str, *options: str, body: str | None = None) -> tuple[int, dict[str, str], str]:
        key = ["-H", f"Authorization: Bearer {self._served.key}"]
        # From the input, because a large body is too long for an argument.
        sent = [] if body is None else ["-H", "Content-Type: application/json", "--data-binary", "@-"]
        finished = subprocess.run(
            [self._program, "-sS", "-i", "--max-time", "60", *key, *sent, *options, self._served.base_url + path],
            check=True, capture_output=True, input=(body or "").encode(), timeout=90,
        )  # fmt: skip
        answer = finished.stdout.decode()
        while answer.startswith("HTTP/1.1 100"):
            answer = answer.partition("\r\n\r\n")[2]
        head, _, content = answer.partition("\r\n\r\n")
        first, *lines = head.split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        return int(first.split()[1]), headers, content


@pytest.fixture
def curl(served: Served) -> Curl:
    return Curl(served)


@pytest.mark.parametrize("version", VERSIONS)
class TestCurl:
    def test_get(self, curl: Curl, served: Served, version: str) -> None:
        status, _, body = curl.ask("/models", version)
        assert status == 200
        assert served.models["chat"] in {model["id"] for model in json.loads(body)["data"]}

    def test_head_is_answered_without_a_body(self, curl: Curl, version: str) -> None:
        whole, head = curl.ask("/models", version), curl.ask("/models", version, "--head")
        assert (head[0], head[2]) == (200, "")
        assert head[1]["content-type"] == whole[1]["content-type"]

    def test_another_method_is_refused_with_those_that_exist(self, curl: Curl, version: str) -> None:
        status, headers, _ = curl.ask("/models", version, "--request", "DELETE")
        assert (status, headers["allow"]) == (405, "GET, HEAD")

    def test_post(self, curl: Curl, served: Served, version: str) -> None:
        status, _, body = curl.ask("/chat/completions", version, body=_body(served))
        assert (status, json.loads(body)["choices"][0]["message"]["content"]) == (200, SAID)

    def test_stream(self, curl: Curl, served: Served, version: str) -> None:
        asked = _body(served, stream=True)
        status, headers, body = curl.ask("/chat/completions", version, "--no-buffer", body=asked)
        assert status == 200
        assert headers.get("transfer-encoding") == (None if version == "--http1.0" else "chunked")
        events = [event.removeprefix("data: ") for event in body.split("\n\n") if event]
        assert events[-1] == "[DONE]"
        deltas = [json.loads(event)["choices"][0]["delta"] for event in events[:-1]]
        assert "".join(delta.get("content") or "" for delta in deltas) == SAID

    def test_error(self, curl: Curl, version: str) -> None:
        status, _, body = curl.ask("/chat/completions", version, body="{}")
        assert (status, json.loads(body)["error"]["code"]) == (400, "mlp.core.validation_error")

    def test_body_that_the_server_is_asked_to_expect(self, curl: Curl, served: Served, version: str) -> None:
        asked = _body(served, "x" * LARGE)
        status, _, body = curl.ask("/chat/completions", version, "-H", "Expect: 100-continue", body=asked)
        assert status == 200
        assert len(json.loads(body)["choices"][0]["message"]["content"]) == len("You said: ") + LARGE

    def test_chunked_body(self, curl: Curl, served: Served, version: str) -> None:
        """HTTP/1.0 has no chunks: a server may refuse them, or close the connection (RFC 9112, section 6.1)."""
        asked = _body(served)
        status, headers, body = curl.ask("/chat/completions", version, "-H", "Transfer-Encoding: chunked", body=asked)
        if version == "--http1.0":
            assert headers["connection"] == "close"
            assert status in {200, 400}
        if version == "--http1.1" or status == 200:
            assert (status, json.loads(body)["choices"][0]["message"]["content"]) == (200, SAID)


@pytest.mark.parametrize("kept", [[], ["-k"]], ids=["closed", "kept"])
@pytest.mark.parametrize("method", ["GET", "POST", "stream"])
class TestApacheBench:
    def test_no_request_fails(self, served: Served, tmp_path: Path, method: str, kept: list[str]) -> None:
        command = [program("ab", "apache2-utils"), "-q", "-n", f"{CALLS}", "-c", f"{CALLERS}", "-l", *kept]
        command += ["-H", f"Authorization: Bearer {served.key}"]
        path = "/models"
        if method != "GET":
            posted = tmp_path / "body.json"
            posted.write_text(_body(served, stream=method == "stream"))
            command += ["-p", str(posted), "-T", "application/json"]
            path = "/chat/completions"
        finished = subprocess.run(
            [*command, served.base_url + path], check=False, capture_output=True, text=True, timeout=120
        )
        assert finished.returncode == 0, finished.stderr[-1000:]
        report = finished.stdout
        assert _count(report, "Complete requests") == CALLS
        assert _count(report, "Failed requests") == 0, report
        assert _count(report, "Non-2xx responses") == 0, report


def _count(report: str, name: str) -> int:
    """Lines of ab's report that would say 0 may be absent."""
    found = re.search(rf"^{name}:\s+(\d+)", report, re.MULTILINE)
    return int(found[1]) if found else 0
