"""Requests about the bucket: lists of keys and of uploads, and deletion of many objects."""

import base64
import binascii
from collections.abc import Sequence
from typing import Final

from starlette.responses import Response

from mlpcore.features.buckets.contents import BucketContents
from mlpcore.features.buckets.keys import is_prefix
from mlpcore.features.buckets.objects import REGION, Listed, ObjectInfo
from mlpcore.features.buckets.s3.documents import document, encoded, malformed, moment, parsed, shown
from mlpcore.features.buckets.s3.errors import S3Error, access_denied, invalid_argument, not_implemented
from mlpcore.features.buckets.s3.requests import S3Request

_MOST: Final = 1000
_MOST_DELETE_BYTES: Final = 2 * 1024 * 1024
_XML: Final = "application/xml"
_LIST: Final = frozenset({"prefix", "delimiter", "encoding-type", "fetch-owner", "max-keys"})
_KNOWN: Final = {
    "location": frozenset({"location"}),
    "versioning": frozenset({"versioning"}),
    "uploads": frozenset({"uploads", "prefix", "encoding-type", "max-uploads", "delimiter"}),
    "list-type": _LIST | {"list-type", "continuation-token", "start-after"},
    "delete": frozenset({"delete"}),
}
"""The parameters of each operation that one parameter names."""
_FIRST_LIST: Final = _LIST | {"marker"}


class BucketOperations:
    def __init__(self, contents: BucketContents) -> None:
        self._contents = contents

    async def answer(self, request: S3Request) -> Response:
        named = next((name for name in _KNOWN if name in request.query), None)
        request.expect_known(_FIRST_LIST if named is None else _KNOWN[named])
        match request.method:
            case "HEAD":
                return Response(headers={"x-amz-bucket-region": REGION})
            case "GET" if named != "delete":
                return await self._get(request)
            case "POST" if "delete" in request.query:
                return await self._delete_many(request)
            case "PUT" if named is None:
                raise S3Error("BucketAlreadyOwnedByYou", 409, "The bucket exists and is yours.")
            case "DELETE" if named is None:
                raise access_denied()
            case _:
                raise not_implemented("This request")

    async def _get(self, request: S3Request) -> Response:
        if "location" in request.query:
            return Response(document("LocationConstraint", []), media_type=_XML)
        if "versioning" in request.query:
            return Response(document("VersioningConfiguration", []), media_type=_XML)
        if "uploads" in request.query:
            return await self._uploads(request)
        return await self._list(request)

    async def _list(self, request: S3Request) -> Response:
        query = request.query
        second = query.get("list-type") == "2"
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        if delimiter not in {"", "/"}:
            raise not_implemented("A delimiter other than /")
        token = query.get("continuation-token")
        after = _opened(token) if second and token else query.get("start-after" if second else "marker", "")
        if not is_prefix(prefix) or not is_prefix(after):
            raise invalid_argument("The prefix or the start of the list is no possible key.")
        most = request.number("max-keys", default=_MOST, most=_MOST)
        page = await self._contents.listed(
            request.account_id, prefix=prefix, after=after, most=most, folders=bool(delimiter)
        )
        url = query.get("encoding-type") == "url"
        fields = self._second(request, page) if second else self._first(request, page, url=url)
        common = [
            ("Name", request.bucket),
            ("Prefix", encoded(prefix, url=url)),
            ("MaxKeys", most),
            ("Delimiter", encoded(delimiter, url=url) if delimiter else None),
            ("EncodingType", "url" if url else None),
            ("IsTruncated", page.next is not None),
        ]
        folders = [("CommonPrefixes", [("Prefix", encoded(each, url=url))]) for each in page.folders]
        objects = [("Contents", _fields(each, url=url)) for each in page.objects]
        return Response(document("ListBucketResult", [*common, *fields, *objects, *folders]), media_type=_XML)

    @staticmethod
    def _first(request: S3Request, page: Listed, *, url: bool) -> Sequence[tuple[str, str | None]]:
        following = None if page.next is None else encoded(page.next, url=url)
        return [("Marker", encoded(request.query.get("marker", ""), url=url)), ("NextMarker", following)]

    @staticmethod
    def _second(request: S3Request, page: Listed) -> Sequence[tuple[str, str | int | None]]:
        following = None if page.next is None else base64.urlsafe_b64encode(page.next.encode()).decode()
        return [
            ("KeyCount", len(page.objects) + len(page.folders)),
            ("ContinuationToken", shown(token) if (token := request.query.get("continuation-token")) else None),
            ("NextContinuationToken", following),
        ]

    async def _uploads(self, request: S3Request) -> Response:
        prefix = request.query.get("prefix", "")
        if not is_prefix(prefix):
            raise invalid_argument("The prefix is no possible key.")
        url = request.query.get("encoding-type") == "url"
        found = await self._contents.uploads(request.account_id, prefix=prefix, most=_MOST)
        uploads = [
            (
                "Upload",
                [
                    ("Key", encoded(each.key, url=url)),
                    ("UploadId", each.upload_id),
                    ("Initiated", moment(each.created)),
                ],
            )
            for each in found
        ]
        common = [
            ("Bucket", request.bucket),
            ("Prefix", encoded(prefix, url=url)),
            ("MaxUploads", _MOST),
            ("IsTruncated", False),
        ]
        return Response(document("ListMultipartUploadsResult", [*common, *uploads]), media_type=_XML)

    async def _delete_many(self, request: S3Request) -> Response:
        root = await parsed(await request.text(_MOST_DELETE_BYTES), "Delete")
        listed = root.findall("Object")
        keys = [element.findtext("Key") or "" for element in listed]
        if any(len(element) != 1 for element in listed):
            raise not_implemented("A deletion with a version or a condition")
        if not keys or len(keys) > _MOST:
            raise malformed()
        request.expect_within(keys)
        known = [key for key in keys if is_prefix(key)]
        await self._contents.delete(request.account_id, known)
        if root.findtext("Quiet") == "true":
            return Response(document("DeleteResult", []), media_type=_XML)
        deleted = [("Deleted", [("Key", shown(key))]) for key in keys]
        return Response(document("DeleteResult", deleted), media_type=_XML)


def _fields(info: ObjectInfo, *, url: bool) -> Sequence[tuple[str, str | int]]:
    return [
        ("Key", encoded(info.key, url=url)),
        ("LastModified", moment(info.modified)),
        ("ETag", f'"{info.etag}"'),
        ("Size", info.size),
        ("StorageClass", "STANDARD"),
    ]


def _opened(token: str) -> str:
    try:
        return base64.urlsafe_b64decode(token.encode()).decode()
    except (binascii.Error, ValueError):
        raise invalid_argument("The continuation token is none of this list.") from None
