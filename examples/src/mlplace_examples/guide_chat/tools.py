"""Decides whether to answer with a call of a tool that the caller offers, and with which arguments."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from mlplace_examples.chat_types import Tool

_QUOTED = re.compile(r"[\"'«“]([^\"'»”]+)[\"'»”]")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORD = re.compile(r"[^\W_]+")


def choose(tools: Sequence[Tool], question: str) -> Tool | None:
    """The tool whose name consists of words of the question, in any order: `get_weather` for "get me the weather"."""
    said = set(_WORD.findall(question.lower()))
    named = [tool for tool in tools if set(_WORD.findall(tool.function.name.lower())) <= said]
    return named[0] if named else None


def arguments(tool: Tool, question: str) -> str:
    """JSON: quoted texts and numbers of the question, in order, for parameters of these types."""
    texts, numbers = iter(_QUOTED.findall(question)), iter(_NUMBER.findall(question))
    found = {
        name: value
        for name, schema in tool.function.parameters.get("properties", {}).items()
        if (value := _value(schema, texts, numbers)) is not None
    }
    return json.dumps(found, ensure_ascii=False)


def _value(schema: dict[str, Any], texts: Iterator[str], numbers: Iterator[str]) -> str | float | None:
    match schema.get("type"):
        case "string":
            return next(texts, None)
        case "integer":
            number = next(numbers, None)
            return None if number is None else int(float(number))
        case "number":
            number = next(numbers, None)
            return None if number is None else float(number)
        case _:
            return None
