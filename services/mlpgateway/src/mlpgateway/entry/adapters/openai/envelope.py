"""The fields that OpenAI's clients expect in every answer: `id`, `object`, `created`, `model`."""

import time
from typing import Final

import msgspec

from mlpgateway.call.call import Answer
from mlpgateway.call.large_json import payload_of
from mlpgateway.entry.adapters.openai.objects import read_object, with_payload

CHAT: Final = "chat.completion"
CHUNK: Final = "chat.completion.chunk"
TEXT: Final = "text_completion"
_PREFIXES: Final = {CHAT: "chatcmpl-", CHUNK: "chatcmpl-", TEXT: "cmpl-"}


class _Present(msgspec.Struct):
    id: str | msgspec.UnsetType | None = msgspec.UNSET
    object: str | msgspec.UnsetType | None = msgspec.UNSET
    created: float | msgspec.UnsetType | None = msgspec.UNSET
    model: str | msgspec.UnsetType | None = msgspec.UNSET


class Envelope:
    """The fields of one call: all its chunks have the same id and time."""

    def __init__(self, request_id: str, model: str, kind: str) -> None:
        """`kind` is the value of `object`: `CHAT`, `CHUNK` or `TEXT`."""
        self._fields: dict[str, object] = {
            "id": f"{_PREFIXES[kind]}{request_id}", "object": kind, "created": int(time.time()), "model": model,
        }  # fmt: skip

    def around(self, answer: Answer) -> Answer:
        """Adds the fields that the model's answer lacks; its own bytes stay.

        Raises UnexpectedAnswer for JSON other than an object.
        """
        text = answer.payload.json
        if not text:
            return answer
        try:
            present = msgspec.json.decode(text, type=_Present)
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            return with_payload(answer, {**self._fields, **read_object(answer.payload, "chat")})
        values = {name: getattr(present, name) for name in self._fields}
        if None in values.values():
            kept = {name: value for name, value in read_object(answer.payload, "chat").items() if value is not None}
            return with_payload(answer, {**self._fields, **kept})
        missing = {name: field for name, field in self._fields.items() if values[name] is msgspec.UNSET}
        if not missing:
            return answer
        rest = text[text.index("{") + 1 :]
        comma = "" if rest.lstrip().startswith("}") else ","
        whole = msgspec.json.encode(missing).decode()[:-1] + comma + rest
        return Answer(
            payload_of(whole, answer.payload.data_type), answer.headers, answer.first, answer.last, answer.partial
        )
