"""The requests that Open WebUI's server sends to a connection of the type OpenAI, with its headers and fields.

They are those of its routers `openai`, `audio` and `images` and of its retrieval. The server itself is too large for a
test: its package installs machine-learning libraries of several gigabytes.
"""

import base64
import hashlib
import json
from collections.abc import Generator

import httpx
import pytest

from tests.clients.models import RECORDING, base64_of, picture_of, sound_of, transcript_of
from tests.clients.served import Served

USER = {
    "X-OpenWebUI-User-Name": "Ada%20L",
    "X-OpenWebUI-User-Id": "1",
    "X-OpenWebUI-User-Email": "ada@example.org",
    "X-OpenWebUI-User-Role": "user",
    "X-OpenWebUI-Chat-Id": "7",
}
OF_ITS_HTTP_LIBRARY = {
    "Accept": "*/*",
    "Accept-Encoding": "gzip, deflate, br",
    "User-Agent": "Python/3.11 aiohttp/3.12",
}
TITLE = '### Task:\nGenerate a concise title. ### Output: JSON format: { "title": "your title here" }'


@pytest.fixture
def webui(served: Served) -> Generator[httpx.Client]:
    headers = {**OF_ITS_HTTP_LIBRARY, **USER, **served.headers, "Content-Type": "application/json"}
    with httpx.Client(base_url=served.base_url, headers=headers, timeout=60) as client:
        yield client


class TestConnection:
    def test_its_check_of_a_connection_finds_the_models(self, webui: httpx.Client, served: Served) -> None:
        answer = webui.get("/models")
        assert answer.status_code == 200
        listed = {model["id"]: model for model in answer.json()["data"]}
        assert set(served.models.values()) <= set(listed)
        assert all("owned_by" in model for model in listed.values())

    def test_its_check_of_a_wrong_key_shows_the_error(self, webui: httpx.Client) -> None:
        answer = webui.get("/models", headers={"Authorization": "Bearer wrong"})
        assert answer.status_code == 401
        assert answer.json()["error"]["message"]

    @pytest.mark.parametrize("path", ["/audio/models", "/audio/voices"])
    def test_what_it_only_tries_is_answered_as_absent(self, webui: httpx.Client, path: str) -> None:
        answer = webui.get(path)
        assert answer.status_code == 404
        assert "error" in answer.json()


class TestChat:
    def test_a_conversation_is_streamed_with_its_usage(self, webui: httpx.Client, served: Served) -> None:
        body = {
            "stream": True, "model": served.models["chat"], "messages": _conversation(), "temperature": 0.7, "seed": 1,
            "stream_options": {"include_usage": True},
        }  # fmt: skip
        with webui.stream("POST", "/chat/completions", content=json.dumps(body)) as answer:
            assert answer.status_code == 200
            assert "text/event-stream" in answer.headers["content-type"]
            events = [line.removeprefix("data: ") for line in answer.iter_lines() if line]
        assert events[-1] == "[DONE]"
        chunks = [json.loads(event) for event in events[:-1]]
        texts = [choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"]]
        assert "".join(texts) == "You said: good morning"
        assert chunks[-1]["usage"]["completion_tokens"] == 4

    def test_a_title_is_asked_for_without_a_stream(self, webui: httpx.Client, served: Served) -> None:
        body = {
            "model": served.models["chat"], "messages": [{"role": "user", "content": TITLE}], "stream": False,
            "max_completion_tokens": 1000,
        }  # fmt: skip
        answer = webui.post("/chat/completions", content=json.dumps(body))
        assert answer.status_code == 200
        assert answer.json()["choices"][0]["message"]["content"].startswith("You said: ### Task")

    def test_pictures_in_a_message_reach_the_model(self, webui: httpx.Client, served: Served) -> None:
        png = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 3000
        url = f"data:image/png;base64,{base64.b64encode(png).decode()}"
        picture = {"type": "image_url", "image_url": {"url": url}}
        messages = [{"role": "user", "content": [{"type": "text", "text": "what is this?"}, picture]}]
        body = {"model": served.models["chat"], "messages": messages, "stream": False}
        answer = webui.post("/chat/completions", content=json.dumps(body))
        digest = hashlib.sha256(png).hexdigest()[:12]
        assert answer.json()["choices"][0]["message"]["content"] == f"You said: what is this? {len(png)} bytes {digest}"

    def test_an_error_before_a_stream_is_json_with_its_status(self, webui: httpx.Client) -> None:
        body = {"model": "nobody/nothing", "messages": _conversation(), "stream": True}
        answer = webui.post("/chat/completions", content=json.dumps(body))
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/json"
        assert answer.json()["error"]["code"] == "mlp.gate.account_not_found"


class TestOtherModels:
    def test_documents_are_embedded(self, webui: httpx.Client, served: Served) -> None:
        answer = webui.post("/embeddings", json={"input": ["one two", "three"], "model": served.models["vectors"]})
        assert [row["embedding"] for row in answer.json()["data"]] == [[7, 2, 0.5], [5, 1, 0.5]]

    def test_an_answer_is_read_aloud(self, webui: httpx.Client, served: Served) -> None:
        answer = webui.post("/audio/speech", json={"input": "hello", "voice": "alloy", "model": served.models["voice"]})
        assert answer.status_code == 200
        assert answer.content.endswith(sound_of("hello", "alloy"))

    def test_dictation_is_transcribed(self, served: Served) -> None:
        file = {"file": ("recording.wav", RECORDING, "audio/wav")}
        form = {"model": served.models["ears"], "language": "en"}
        with served.client() as requests:
            answer = requests.post("/audio/transcriptions", files=file, data=form, headers=USER)
        assert answer.json() == {"text": transcript_of(RECORDING, "en")}

    def test_a_picture_is_drawn(self, webui: httpx.Client, served: Served) -> None:
        body = {
            "model": served.models["pictures"], "prompt": "a cat", "n": 1, "size": "512x512",
            "response_format": "b64_json",
        }  # fmt: skip
        answer = webui.post("/images/generations", json=body)
        assert answer.json()["data"][0]["b64_json"] == base64_of(picture_of("a cat"))


def _conversation() -> list[dict[str, str]]:
    return [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "You said: hello"},
        {"role": "user", "content": "good morning"},
    ]
