"""AWS signatures of version 2 in addresses that were signed in advance: the Python client still makes them.

Only for addresses of objects: of a list, these signatures do not cover the prefix. Requests with version 2 in a header
are refused.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Sequence
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
    return f"{request.method}\n{digest}\n{kind}\n{claim.expires}\n{_amz(request.headers)}{_resource(request)}"


def _amz(headers: Sequence[tuple[str, str]]) -> str:
    values = dict[str, list[str]]()
    for name, value in headers:
        if name.startswith("x-amz-"):
            values.setdefault(name, []).append(value.strip())
    return "".join(f"{name}:{','.join(values[name])}\n" for name in sorted(values))


def _resource(request: SignedRequest) -> str:
    found = parameters(request.query)
    if any(_ENDS.search(value) for name, value in found.items() if name in _IN_RESOURCE):
        raise signature_wrong()  # the signed text would not tell where a value ends
    parts = [f"{name}={found[name]}" if found[name] else name for name in sorted(_IN_RESOURCE & found.keys())]
    query = "?" + "&".join(parts) if parts else ""
    return request.path.decode("latin-1") + query.encode().decode("latin-1")
