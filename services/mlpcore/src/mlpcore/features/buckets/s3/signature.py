"""AWS signatures of version 4: of headers, of addresses that were signed in advance, and of the chunks of a body."""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from mlpcore.features.buckets.s3.errors import S3Error, invalid_argument, signature_wrong

ALGORITHM: Final = "AWS4-HMAC-SHA256"
UNSIGNED: Final = "UNSIGNED-PAYLOAD"
EMPTY_DIGEST: Final = hashlib.sha256(b"").hexdigest()
_SKEW: Final = timedelta(minutes=15)
LONGEST_SECONDS: Final = 7 * 24 * 3600
_TIME: Final = "%Y%m%dT%H%M%SZ"
_SIGNATURE: Final = re.compile(r"[0-9a-f]{64}")
_HEADER: Final = re.compile(r"[a-z0-9-]{1,128}")
_WORD: Final = re.compile(r"[A-Za-z0-9._-]{1,128}")
_SPACES: Final = re.compile(r" +")
_UNRESERVED: Final = "-_.~"


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """What is signed. `path` and `query` as they were sent; names of `headers` in lower case, in the order sent."""

    method: str
    path: bytes
    query: bytes
    headers: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class SignatureClaim:
    """What a request says about its signature. `expires_seconds`: of an address that was signed in advance."""

    access_key: str
    date: str
    region: str
    at: datetime
    signed_headers: Sequence[str]
    signature: str
    payload: str
    expires_seconds: int | None = None

    @property
    def scope(self) -> str:
        return f"{self.date}/{self.region}/s3/aws4_request"

    @property
    def presigned(self) -> bool:
        return self.expires_seconds is not None


def claim_of(request: SignedRequest) -> SignatureClaim | None:
    """Returns what the request claims; None for one without a signature. Raises S3Error for one in a wrong form."""
    headers = dict(reversed(request.headers))
    authorization = headers.get("authorization", "")
    if authorization.startswith(ALGORITHM):
        return _of_header(authorization, headers)
    query = parameters(request.query)
    if query.get("X-Amz-Algorithm") == ALGORITHM:
        return _of_query(query)
    if authorization or "X-Amz-Algorithm" in query:
        raise S3Error("InvalidRequest", 400, f"Sign requests with {ALGORITHM}.")
    return None


def check(claim: SignatureClaim, request: SignedRequest, secret: str, *, now: datetime) -> "Proof":
    """Raises S3Error when the signature is wrong or its time has passed."""
    if claim.expires_seconds is None:
        if abs(now - claim.at) > _SKEW:
            raise S3Error("RequestTimeTooSkewed", 403, "The time of the request differs too much from the server's.")
    elif (now - claim.at).total_seconds() > claim.expires_seconds or claim.at - now > _SKEW:
        raise S3Error("AccessDenied", 403, "Request has expired.")
    signer = ChunkSigner(signing_key(secret, claim), claim)
    if not hmac.compare_digest(signer.sign_request(_canonical(claim, request)), claim.signature):
        raise signature_wrong()
    return Proof(claim.payload, presigned=claim.presigned, chunks=signer)


@dataclass(frozen=True, slots=True)
class Proof:
    """What a valid signature says. `payload`: the digest of the body, or how it is sent. `presigned`: it stands in the
    address. `chunks` checks the signatures of chunks.
    """

    payload: str
    presigned: bool
    chunks: "ChunkSigner | None"


class ChunkSigner:
    """Computes signatures with the key of one request. Each chunk's signature covers that of the one before."""

    def __init__(self, key: bytes, claim: SignatureClaim) -> None:
        self._key = key
        self._claim = claim
        self._previous = claim.signature

    def sign_request(self, canonical: bytes) -> str:
        return self._sign(ALGORITHM, hashlib.sha256(canonical).hexdigest())

    def is_next_chunk(self, signature: str, digest: str) -> bool:
        """Whether this is the signature of a chunk with this SHA-256 digest."""
        expected = self._sign(f"{ALGORITHM}-PAYLOAD", f"{self._previous}\n{EMPTY_DIGEST}\n{digest}")
        self._previous = expected
        return hmac.compare_digest(expected.encode(), signature.encode())

    def is_of_trailer(self, signature: str, digest: str) -> bool:
        expected = self._sign(f"{ALGORITHM}-TRAILER", f"{self._previous}\n{digest}")
        return hmac.compare_digest(expected.encode(), signature.encode())

    def _sign(self, algorithm: str, rest: str) -> str:
        text = f"{algorithm}\n{self._claim.at.strftime(_TIME)}\n{self._claim.scope}\n{rest}"
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()


def _of_header(authorization: str, headers: Mapping[str, str]) -> SignatureClaim:
    fields = dict[str, str]()
    for part in authorization.removeprefix(ALGORITHM).split(","):
        name, _, value = part.strip().partition("=")
        fields[name] = value
    at = _time(headers.get("x-amz-date", ""))
    payload = headers.get("x-amz-content-sha256", "")
    if not payload:
        raise S3Error("InvalidRequest", 400, "Send the header x-amz-content-sha256.")
    return _claim(
        fields.get("Credential", ""), fields.get("SignedHeaders", ""), fields.get("Signature", ""), at, payload
    )


