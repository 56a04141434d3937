"""Bodies of the S3 protocol, cut at any byte."""

import base64
import hashlib
import zlib
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlpcore.features.buckets.s3.bodies import body_of
from mlpcore.features.buckets.s3.errors import S3Error
from mlpcore.features.buckets.s3.signature import UNSIGNED, ChunkSigner, Proof, SignatureClaim, signing_key

# The published examples of the protocol's authors: the keys, the time and each signature.
_SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"  # pragma: allowlist secret
_SEED = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9"  # pragma: allowlist secret
_SIGNATURES = (
    "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",  # pragma: allowlist secret
    "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",  # pragma: allowlist secret
    "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",  # pragma: allowlist secret
)
_SEED_WITH_TRAILER = "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e"  # pragma: allowlist secret
_SIGNATURES_WITH_TRAILER = (
    "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",  # pragma: allowlist secret
    "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",  # pragma: allowlist secret
    "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",  # pragma: allowlist secret
)
_OF_TRAILER = "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435"  # pragma: allowlist secret
_CHUNKS = (b"a" * 65_536, b"a" * 1024, b"")
_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
_SIGNED = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
_SIGNED_WITH_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"


def _claim(seed: str) -> SignatureClaim:
    at = datetime(2013, 5, 24, tzinfo=UTC)
    return SignatureClaim("key", "20130524", "us-east-1", at, ["host"], seed, "", None)


async def cut(data: bytes, at: list[int]) -> AsyncIterator[bytes]:
    """Yields the bytes in pieces that end at the given places."""
    start = 0
    for end in [*sorted({min(place, len(data)) for place in at}), len(data)]:
        yield data[start:end]
        start = end


async def read(
    headers: dict[str, str], data: bytes, payload: str, at: list[int] | None = None, *, seed: str = _SEED
) -> bytes:
    claim = _claim(seed)
    proof = Proof(payload, presigned=False, chunks=ChunkSigner(signing_key(_SECRET, claim), claim))
    body = body_of(headers, cut(data, at or []), proof)
    return b"".join([piece async for piece in body.pieces])


def checksum(data: bytes) -> str:
    return base64.b64encode(zlib.crc32(data).to_bytes(4, "big")).decode()


def chunked(parts: list[bytes], trailer: str) -> bytes:
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts if part)
    return chunks + b"0\r\n" + trailer.encode() + b"\r\n\r\n"


def signed(signatures: Sequence[str], end: bytes = b"\r\n") -> bytes:
    """Returns the published example's body with these signatures."""
    chunks = [
        b"%x;chunk-signature=%s\r\n" % (len(chunk), signature.encode()) + (chunk + b"\r\n" if chunk else b"")
        for chunk, signature in zip(_CHUNKS, signatures, strict=True)
    ]
    return b"".join(chunks) + end


