"""The format of cached answers in the owner's database, and their keys."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from bson import Binary

from mlpgateway.call import headers
from mlpgateway.call.call import Answer, Call, Operation, Payload
from mlpgateway.call.context import size_of
from mlpgateway.call.transport import InstanceRequest
from mlplace_contracts.events import ModelChanged
from mlplace_gateproto import headers as names

MOST_BYTES: Final = 8 * 1024 * 1024
_FORMAT: Final = 1
# Headers of one call only: a call with a cached answer has its own.
_OF_ONE_CALL: Final = frozenset({names.REQUEST_ID.lower(), names.SERVER_TIME.lower()})


def key_of(call: Call, request: InstanceRequest, model: ModelChanged) -> str | None:
    """Returns the same key for calls with the same answer; None for calls that are not cached.

    Each part is hashed with its length, so that different lists of parts never produce the same text.
    """
    if request.operation is not Operation.PREDICT or request.data is None or headers.hide_contents(call.headers):
        return None
    digest = hashlib.sha256()
    for part in _parts_of_key(call, request, model):
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.hexdigest()


def _parts_of_key(call: Call, request: InstanceRequest, model: ModelChanged) -> Iterator[bytes]:
    yield f"{_FORMAT} {model.model_id} {model.version} {request.operation} {call.keep_parts}".encode()
    for payload in (request.data, request.config):
        if payload is None:
            yield b"none"
            continue
        yield b"json" if payload.protobuf is None else b"protobuf"
        yield (payload.data_type or "").encode(errors="surrogatepass")
        yield (payload.json or "").encode(errors="surrogatepass") if payload.protobuf is None else payload.protobuf


def kept(answer: Answer) -> Answer | None:
    """Returns the part of an answer that other calls may get; None when the answer is not cached."""
    if headers.hide_contents(answer.headers) or sum(map(size_of, (answer.payload, *answer.before))) > MOST_BYTES:
        return None
    told = headers.to_caller(answer.headers)
    shared = {name: value for name, value in told.items() if name.lower() not in _OF_ONE_CALL}
    return Answer(answer.payload, shared, before=answer.before)


def document_of(key: str, model_id: int, answer: Answer, now: datetime) -> dict[str, Any]:
    """Returns the record. Header names are values, because field names do not allow all their characters."""
    return {
        "_id": key,
        "format": _FORMAT,
        "model": model_id,
        "at": now,
        "parts": [_packed(payload) for payload in (*answer.before, answer.payload)],
        "headers": [[name, value] for name, value in answer.headers.items()],
    }


def answer_in(document: Mapping[str, Any]) -> Answer | None:
    """Returns None for a record of another format: the collection is its owner's and may contain anything."""
    match document:
        case {"format": int(number), "parts": [*parts], "headers": [*given]} if number == _FORMAT and parts:
            payloads = [payload for part in parts if (payload := _unpacked(part)) is not None]
            told = dict(_pairs(given))
            if len(payloads) < len(parts) or len(told) < len(given):
                return None
            return Answer(payloads[-1], headers.to_caller(told), before=tuple(payloads[:-1]))
        case _:
            return None


def _packed(payload: Payload) -> dict[str, Any]:
    content = {"json": payload.json or ""} if payload.protobuf is None else {"bytes": Binary(payload.protobuf)}
    return {**content, "type": payload.data_type}


def _unpacked(part: object) -> Payload | None:
    match part:
        case {"json": str(text), "type": None | str() as kind}:
            return Payload(json=text, data_type=kind)
        case {"bytes": bytes(content), "type": None | str() as kind}:
            return Payload(protobuf=bytes(content), data_type=kind)
        case _:
            return None


def _pairs(given: Iterable[object]) -> Iterator[tuple[str, str]]:
    for pair in given:
        match pair:
            case [str(name), str(value)]:
                yield name, value
            case _:
                return
