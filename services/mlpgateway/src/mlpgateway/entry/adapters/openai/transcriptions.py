"""`audio/transcriptions`: speech to text by a model of the task type `asr`."""

import codecs
from collections.abc import AsyncGenerator
from typing import Final

import msgspec
from starlette.datastructures import FormData, Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from mlpgateway.call.call import Answer, Call, Payload
from mlpgateway.call.error_bodies import Unread
from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.adapters.openai.conversations import items_of
from mlpgateway.entry.adapters.openai.objects import (
    Object,
    decoded_answer,
    payload_of,
    text_in,
    with_payload,
)
from mlpgateway.entry.adapters.openai.recordings import request_with
from mlpgateway.entry.http.answers import head, send_answer
from mlpgateway.entry.http.wire import identifying
from mlpgateway.errors.gate import AN_ERROR, UnexpectedAnswer
from mlpgateway.features.idempotency.fingerprints import RequestParts
from mlpgateway.policy.access.model_directory import ModelReference
from mlplace_kit.errors import MalformedRequest, UnsupportedContentType, ValidationFailed
from mlplace_kit.violations import broken

_NULL: Final = msgspec.Raw(b"null")
_FORM: Final = "multipart/form-data"
_TEXT: Final = b"text/plain; charset=utf-8"
_FILE: Final = "file"
_UTF_8: Final = codecs.lookup("utf-8")
_MOST_FILES: Final = 32
"""More than one is refused once all are read: only then the error can name the field."""
_MOST_FIELDS: Final = 32
_MOST_FIELD: Final = 64 * 1024
_FORMATS: Final = ("json", "text")
_OF_THE_CALL: Final = frozenset({_FILE, "model", "response_format", "stream"})


class _Alternative(msgspec.Struct, gc=False):
    text: msgspec.Raw = _NULL
    confidence: msgspec.Raw = _NULL


class _Said(Unread):
    """What a model understood. The times of words, and whatever else it tells, are skipped."""

    text: msgspec.Raw = _NULL
    alternatives: msgspec.Raw = _NULL


_said: Final = msgspec.json.Decoder(_Said)
_alternative: Final = msgspec.json.Decoder(_Alternative)


async def transcriptions(incoming: AdapterRequest) -> None:
    """Sends fields such as language and prompt as the config."""
    await incoming.directory.check(incoming.caller)
    form = await _form(incoming)
    try:
        _expect_no_lists(form)
        reference = ModelReference.parse(_text(form, "model") or "")
        wanted = _text(form, "response_format") or "json"
        if wanted not in _FORMATS:
            raise ValidationFailed({"response_format": broken("one_of", allowed=", ".join(_FORMATS))})
        if (_text(form, "stream") or "false").lower() not in {"false", "0"}:
            raise ValidationFailed({"stream": broken("not_streamed")})
        request = await request_with(_recording(form), reference.inner)
    finally:
        await form.close()
    config = _fields(form)
    call = incoming.call(reference, request, payload_of(config) if config else None)
    answer = await incoming.answer(call, _as_transcript, request=_identifying(incoming, call, request, wanted))
    await _send(incoming, answer, as_text=wanted == "text")


def _expect_no_lists(form: FormData) -> None:
    """Raises ValidationFailed for a list of what a call has once: it would have no effect."""
    if (name := next((name for name in form if name.removesuffix("[]") in _OF_THE_CALL - {name}), None)) is not None:
        raise ValidationFailed({name: broken("unknown_field")})


def _fields(form: FormData) -> Object:
    """Returns the fields that are not of the call itself. Those that are repeated, or named `name[]`, are lists."""
    values: dict[str, list[object]] = {}
    lists: set[str] = set()
    for name, value in form.multi_items():
        if name in _OF_THE_CALL:
            continue
        plain = name.removesuffix("[]")
        values.setdefault(plain, []).append(value)
        if plain != name or len(values[plain]) > 1:
            lists.add(plain)
    return {name: several if name in lists else several[0] for name, several in values.items()}


def _identifying(incoming: AdapterRequest, call: Call, request: Payload, wanted: str) -> RequestParts:
    """Returns what the form says. Its bytes do not identify it: clients choose another boundary each time."""
    if incoming.options.key is None:
        return ()
    said = [call.account, call.model, wanted, call.config and call.config.json]
    return *identifying(incoming.scope, msgspec.json.encode(said)), text_in(request)


def _as_transcript(answer: Answer) -> Answer:
    """Raises UnexpectedAnswer."""
    said = decoded_answer(_said, text_in(answer.payload), "asr", "JSON without a list of alternatives")
    if said.names_error:
        raise UnexpectedAnswer(operation="asr", kind=AN_ERROR)
    return with_payload(answer, {"text": _transcript(said)})


