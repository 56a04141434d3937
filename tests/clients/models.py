"""The models that the clients call, on the SDK: `python -m tests.clients.models chat|vectors|voice|ears|pictures`."""

import base64
import hashlib
import sys
from typing import Any

import mlplace
from tests.clients.chat_model import Chat

Object = dict[str, Any]
SAMPLES = 2400
"""A tenth of a second at 24 kHz."""
RECORDING = b"RIFF" + bytes(range(96))
"""What every client has transcribed."""


def vectors(data: Object) -> Object:
    """A vector has the length of the text, its words, and a half."""
    found = [{"vector": [float(len(text)), float(len(text.split())), 0.5]} for text in data["texts"]]
    return {"embedded_texts": found}


def voice(data: Object, config: Object | None = None) -> Object:
    return {"text": data["text"], "audio_base64": base64_of(sound_of(data["text"], data["voice"]))}


def sound_of(text: str, voice: str) -> bytes:
    """The lengths of the text and of the voice's name are the two bytes of each sample."""
    return bytes((len(text), len(voice))) * SAMPLES


def ears(data: Object, config: Object | None = None) -> Object:
    language = (config or {}).get("language", "no language")
    return {"text": transcript_of(base64.b64decode(data["audio_base64"]), language)}


def transcript_of(recording: bytes, language: str) -> str:
    return f"{len(recording)} bytes {hashlib.sha256(recording).hexdigest()[:12]} in {language}"


def pictures(data: Object, config: Object | None = None) -> Object:
    """Draws as many as asked for; each ends with the prompt and its number."""
    drawn = [{"b64_json": base64_of(picture_of(data["prompt"], number))} for number in range(data.get("n", 1))]
    return {"created": 1, "data": drawn}


def picture_of(prompt: str, number: int = 0) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + f"{prompt} {number}".encode()


def base64_of(content: bytes) -> str:
    return base64.b64encode(content).decode()


TASK_TYPES = {
    "chat": "chat-completion", "vectors": "text2vec", "voice": "tts", "ears": "asr", "pictures": "image-generation",
}  # fmt: skip
_MODELS = {"chat": Chat, "vectors": vectors, "voice": voice, "ears": ears, "pictures": pictures}


if __name__ == "__main__":
    mlplace.serve(_MODELS[sys.argv[1]])
