"""Calls over HTTP: addresses and bodies."""

import json
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast


@dataclass(frozen=True, slots=True)
class Path:
    """A kind of call over HTTP with its body."""

    name: str
    body: object
    method: ClassVar[str] = "POST"

    def url(self, base: str, account: int, model: int) -> str:
        return f"{base}/api/mlpgateway/account/{account}/model/{model}/{self.name}"

    def content(self, owner: int, model: int) -> dict[str, Any]:
        """Returns what is sent, as arguments of the client."""
        del owner, model
        return {"json": self.body}


class Query(Path):
    """The fields of the body are parameters of the address."""

    method: ClassVar[str] = "GET"

    def content(self, owner: int, model: int) -> dict[str, Any]:
        del owner, model
        return {"params": self.body}


class Short(Path):
    """The short address of a model."""

    def url(self, base: str, account: int, model: int) -> str:
        return f"{base}/p/{account}/{model}"


PREDICT = Path("predict", {"text": "hi"})
WITH_CONFIG = Path("predict-with-config", {"data": {"text": "hi"}, "config": {"deep": True}})
METHOD = Path("ext", {"methodName": "translate", "params": {"text": '"hi"'}})
WITH_TEXTS = Path("predict-with-config-v2", {"data": '{"text":"hi"}', "config": "{}"})
STREAM = Path("predict-with-config-v2-stream", {"data": '{"text":"hi"}'})
SAID = Path("tts", {"text": "hi"})
SAID_BY_QUERY = Query("tts", {"text": "hi"})
SHORT = Short("", {"text": "hi"})


def otherwise(path: Path) -> Path:
    """Returns another request of the same kind."""
    body = json.loads(json.dumps(path.body).replace("hi", "bye"))
    if body == path.body:
        raise ValueError(f"the body of {path.name} says nothing that could be different")
    return replace(path, body=body)


class Adapter(Path):
    """An address of an adapter. The body that is sent names the model, too."""

    def content(self, owner: int, model: int) -> dict[str, Any]:
        return {"json": {"model": f"{owner}/{model}", **cast("dict[str, object]", self.body)}}

    def url(self, base: str, account: int, model: int) -> str:
        del account, model
        return f"{base}/api/adapters/{self.name}"


class Form(Adapter):
    """The body is a form with a recording."""

    def content(self, owner: int, model: int) -> dict[str, Any]:
        named = super().content(owner, model)["json"]
        return {"data": named, "files": {"file": ("a.wav", b"sound")}}


CHAT = Adapter("openai/chat/completions", {"messages": [{"role": "user", "content": "hi"}]})
STREAMED_CHAT = Adapter("openai/chat/completions", {"messages": [{"role": "user", "content": "hi"}], "stream": True})
COMPLETION = Adapter("openai/completions", {"prompt": "hi"})
VENDORS_CHAT = Adapter("openai-direct/chat/completions", {"messages": [{"role": "user", "content": "hi"}]})
EMBEDDINGS = Adapter("openai/embeddings", {"input": "hi"})
IMAGES = Adapter("openai/images/generations", {"prompt": "hi"})
SPEECH = Adapter("openai/audio/speech", {"input": "hi"})
TRANSCRIPTION = Form("openai/audio/transcriptions", {"language": "en", "prompt": "hi"})
SAID_BY_NAME = Adapter("tts", {"text": "hi"})


class NamedByQuery(Query):
    """An address of an adapter whose parameters name the model, too."""

    def url(self, base: str, account: int, model: int) -> str:
        del account, model
        return f"{base}/api/adapters/{self.name}"

    def content(self, owner: int, model: int) -> dict[str, Any]:
        return {"params": {"model": f"{owner}/{model}", **super().content(owner, model)["params"]}}


class Predictions(Path):
    """The predictions of an account, which are deleted."""

    method = "DELETE"

    def url(self, base: str, account: int, model: int) -> str:
        del model
        return f"{base}/api/mlpgateway/account/{account}/{self.name}"
