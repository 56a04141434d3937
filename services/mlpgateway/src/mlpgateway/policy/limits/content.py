"""Limits on the content of a call: its size and the language model that it names."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Final

import msgspec

from mlpgateway.call.call import Call, Payload
from mlpgateway.call.identity import Identity, Payer
from mlpgateway.call.json_bodies import has_many_strings
from mlpgateway.call.large_json import LargeText
from mlpgateway.errors.limits import LlmNotAllowed
from mlplace_contracts.events import ModelChanged
from mlplace_contracts.limits import KeyLimits, SizeRule
from mlplace_kit.errors import PayloadTooLarge

CHAT_COMPLETION: Final = "chat-completion"
_UNREADABLE: Final = (msgspec.MsgspecError, RecursionError, UnicodeEncodeError)
_MOST_NAME: Final = 128
"""Characters of a name in an error."""
_MOST_NAMES: Final = 16
"""Language models that one text may name: a field can be repeated."""
_MOST_COMMAS: Final = 250_000
"""In a text that is searched for names. The search takes 50 ns for each value, on the loop."""
_MOST_STRINGS: Final = 60_000
"""In such a text, as far as quotes tell. The search takes up to 200 ns for the name of a field."""
_MOST_SEARCHED: Final = 32 * 1024 * 1024
"""Bytes of such a text. The search takes up to 2 ns for each."""
_PIECE: Final = 256 * 1024


class _Value:
    """The decoder hands each value that it meets to a hook, also those of a repeated field."""


_SPELLINGS: Final = ["".join(letters) for letters in product(*((letter, letter.upper()) for letter in "model"))]
"""Names of the field that names a language model: some services, such as those written in Go, read it in any case."""


def _fields(kind: object, default: Callable[[], object]) -> type[msgspec.Struct]:
    names = ((spelling, kind, msgspec.field(default_factory=default)) for spelling in _SPELLINGS)
    return msgspec.defstruct("Fields", names)


_Named: Final = _fields(str | None, lambda: None)
"""The field of a request or a config that names a language model. Decoding stops at any value of another type."""
_Unread: Final = _fields(msgspec.Raw, lambda: msgspec.Raw(b"null"))
"""The same, whatever its value is."""
_EachNamed: Final = _fields(_Value, _Value)


def limits_on(identity: Identity, payer: Payer) -> Sequence[KeyLimits]:
    """Returns the limits that the content of a call must keep: those of the caller's key and of the key that pays."""
    paying = None if payer.billing_key is None else payer.limits
    return [limits for limits in (identity.limits, paying) if limits is not None]


def check_size(rule: SizeRule, call: Call) -> None:
    """Raises PayloadTooLarge. Characters are Unicode code points; binary payloads count in bytes."""
    measure = _bytes if rule.unit == "BYTES" else _characters
    if sum(measure(payload) for payload in _payloads(call)) > rule.most:
        raise PayloadTooLarge(limit=str(rule.most), unit=rule.unit.lower())


def check_part(rule: SizeRule, seen: int, part: Payload) -> int:
    """Returns the size so far of a request that comes in parts. Raises PayloadTooLarge."""
    seen += (_bytes if rule.unit == "BYTES" else _characters)(part)
    if seen > rule.most:
        raise PayloadTooLarge(limit=str(rule.most), unit=rule.unit.lower())
    return seen


def check_llms(limits: Sequence[KeyLimits], data: Payload | None, config: Payload | None, model: ModelChanged) -> None:
    """Raises LlmNotAllowed when a key may not use a language model that a chat-completion call names.

    Request and config may name one, and JSON may repeat a field: which of them counts is the service's decision, so the
    key needs all of them. `config` is the one that the caller sends or chooses: the service's own is a part of it.

    An entry of a list is a language model, a service (`account/service`) with all its models, or one model of one
    service (`account/service/model`). A call that names no model uses the service's default, which only the service's
    entry allows. So does one whose request the gate cannot read as an object.
    """
    lists = _lists_for(model, limits)
    if lists:
        _check_names(lists, [*_named(data), *_named(config)] or [None], model)


