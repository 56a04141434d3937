"""`audio/transcriptions`: speech to text by a model of the task type `asr`."""

import base64
from collections.abc import AsyncGenerator
from typing import Final

import msgspec
from starlette.datastructures import FormData, Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from mlpgateway.call.call import Answer, Call
from mlpgateway.entry.adapters.errors import AudioFormatNotSupported
from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.adapters.openai.objects import Object, list_of, payload_of, read_object, text_of, with_payload
from mlpgateway.entry.http.answers import head, send_answer
from mlpgateway.entry.http.wire import identifying
from mlpgateway.errors.gate import UnexpectedAnswer
from mlpgateway.policy.access.model_directory import ModelReference
from mlplace_kit.errors import MalformedRequest, UnsupportedContentType, ValidationFailed
from mlplace_kit.violations import broken

_FORM: Final = "multipart/form-data"
_TEXT: Final = b"text/plain; charset=utf-8"
_FILE: Final = "file"
_MOST_FILES: Final = 32
"""More than one is refused once all are read: only then the error can name the field."""
_MOST_FIELDS: Final = 32
_MOST_FIELD: Final = 64 * 1024
_FORMATS: Final = {"json", "text"}
_OF_THE_CALL: Final = {_FILE, "model", "response_format", "stream"}


async def transcriptions(incoming: AdapterRequest) -> None:
    """Sends fields such as language and prompt as the config."""
    await incoming.directory.check(incoming.caller)
    form = await _form(incoming)
    try:
        reference = ModelReference.parse(_text(form, "model") or "")
        wanted = _text(form, "response_format") or "json"
        if wanted not in _FORMATS:
            raise AudioFormatNotSupported(supported="json and text", asked=wanted)
        if (_text(form, "stream") or "false").lower() not in {"false", "0"}:
            raise ValidationFailed({"stream": broken("not_streamed")})
        recording = await _recording(form).read()
        request: Object = {"audio_base64": base64.b64encode(recording).decode()}
    finally:
        await form.close()
    if reference.inner is not None:
        request["model"] = reference.inner
    config = _fields(form)
    call = incoming.call(reference, payload_of(request), payload_of(config) if config else None)
    answer = await incoming.answer(call, _as_transcript, request=_identifying(incoming, call, wanted))
    await _send(incoming, answer, as_text=wanted == "text")


def _fields(form: FormData) -> Object:
    """Returns the fields that are not of the call itself. Those that are repeated, or named `name[]`, are lists."""
    values: dict[str, list[object]] = {}
    lists: set[str] = set()
    for name, value in form.multi_items():
        plain = name.removesuffix("[]")
        values.setdefault(plain, []).append(value)
        if plain != name or len(values[plain]) > 1:
            lists.add(plain)
    return {
        name: several if name in lists else several[0] for name, several in values.items() if name not in _OF_THE_CALL
    }


def _identifying(incoming: AdapterRequest, call: Call, wanted: str) -> bytes:
    """Returns what the form says. Its bytes do not identify it: clients choose another boundary each time."""
    if incoming.options.key is None:
        return b""
    said = [call.account, call.model, wanted, *(payload and payload.json for payload in (call.data, call.config))]
    return identifying(incoming.scope, msgspec.json.encode(said))


def _as_transcript(answer: Answer) -> Answer:
    """Raises UnexpectedAnswer."""
    return with_payload(answer, {"text": _transcript(read_object(answer.payload, "asr"))})


async def _form(incoming: AdapterRequest) -> FormData:
    """Raises UnsupportedContentType, MalformedRequest."""
    if not incoming.headers.get("content-type", "").lower().startswith(_FORM):
        raise UnsupportedContentType(expected=_FORM)

    async def body() -> AsyncGenerator[bytes]:
        yield bytes(incoming.body)

    headers = Headers({"content-type": incoming.headers["content-type"]})
    parser = MultiPartParser(headers, body(), max_files=_MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=_MOST_FIELD)
    try:
        return await parser.parse()
    except MultiPartException as problem:
        raise MalformedRequest(reason=f"not a form: {problem.message}") from None
    except (KeyError, ValueError):
        raise MalformedRequest(reason="not a form") from None


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
        raise ValidationFailed({name: broken("too_many", max="1")})
    return form.get(name)


def _must_be_text(name: str) -> ValidationFailed:
    return ValidationFailed({name: broken("wrong_type", message="must be a text", expected="text")})


async def _send(incoming: AdapterRequest, answer: Answer, *, as_text: bool) -> None:
    if not as_text:
        await send_answer(incoming.send, answer)
        return
    body = f"{text_of(read_object(answer.payload, 'asr')['text'])}\n".encode()
    headers = [*head(_TEXT, answer.headers), (b"content-length", str(len(body)).encode())]
    await incoming.send({"type": "http.response.start", "status": 200, "headers": headers})
    await incoming.send({"type": "http.response.body", "body": body})


def _transcript(body: Object) -> str:
    """Returns the text; of several alternatives the one with the highest confidence."""
    if isinstance(body.get("text"), str):
        return text_of(body["text"])
    alternatives = list_of(body, "alternatives", "asr")
    text = max(alternatives, key=_confidence).get("text") if alternatives else None
    if not isinstance(text, str):
        raise UnexpectedAnswer(operation="asr", kind="no text")
    return text


def _confidence(alternative: Object) -> float:
    value = alternative.get("confidence")
    return float(value) if isinstance(value, (int, float)) else 0.0
