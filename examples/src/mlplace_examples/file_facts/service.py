"""Describes a file: its kind by its first bytes, its size and checksum, and for a text its lines and words.

If the variable `SIGNING_KEY`, a secret of its owner, is set, it signs the checksum.
"""

import base64
import binascii
import hashlib
import hmac
import os
from collections import Counter
from math import log2
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, field_validator

_KINDS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"RIFF", "audio/wav"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
)


class File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    file_base64: str = Field(max_length=20_000_000)
    fileName: str = Field(default="", max_length=255)  # noqa: N815 - name on the wire

    @field_validator("file_base64")
    @classmethod
    def is_base64(cls, value: str) -> str:
        try:
            base64.b64decode(value, validate=True)
        except binascii.Error as error:
            raise ValueError("is not base64") from error
        return value


class TextFacts(BaseModel):
    lines: int
    words: int
    characters: int
    commonest: list[str]
    """Up to ten words."""


class Facts(BaseModel):
    fileName: str  # noqa: N815 - name on the wire
    kind: str
    bytes: int
    sha256: str
    entropy: float
    """Bits per byte, from 0 to 8: close to 8 for compressed or encrypted data."""
    signature: str | None
    """HMAC-SHA-256 of the content, which only the holder of the key can compute. Null without a key."""
    text: TextFacts | None
    """Null if the file is not a text in UTF-8."""


class FileFacts:
    def __init__(self) -> None:
        self._key = os.environ.get("SIGNING_KEY", "").encode()

    def predict(self, data: File) -> Facts:
        content = base64.b64decode(data.file_base64)
        text = _text(content)
        return Facts(
            fileName=data.fileName,
            kind=_kind(content, text),
            bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            entropy=round(_entropy(content), 3),
            signature=hmac.digest(self._key, content, "sha256").hex() if self._key else None,
            text=_text_facts(text) if text is not None else None,
        )


def _text(content: bytes) -> str | None:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _kind(content: bytes, text: str | None) -> str:
    known = next((kind for start, kind in _KINDS if content.startswith(start)), None)
    return known or ("text/plain" if text is not None else "application/octet-stream")


def _entropy(content: bytes) -> float:
    size = len(content)
    return abs(sum(count / size * log2(count / size) for count in Counter(content).values()))


def _text_facts(text: str) -> TextFacts:
    words = text.split()
    common = Counter(word.strip(".,:;!?()\"'«»").lower() for word in words)
    del common[""]
    return TextFacts(
        lines=len(text.splitlines()),
        words=len(words),
        characters=len(text),
        commonest=[word for word, _ in common.most_common(10)],
    )
