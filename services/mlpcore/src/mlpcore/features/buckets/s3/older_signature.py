"""AWS signatures of version 2 in addresses that were signed in advance: the Python client still makes them.

Only for addresses of objects: of a list, these signatures do not cover the prefix. Requests with version 2 in a header
are refused.
"""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from mlpcore.features.buckets.s3.errors import S3Error, signature_wrong
from mlpcore.features.buckets.s3.signature import LONGEST_SECONDS, UNSIGNED, Proof, SignedRequest, is_word, parameters

_IN_RESOURCE: Final = frozenset({
    "acl", "cors", "delete", "lifecycle", "location", "logging", "notification", "partNumber", "policy",
    "requestPayment", "response-cache-control", "response-content-disposition", "response-content-encoding",
    "response-content-language", "response-content-type", "response-expires", "restore", "tagging", "torrent",
    "uploadId", "uploads", "versionId", "versioning", "versions", "website",
})  # fmt: skip
_ENDS: Final = re.compile("[&?]")
_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_OWN: Final = frozenset({"AWSAccessKeyId", "Expires", "Signature"})


@dataclass(frozen=True, slots=True)
class OlderClaim:
    access_key: str
    expires: int
    signature: str


def older_claim_of(request: SignedRequest) -> OlderClaim | None:
    """Returns what the address claims; None for one without a signature of this version."""
    query = parameters(request.query)
    if not query.keys() >= _OWN or not query["Expires"].isdecimal() or not is_word(query["AWSAccessKeyId"]):
        return None
    return OlderClaim(query["AWSAccessKeyId"], int(query["Expires"][:15]), query["Signature"])


def check_older(claim: OlderClaim, request: SignedRequest, secret: str, *, now: datetime) -> Proof:
    """Raises S3Error when the signature is wrong or its time has passed."""
    left = claim.expires - now.astimezone(UTC).timestamp()
    if not 0 <= left <= LONGEST_SECONDS:
        raise S3Error("AccessDenied", 403, "Request has expired, or it is valid for more than a week.")
    key = secret.encode()
    expected = base64.b64encode(hmac.new(key, _text(claim, request).encode("latin-1"), hashlib.sha1).digest()).decode()
    if not hmac.compare_digest(expected.encode(), claim.signature.encode()):
        raise signature_wrong()
    return Proof(UNSIGNED, presigned=True, chunks=None)


def _text(claim: OlderClaim, request: SignedRequest) -> str:
    headers = dict(reversed(request.headers))
    kind, digest = headers.get("content-type", ""), headers.get("content-md5", "")
    return f"{request.method}\n{digest}\n{kind}\n{claim.expires}\n{_amz(request)}{_resource(request)}"


def _amz(request: SignedRequest) -> str:
    """Headers that stand in the address count like those that are sent, as both say what is done: who holds an address
    could otherwise add x-amz-copy-source to it, and read any object of the bucket.
    """
    found = parameters(request.query).items()
    moved = [(_as_sent(name.lower()), _as_sent(value)) for name, value in found]
    values = dict[str, str]()
    for name, value in [*request.headers, *moved]:
        if name.startswith("x-amz-"):
            text = value.strip(" ")
            # Of two values, one would be signed and another used. The signed text would not tell where a line ends.
            if values.setdefault(name, text) != text or _CONTROL.search(name + text):
                raise signature_wrong()
    return "".join(f"{name}:{values[name]}\n" for name in sorted(values))


def _as_sent(text: str) -> str:
    """Returns the bytes of a parameter in the form that headers have."""
    return text.encode().decode("latin-1")


def _resource(request: SignedRequest) -> str:
    found = parameters(request.query)
    if any(_ENDS.search(value) for name, value in found.items() if name in _IN_RESOURCE):
        raise signature_wrong()  # the signed text would not tell where a value ends
    parts = [f"{name}={found[name]}" if found[name] else name for name in sorted(_IN_RESOURCE & found.keys())]
    query = "?" + "&".join(parts) if parts else ""
    return request.path.decode("latin-1") + _as_sent(query)
