"""Answers of chat models, read as far as the adapters change them.

A small answer is built as objects. Of a large one, such as a whole answer with the probabilities of all its tokens,
only what leads to the texts is: members that are passed on stay JSON text, so that no answer takes long or much memory.
"""

from collections.abc import Callable, Sequence
from typing import Final, cast

import msgspec

from mlpgateway.call.call import Payload
from mlpgateway.call.json_text import FEW_VALUES, MOST_VALUES, values_in
from mlpgateway.entry.adapters.openai.objects import Object, decoded_answer, objects, text_in
from mlpgateway.errors.gate import UnexpectedAnswer

MOST_ITEMS: Final = 1024
"""Choices of an answer, tool calls of a message, and alternatives of a transcript; of a large answer or part, choices
and calls together: each takes some 20 microseconds to read.
"""
_MOST_STRINGS: Final = 2 * FEW_VALUES
"""Names and texts of a large object besides its large members."""
_TINY: Final = 64
"""Bytes. A list or an object of so many is built in any case: it may be empty, which matters."""
Text = bytes | memoryview

_verbatim: Final = msgspec.json.Decoder(object, float_hook=msgspec.Raw)
"""Numbers that are not whole keep their text: none is too large, and none is rounded."""
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_NO_OBJECT: Final = "JSON that is not an object"


def decoder_of_items(kind: type, most: int) -> "msgspec.json.Decoder[msgspec.Struct]":
    """Returns a decoder of a list of at most so many values. Unlike that of a `list` it stops at one too many."""
    fields = [(f"item_{place}", kind | msgspec.UnsetType, msgspec.UNSET) for place in range(most)]
    return msgspec.json.Decoder(
        msgspec.defstruct("Items", fields, array_like=True, forbid_unknown_fields=True, gc=False)
    )


_items: Final = decoder_of_items(msgspec.Raw, MOST_ITEMS)
_few_items: Final = msgspec.json.Decoder(list[msgspec.Raw])


def items_of(text: Text, name: str, endpoint: str) -> list[msgspec.Raw]:
    """Returns the items of a JSON list as their texts. Raises UnexpectedAnswer for anything else, or too many."""
    problem = f"JSON without a list of at most {MOST_ITEMS} {name}"
    if values_in(text, MOST_ITEMS) <= MOST_ITEMS:
        return decoded_answer(_few_items, text, endpoint, problem)
    read = decoded_answer(_items, text, endpoint, problem)
    return [item for item in msgspec.structs.astuple(read) if isinstance(item, msgspec.Raw)]


def read_conversation(payload: Payload, endpoint: str) -> Object:
    """Returns the object that a model answered. Raises UnexpectedAnswer for anything else, and for too many values."""
    text = text_in(payload)
    if is_small(text):
        body = decoded_answer(_verbatim, text, endpoint, _NO_OBJECT)
        if not isinstance(body, dict):
            raise UnexpectedAnswer(operation=endpoint, kind=_NO_OBJECT)
        return cast("Object", body)
    if values_in(text, MOST_VALUES) > MOST_VALUES:
        raise UnexpectedAnswer(operation=endpoint, kind=f"JSON of more than {MOST_VALUES} values")
    return _Reader(endpoint).body(text)


def members_of(text: Text, large: Sequence[str], endpoint: str) -> dict[str, msgspec.Raw]:
    """Returns the members of an object as their texts.

    Raises UnexpectedAnswer for anything else, and for too many names and texts besides those of the members in `large`.
    """
    if not is_small(text):
        found = decoded_answer(_decoder_of(tuple(large)), text, endpoint, _NO_OBJECT)
        apart = (memoryview(raw) for name in large if (raw := getattr(found, name)) is not msgspec.UNSET)
        besides = _strings_in(text) - sum(map(_strings_in, apart))
        if besides > _MOST_STRINGS:  # before they are built
            raise UnexpectedAnswer(operation=endpoint, kind=f"an object of more than {_MOST_STRINGS} names and texts")
    return decoded_answer(_members, text, endpoint, _NO_OBJECT)


def _strings_in(text: Text) -> int:
    """Returns a bound on the number of strings: the first quote of one never follows a backslash, its last may."""
    whole = bytes(text)
    return whole.count(b'"') - whole.count(b'\\"')


def is_small(text: Text) -> bool:
    """Returns whether the text may be built as objects."""
    return len(text) <= FEW_VALUES or values_in(text, FEW_VALUES) <= FEW_VALUES


class _Reader:
    """Reads one large text, and builds few values of it: lists and objects beyond these stay text.

    Raises UnexpectedAnswer.
    """

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._left = FEW_VALUES
        self._items_left = MOST_ITEMS

    def body(self, text: Text) -> Object:
        body = self._object(text, "choices")
        self._open_list(body, "choices", self._open_choice)
        return body

    def _open_choice(self, value: object) -> object:
        choice = self._open(value, "message", "delta", "logprobs")
        for opened in objects([choice]):
            for name in opened.keys() & {"message", "delta"}:
                opened[name] = self._open(opened[name], "tool_calls", "function_call", "content")
                for said in objects([opened[name]]):
                    self._open_list(said, "tool_calls", self._open_call)
                    self._open_member(said, "function_call", "arguments")
        return choice

    def _open_call(self, value: object) -> object:
        call = self._open(value, "function")
        for opened in objects([call]):
            self._open_member(opened, "function", "arguments")
        return call

    def _open_list(self, within: Object, name: str, opened: Callable[[object], object]) -> None:
        """Replaces the text of a list by its items."""
        value = within.get(name)
        if isinstance(value, msgspec.Raw) and bytes(memoryview(value)[:1]) == b"[":
            items = items_of(memoryview(value), name, self._endpoint)
            self._items_left -= len(items)
            if self._items_left < 0:
                problem = f"JSON of more than {MOST_ITEMS} choices and calls"
                raise UnexpectedAnswer(operation=self._endpoint, kind=problem)
            within[name] = [opened(item) for item in items]

    def _open_member(self, within: Object, name: str, *large: str) -> None:
        if name in within:
            within[name] = self._open(within[name], *large)

    def _open(self, value: object, *large: str) -> object:
        """Returns an object that is still text as an object whose members in `large` may be text, too."""
        if not isinstance(value, msgspec.Raw):
            return value
        view = memoryview(value)
        return self._object(view, *large) if bytes(view[:1]) == b"{" else self._value(value)

    def _value(self, value: msgspec.Raw) -> object:
        view = memoryview(value)
        if bytes(view[:1]) in {b"{", b"["}:
            cost = 1 + values_in(view, FEW_VALUES)
            if cost > self._left and len(view) > _TINY:
                return value
            self._left -= cost
        return decoded_answer(_verbatim, view, self._endpoint, _NO_OBJECT)

    def _object(self, text: Text, *large: str) -> Object:
        """Returns the members of an object."""
        members = members_of(text, large, self._endpoint)
        return {name: self._value(value) for name, value in members.items()}


_decoders: Final[dict[tuple[str, ...], "msgspec.json.Decoder[msgspec.Struct]"]] = {}


def _decoder_of(names: tuple[str, ...]) -> "msgspec.json.Decoder[msgspec.Struct]":
    """Returns a decoder that skips all members but these."""
    if names not in _decoders:
        fields = [(name, msgspec.Raw | msgspec.UnsetType, msgspec.UNSET) for name in names]
        _decoders[names] = msgspec.json.Decoder(msgspec.defstruct("Members", fields))
    return _decoders[names]