async def _form(incoming: AdapterRequest) -> FormData:
    """Raises UnsupportedContentType, MalformedRequest, and ValidationFailed for a field that is too long."""
    if not incoming.headers.get("content-type", "").lower().startswith(_FORM):
        raise UnsupportedContentType(expected=_FORM)

    async def body() -> AsyncGenerator[bytes]:
        yield bytes(incoming.body)

    headers = Headers({"content-type": incoming.headers["content-type"]})
    parser = _FormParser(headers, body(), max_files=_MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=_MOST_FIELD)
    try:
        return await parser.parse()
    except MultiPartException as problem:
        raise MalformedRequest(reason=f"not a form: {problem.message}") from None
    except (KeyError, ValueError):
        raise MalformedRequest(reason="not a form") from None


class _FormParser(MultiPartParser):
    """Reads a form in UTF-8 (RFC 7578, section 5.1). Names a field that is too long, or is not UTF-8.

    Its base reads what is not in the form's coding as Latin-1, so that the model would get another text.
    """

    def on_headers_finished(self) -> None:
        try:
            (self._current_part.content_disposition or b"").decode()
        except UnicodeDecodeError:
            raise MalformedRequest(reason="a name in the form is not UTF-8") from None
        if codecs.lookup(self._charset) != _UTF_8:
            raise MalformedRequest(reason="the form is not in UTF-8")
        super().on_headers_finished()

    def on_part_end(self) -> None:
        part = self._current_part
        if part.file is None:
            try:
                part.data.decode()
            except UnicodeDecodeError:
                raise ValidationFailed({part.field_name: broken("invalid", message="must be UTF-8")}) from None
        super().on_part_end()

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        part = self._current_part
        if part.file is None and len(part.data) + end - start > self.max_part_size:
            raise ValidationFailed({part.field_name or "body": broken("too_many_bytes", max=str(self.max_part_size))})
        super().on_part_data(data, start, end)


def _text(form: FormData, name: str) -> str | None:
    """Raises ValidationFailed for a file, and for several values."""
    value = _only(form, name)
    if isinstance(value, UploadFile):
        raise _must_be_text(name)
    return value


def _recording(form: FormData) -> UploadFile:
    """Raises ValidationFailed unless `file` is the only file of the form."""
    recording = _only(form, _FILE)
    if not isinstance(recording, UploadFile):
        raise ValidationFailed({_FILE: broken("required")})
    others = (name for name, value in form.multi_items() if isinstance(value, UploadFile) and name != _FILE)
    if (other := next(others, None)) is not None:
        raise _must_be_text(other)
    return recording


def _only(form: FormData, name: str) -> str | UploadFile | None:
    """Raises ValidationFailed for several values."""
    if len(form.getlist(name)) > 1:
        raise ValidationFailed({name: broken("too_many", message="was sent more than once; send one", max="1")})
    return form.get(name)


def _must_be_text(name: str) -> ValidationFailed:
    return ValidationFailed({name: broken("wrong_type", message="must be a text", expected="text")})


async def _send(incoming: AdapterRequest, answer: Answer, *, as_text: bool) -> None:
    if not as_text:
        await send_answer(incoming.send, answer)
        return
    body = f"{msgspec.json.decode(text_in(answer.payload), type=dict[str, str])['text']}\n".encode()
    headers = [*head(_TEXT, answer.headers), (b"content-length", str(len(body)).encode())]
    await incoming.send({"type": "http.response.start", "status": 200, "headers": headers})
    await incoming.send({"type": "http.response.body", "body": body})


def _transcript(said: _Said) -> str:
    """Returns the text; of several alternatives the one with the highest confidence."""
    if (text := _text_in(said.text)) is not None:
        return text
    items = items_of(memoryview(said.alternatives), "alternatives", "asr")
    alternatives = [decoded_answer(_alternative, item, "asr", "an alternative that is no object") for item in items]
    text = _text_in(max(alternatives, key=_confidence).text) if alternatives else None
    if text is None:
        raise UnexpectedAnswer(operation="asr", kind="no text")
    return text


def _text_in(raw: msgspec.Raw) -> str | None:
    """Returns the text if the value is one."""
    return msgspec.json.decode(raw, type=str) if bytes(memoryview(raw)[:1]) == b'"' else None


def _confidence(alternative: _Alternative) -> float:
    try:
        return msgspec.json.decode(alternative.confidence, type=float)
    except msgspec.ValidationError:
        return 0.0
