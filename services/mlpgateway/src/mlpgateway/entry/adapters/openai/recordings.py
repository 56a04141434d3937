"""The recording of a form as the request to a model. Its bytes are not held a second time."""

from binascii import b2a_base64
from typing import Final

import msgspec
from starlette.datastructures import UploadFile

from mlpgateway.call.call import Payload
from mlpgateway.call.large_json import LARGE_BYTES, LargeText, TextBuffer

_PIECE: Final = 3 * 256 * 1024
"""Bytes read at once: a multiple of three, so that the texts of the pieces are that of the whole."""


async def request_with(recording: UploadFile, model: str | None) -> Payload:
    """Returns `{"audio_base64": ..., "model": ...}` as JSON; without the model if it is None."""
    text = bytearray(b'{"audio_base64":"')
    while piece := await recording.read(_PIECE):
        text += b2a_base64(piece, newline=False)
    text += b'"'
    if model is not None:
        text += b',"model":' + msgspec.json.encode(model)
    text += b"}"
    return Payload(json=text.decode()) if len(text) < LARGE_BYTES else LargeText(source=TextBuffer(text))
