"""`embeddings`, for models that take texts as the task type defines, and for models with OpenAI's interface."""

import base64
import re
import struct
from collections.abc import Awaitable
from functools import partial
from typing import Final

import msgspec

from mlpgateway.call.call import Answer
from mlpgateway.call.error_bodies import Unread
from mlpgateway.call.json_bodies import has_many_strings
from mlpgateway.call.json_text import values_in
from mlpgateway.entry.adapters.errors import TokensNotSupported
from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.adapters.openai.objects import (
    Fields,
    Object,
    decoded_answer,
    expect_few_objects,
    payload_of,
    text_in,
    with_data,
    with_payload,
)
from mlpgateway.entry.adapters.turns import in_turns
from mlpgateway.entry.http.answers import send_answer
from mlpgateway.errors.gate import AN_ERROR, UnexpectedAnswer
from mlpgateway.policy.access.model_directory import ModelReference
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken

_VECTORS: Final = "text2vec"
_FORMATS: Final = {"float", "base64"}
_MOST_TEXTS: Final = 10_000
_TOKENS: Final = re.compile(rb"\[\s*\[?\s*-?\d")
"""Matches the beginning of a list of tokens, or of a list of such lists."""
_MOST_NUMBERS: Final = 100_000
"""Of one vector: its numbers are read within 5 ms."""
_MOST_USAGE: Final = 64 * 1024
_NULL: Final = msgspec.Raw(b"null")
_MEMBER: Final = re.compile(rb'\{\s*"')
"""Matches the beginning of an object that is not empty."""


class _Embedded(msgspec.Struct, gc=False):
    vector: msgspec.Raw = _NULL


class _EmbeddedTexts(Unread, kw_only=True):
    embedded_texts: msgspec.Raw
    usage: msgspec.Raw = _NULL


_embedded: Final = msgspec.json.Decoder(_EmbeddedTexts)
_items: Final = msgspec.json.Decoder(list[_Embedded])
_NO_TEXTS: Final = "JSON without a list of embedded_texts"
_numbers: Final = msgspec.json.Decoder(list[float])


async def embeddings(incoming: AdapterRequest) -> None:
    fields = await Fields.of(incoming)
    fields.expect_no_stream()
    reference = fields.model()
    model = await incoming.directory.model(incoming.caller, reference)
    if model.task_type == _VECTORS and not incoming.directory.takes_openai_embeddings(model.model_id):
        await _of_texts(incoming, fields, reference)
        return
    request: Object = {**fields.others()}
    if reference.inner is not None:
        request["model"] = reference.inner
    call, shape = incoming.call(reference, payload_of(request)), partial(with_data, endpoint="embeddings")
    await send_answer(incoming.send, await incoming.answer(call, shape))


async def _of_texts(incoming: AdapterRequest, fields: Fields, reference: ModelReference) -> None:
    """Calls `{"texts"} → {"embedded_texts": [{"vector"}]}`. Such a model counts no tokens, so usage is 0."""
    texts = _texts(fields.raw("input"))
    form = fields.take("encoding_format", str) or "float"
    if form not in _FORMATS:
        raise ValidationFailed(
            {"encoding_format": broken("one_of", message="must be float or base64", allowed="float, base64")}
        )
    if fields.raw("dimensions") is not None:
        raise ValidationFailed({"dimensions": broken("leave_out")})
    fields.raw("user")
    shape = partial(_as_embeddings, expected=len(texts), form=form, name=str(reference))
    call = incoming.call(reference, payload_of({"texts": texts}), fields.rest())
    await send_answer(incoming.send, await incoming.answer(call, shape))


def _texts(raw: msgspec.Raw | None) -> list[str]:
    """Raises ValidationFailed, TokensNotSupported."""
    if raw is None:
        raise ValidationFailed({"input": broken("required")})
    view = memoryview(raw)
    if bytes(view[:1]) == b"[" and has_many_strings(view, _MOST_TEXTS):
        raise ValidationFailed(
            {"input": broken("too_many", message=f"use at most {_MOST_TEXTS} texts", max=str(_MOST_TEXTS))}
        )
    try:
        value = msgspec.json.decode(raw, type=str | list[str])
    except msgspec.ValidationError:
        if _TOKENS.match(view) is None:
            raise ValidationFailed(
                {"input": broken("wrong_type", message="must be a text or a list of texts", expected="texts")}
            ) from None
        raise TokensNotSupported from None
    texts = [value] if isinstance(value, str) else value
    if not texts:
        raise ValidationFailed({"input": broken("too_few", message="must contain at least one text", min="1")})
    return texts


def _as_embeddings(answer: Answer, expected: int, *, form: str, name: str) -> Answer | Awaitable[Answer]:
    """Vectors are read one after the other: as numbers, all of them would take many times their text."""
    body = decoded_answer(_embedded, text_in(answer.payload), "embeddings", _NO_TEXTS)
    if body.names_error:
        raise UnexpectedAnswer(operation="embeddings", kind=AN_ERROR)
    expect_few_objects(body.embedded_texts, "embeddings")
    items = decoded_answer(_items, body.embedded_texts, "embeddings", _NO_TEXTS)
    if len(items) != expected:
        raise UnexpectedAnswer(operation="embeddings", kind="a different number of vectors than texts")
    shaped: list[Object] = []

    def add(item: _Embedded) -> None:
        shaped.append({"object": "embedding", "index": len(shaped), "embedding": _vector(item.vector, form)})

    def end() -> Answer:
        return with_payload(answer, {"object": "list", "data": shaped, "model": name, "usage": _usage(body.usage)})

    return in_turns(items, lambda item: len(memoryview(item.vector)), add, end)


def _usage(told: msgspec.Raw) -> object:
    """Returns the usage that a model told; of one that counts no tokens, none."""
    text = bytes(told) if len(memoryview(told)) <= _MOST_USAGE else b""
    return told if _MEMBER.match(text) else {"prompt_tokens": 0, "total_tokens": 0}


def _vector(text: msgspec.Raw, form: str) -> msgspec.Raw | str:
    """Returns the numbers as they are, or as little-endian 32-bit floats in base64. Raises UnexpectedAnswer."""
    if values_in(memoryview(text), _MOST_NUMBERS, marks=(b",",)) > _MOST_NUMBERS:
        raise UnexpectedAnswer(operation="embeddings", kind=f"a vector of more than {_MOST_NUMBERS} numbers")
    try:
        vector = _numbers.decode(text)
    except msgspec.ValidationError:
        raise UnexpectedAnswer(operation="embeddings", kind="a vector that is not a list of numbers") from None
    if form != "base64":
        return text
    try:
        return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
    except OverflowError:
        raise UnexpectedAnswer(operation="embeddings", kind="a number beyond 32 bits") from None
