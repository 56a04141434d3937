"""Limits on the content of a call: its size and the language model that it names."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from mlpgateway.call.call import Call, Payload
from mlpgateway.call.identity import Identity, Payer
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


class _Named(msgspec.Struct):
    """The field of a request or a config that names a language model. Decoding stops at any value of another type."""

    model: str | None = None


class _Unread(msgspec.Struct):
    """The same, whatever its value is."""

    model: msgspec.Raw = msgspec.Raw(b"null")


class _Value:
    """The decoder hands each value that it meets to a hook, also those of a repeated field."""


class _EachNamed(msgspec.Struct):
    model: _Value = msgspec.field(default_factory=_Value)


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


def check_llm(allowed: tuple[str, ...], call: Call, model: ModelChanged) -> None:
    """Raises LlmNotAllowed when the key may not use a language model that a chat-completion call names.

    Request and config may name one, and JSON may repeat a field: which of them counts is the service's decision, so the
    key needs all of them. An entry of `allowed` is a language model, a service (`account/service`) with all its models,
    or one model of one service (`account/service/model`). A call that names no model uses the service's default, which
    only the service's entry allows. So does one whose request the gate cannot read as an object.
    """
    if model.task_type == CHAT_COMPLETION:
        named = [llm for payload in (call.data, call.config) for llm in _named(payload)]
        _check_names(allowed, named or (None,), model)


def check_llm_of_part(allowed: tuple[str, ...], part: Payload, model: ModelChanged) -> None:
    """The same for one part of a request that comes in parts, whose config `check_llm` has checked."""
    if model.task_type == CHAT_COMPLETION:
        _check_names(allowed, _named(part), model)


def _check_names(allowed: tuple[str, ...], llms: Iterable[str | None], model: ModelChanged) -> None:
    """Raises LlmNotAllowed. None stands for the service's default."""
    service = f"{model.account_name}/{model.model_name}"
    for llm in llms:
        names = {service} if llm is None else {service, llm, f"{service}/{llm}"}
        if names.isdisjoint(allowed):
            raise LlmNotAllowed(llm=llm or service)


def _named(payload: Payload | None) -> Sequence[str | None]:
    """Returns the values of the field `model`, however often it is repeated; None for null, and for what is no object.

    Raises LlmNotAllowed for a value that is no text.
    """
    if payload is None:
        return ()
    if payload.protobuf is not None:
        return (None,)
    text = payload.source.view if type(payload) is LargeText else payload.json
    return _values(text) if text else ()


def _values(text: str | memoryview) -> Sequence[str | None]:
    """Builds no value that is no text: it may be as large as the request."""
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
    raise LlmNotAllowed(llm=bytes(memoryview(found.model)[:_MOST_NAME]).decode(errors="replace"))


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
