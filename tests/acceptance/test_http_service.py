"""An HTTP model on the platform's own hosting server: calls, and requests passed on in both directions."""

import json
from collections.abc import Iterator

import httpx
import pytest

from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually

MODEL = "account/acme/model/text-counter"
CALLS = f"/api/mlpgateway/{MODEL}"
PIECE = b"x" * 65_536


@pytest.fixture
def key(platform: Platform) -> Iterator[httpx.Client]:
    with platform.client(**{"MLP-API-KEY": platform.api_key}) as client:
        yield client


class TestHttpService:
    def test_runs_when_its_health_check_succeeds(self, key: httpx.Client) -> None:
        assert eventually(
            lambda: key.get(f"/api/mlpcore/{MODEL}").json()["state"], until=lambda state: state == "RUNNING"
        )

    def test_answers_predict(self, key: httpx.Client) -> None:
        answer = key.post(f"{CALLS}/predict", json={"text": "two words"})
        assert (answer.status_code, answer.json()["words"]) == (200, 2)
        refused = key.post(f"{CALLS}/predict", json={"nothing": 1})
        assert (refused.status_code, refused.json()["code"]) == (400, "text-counter.no_text")

    def test_answers_http_requests(self, key: httpx.Client) -> None:
        counted = key.get(f"{CALLS}/http/count", params={"text": "one & two"})
        assert (counted.status_code, counted.json()["words"]) == (200, 3)
        page = key.get(f"{CALLS}/http/")
        assert "<form" in page.text
        assert "sandbox" in page.headers["content-security-policy"]
        assert key.get(f"{CALLS}/http/none").status_code == 404

    def test_streams_server_sent_events(self, key: httpx.Client) -> None:
        with key.stream("POST", f"{CALLS}/http/words", content="one two three") as answer:
            lines = [line for line in answer.iter_lines() if line]
        assert lines == [f"data: {json.dumps(word)}" for word in ("one", "two", "three")]

    def test_accepts_a_large_body_of_unknown_length(self, key: httpx.Client) -> None:
        answer = key.post(f"{CALLS}/http/size", content=iter([PIECE] * 320))
        assert answer.json() == {"bytes": 320 * len(PIECE)}
