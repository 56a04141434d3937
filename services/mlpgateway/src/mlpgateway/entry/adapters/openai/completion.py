"""Text completions by models that take conversations."""

from typing import Final

import msgspec

from mlpgateway.call.call import Answer
from mlpgateway.call.json_bodies import has_many_strings
from mlpgateway.entry.adapters.openai.chunks import choices_of
from mlpgateway.entry.adapters.openai.conversations import read_conversation
from mlpgateway.entry.adapters.openai.objects import (
    Object,
    expect_no_error,
    list_of,
    objects,
    text_of,
    with_payload,
)
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken

_MOST_STRINGS: Final = 1000
"""A longer list is refused before it is parsed."""


def prompt_of(raw: msgspec.Raw) -> str:
    """Returns the prompt, a text or a list of one text. Raises ValidationFailed."""
    if bytes((text := memoryview(raw))[:1]) == b"[" and has_many_strings(text, _MOST_STRINGS):
        raise ValidationFailed({"prompt": broken("one_text")})
    try:
        value = msgspec.json.decode(raw, type=str | list[str])
    except msgspec.ValidationError:
        raise ValidationFailed({"prompt": broken("wrong_type", message="must be a text", expected="text")}) from None
    if isinstance(value, str):
        return value
    if len(value) != 1:
        raise ValidationFailed({"prompt": broken("one_text")})
    return value[0]


def as_text(answer: Answer, *, streamed: bool) -> Answer:
    """Converts messages, or chunks of a stream, to texts; other fields of the answer stay. Raises UnexpectedAnswer."""
    body = read_conversation(answer.payload, "completions")
    expect_no_error(body, "completions")
    found = choices_of(body, "completions") if streamed else list_of(body, "choices", "completions")
    choices = [_choice(choice) for choice in found]
    return with_payload(answer, {**body, "object": "text_completion", "choices": choices})


def _choice(choice: Object) -> Object:
    said = next(iter(objects([choice.get("message") or choice.get("delta")])), Object())
    rest = {name: value for name, value in choice.items() if name not in {"message", "delta"}}
    return {**rest, "text": text_of(said.get("content")), "finish_reason": choice.get("finish_reason")}
