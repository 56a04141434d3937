"""The adapters' part of the OpenAPI document. Bodies allow unknown fields, because these are passed to the model."""

import re
from collections.abc import Mapping
from typing import Final

from mlpgateway.entry.adapters.openai.refusals import error_answer
from mlpgateway.entry.adapters.routes import ADAPTER_ROUTES, AdapterRoute
from mlpgateway.entry.call_options import documented

Schema = Mapping[str, object]
_ANY: Final[Schema] = {}
_TEXT: Final[Schema] = {"type": "string"}
_WHOLE: Final[Schema] = {"type": "integer"}
_MODEL: Final[Schema] = {"type": "string", "description": "author/service or author/service/model"}
_STREAM: Final[Schema] = {"type": "boolean", "description": "Answer with server-sent events"}
_ENCODING: Final[Schema] = {"type": "string", "enum": ["LINEAR16_PCM", "WAV"]}
_SPEC: Final[Schema] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"audioEncoding": _ENCODING, "sampleRateHertz": _WHOLE, "chunkSizeKb": _WHOLE},
}


def _object(required: list[str], *, closed: bool = False, **properties: Schema) -> Schema:
    return {"type": "object", "required": required, "additionalProperties": not closed, "properties": properties}


_MESSAGES: Final[Schema] = {"type": "array", "items": {"type": "object"}}
_SHOWN: Final = _object(["id", "object", "owned_by"], id=_TEXT, object=_TEXT, created=_WHOLE, owned_by=_TEXT)
ADAPTER_SCHEMAS: Final[Mapping[str, Schema]] = {
    "ChatCompletionRequest": _object(["model", "messages"], model=_MODEL, messages=_MESSAGES, stream=_STREAM),
    "CompletionRequest": _object(["model", "prompt"], model=_MODEL, prompt=_TEXT, stream=_STREAM),
    "DirectRequest": _object(["model"], model=_MODEL, stream=_STREAM),
    "EmbeddingRequest": _object(
        ["model", "input"],
        model=_MODEL,
        input={"oneOf": [_TEXT, {"type": "array", "items": _ANY}]},
        encoding_format={"type": "string", "enum": ["float", "base64"]},
    ),
    "SpeechRequest": _object(
        ["model", "input"],
        model=_MODEL,
        input=_TEXT,
        voice=_TEXT,
        response_format={"type": "string", "enum": ["wav", "pcm"]},
    ),
    "TranscriptionForm": _object(
        ["model", "file"],
        model=_MODEL,
        file={"type": "string", "format": "binary"},
        response_format={"type": "string", "enum": ["json", "text"]},
    ),
    "ImageRequest": _object(["model", "prompt"], model=_MODEL, prompt=_TEXT, n=_WHOLE, size=_TEXT),
    "TtsRequestData": _object(["text"], closed=True, model=_MODEL, text=_TEXT, voice=_TEXT, outputAudioSpec=_SPEC),
    "OpenAiModel": _SHOWN,
    "OpenAiModels": _object(["object", "data"], object=_TEXT, data={"type": "array", "items": _SHOWN}),
    "OpenAiError": _object(
        ["error"],
        error=_object(
            ["message", "type", "code"], message=_TEXT, type=_TEXT, param={**_TEXT, "nullable": True}, code=_TEXT
        ),
    ),
}
_ANSWERS: Final = {"openaiModels": "OpenAiModels", "openaiModel": "OpenAiModel"}
_FORMS: Final = {"openaiTranscriptions": ("multipart/form-data", "application/json", "text/plain")}
_QUERY: Final = {"voice": _TEXT, "audioEncoding": _ENCODING, "sampleRateHertz": _WHOLE, "chunkSizeKb": _WHOLE}
_KINDS: Final = {
    "text/event-stream": ("application/json", "text/event-stream"),
    "application/octet-stream": ("application/octet-stream", "audio/wav"),
    "audio/wav": ("audio/wav", "application/octet-stream"),
}
_KEY: Final = "An API key, alone or as a bearer token; MLP-API-KEY or a session are accepted, too"


def adapter_paths(errors: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """Returns the paths. `errors` are descriptions by status."""
    paths: dict[str, dict[str, object]] = {}
    for route in ADAPTER_ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, errors)
    return paths


def _operation(route: AdapterRoute, errors: Mapping[str, str]) -> dict[str, object]:
    shape = "OpenAiError" if route.refuse is error_answer else "ErrorBody"
    refusals = {status: _response(text, "application/json", _ref(shape)) for status, text in errors.items()}
    operation: dict[str, object] = {
        "tags": ["adapters"],
        "operationId": route.name,
        "summary": route.summary,
        "description": route.policy.describe(),
        "parameters": _parameters(route),
        "responses": {"200": _answer(route), **refusals},
    }
    if route.body:
        kind = _FORMS[route.name][0] if route.name in _FORMS else "application/json"
        operation["requestBody"] = {"required": True, "content": {kind: {"schema": _ref(route.body)}}}
    return operation


def _parameters(route: AdapterRoute) -> list[dict[str, object]]:
    names = re.findall(r"{(\w+)}", route.path)
    found = [_parameter(name, "path", _TEXT, "id, or short name", required=True) for name in names]
    if route.method == "GET" and route.path.endswith("tts"):
        found.append(_parameter("text", "query", _TEXT, "The text to speak", required=True))
        if "{model}" not in route.path:
            found.append(_parameter("model", "query", _MODEL, "The model that speaks it", required=True))
        found += [_parameter(name, "query", schema, "") for name, schema in _QUERY.items()]
    found.append(_parameter("Authorization", "header", _TEXT, _KEY))
    return [*found, *(_parameter(name, "header", _TEXT, about) for name, about in documented(route.name).items())]


def _parameter(name: str, place: str, schema: Schema, about: str, *, required: bool = False) -> dict[str, object]:
    return {"name": name, "in": place, "required": required, "schema": schema, "description": about}


def _answer(route: AdapterRoute) -> dict[str, object]:
    kinds = _FORMS[route.name][1:] if route.name in _FORMS else _KINDS.get(route.answer, (route.answer,))
    if route.name in _ANSWERS:
        schema = _ref(_ANSWERS[route.name])
    else:
        schema: Schema = {} if "application/json" in kinds else {"type": "string", "format": "binary"}
    return {"description": "The answer", "content": {kind: {"schema": schema} for kind in kinds}}


def _response(description: str, kind: str, schema: Schema) -> dict[str, object]:
    return {"description": description, "content": {kind: {"schema": schema}}}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}
