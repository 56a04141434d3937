"""What a credential may ask for that is limited to a prefix, as those of instances are.

Whatever names a key by path, header or query is checked here before it is carried out; a request about the bucket that
is not listed here is refused. `S3Request.expect_within` checks the keys in the body of a deletion.
"""

from typing import Final

from mlpcore.features.buckets.s3.errors import access_denied
from mlpcore.features.buckets.s3.requests import S3Request, copy_source

_COPY_SOURCE: Final = "x-amz-copy-source"
_WITHOUT_KEYS: Final = frozenset({"location", "versioning"})
"""Parameters of requests whose answer is the same for each bucket."""


def check_scope(request: S3Request) -> None:
    """Raises S3Error, the same whether there is something outside the prefix or not."""
    if not request.prefix:
        return
    if _COPY_SOURCE in request.headers:
        request.expect_within([copy_source(request.headers[_COPY_SOURCE])[1]])
    if request.key:
        request.expect_within([request.key])
    elif not _may_ask_bucket(request):
        raise access_denied()


def _may_ask_bucket(request: S3Request) -> bool:
    match request.method:
        case "HEAD":
            return True
        case "GET":
            return bool(_WITHOUT_KEYS & request.query.keys()) or request.query.get("prefix", "").startswith(
                request.prefix
            )
        case "POST":
            return "delete" in request.query
        case _:
            return False
