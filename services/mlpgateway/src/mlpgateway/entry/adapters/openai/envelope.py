"""The fields that OpenAI's clients expect in every answer: `id`, `object`, `created`, `model`, around `choices`."""

import time
from collections.abc import Sequence
from typing import Final

import msgspec

from mlpgateway.call.call import Answer
from mlpgateway.call.error_bodies import Unread
from mlpgateway.call.json_text import values_in
from mlpgateway.call.large_json import payload_of
from mlpgateway.entry.adapters.openai.conversations import decoder_of_items, members_of
from mlpgateway.entry.adapters.openai.objects import (
    AnyObject,
    decoded_answer,
    list_of_objects,
    text_in,
    with_payload,
)
from mlpgateway.errors.gate import AN_ERROR, UnexpectedAnswer

CHAT: Final = "chat.completion"
CHUNK: Final = "chat.completion.chunk"
TEXT: Final = "text_completion"
_PREFIXES: Final = {CHAT: "chatcmpl-", CHUNK: "chatcmpl-", TEXT: "cmpl-"}
_ENDPOINTS: Final = {CHAT: "chat", CHUNK: "chat", TEXT: "completions"}


class _Present(Unread):
    """The least form of an answer. Values of the other fields are only looked at for `null`, so any type may stay."""

    choices: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    usage: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    created: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    model: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_NULL: Final = msgspec.Raw(b"null")
_ABSENT: Final = (msgspec.UNSET, _NULL)
_NONE: Final[Sequence[object]] = ()
_NO_CHOICES: Final = "JSON without a list of choices"
_MOST_CHOICES: Final = 2048
_choices: Final = decoder_of_items(AnyObject, _MOST_CHOICES)
_present: Final = msgspec.json.Decoder(_Present)


class Envelope:
    """The fields of one call: all its chunks have the same id and time."""

    def __init__(self, request_id: str, model: str, kind: str, *, streamed: bool) -> None:
        """`kind` is the value of `object`: `CHAT`, `CHUNK` or `TEXT`. `streamed`: for the chunks of a stream."""
        self._streamed = streamed
        self._endpoint = _ENDPOINTS[kind]
        self._fields: dict[str, object] = {
            "id": f"{_PREFIXES[kind]}{request_id}", "object": kind, "created": int(time.time()), "model": model,
        }  # fmt: skip

    def around(self, answer: Answer) -> Answer:
        """Adds the fields that the model's answer lacks, or has as `null`, before its own.

        The text of an answer without such a `null` stays as it is. Otherwise only the text of each value stays.
        Raises UnexpectedAnswer unless the answer is an object whose `choices` are a list of objects. A chunk may lack
        them if it has the usage. An answer that names an error is one, whatever else it has.
        """
        present = decoded_answer(_present, text_in(answer.payload), self._endpoint, _NO_CHOICES)
        fields = self._fields
        if present.names_error:
            raise UnexpectedAnswer(operation=self._endpoint, kind=AN_ERROR)
        if isinstance(present.choices, msgspec.Raw) and present.choices != _NULL:
            _expect_choices(present.choices, self._endpoint)
        else:
            if not (self._streamed and answer.partial and _has_usage(present)):
                raise UnexpectedAnswer(operation=self._endpoint, kind=_NO_CHOICES)
            fields = {**fields, "choices": _NONE}
        lacks = {name: field for name, field in fields.items() if getattr(present, name) in _ABSENT}
        if not lacks:
            return answer
        if any(getattr(present, name) is not msgspec.UNSET for name in lacks):
            members = members_of(text_in(answer.payload), ["choices"], self._endpoint)
            own = {name: value for name, value in members.items() if name not in lacks}
            return with_payload(answer, {**lacks, **own})
        text = answer.payload.json or ""
        rest = text[text.index("{") + 1 :]
        whole = f"{msgspec.json.encode(lacks).decode()[:-1]},{rest}"
        return Answer(
            payload_of(whole, answer.payload.data_type), answer.headers, answer.first, answer.last, answer.partial
        )


def _expect_choices(choices: msgspec.Raw, endpoint: str) -> None:
    """Raises UnexpectedAnswer for anything but a list of objects, and for very many."""
    if values_in(memoryview(choices), _MOST_CHOICES, marks=(b"{",)) <= _MOST_CHOICES:
        decoded_answer(list_of_objects, choices, endpoint, _NO_CHOICES)
    else:
        decoded_answer(_choices, choices, endpoint, f"JSON without a list of at most {_MOST_CHOICES} choices")


def _has_usage(chunk: _Present) -> bool:
    return isinstance(chunk.usage, msgspec.Raw) and bytes(memoryview(chunk.usage)[:1]) == b"{"
