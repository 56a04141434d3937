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

MOST_ITEMS: Final = 128
"""Choices of an answer, tool calls of a message, and alternatives of a transcript."""
Text = bytes | memoryview

_verbatim: Final = msgspec.json.Decoder(object, float_hook=msgspec.Raw)
"""Numbers that are not whole keep their text: none is too large, and none is rounded."""
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_NO_OBJECT: Final = "JSON that is not an object"
_NO_LIST: Final = f"JSON without a list of at most {MOST_ITEMS} "


class _AnyObject(msgspec.Struct, gc=False):
    """A JSON object, whatever its members: the decoder skips them."""


def _decoder_of_list(kind: type) -> "msgspec.json.Decoder[msgspec.Struct]":
    """Returns a decoder of at most MOST_ITEMS such values. Unlike that of a `list` it stops at one too many."""
    fields = [(f"item_{place}", kind | msgspec.UnsetType, msgspec.UNSET) for place in range(MOST_ITEMS)]
    return msgspec.json.Decoder(
        msgspec.defstruct("Items", fields, array_like=True, forbid_unknown_fields=True, gc=False)
    )


_items: Final = _decoder_of_list(msgspec.Raw)
_objects: Final = _decoder_of_list(_AnyObject)


def items_of(text: Text, name: str, endpoint: str) -> list[msgspec.Raw]:
    """Returns the items of a JSON list as their texts. Raises UnexpectedAnswer for anything else, or too many."""
    read = decoded_answer(_items, text, endpoint, f"{_NO_LIST}{name}")
    return [item for item in msgspec.structs.astuple(read) if isinstance(item, msgspec.Raw)]


def expect_objects(text: Text, name: str, endpoint: str) -> None:
    """Raises UnexpectedAnswer for anything but a JSON list of objects, or too many."""
    decoded_answer(_objects, text, endpoint, f"{_NO_LIST}{name}")


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

    Raises UnexpectedAnswer for anything else, and for too many values besides those of the members in `large`.
    """
    if not is_small(text):
        found = decoded_answer(_decoder_of(tuple(large)), text, endpoint, _NO_OBJECT)
        apart = (memoryview(raw) for name in large if (raw := getattr(found, name)) is not msgspec.UNSET)
        besides = values_in(text, MOST_VALUES) - sum(values_in(view, MOST_VALUES) for view in apart)
        if besides > FEW_VALUES:  # they would be built
            raise UnexpectedAnswer(operation=endpoint, kind=f"more than {FEW_VALUES} values besides {large[0]}")
    return decoded_answer(_members, text, endpoint, _NO_OBJECT)


def is_small(text: Text) -> bool:
    """Returns whether the text may be built as objects."""
    return len(text) <= FEW_VALUES or values_in(text, FEW_VALUES) <= FEW_VALUES


class _Reader:
    """Reads one large text, and builds few values of it. Raises UnexpectedAnswer."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._left = 2 * FEW_VALUES

    def body(self, text: Text) -> Object:
        body = self._object(text, "choices")
        self._open_list(body, "choices", self._open_choice)
        return body

    def _open_choice(self, value: msgspec.Raw) -> object:
        choice = self._open(value, "message", "delta", "logprobs")
        for opened in objects([choice]):
            for name in opened.keys() & {"message", "delta"}:
                opened[name] = self._open(opened[name], "tool_calls")
                for said in objects([opened[name]]):
                    self._open_list(said, "tool_calls", self._open_call)
        return choice

    def _open_call(self, value: msgspec.Raw) -> object:
        call = self._open(value, "function")
        for opened in objects([call]):
            opened["function"] = self._open(opened.get("function"), "arguments")
        return call

    def _open_list(self, within: Object, name: str, opened: Callable[[msgspec.Raw], object]) -> None:
        """Replaces the text of a member by its items."""
        if isinstance(text := within.get(name), msgspec.Raw):
            within[name] = [opened(item) for item in items_of(memoryview(text), name, self._endpoint)]

    def _open(self, value: object, *large: str) -> object:
        """Returns a member that is still text as an object, or as what else it is."""
        if not isinstance(value, msgspec.Raw):
            return value
        view = memoryview(value)
        return self._object(view, *large) if bytes(view[:1]) == b"{" and not is_small(view) else self._value(view)

    def _value(self, text: Text) -> object:
        self._left -= 1 + values_in(text, FEW_VALUES)
        if self._left < 0:
            raise UnexpectedAnswer(operation=self._endpoint, kind="too many values besides its texts")
        return decoded_answer(_verbatim, text, self._endpoint, _NO_OBJECT)

    def _object(self, text: Text, *large: str) -> Object:
        """Returns the members of an object; those in `large` stay text if they are."""
        members = members_of(text, large, self._endpoint)
        return {
            name: raw if name in large and not is_small(memoryview(raw)) else self._value(memoryview(raw))
            for name, raw in members.items()
        }


_decoders: Final[dict[tuple[str, ...], "msgspec.json.Decoder[msgspec.Struct]"]] = {}


def _decoder_of(names: tuple[str, ...]) -> "msgspec.json.Decoder[msgspec.Struct]":
    """Returns a decoder that skips all members but these."""
    if names not in _decoders:
        fields = [(name, msgspec.Raw | msgspec.UnsetType, msgspec.UNSET) for name in names]
        _decoders[names] = msgspec.json.Decoder(msgspec.defstruct("Members", fields))
    return _decoders[names]
