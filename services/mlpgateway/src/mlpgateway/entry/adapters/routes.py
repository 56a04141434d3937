"""The adapters' routes: path, policy and handler, one row each."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from starlette.responses import Response

from mlpgateway.entry.adapters import tts
from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.adapters.openai import chat, embeddings, images, models, speech, transcriptions
from mlpgateway.entry.adapters.openai.refusals import error_answer
from mlpgateway.entry.http.routes import CallsModels
from mlpgateway.policy.access.model_directory import ModelReference
from mlplace_kit.errors import DomainError
from mlplace_runtime.web.errors import error_response
from mlplace_runtime.web.policy import Policy

Serve = Callable[[AdapterRequest], Awaitable[None]]
Refuse = Callable[[DomainError, str], Response]
_POLICY: Final = CallsModels()
_OPENAI: Final = "/api/adapters/openai"
_MODEL: Final = "/api/mlpgateway/account/{account}/model/{model}"
_ALIASES: Final[Mapping[str, str]] = {
    "/api/adapters/chat-gpt": f"{_OPENAI}/chat/completions",
    "/api/adapters/chat-gpt/chat/completions": f"{_OPENAI}/chat/completions",
}
"""Older paths of chat completions."""
_VERSION: Final = "v1"


@dataclass(frozen=True, slots=True)
class AdapterRoute:
    """`name` is the operation id in the OpenAPI document; `body`, `answer` and `query` name its schemas."""

    name: str
    method: Literal["GET", "POST"]
    path: str
    serve: Serve
    summary: str
    body: str | None = None
    answer: str = "application/json"
    refuse: Refuse = error_answer
    policy: Policy = _POLICY


@dataclass(frozen=True, slots=True)
class Found:
    """`routes` are by method. `refuse` builds the error answers of the path, even where no route exists."""

    routes: Mapping[str, AdapterRoute]
    refuse: Refuse
    rest: str = ""
    model: ModelReference | None = None


_SPEECH: Final = "application/octet-stream"
_EVENTS: Final = "text/event-stream"
ADAPTER_ROUTES: Final = (
    AdapterRoute("openaiChatCompletions", "POST", f"{_OPENAI}/chat/completions", chat.chat,
        "A conversation with a model in OpenAI's format", "ChatCompletionRequest", _EVENTS),
    AdapterRoute("openaiCompletions", "POST", f"{_OPENAI}/completions", chat.completions,
        "The continuation of a prompt", "CompletionRequest", _EVENTS),
    AdapterRoute("openaiEmbeddings", "POST", f"{_OPENAI}/embeddings", embeddings.embeddings,
        "Vectors of texts", "EmbeddingRequest"),
    AdapterRoute("openaiModels", "GET", f"{_OPENAI}/models", models.models, "The models that the caller may call"),
    AdapterRoute("openaiModel", "GET", f"{_OPENAI}/models/{{account}}/{{model}}", models.model,
        "One model that the caller may call"),
    AdapterRoute("openaiSpeech", "POST", f"{_OPENAI}/audio/speech", speech.speech, "Text to speech, as WAV or PCM",
        "SpeechRequest", "audio/wav"),
    AdapterRoute("openaiTranscriptions", "POST", f"{_OPENAI}/audio/transcriptions", transcriptions.transcriptions,
        "Speech to text", "TranscriptionForm"),
    AdapterRoute("openaiImages", "POST", f"{_OPENAI}/images/generations", images.images, "Images from a prompt",
        "ImageRequest"),
    AdapterRoute("openaiDirectChatCompletions", "POST", "/api/adapters/openai-direct/chat/completions", chat.direct,
        "A conversation in the format of the model's vendor", "DirectRequest", _EVENTS),
    AdapterRoute("ttsByQuery", "GET", "/api/adapters/tts", tts.by_query, "Text to speech", None, _SPEECH,
        error_response),
    AdapterRoute("ttsByBody", "POST", "/api/adapters/tts", tts.by_body, "Text to speech", "TtsRequestData", _SPEECH,
        error_response),
    AdapterRoute("tts", "GET", f"{_MODEL}/tts", tts.by_query, "Text to speech by a model", None, _SPEECH,
        error_response),
    AdapterRoute("postTts", "POST", f"{_MODEL}/tts", tts.by_body, "Text to speech by a model", "TtsRequestData",
        _SPEECH, error_response),
)  # fmt: skip


def _by_path() -> dict[str, dict[str, AdapterRoute]]:
    table: dict[str, dict[str, AdapterRoute]] = {}
    for route in ADAPTER_ROUTES:
        table.setdefault(route.path, {})[route.method] = route
    return table


_TABLE: Final = _by_path()
_TTS: Final = "/api/adapters/tts"
_ONE_MODEL: Final = f"{_OPENAI}/models/"
_MODEL_PARTS: Final = 8


def match(path: str) -> Found | None:
    """Returns None for paths outside the adapters."""
    if not path.startswith("/api/adapters/"):
        return _on_model(path)
    path = _ALIASES.get(_without_version(path), _without_version(path))
    if path.startswith(_ONE_MODEL) and len(path) > len(_ONE_MODEL):
        return Found(_TABLE[f"{_ONE_MODEL}{{account}}/{{model}}"], error_answer, path.removeprefix(_ONE_MODEL))
    routes = _TABLE.get(path, {})
    refuse = error_response if path == _TTS or path.startswith(f"{_TTS}/") else error_answer
    return Found(routes, refuse)


def _on_model(path: str) -> Found | None:
    parts = path.split("/")
    if len(parts) != _MODEL_PARTS or parts[-1] != "tts":
        return None
    _, api, service, account_word, account, model_word, model, _ = parts
    if (
        (api, service, account_word, model_word) != ("api", "mlpgateway", "account", "model")
        or not account
        or not model
    ):
        return None
    return Found(_TABLE[f"{_MODEL}/tts"], error_response, model=ModelReference(account, model, None))


def _without_version(path: str) -> str:
    """Treats `/api/adapters/openai/v1/models` and `/api/adapters/openai/models` as the same path."""
    parts = path.split("/")
    return "/".join([*parts[:4], *parts[5:]]) if len(parts) > 4 and parts[4] == _VERSION else path
