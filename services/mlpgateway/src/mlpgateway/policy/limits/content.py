"""Limits on the content of a call: its size and the language model that it names."""

from collections.abc import Iterable
from typing import Final

import msgspec

from mlpgateway.call.call import Call, Payload
from mlpgateway.call.large_json import LargeText
from mlpgateway.errors.limits import LlmNotAllowed
from mlplace_contracts.events import ModelChanged
from mlplace_contracts.limits import SizeRule
from mlplace_kit.errors import PayloadTooLarge

CHAT_COMPLETION: Final = "chat-completion"
_MOST_NAME: Final = 128
"""Characters of a name in an error."""


class _Value:
    """Any value but null. The decoder hands each one that it meets to a hook, also of a field that is repeated."""


class _Named(msgspec.Struct):
    """The field of a request or a config that names a language model."""

    model: _Value | None = None


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
    only the service's entry allows.
    """
    if model.task_type != CHAT_COMPLETION:
        return
    service = f"{model.account_name}/{model.model_name}"
    for llm in _llms(call):
        names = {service} if llm is None else {service, llm, f"{service}/{llm}"}
        if names.isdisjoint(allowed):
            raise LlmNotAllowed(llm=llm or service)


def _llms(call: Call) -> Iterable[str | None]:
    """Returns the language models that the request and the config name; None stands for the service's default."""
    found: dict[str | None, None] = {}
    for payload in (call.data, call.config):
        if payload is not None and payload.json:
            found |= dict.fromkeys(_named(payload.json))
    return found or (None,)


def _named(text: str) -> list[str | None]:
    """Returns the values of the field `model`, however often it is repeated. Raises LlmNotAllowed for no text."""
    values: list[str | None] = []

    def see(_kind: type, value: object) -> object:
        if not isinstance(value, str):
            raise LlmNotAllowed(llm=str(value)[:_MOST_NAME])
        values.append(value or None)
        return _Value()

    try:
        last = msgspec.json.decode(text, type=_Named, dec_hook=see)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        return []  # no object
    return [*values, None] if values and last.model is None else values


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
