"""The object store in a bucket of any S3-compatible server."""

from dataclasses import dataclass, field
from datetime import timedelta

import httpx
import obstore
from obstore.store import S3Store

from mlplace_runtime.objectstore.stores import Store

_SIGNED_FOR = timedelta(minutes=1)
_ANSWER_SECONDS = 10.0
_CREATED_OR_OWNED_ALREADY = {httpx.codes.OK, httpx.codes.CONFLICT}


@dataclass(frozen=True, slots=True)
class S3Settings:
    """`endpoint` is the URL of the server, without the bucket; buckets are addressed by path, not by host name."""

    bucket: str
    endpoint: str
    access_key: str
    secret_key: str = field(repr=False)
    region: str = "us-east-1"


def open_s3(settings: S3Settings) -> Store:
    """Opens a store in an existing bucket. It connects on first use."""
    return Store(_backend(settings))


async def ensure_bucket(settings: S3Settings) -> None:
    """Creates the bucket if it is missing; keys without the right to do so suffice for an existing one.

    Raises ConnectionError.
    """
    backend = _backend(settings)
    try:
        async with httpx.AsyncClient(timeout=_ANSWER_SECONDS) as client:
            if (await client.head(obstore.sign(backend, "HEAD", "", _SIGNED_FOR))).is_success:
                return
            response = await client.put(obstore.sign(backend, "PUT", "", _SIGNED_FOR))
    except httpx.HTTPError as error:
        raise ConnectionError(f"the object store at {settings.endpoint} does not answer: {error!r}") from error
    if response.status_code not in _CREATED_OR_OWNED_ALREADY:
        raise ConnectionError(f"the bucket {settings.bucket} cannot be created: HTTP {response.status_code}")


def _backend(settings: S3Settings) -> S3Store:
    return S3Store(
        settings.bucket,
        endpoint=settings.endpoint,
        access_key_id=settings.access_key,
        secret_access_key=settings.secret_key,
        region=settings.region,
        virtual_hosted_style_request=False,
        client_options={
            "allow_http": settings.endpoint.startswith("http://"),
            "connect_timeout": timedelta(seconds=5),
            "read_timeout": timedelta(seconds=30),
            "timeout": timedelta(hours=1),  # for a whole transfer; objects may be as large as model weights
        },
        retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=15)},
    )
