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


class _Named(msgspec.Struct):
    """The field of a request or a config that names a language model."""

    model: str | None = None


_named = msgspec.json.Decoder(_Named).decode


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
    """Raises LlmNotAllowed when the key may not use the language model that a chat-completion call names.

    An entry of `allowed` is a language model, a service (`account/service`) with all its models, or one model of one
    service (`account/service/model`). A call that names no model uses the service's default, which only the service's
    entry allows.
    """
    if model.task_type != CHAT_COMPLETION:
        return
    service = f"{model.account_name}/{model.model_name}"
    llm = _llm(call)
    names = {service} if llm is None else {service, llm, f"{service}/{llm}"}
    if names.isdisjoint(allowed):
        raise LlmNotAllowed(llm=llm or service)


def _llm(call: Call) -> str | None:
    """Returns the language model that the request names, else the one in the config."""
    for payload in (call.data, call.config):
        if payload is not None and payload.json:
            try:
                named = _named(payload.json)
            except msgspec.MsgspecError:
                continue
            if named.model:
                return named.model
    return None


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
