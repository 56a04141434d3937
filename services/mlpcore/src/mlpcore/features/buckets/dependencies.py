from functools import partial
from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.buckets.blobs import Blobs
from mlpcore.features.buckets.contents import BucketContents
from mlpcore.features.buckets.credentials import BucketCredentials
from mlpcore.features.buckets.instance_credentials import InstanceCredentials
from mlpcore.features.buckets.instance_repository import InstanceCredentialRepository
from mlpcore.features.buckets.listing_repository import ListingRepository
from mlpcore.features.buckets.repository import BucketRepository
from mlpcore.features.buckets.service import BucketService
from mlpcore.features.datasets.dependencies import dataset_storage_of
from mlpcore.state import CoreState, StateDep
from mlplace_runtime.web.dependencies import SessionDep


def bucket_service_of(state: CoreState, session: AsyncSession, *, named: str | None = None) -> BucketService:
    return BucketService(
        repository=BucketRepository(session),
        listing=ListingRepository(session),
        datasets=dataset_storage_of(session),
        clock=state.clock,
        now=partial(state.shared_time, session, state.clock),
        most=state.settings.objects_per_account,
        most_bytes=state.settings.object_bytes,
        named=named,
    )


def bucket_credentials_of(state: CoreState, session: AsyncSession) -> BucketCredentials:
    return BucketCredentials(
        repository=BucketRepository(session),
        service=bucket_service_of(state, session),
        vault=state.vault,
        clock=state.clock,
        url=state.settings.public_rest_url,
    )


def instance_credentials_of(state: CoreState, session: AsyncSession) -> InstanceCredentials:
    return InstanceCredentials(
        repository=InstanceCredentialRepository(session),
        service=bucket_service_of(state, session),
        vault=state.vault,
        clock=state.clock,
        url=state.settings.public_rest_url,
    )


def bucket_contents_of(state: StateDep) -> BucketContents:
    return _contents(state, None)


def named_contents_of(state: CoreState, name: str) -> BucketContents:
    """Returns the contents for a request that names the bucket: it fails when the bucket is deleted meanwhile."""
    return _contents(state, name)


def _contents(state: CoreState, named: str | None) -> BucketContents:
    return BucketContents(
        database=state.database,
        blobs=Blobs(state.database, state.objects, lambda session: state.shared_time(session, state.clock)),
        transfers=state.object_transfers,
        most_bytes=state.settings.object_bytes,
        service=partial(bucket_service_of, state, named=named),
    )


def _service(session: SessionDep, state: StateDep) -> BucketService:
    return bucket_service_of(state, session)


def _credentials(session: SessionDep, state: StateDep) -> BucketCredentials:
    return bucket_credentials_of(state, session)


BucketServiceDep = Annotated[BucketService, Depends(_service)]
BucketCredentialsDep = Annotated[BucketCredentials, Depends(_credentials)]
BucketContentsDep = Annotated[BucketContents, Depends(bucket_contents_of)]
