"""The published data types: YAML files beside this module, and the request and response of each task type."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, cast

import yaml

NAMES = ("mlp-data-gpt.yml", "mlp-data-media.yml", "mlp-data-nlp.yml", "mlp-data-speech.yml")


@dataclass(frozen=True, slots=True)
class Shape:
    """Names of schemas in one file. `config` None: any JSON."""

    file: str
    request: str
    response: str
    config: str | None = None


SHAPES = {
    "text2vec": Shape("mlp-data-nlp.yml", "TextsCollection", "EmbeddedTextsCollection"),
    "text-classification": Shape("mlp-data-nlp.yml", "TextsCollection", "ScoredItemsCollection"),
    "ner": Shape("mlp-data-nlp.yml", "TextsCollection", "NamedEntitiesCollection"),
    "text-processing": Shape("mlp-data-nlp.yml", "TextsCollection", "ProcessedTexts"),
    "chat-completion": Shape(
        "mlp-data-gpt.yml", "ChatCompletionRequest", "ChatCompletionResult", "ChatCompletionConfig"
    ),
    "asr": Shape("mlp-data-speech.yml", "RecognitionRequest", "RecognitionResult"),
    "tts": Shape("mlp-data-speech.yml", "SynthesisRequest", "SynthesisResult", "SynthesisConfig"),
    "chat": Shape("mlp-data-media.yml", "ChatRequest", "ChatResponse"),
    "image-generation": Shape("mlp-data-media.yml", "ImageGenerationRequest", "ImageGenerationResponse"),
    "file_base64": Shape("mlp-data-media.yml", "FileData", "FileData"),
}
"""The other task types, `custom` and `mcp_server`, take and return any JSON."""


@cache
def text_of(name: str) -> str:
    """Returns the text of one of NAMES."""
    return (files("mlpcore.features.specifications") / "files" / name).read_text(encoding="utf-8")


@cache
def schemas_of(name: str) -> dict[str, Any]:
    """Returns the schemas of a file by name."""
    document = yaml.safe_load(text_of(name))
    return cast("dict[str, Any]", document["components"]["schemas"])


def reached_from(file: str, *names: str) -> dict[str, Any]:
    """Returns these schemas of a file and all schemas that they refer to."""
    schemas, found, waiting = schemas_of(file), dict[str, Any](), list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = schemas[name]
            waiting += references_in(schemas[name])
    return dict(sorted(found.items()))


def references_in(schema: object) -> list[str]:
    """Returns the names of the schemas that a schema refers to. References stay within one file."""
    match schema:
        case {"$ref": str() as reference}:
            return [reference.rpartition("/")[2]]
        case dict():
            return [name for part in cast("dict[str, object]", schema).values() for name in references_in(part)]
        case list():
            return [name for part in cast("list[object]", schema) for name in references_in(part)]
        case _:
            return []
