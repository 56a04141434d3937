"""Translates calls to plain HTTP requests and back, with the paths and bodies of the platform's own API.

`predict` is `POST /predict` with the request as its body, or `POST /predict-with-config` with `{"data", "config"}` when
there is a config; other methods are `POST /ext`. The answer is JSON, or bytes of another type; server-sent events and
lines of JSON are a streamed answer.
"""

import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Final

from mlpgateway.call.call import Answer, Operation, Payload
from mlpgateway.call.large_json import LargeText
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.instances.http.answer_body import body_of
from mlpgateway.instances.http.client.response import Response
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken

_JSON: Final = "application/json"
_EVENTS: Final = "text/event-stream"
_NO_CODING: Final = {"Accept-Encoding": "identity"}
"""A request without it accepts any coding (RFC 9110, section 12.5.3), and answers are read without decoding them."""
_NO_CONFIG: Final = frozenset({"", "{}"})


@dataclass(frozen=True, slots=True)
class Asked:
    target: str
    headers: Mapping[str, str]
    body: bytes | memoryview


def request_of(request: InstanceRequest) -> Asked:
    """Raises ValidationFailed for bytes of a gRPC caller where the instance gets JSON, or beside a config."""
    if request.operation is Operation.EXT:
        params = {name: _text(value, f"params.{name}") for name, value in request.params.items()}
        return _as_json("/ext", json.dumps({"methodName": request.method_name, "params": params}).encode())
    data = request.data or Payload()
    config = _text(request.config or Payload(), "config")
    if data.protobuf is not None:
        if config.strip() not in _NO_CONFIG:
            raise ValidationFailed({"data": broken("json_text", message="must be JSON text beside a config")})
        return Asked("/predict", {"Content-Type": "application/octet-stream", **_NO_CODING}, data.protobuf)
    text = data.source.view if type(data) is LargeText else (data.json or "null").encode()
    if config.strip() in _NO_CONFIG:
        return _as_json("/predict", text)
    return _as_json("/predict-with-config", b"".join([b'{"data":', text, b',"config":', config.encode(), b"}"]))


def _text(value: Payload, field: str) -> str:
    if value.protobuf:
        raise ValidationFailed({field: broken("json_text")})
    return value.json or ""


def _as_json(target: str, body: bytes | memoryview) -> Asked:
    return Asked(target, {"Content-Type": _JSON, "Accept": f"{_JSON}, {_EVENTS}", **_NO_CODING}, body)


async def answers_of(response: Response, most_bytes: int, *, whole: bool) -> AsyncGenerator[Answer]:
    """Yields the answer. Raises InstanceError for an error status, BrokenAnswer for an invalid body."""
    body = body_of(response.status, response.headers, most_bytes, whole=whole)
    while piece := await response.piece():
        for place, few in enumerate(body.few(piece)):
            if place:
                await response.turn()
            for answer in body.piece(few):
                yield answer
                if answer.last:
                    return
    for answer in body.end():
        yield answer
