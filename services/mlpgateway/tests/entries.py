"""How callers ask at each entry: the same requests for all tests that hold at every entry.

A new entry needs a row here and in `entry/call_options.py`; a test compares the two. Another one, `tests/entries`,
then names what callers and instances do that no test tries at it.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum

import httpx
import orjson

from mlpgateway.entry.adapters.routes import ADAPTER_ROUTES
from mlplace_testing.raw_http import Caller

OPENAI = "/api/adapters/openai"
MODEL = "/api/mlpgateway/account/acme/model/m"


class Answers(StrEnum):
    """What a model's answer becomes at an entry."""

    WHOLE = "one answer"
    PARTS = "parts, as they come"
    UNSEEN = "passed on, whatever it is"
    NONE = "nothing: no model is called"


@dataclass(frozen=True, slots=True)
class Entry:
    """`other` differs from `body`: another request for the same entry. Entries without a body have a `query`.

    RPCs have no path.
    """

    path: str = ""
    body: Mapping[str, object] | None = None
    other: Mapping[str, object] | None = None
    query: str = ""
    other_query: str = ""
    task_type: str = "custom"
    form: bool = False
    method: str = "POST"
    answers: Answers = Answers.WHOLE

    async def send(
        self, client: httpx.AsyncClient, headers: Mapping[str, str], *, other: bool = False, body: object = None
    ) -> httpx.Response:
        """Headers may have any characters of Latin-1. `body` is sent instead of the entry's own."""
        query = self.other_query if other else self.query
        given = body or (self.other if other else self.body)
        sent: dict[str, object]
        if self.form:
            sent = {"data": given, "files": {"file": ("a.wav", b"sound")}}
        else:
            sent = {} if given is None else {"content": orjson.dumps(given)}
        raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        path = f"{self.path}?{query}" if query else self.path
        return await client.request(self.method, path, headers=raw, **sent)  # type: ignore[arg-type]


def _named(path: str, body: Mapping[str, object], name: str, **about: object) -> Entry:
    """`name` is the field in which the other request differs."""
    return Entry(path, body, {**body, name: "other"}, **about)  # type: ignore[arg-type]


_MODEL = {"model": "acme/m"}
_CHAT = {**_MODEL, "messages": [{"role": "user", "content": "hi"}]}

ENTRIES: Mapping[str, Entry] = {
    "predict": Entry(f"{MODEL}/predict", {"a": 1}, {"a": 2}),
    "predictWithConfig": Entry(f"{MODEL}/predict-with-config", {"data": 1}, {"data": 2}),
    "predictWithConfig_v2": Entry(f"{MODEL}/predict-with-config-v2", {"data": "1"}, {"data": "2"}),
    "predictWithConfig_v2_stream": Entry(
        f"{MODEL}/predict-with-config-v2-stream", {"data": "1"}, answers=Answers.PARTS
    ),
    "ext": Entry(f"{MODEL}/ext", {"methodName": "a"}, {"methodName": "b"}),
    "servletPredict": Entry("/p/acme/m", {"a": 1}, {"a": 2}),
    "tryWithoutSigningIn": Entry(f"{MODEL}/try", {"a": 1}),
    "httpInterface": Entry(f"{MODEL}/http/predict", {"a": 1}, answers=Answers.UNSEEN),
    "openaiChatCompletions": _named(f"{OPENAI}/chat/completions", _CHAT, "user", task_type="chat-completion"),
    "openaiCompletions": _named(f"{OPENAI}/completions", {**_MODEL, "prompt": "hi"}, "prompt"),
    "openaiDirectChatCompletions": _named("/api/adapters/openai-direct/chat/completions", _CHAT, "user"),
    "openaiEmbeddings": _named(f"{OPENAI}/embeddings", {**_MODEL, "input": "hi"}, "input", task_type="text2vec"),
    "openaiImages": _named(f"{OPENAI}/images/generations", {**_MODEL, "prompt": "hi"}, "prompt"),
    "openaiSpeech": _named(f"{OPENAI}/audio/speech", {**_MODEL, "input": "hi"}, "input", task_type="tts"),
    "openaiTranscriptions": _named(
        f"{OPENAI}/audio/transcriptions", {**_MODEL, "language": "en"}, "language", form=True
    ),
    "openaiModels": Entry(f"{OPENAI}/models", method="GET", answers=Answers.NONE),
    "openaiModel": Entry(f"{OPENAI}/models/acme/m", method="GET", answers=Answers.NONE),
    "ttsByQuery": Entry(
        "/api/adapters/tts", method="GET", query="model=acme/m&text=hi", other_query="model=acme/m&text=other"
    ),
    "ttsByBody": _named("/api/adapters/tts", {**_MODEL, "text": "hi"}, "text"),
    "tts": Entry(f"{MODEL}/tts", method="GET", query="text=hi", other_query="text=other"),
    "postTts": _named(f"{MODEL}/tts", {"text": "hi"}, "text"),
    "process": Entry(),
    "processResponseStream": Entry(answers=Answers.PARTS),
    "processStream": Entry(answers=Answers.PARTS),
    "processSynthesis": Entry(answers=Answers.PARTS),
    "processRecognition": Entry(answers=Answers.PARTS),
    "control": Entry("/api/mlpgateway/account/demo/predictions", method="DELETE", answers=Answers.NONE),
    "controlReads": Entry("/api/mlpgateway/account/demo/predictions", method="GET", answers=Answers.NONE),
}  # fmt: skip
"""By the names of `entry/call_options.py`."""
IN_EVENTS = [route.name for route in ADAPTER_ROUTES if route.answer == "text/event-stream"]
"""Adapters whose answers come in parts for a body with `stream`."""
STREAMED: Mapping[str, Entry] = {
    "predictWithConfig_v2_stream": ENTRIES["predictWithConfig_v2_stream"],
    **{
        f"{name}, streamed": Entry(
            entry.path, {**(entry.body or {}), "stream": True}, task_type=entry.task_type, answers=Answers.PARTS
        )
        for name in IN_EVENTS
        if (entry := ENTRIES[name])
    },
}
"""Entries over HTTP, and bodies of them, whose answers come in parts of text."""
WHOLE: Mapping[str, Entry] = {
    name: entry for name, entry in ENTRIES.items() if entry.path and entry.answers is Answers.WHOLE
}
"""Entries over HTTP whose answers are whole."""


@asynccontextmanager
async def raw(port: int, entry: Entry, headers: dict[str, str], *, version: str = "1.1") -> AsyncGenerator[Caller]:
    """Sends the entry's request over a connection of its own."""
    body = b"" if entry.body is None else orjson.dumps(entry.body)
    kind = "application/json"
    if entry.form:
        fields = "".join(
            f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in (entry.body or {}).items()
        )
        file = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nsound\r\n--b--\r\n'
        kind, body = "multipart/form-data; boundary=b", (fields + file).encode()
    target = f"{entry.path}?{entry.query}" if entry.query else entry.path
    lines = [f"{entry.method} {target} HTTP/{version}", "Host: x", f"Content-Type: {kind}"]
    lines += [f"Content-Length: {len(body)}", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write("\r\n".join(lines).encode() + body)
    try:
        yield Caller(reader, writer)
    finally:
        writer.transport.abort()


def body_of(heard: bytes) -> tuple[bytes, bool]:
    """Returns the body of an answer in chunks, and whether it has its end."""
    rest, body = heard.partition(b"\r\n\r\n")[2], b""
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        if int(size, 16) == 0:
            return body, True
        body, rest = body + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    return body, False
