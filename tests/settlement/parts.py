"""One part of an answer at each entry that sends parts as they come: what the instance says, and what the caller gets."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.settlement.entries import STREAMED_SPEECH, STREAMING


def chunk(text: str) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]})


def sound(text: str) -> bytes:
    """A sample has two bytes, so the text has an even number of letters."""
    return text.encode()


def recognition(text: str) -> str:
    return json.dumps({"alternatives": [{"text": text}]})


SAID: Mapping[str, Callable[[str], str | bytes]] = {
    **dict.fromkeys(STREAMING, chunk),
    **dict.fromkeys(STREAMED_SPEECH, sound),
    "processResponseStream": json.dumps,
    "processStream": json.dumps,
    "processSynthesis": sound,
    "processRecognition": recognition,
}
"""How an instance says a text, by entry."""
READ: Mapping[str, Callable[[Any], str]] = {
    "processResponseStream": lambda answer: json.loads(answer.partialPredict.data.json),
    "processStream": lambda answer: json.loads(answer.partialPredict.data.json),
    "processSynthesis": lambda answer: answer.tts.audio_chunk.data.decode(),
    "processRecognition": lambda answer: answer.asr.chunks[0].alternatives[0].text,
}
"""Finds the text in an answer, by RPC."""
