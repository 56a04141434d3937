"""Requests about one object, and uploads in parts."""

import re
from collections.abc import Awaitable, Callable, Mapping
from email.utils import format_datetime
from typing import Final

from starlette.responses import Response, StreamingResponse

from mlpcore.features.buckets.contents import BucketContents, ByteRange
from mlpcore.features.buckets.keys import checked_key
from mlpcore.features.buckets.objects import ALWAYS, FoundObject, IncomingObject, ObjectInfo
from mlpcore.features.buckets.s3.documents import document, malformed, moment, parsed, shown
from mlpcore.features.buckets.s3.errors import S3Error, access_denied, invalid_argument, not_implemented
from mlpcore.features.buckets.s3.requests import (
    KEPT_HEADERS,
    S3Request,
    check_conditions,
    copied_span,
    copy_source,
    listed_parts,
    span_of,
)

_MOST_PARTS: Final = 10_000
_MOST_LISTED: Final = 1000
_MOST_COMPLETE_BYTES: Final = 2 * 1024 * 1024
_XML: Final = "application/xml"
_OVERRIDES: Final = frozenset({"response-content-type", *(f"response-{name}" for name in KEPT_HEADERS)})
_KNOWN: Final = {
    "GET": _OVERRIDES | {"partNumber"},
    "HEAD": _OVERRIDES | {"partNumber"},
    "PUT": frozenset[str](),
    "POST": frozenset({"uploads"}),
    "DELETE": frozenset[str](),
}
"""The parameters of each operation on an object."""
_KNOWN_OF_UPLOADS: Final = {
    "GET": frozenset({"uploadId", "part-number-marker", "max-parts", "encoding-type"}),
    "PUT": frozenset({"uploadId", "partNumber"}),
    "POST": frozenset({"uploadId"}),
    "DELETE": frozenset({"uploadId"}),
}
_UPLOAD_ID: Final = re.compile(r"[0-9a-f]{32}")


_Operation = Callable[[S3Request], Awaitable[Response]]