def check_llms_of_part(limits: Sequence[KeyLimits], part: Payload, model: ModelChanged) -> None:
    """The same for one part of a request that comes in parts, whose config `check_llms` has checked."""
    lists = _lists_for(model, limits)
    if lists:
        _check_names(lists, _named(part), model)


def _lists_for(model: ModelChanged, limits: Sequence[KeyLimits]) -> Sequence[tuple[str, ...]]:
    """Returns the lists of allowed language models that hold for calls of the model."""
    if model.task_type != CHAT_COMPLETION:
        return ()
    return [each.llms for each in limits if each.llms is not None]


def _check_names(lists: Sequence[tuple[str, ...]], llms: Sequence[str | None], model: ModelChanged) -> None:
    """Raises LlmNotAllowed. None stands for the service's default."""
    service = f"{model.account_name}/{model.model_name}"
    for llm in llms:
        names = {service} if llm is None else {service, llm, f"{service}/{llm}"}
        if any(names.isdisjoint(allowed) for allowed in lists):
            raise LlmNotAllowed(llm=llm or service)


def _named(payload: Payload | None) -> Sequence[str | None]:
    """Returns the values of the field `model`, in any case and however often it is repeated; None for null, for what is
    no object, and for a text that is too long to be searched.

    Raises LlmNotAllowed for a value that is no text, and for too many values.
    """
    if payload is None:
        return ()
    if payload.protobuf is not None:
        return (None,)
    text = payload.source.view if type(payload) is LargeText else payload.json
    if not text:
        return ()
    return _values(text) if _bytes(payload) <= _MOST_SEARCHED and _has_few_values(text) else (None,)


def _has_few_values(text: str | memoryview) -> bool:
    """A text has hardly more values than commas."""
    if isinstance(text, str):
        quotes = text.count('"') - text.count('\\"')
        return text.count(",") <= _MOST_COMMAS and quotes <= 2 * _MOST_STRINGS
    commas = 0
    if has_many_strings(text, _MOST_STRINGS):
        return False
    for at in range(0, len(text), _PIECE):
        commas += bytes(text[at : at + _PIECE]).count(b",")
        if commas > _MOST_COMMAS:
            return False
    return True


def _values(text: str | memoryview) -> Sequence[str | None]:
    """Like `_named`, for a text. Builds no value that is no text: it may be as large as the request."""
    try:
        msgspec.json.decode(text, type=_Named)
    except msgspec.ValidationError:
        _expect_no_object(text)
        return (None,)
    except _UNREADABLE:
        return (None,)
    values: list[str | None] = []

    def see(_kind: type, value: str | None) -> object:
        if len(values) == _MOST_NAMES:
            raise LlmNotAllowed(llm=(value or "")[:_MOST_NAME])
        values.append(value or None)
        return _Value()

    msgspec.json.decode(text, type=_EachNamed, dec_hook=see)
    return values


def _expect_no_object(text: str | memoryview) -> None:
    """Raises LlmNotAllowed for an object, whose field is no text."""
    try:
        found = msgspec.json.decode(text, type=_Unread)
    except _UNREADABLE:
        return
    values = [memoryview(value) for value in msgspec.structs.astuple(found)]
    wrong = next((value for value in values if bytes(value[:1]) not in {b'"', b"n"}), values[0])
    raise LlmNotAllowed(llm=bytes(wrong[:_MOST_NAME]).decode(errors="replace"))


def _payloads(call: Call) -> Iterable[Payload]:
    for payload in (call.data, call.config, *call.params.values()):
        if payload is not None:
            yield payload


def _bytes(payload: Payload) -> int:
    if type(payload) is LargeText:
        return len(payload.source.view)
    if payload.protobuf is not None:
        return len(payload.protobuf)
    text = payload.json or ""
    return len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))


def _characters(payload: Payload) -> int:
    return len(payload.protobuf) if payload.protobuf is not None else len(payload.json or "")
