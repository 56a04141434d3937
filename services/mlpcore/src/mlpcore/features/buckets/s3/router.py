"""The S3 protocol at the platform's own address: `/` lists buckets, `/{bucket}/{key}` is an object."""

from typing import Final
from urllib.parse import unquote_to_bytes

import structlog
from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from mlpcore.features.buckets.credentials import Signer
from mlpcore.features.buckets.dependencies import (
    bucket_credentials_of,
    instance_credentials_of,
    named_contents_of,
)
from mlpcore.features.buckets.instance_credentials import is_of_instance
from mlpcore.features.buckets.s3 import signature
from mlpcore.features.buckets.s3.bucket_operations import BucketOperations
from mlpcore.features.buckets.s3.documents import document, error_document, moment
from mlpcore.features.buckets.s3.errors import S3Error, access_denied, invalid_argument, s3_error
from mlpcore.features.buckets.s3.object_operations import ObjectOperations
from mlpcore.features.buckets.s3.older_signature import check_older, older_claim_of
from mlpcore.features.buckets.s3.requests import S3Request, headers_of
from mlpcore.features.buckets.s3.scope import check_scope
from mlpcore.state import CoreState, StateDep
from mlplace_runtime.web.errors import error_headers, from_unexpected
from mlplace_runtime.web.policy import OwnCredential
from mlplace_runtime.web.proof import prove
from mlplace_runtime.web.request_context import keep_coding

PATH: Final = "/s3-bucket-"
"""What the names of all buckets begin with: the edge recognises requests of the protocol by it."""
_METHODS: Final = ["GET", "HEAD", "PUT", "POST", "DELETE"]
_SANDBOX: Final = "default-src 'none'; sandbox"

log = structlog.get_logger(__name__)
router = APIRouter(include_in_schema=False, dependencies=[Depends(OwnCredential("S3 signature"))])


@router.get("/")
async def s3_list_buckets(request: Request, state: StateDep) -> Response:
    return await _answered(request, state)


@router.api_route(PATH + "{rest:path}", methods=_METHODS)
async def s3_request(request: Request, state: StateDep) -> Response:
    return await _answered(request, state)


async def _answered(request: Request, state: CoreState) -> Response:
    request_id: str = request.scope["mlp.request_id"]
    keep_coding(request.scope)
    try:
        answer = await _answer(request, state)
    except S3Error as error:
        answer = _refused(request, error, request_id)
    except Exception as error:  # noqa: BLE001  programs of the protocol understand no other errors than its own
        known = from_unexpected(error)
        answer = _refused(request, s3_error(known), request_id)
        answer.headers.update(error_headers(known))
    answer.headers["content-security-policy"] = _SANDBOX
    answer.headers["x-amz-request-id"] = request_id
    return answer


async def _answer(request: Request, state: CoreState) -> Response:
    signed = signature.SignedRequest(
        request.method,
        request.scope.get("raw_path") or request.scope["path"].encode(),
        request.scope["query_string"],
        [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.scope["headers"]],
    )
    name, key = _path(signed.path)
    query = signature.parameters(signed.query)
    signer, proof = await _proved(signed, state, of_object=bool(key))
    prove(request.scope)
    structlog.contextvars.bind_contextvars(account_id=signer.account_id)
    if signer.instance_id is not None:
        structlog.contextvars.bind_contextvars(instance_id=signer.instance_id)
    if not name:
        return _buckets(signer)
    if name != signer.bucket:
        raise access_denied()  # the same for another account's bucket and for one that does not exist
    headers = headers_of(signed.headers, query)
    asked = S3Request(request, signer.account_id, signer.bucket, signer.prefix, key, query, headers, proof)
    check_scope(asked)
    contents = named_contents_of(state, signer.bucket)
    return await (ObjectOperations(contents) if key else BucketOperations(contents)).answer(asked)


async def _proved(
    signed: signature.SignedRequest, state: CoreState, *, of_object: bool
) -> tuple[Signer, signature.Proof]:
    """Raises S3Error for a request without a valid signature."""
    claim, now = signature.claim_of(signed), state.clock.now()
    if claim is not None:
        signer = await _signer(claim.access_key, state)
        return signer, signature.check(claim, signed, signer.secret, now=now)
    older = older_claim_of(signed) if of_object else None
    if older is None:
        raise access_denied()
    signer = await _signer(older.access_key, state)
    return signer, check_older(older, signed, signer.secret, now=now)


async def _signer(access_key: str, state: CoreState) -> Signer:
    async with state.database.transaction() as session:
        if is_of_instance(access_key):
            signer = await instance_credentials_of(state, session).signer(access_key)
        else:
            signer = await bucket_credentials_of(state, session).signer(access_key)
    if signer is None:
        raise S3Error("InvalidAccessKeyId", 403, "There is no such access key.")
    return signer


def _path(raw: bytes) -> tuple[str, str]:
    """Returns bucket and key. Raises S3Error."""
    try:
        path = unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        raise invalid_argument("The key is not UTF-8.") from None
    name, _, key = path.removeprefix("/").partition("/")
    return name, key


def _buckets(signer: Signer) -> Response:
    fields = [
        ("Owner", [("ID", str(signer.account_id)), ("DisplayName", str(signer.account_id))]),
        ("Buckets", [("Bucket", [("Name", signer.bucket), ("CreationDate", moment(signer.created))])]),
    ]
    return Response(document("ListAllMyBucketsResult", fields), media_type="application/xml")


def _refused(request: Request, error: S3Error, request_id: str) -> Response:
    log.info("s3_refused", code=error.code, status=error.status, method=request.method)
    resource = request.scope["path"]
    body = b"" if request.method == "HEAD" else error_document(error, resource=resource, request_id=request_id)
    return Response(body, error.status, media_type="application/xml")