class ObjectOperations:
    def __init__(self, contents: BucketContents) -> None:
        self._contents = contents
        self._of_object: Mapping[str, _Operation] = {
            "GET": self._get,
            "HEAD": self._get,
            "PUT": self._put,
            "POST": self._begin,
            "DELETE": self._delete,
        }
        self._of_upload: Mapping[str, _Operation] = {
            "GET": self._parts,
            "PUT": self._put_part,
            "POST": self._complete,
            "DELETE": self._abort,
        }

    async def answer(self, request: S3Request) -> Response:
        of_upload = "uploadId" in request.query
        operation = (self._of_upload if of_upload else self._of_object).get(request.method)
        if operation is None or (request.method == "POST" and not (of_upload or "uploads" in request.query)):
            raise not_implemented("This request")
        request.expect_known((_KNOWN_OF_UPLOADS if of_upload else _KNOWN)[request.method])
        if of_upload and not _UPLOAD_ID.fullmatch(request.query["uploadId"]):
            raise S3Error("NoSuchUpload", 404, "There is no such unfinished upload.")
        return await operation(request)

    # ---- Whole objects

    async def _get(self, request: S3Request) -> Response:
        found = await self._contents.find(request.account_id, request.checked_key())
        info = found.info
        headers = _headers(request, info)
        if check_conditions(request.headers, info):
            return Response(status_code=304, headers={"etag": headers["etag"]})
        span = _part_span(request, found) or span_of(request.headers.get("range"), info.size)
        if "partNumber" in request.query and len(found.blobs) > 1:
            headers["x-amz-mp-parts-count"] = str(len(found.blobs))
        if span is not None:
            headers["content-range"] = f"bytes {span.start}-{span.start + span.length - 1}/{info.size}"
        taken = span or ByteRange(0, info.size)
        headers["content-length"] = str(taken.length)
        status = 206 if span else 200
        if request.method == "HEAD":
            return Response(status_code=status, headers=headers)
        return StreamingResponse(await self._contents.read(found, taken), status, headers=headers)

    async def _delete(self, request: S3Request) -> Response:
        if {"if-match", "if-none-match"} & request.headers.keys():
            raise not_implemented("A deletion with a condition")
        await self._contents.delete(request.account_id, [request.checked_key()])
        return Response(status_code=204)

    async def _put(self, request: S3Request) -> Response:
        key = request.checked_key()
        if "x-amz-copy-source" in request.headers:
            return await self._copy(request, key)
        info = await self._contents.put(
            request.account_id,
            key=key,
            incoming=request.body(),
            attributes=request.attributes(),
            condition=request.write_condition(),
        )
        return Response(headers={"etag": f'"{info.etag}"'})

    async def _copy(self, request: S3Request, key: str) -> Response:
        source, condition = await self._source(request), request.write_condition()
        replaces = request.headers.get("x-amz-metadata-directive", "COPY").upper() == "REPLACE"
        attributes = request.attributes() if replaces else source.info.attributes
        if source.info.key != key:
            incoming = await self._contents.incoming(source, ByteRange(0, source.info.size))
            info = await self._contents.put(
                request.account_id, key=key, incoming=incoming, attributes=attributes, condition=condition
            )
        elif replaces and condition == ALWAYS:
            info = await self._contents.describe(request.account_id, key=key, attributes=attributes)
        else:
            raise S3Error("InvalidRequest", 400, "A copy of an object to itself must replace its metadata.")
        fields = [("LastModified", moment(info.modified)), ("ETag", f'"{info.etag}"')]
        return Response(document("CopyObjectResult", fields), media_type=_XML)

    async def _source(self, request: S3Request) -> FoundObject:
        """Returns the object to copy: of the caller's bucket, as another account's looks like one that is missing."""
        bucket, key = copy_source(request.headers["x-amz-copy-source"])
        if bucket != request.bucket:
            raise access_denied()
        found = await self._contents.find(request.account_id, checked_key(key))
        check_conditions(request.headers, found.info, prefix="x-amz-copy-source-")
        return found

    # ---- Uploads in parts

    async def _begin(self, request: S3Request) -> Response:
        upload = await self._contents.begin_upload(
            request.account_id, key=request.checked_key(), attributes=request.attributes()
        )
        fields = [("Bucket", request.bucket), ("Key", shown(upload.key)), ("UploadId", upload.upload_id)]
        return Response(document("InitiateMultipartUploadResult", fields), media_type=_XML)

    async def _put_part(self, request: S3Request) -> Response:
        number = request.number("partNumber", default=0, most=_MOST_PARTS + 1)
        if not 0 < number <= _MOST_PARTS:
            raise invalid_argument(f"partNumber must be 1 to {_MOST_PARTS}.")
        copied = "x-amz-copy-source" in request.headers
        incoming = await self._copied_part(request) if copied else request.body()
        stored = await self._contents.put_part(
            request.account_id,
            key=request.checked_key(),
            upload_id=request.query["uploadId"],
            number=number,
            incoming=incoming,
        )
        etag = f'"{stored.md5}"'
        if copied:
            return Response(document("CopyPartResult", [("ETag", etag)]), media_type=_XML)
        return Response(headers={"etag": etag})

    async def _copied_part(self, request: S3Request) -> IncomingObject:
        source = await self._source(request)
        span = copied_span(request.headers.get("x-amz-copy-source-range"), source.info.size)
        return await self._contents.incoming(source, span)

    async def _complete(self, request: S3Request) -> Response:
        root = await parsed(await request.text(_MOST_COMPLETE_BYTES), "CompleteMultipartUpload")
        texts = [(each.findtext("PartNumber") or "", each.findtext("ETag") or "") for each in root.findall("Part")]
        if not texts:
            raise malformed()
        info = await self._contents.complete(
            request.account_id,
            key=request.checked_key(),
            upload_id=request.query["uploadId"],
            listed=listed_parts(texts),
            condition=request.write_condition(),
        )
        host = request.headers.get("host", "")
        fields = [
            ("Location", f"//{host}{request.http.url.path}"),
            ("Bucket", request.bucket),
            ("Key", shown(info.key)),
            ("ETag", f'"{info.etag}"'),
        ]
        return Response(document("CompleteMultipartUploadResult", fields), media_type=_XML)

    async def _abort(self, request: S3Request) -> Response:
        upload_id = request.query["uploadId"]
        await self._contents.abort(request.account_id, key=request.checked_key(), upload_id=upload_id)
        return Response(status_code=204)

    async def _parts(self, request: S3Request) -> Response:
        after = request.number("part-number-marker", default=0, most=_MOST_PARTS)
        most = request.number("max-parts", default=_MOST_LISTED, most=_MOST_LISTED)
        upload_id = request.query["uploadId"]
        found = await self._contents.parts(
            request.account_id, key=request.checked_key(), upload_id=upload_id, after=after, most=most + 1
        )
        parts = found[:most]
        common = [
            ("Bucket", request.bucket),
            ("Key", shown(request.key)),
            ("UploadId", upload_id),
            ("PartNumberMarker", after),
            ("NextPartNumberMarker", parts[-1].number if parts else None),
            ("MaxParts", most),
            ("IsTruncated", 0 < most < len(found)),
        ]
        listed = [
            (
                "Part",
                [
                    ("PartNumber", part.number),
                    ("LastModified", moment(part.modified)),
                    ("ETag", f'"{part.etag}"'),
                    ("Size", part.size),
                ],
            )
            for part in parts
        ]
        return Response(document("ListPartsResult", [*common, *listed]), media_type=_XML)


def _part_span(request: S3Request, found: FoundObject) -> ByteRange | None:
    """Returns where the part lies that the query asks for; None if it asks for none. Raises S3Error."""
    if "partNumber" not in request.query:
        return None
    number = request.number("partNumber", default=0, most=_MOST_PARTS + 1)
    if not 0 < number <= len(found.blobs):
        raise S3Error("InvalidRange", 416, "The object has no such part.", ActualObjectSize=str(found.info.size))
    sizes = [blob.size for blob in found.blobs]
    return ByteRange(sum(sizes[: number - 1]), sizes[number - 1])


def _headers(request: S3Request, info: ObjectInfo) -> dict[str, str]:
    """Returns the headers of a download.

    A browser can open an address that was signed in advance, under the host of the platform's own pages. So it gets
    no type that it would run or show, and saves the object as a file.
    """
    attributes = info.attributes
    headers = {
        "accept-ranges": "bytes",
        "etag": f'"{info.etag}"',
        "last-modified": format_datetime(info.modified, usegmt=True),
        "content-type": attributes.content_type,
        **attributes.headers,
        **{f"x-amz-meta-{name}": value for name, value in attributes.user_metadata.items()},
    }
    for name in _OVERRIDES & request.query.keys():
        headers[name.removeprefix("response-")] = _header_text(request.query[name])
    if request.proof.presigned:
        headers["content-type"] = "application/octet-stream"
        if headers.get("content-disposition", "").partition(";")[0].strip().lower() != "attachment":
            headers["content-disposition"] = "attachment"
    return headers


def _header_text(text: str) -> str:
    if not text.isascii() or not text.isprintable():
        raise invalid_argument("A response-* parameter has characters that a header cannot hold.")
    return text
