"""The models that the clients call, on the SDK: `python -m tests.clients.models chat|vectors|voice|ears|pictures`."""

import base64
import sys
from typing import Any

import mlplace
from tests.clients.chat_model import Chat

Object = dict[str, Any]
SAMPLES = 2400
"""A tenth of a second at 24 kHz."""
PICTURE = b"\x89PNG\r\n\x1a\nclients"


def vectors(data: Object) -> Object:
    """A vector has the length of the text, its words, and a half."""
    found = [{"vector": [float(len(text)), float(len(text.split())), 0.5]} for text in data["texts"]]
    return {"embedded_texts": found}


def voice(data: Object, config: Object | None = None) -> Object:
    sound = b"\x01\x02" * SAMPLES
    return {"text": data["text"], "audio_base64": base64.b64encode(sound).decode()}


def ears(data: Object, config: Object | None = None) -> Object:
    return {"text": f"{len(base64.b64decode(data['audio_base64']))} bytes"}


def pictures(data: Object, config: Object | None = None) -> Object:
    drawn = [{"b64_json": base64.b64encode(PICTURE).decode()} for _ in range(data.get("n", 1))]
    return {"created": 1, "data": drawn}


TASK_TYPES = {
    "chat": "chat-completion", "vectors": "text2vec", "voice": "tts", "ears": "asr", "pictures": "image-generation",
}  # fmt: skip
_MODELS = {"chat": Chat, "vectors": vectors, "voice": voice, "ears": ears, "pictures": pictures}


if __name__ == "__main__":
    mlplace.serve(_MODELS[sys.argv[1]])
