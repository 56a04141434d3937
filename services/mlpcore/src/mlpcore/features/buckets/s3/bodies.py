"""The body of a request: as it is, or in chunks with signatures and a trailer. Digests are checked at its end."""

import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from mlpcore.features.buckets.objects import IncomingObject
from mlpcore.features.buckets.s3.errors import S3Error, invalid_argument
from mlpcore.features.buckets.s3.signature import UNSIGNED, ChunkSigner, Proof

_CHUNKED: Final[Mapping[str, bool]] = {
    "STREAMING-AWS4-HMAC-SHA256-PAYLOAD": True,
    "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER": True,
    "STREAMING-UNSIGNED-PAYLOAD-TRAILER": False,
}
"""Whether the chunks have signatures."""
_TRAILER: Final = "-TRAILER"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_SIZE: Final = re.compile(rb"([0-9a-fA-F]{1,16})(?:;chunk-signature=([0-9a-f]{64}))?")
_LEAST_CHUNK: Final = 8 * 1024
_MOST_LINE: Final = 1024
_MOST_TRAILERS: Final = 8


class _Digest(Protocol):
    def update(self, data: bytes, /) -> None: ...

    def digest(self) -> bytes: ...


class _Crc32:
    def __init__(self) -> None:
        self._value = 0

    def update(self, data: bytes, /) -> None:
        self._value = zlib.crc32(data, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(4, "big")


_CHECKSUMS: Final[Mapping[str, Callable[[], _Digest]]] = {
    "x-amz-checksum-crc32": _Crc32,
    "x-amz-checksum-sha1": lambda: hashlib.sha1(usedforsecurity=False),
    "x-amz-checksum-sha256": hashlib.sha256,
}
"""Those that the standard library computes. Others (crc32c, crc64nvme) are accepted without a check."""


def body_of(headers: Mapping[str, str], pieces: AsyncIterator[bytes], proof: Proof) -> IncomingObject:
    """Raises S3Error for headers that do not fit. The pieces raise S3Error for bytes that do not."""
    checks, payload = _Checks(), proof.payload
    for name, make in _CHECKSUMS.items():
        if name in headers:
            checks.expect(name, headers[name], make())
    if "content-md5" in headers:
        checks.expect("content-md5", headers["content-md5"], hashlib.md5(usedforsecurity=False))
    if payload in _CHUNKED:
        trailer = headers.get("x-amz-trailer", "").strip().lower()
        if trailer in _CHECKSUMS:
            checks.trailer, checks.trailer_digest = trailer, _CHECKSUMS[trailer]()
        chunks = _Chunks(pieces, proof.chunks if _CHUNKED[payload] else None, has_trailer=payload.endswith(_TRAILER))
        size = _length(headers.get("x-amz-decoded-content-length", ""))
        return IncomingObject(checks.passed(chunks.data(), size, chunks.trailers), size)
    if payload != UNSIGNED:
        if not _DIGEST.fullmatch(payload):
            raise invalid_argument("x-amz-content-sha256 must be a SHA-256 digest or UNSIGNED-PAYLOAD.")
        checks.sha256 = payload
    size = _length(headers.get("content-length", ""))
    return IncomingObject(checks.passed(pieces, size, {}), size)


def _length(text: str) -> int:
    if not text.isdecimal():
        raise S3Error("MissingContentLength", 411, "Send the length of the content.")
    return int(text[:19])


@dataclass(slots=True)
class _Checks:
    sha256: str | None = None
    trailer: str | None = None
    trailer_digest: _Digest | None = None
    expected: list[tuple[bytes, _Digest]] = field(default_factory=list[tuple[bytes, _Digest]])

    def expect(self, name: str, text: str, digest: _Digest) -> None:
        self.expected.append((_decoded(name, text), digest))

    async def passed(
        self, pieces: AsyncIterator[bytes], size: int, trailers: Mapping[str, str]
    ) -> AsyncIterator[bytes]:
        whole, seen = hashlib.sha256() if self.sha256 else None, 0
        digests = [digest for _, digest in self.expected]
        if self.trailer_digest is not None:
            digests.append(self.trailer_digest)
        async for piece in pieces:
            seen += len(piece)
            if seen > size:
                raise S3Error("IncompleteBody", 400, "The body is longer than announced.")
            for digest in digests:
                digest.update(piece)
            if whole is not None:
                whole.update(piece)
            yield piece
        if seen < size:
            raise S3Error("IncompleteBody", 400, "The body is shorter than announced.")
        if whole is not None and whole.hexdigest() != self.sha256:
            raise S3Error("XAmzContentSHA256Mismatch", 400, "The body has another digest than x-amz-content-sha256.")
        self._check(trailers)

    def _check(self, trailers: Mapping[str, str]) -> None:
        expected = list(self.expected)
        if self.trailer is not None and self.trailer_digest is not None:
            if self.trailer not in trailers:
                raise S3Error("MalformedTrailerError", 400, "The announced trailer is missing.")
            expected.append((_decoded(self.trailer, trailers[self.trailer]), self.trailer_digest))
        if any(value != digest.digest() for value, digest in expected):
            raise S3Error("BadDigest", 400, "The body has another digest than the request says.")


def _decoded(name: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise S3Error("InvalidDigest", 400, f"The value of {name} is no digest.") from None


class _Chunks:
    """Reads a body in chunks: a line with the size, the bytes, an empty line; at the end the trailers."""

    def __init__(self, pieces: AsyncIterator[bytes], signer: ChunkSigner | None, *, has_trailer: bool) -> None:
        self._pieces = pieces
        self._signer = signer
        self._has_trailer = has_trailer
        self._waiting = bytearray()
        self.trailers: dict[str, str] = {}

    async def data(self) -> AsyncIterator[bytes]:
        small = False
        while True:
            size, signature = self._header(await self._line())
            if size and small:
                raise S3Error("InvalidChunkSizeError", 403, f"Each chunk but the last needs {_LEAST_CHUNK} bytes.")
            small = size < _LEAST_CHUNK
            digest = hashlib.sha256()
            async for piece in self._bytes(size):
                if self._signer is not None:
                    digest.update(piece)
                yield piece
            if self._signer is not None and not self._signer.is_next_chunk(signature, digest.hexdigest()):
                raise S3Error("SignatureDoesNotMatch", 403, "The signature of a chunk is wrong.")
            if not size:
                break
            if await self._line():
                raise self._broken()
        await self._read_trailers()

    def _header(self, line: bytes) -> tuple[int, str]:
        found = _SIZE.fullmatch(line)
        if found is None or (self._signer is not None and found[2] is None):
            raise self._broken()
        return int(found[1], 16), (found[2] or b"").decode()

    async def _read_trailers(self) -> None:
        """Some clients end a trailer with a line feed of its own; it is part of what they sign once, not twice."""
        signed, signature = b"", None
        for _ in range(_MOST_TRAILERS):
            line = (await self._line(may_end=True)).removesuffix(b"\n")
            if not line and (signature is not None or not self._is_signed):
                return
            if not line:
                continue
            name, _, value = line.partition(b":")
            text = value.strip().decode("latin-1")
            if name == b"x-amz-trailer-signature":
                signature = text
                self._check_trailer(signed, text)
                continue
            signed += line + b"\n"
            self.trailers[name.decode("latin-1").lower()] = text
        raise self._broken()

    @property
    def _is_signed(self) -> bool:
        return self._signer is not None and self._has_trailer

    def _check_trailer(self, signed: bytes, signature: str) -> None:
        digest = hashlib.sha256(signed).hexdigest()
        if self._signer is not None and not self._signer.is_of_trailer(signature, digest):
            raise S3Error("SignatureDoesNotMatch", 403, "The signature of the trailer is wrong.")

    async def _bytes(self, size: int) -> AsyncIterator[bytes]:
        while size:
            if not self._waiting and not await self._more():
                raise self._broken()
            piece = bytes(self._waiting[:size])
            del self._waiting[:size]
            size -= len(piece)
            yield piece

    async def _line(self, *, may_end: bool = False) -> bytes:
        while (end := self._waiting.find(b"\r\n")) < 0:
            if len(self._waiting) > _MOST_LINE:
                raise self._broken()
            if not await self._more():
                if may_end and not self._waiting:
                    return b""
                raise self._broken()
        line = bytes(self._waiting[:end])
        del self._waiting[: end + 2]
        return line

    async def _more(self) -> bool:
        piece = await anext(self._pieces, None)
        if piece is None:
            return False
        self._waiting += piece
        return True

    @staticmethod
    def _broken() -> S3Error:
        return S3Error("IncompleteBody", 400, "The chunks of the body are not as the protocol wants them.")