def large(parts: list[bytes]) -> list[bytes]:
    """Returns parts as large as chunks must be; the last one may be smaller."""
    return [part * (8192 // len(part) + 1) for part in parts[:-1]] + parts[-1:]


class TestSignedChunks:
    @pytest.mark.parametrize("at", [[], [1], [90, 65_000], list(range(0, 67_000, 977))])
    async def test_of_the_published_example_are_accepted(self, at: list[int]) -> None:
        headers = {"x-amz-decoded-content-length": "66560"}
        assert await read(headers, signed(_SIGNATURES), _SIGNED, at) == b"a" * 66_560

    @pytest.mark.parametrize("end", ["\r\n", "\n\r\n"])
    async def test_of_the_published_example_with_a_trailer_are_accepted(self, end: str) -> None:
        """Some clients end the trailer with a line feed of its own."""
        headers = {"x-amz-decoded-content-length": "66560", "x-amz-trailer": "x-amz-checksum-crc32c"}
        trailer = f"x-amz-checksum-crc32c:sOO8/Q=={end}x-amz-trailer-signature:{_OF_TRAILER}\r\n\r\n"
        body = signed(_SIGNATURES_WITH_TRAILER, trailer.encode())
        assert await read(headers, body, _SIGNED_WITH_TRAILER, seed=_SEED_WITH_TRAILER) == b"a" * 66_560

    @pytest.mark.parametrize(
        ("body", "payload"),
        [
            (signed(_SIGNATURES).replace(b"a" * 1024 + b"\r\n0", b"a" * 1023 + b"b\r\n0"), _SIGNED),
            (signed([_SIGNATURES[1], *_SIGNATURES[1:]]), _SIGNED),
            (signed([*_SIGNATURES[:2], "0" * 64]), _SIGNED),
        ],
    )
    async def test_with_a_changed_byte_or_signature_are_refused(self, body: bytes, payload: str) -> None:
        with pytest.raises(S3Error) as caught:
            await read({"x-amz-decoded-content-length": "66560"}, body, payload)
        assert caught.value.code == "SignatureDoesNotMatch"

    @pytest.mark.parametrize("signature", ["", "x-amz-trailer-signature:" + "0" * 64 + "\r\n"])
    async def test_need_the_signature_of_their_trailer(self, signature: str) -> None:
        headers = {"x-amz-decoded-content-length": "66560", "x-amz-trailer": "x-amz-checksum-crc32c"}
        body = signed(_SIGNATURES_WITH_TRAILER, f"x-amz-checksum-crc32c:sOO8/Q==\r\n{signature}\r\n".encode())
        with pytest.raises(S3Error):
            await read(headers, body, _SIGNED_WITH_TRAILER, seed=_SEED_WITH_TRAILER)


class TestChunks:
    @given(
        parts=st.lists(st.binary(min_size=1, max_size=60), max_size=5), at=st.lists(st.integers(0, 40_000), max_size=8)
    )
    async def test_give_the_same_bytes_wherever_they_are_cut(self, parts: list[bytes], at: list[int]) -> None:
        parts = large(parts)
        data = b"".join(parts)
        headers = {"x-amz-decoded-content-length": str(len(data)), "x-amz-trailer": "x-amz-checksum-crc32"}
        assert await read(headers, chunked(parts, f"x-amz-checksum-crc32:{checksum(data)}"), _TRAILER, at) == data

    @given(data=st.binary(max_size=300), at=st.lists(st.integers(0, 300), max_size=5))
    async def test_of_any_bytes_end_with_a_refusal_at_most(self, data: bytes, at: list[int]) -> None:
        for payload in (_TRAILER, _SIGNED):
            try:
                await read({"x-amz-decoded-content-length": "5"}, data, payload, at)
            except S3Error:
                continue

    @pytest.mark.parametrize(
        ("body", "code"),
        [
            (chunked([b"text"], "x-amz-checksum-crc32:AAAAAA=="), "BadDigest"),
            (chunked([b"text"], "other:1"), "MalformedTrailerError"),
            (chunked([b"text!"], f"x-amz-checksum-crc32:{checksum(b'text')}"), "IncompleteBody"),
            (chunked([b"tex"], f"x-amz-checksum-crc32:{checksum(b'tex')}"), "IncompleteBody"),
            (b"4\r\ntex", "IncompleteBody"),
            (b"zz\r\n", "IncompleteBody"),
            (b"-1\r\n", "IncompleteBody"),
            (b"4\r\ntextX\r\n0\r\n\r\n", "IncompleteBody"),
            (b"4" * 5000, "IncompleteBody"),
            (b"4\r\ntext\r\n0\r\n" + b"a:b\r\n" * 20, "IncompleteBody"),
        ],
    )
    async def test_that_are_wrong_are_refused(self, body: bytes, code: str) -> None:
        headers = {"x-amz-decoded-content-length": "4", "x-amz-trailer": "x-amz-checksum-crc32"}
        with pytest.raises(S3Error) as caught:
            await read(headers, body, _TRAILER)
        assert caught.value.code == code

    async def test_that_are_many_and_small_are_refused(self) -> None:
        """Each costs about as much as one of eight KiB."""
        with pytest.raises(S3Error) as caught:
            await read({"x-amz-decoded-content-length": "4"}, b"1\r\na\r\n" * 4 + b"0\r\n\r\n", _TRAILER)
        assert caught.value.code == "InvalidChunkSizeError"


class TestPlain:
    @pytest.mark.parametrize(
        ("headers", "payload", "code"),
        [
            ({"content-length": "4"}, hashlib.sha256(b"other").hexdigest(), "XAmzContentSHA256Mismatch"),
            ({"content-length": "4", "content-md5": "AAAAAAAAAAAAAAAAAAAAAA=="}, UNSIGNED, "BadDigest"),
            ({"content-length": "4", "content-md5": "?"}, UNSIGNED, "InvalidDigest"),
            ({"content-length": "5"}, UNSIGNED, "IncompleteBody"),
            ({"content-length": "3"}, UNSIGNED, "IncompleteBody"),
            ({}, UNSIGNED, "MissingContentLength"),
            ({"content-length": "4"}, "no digest", "InvalidArgument"),
        ],
    )
    async def test_is_checked(self, headers: dict[str, str], payload: str, code: str) -> None:
        with pytest.raises(S3Error) as caught:
            await read(headers, b"text", payload)
        assert caught.value.code == code