def _of_query(query: Mapping[str, str]) -> SignatureClaim:
    seconds = query.get("X-Amz-Expires", "")
    if not seconds.isdecimal() or not 0 < int(seconds[:9]) <= LONGEST_SECONDS:
        raise S3Error("AuthorizationQueryParametersError", 400, f"X-Amz-Expires must be 1 to {LONGEST_SECONDS}.")
    return _claim(
        query.get("X-Amz-Credential", ""),
        query.get("X-Amz-SignedHeaders", ""),
        query.get("X-Amz-Signature", ""),
        _time(query.get("X-Amz-Date", "")),
        UNSIGNED,
        int(seconds[:9]),
    )


def _claim(
    credential: str, signed: str, signature: str, at: datetime, payload: str, expires_seconds: int | None = None
) -> SignatureClaim:
    parts = credential.rsplit("/", 4)
    names = signed.split(";")
    if len(parts) != 5 or parts[3:] != ["s3", "aws4_request"] or not _SIGNATURE.fullmatch(signature):
        raise S3Error("AuthorizationHeaderMalformed", 400, "The credential or the signature is not in the usual form.")
    access_key, date, region = parts[0], parts[1], parts[2]
    if not is_word(access_key) or not is_word(region):
        raise S3Error("AuthorizationHeaderMalformed", 400, "The credential is not in the usual form.")
    if date != at.strftime("%Y%m%d") or "host" not in names or not all(map(_HEADER.fullmatch, names)):
        raise S3Error("AuthorizationHeaderMalformed", 400, "Sign the host, and use the date of the request.")
    return SignatureClaim(access_key, date, region, at, names, signature, payload, expires_seconds)


def is_word(text: str) -> bool:
    """Whether it can be an access key or a region."""
    return _WORD.fullmatch(text) is not None


def _time(text: str) -> datetime:
    try:
        return datetime.strptime(text, _TIME).replace(tzinfo=UTC)
    except ValueError:
        raise S3Error(
            "AccessDenied", 403, "Send the time of the request as x-amz-date, like 20260102T030405Z."
        ) from None


def signing_key(secret: str, claim: SignatureClaim) -> bytes:
    """Returns the key that signs requests of the claim's day, region and service."""
    key = f"AWS4{secret}".encode()
    for part in (claim.date, claim.region, "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key


def _canonical(claim: SignatureClaim, request: SignedRequest) -> bytes:
    path = quote(unquote_to_bytes(request.path), safe="/" + _UNRESERVED)
    pairs = sorted(
        (quote(name, safe=_UNRESERVED), quote(value, safe=_UNRESERVED))
        for name, value in _raw_pairs(request.query)
        if not (claim.presigned and name == b"X-Amz-Signature")
    )
    query = "&".join(f"{name}={value}" for name, value in pairs)
    values = dict[str, list[str]]()
    for name, value in request.headers:
        values.setdefault(name, []).append(_SPACES.sub(" ", value.strip()))
    repeated = [name for name, found in values.items() if len(found) > 1 and _counts(name, claim)]
    if repeated or (claim.presigned and values.get("x-amz-content-sha256", [UNSIGNED]) != [UNSIGNED]):
        raise S3Error("InvalidRequest", 400, "A header is sent twice, or does not fit a signed address.")
    headers = "".join(f"{name}:{','.join(values.get(name, []))}\n" for name in claim.signed_headers)
    _expect_signed(claim, values)
    text = f"{request.method}\n{path}\n{query}\n{headers}\n{';'.join(claim.signed_headers)}\n{claim.payload}"
    return text.encode("latin-1")


def _counts(name: str, claim: SignatureClaim) -> bool:
    """Whether the header says what is done: of two values, one would be signed and another used."""
    return name.startswith("x-amz-") or name in claim.signed_headers


def _expect_signed(claim: SignatureClaim, values: Mapping[str, object]) -> None:
    """Who could add a header x-amz-* to a signed request would change what it does."""
    unsigned = [name for name in values if name.startswith("x-amz-") and name not in claim.signed_headers]
    if [name for name in unsigned if name != "x-amz-content-sha256" or not claim.presigned]:
        raise S3Error("AccessDenied", 403, f"Sign the headers {', '.join(unsigned)}.")


def _raw_pairs(query: bytes) -> list[tuple[bytes, bytes]]:
    pairs = list[tuple[bytes, bytes]]()
    for part in query.split(b"&"):
        if part:
            name, _, value = part.partition(b"=")
            pairs.append((unquote_to_bytes(name), unquote_to_bytes(value)))
    return pairs


def parameters(query: bytes) -> Mapping[str, str]:
    """Returns the parameters of the query, decoded. Raises S3Error for bytes that are no text, and for a name twice.

    Of two parameters with one name, another program could take the one that this one does not.
    """
    found = dict[str, str]()
    for name, value in _raw_pairs(query):
        try:
            key, text = name.decode(), value.decode()
        except UnicodeDecodeError:
            raise invalid_argument("The query is not UTF-8.") from None
        if "\0" in key + text or key in found:
            raise invalid_argument("The query has a NUL character, or a parameter twice.")
        found[key] = text
    return found
