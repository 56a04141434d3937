"""Translates calls to plain HTTP requests and back, with the paths and bodies of the platform's own API.

`predict` is `POST /predict` with the request as its body, or `POST /predict-with-config` with `{"data", "config"}` when
there is a config; other methods are `POST /ext`. The `dataType` is where that API has it: in the query of the first, in
the body of the second. The answer is JSON, or bytes of another type; server-sent events and lines of JSON are a
streamed answer.
"""

import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from mlpgateway.call.call import Answer, Operation, Payload
from mlpgateway.call.json_only import has_config
from mlpgateway.call.large_json import LargeText
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.instances.http.answer_body import body_of
from mlpgateway.instances.http.client.response import Response

_JSON: Final = "application/json"
_EVENTS: Final = "text/event-stream"
_NO_CODING: Final = {"Accept-Encoding": "identity"}
"""A request without it accepts any coding (RFC 9110, section 12.5.3), and answers are read without decoding them."""


@dataclass(frozen=True, slots=True)
class TranslatedRequest:
    target: str
    headers: Mapping[str, str]
    body: bytes | memoryview


def request_of(request: InstanceRequest) -> TranslatedRequest:
    """`json_only.py` has refused what the request could not hold."""
    if request.operation is Operation.EXT:
        params = {name: value.json or "" for name, value in request.params.items()}
        return _as_json("/ext", json.dumps({"methodName": request.method_name, "params": params}).encode())
    data = request.data or Payload()
    if data.protobuf is not None:
        content = {"Content-Type": "application/octet-stream", **_NO_CODING}
        return TranslatedRequest(_predict(data), content, data.protobuf)
    text = data.source.view if type(data) is LargeText else (data.json or "null").encode()
    config = request.config
    if config is None or not has_config(config):
        return _as_json(_predict(data), text)
    kind = f',"dataType":{json.dumps(data.data_type)}'.encode() if data.data_type else b""
    body = b"".join([b'{"data":', text, b',"config":', (config.json or "").encode(), kind, b"}"])
    return _as_json("/predict-with-config", body)


def _predict(data: Payload) -> str:
    return f"/predict?dataType={quote(data.data_type, safe='')}" if data.data_type else "/predict"


def _as_json(target: str, body: bytes | memoryview) -> TranslatedRequest:
    return TranslatedRequest(target, {"Content-Type": _JSON, "Accept": f"{_JSON}, {_EVENTS}", **_NO_CODING}, body)


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
