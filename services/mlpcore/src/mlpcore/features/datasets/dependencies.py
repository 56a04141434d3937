from functools import partial
from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.datasets.contents import DatasetContents
from mlpcore.features.datasets.objects import ContentObjects
from mlpcore.features.datasets.repository import DatasetRepository
from mlpcore.features.datasets.service import DatasetService
from mlpcore.features.datasets.storage import DatasetStorage
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.state import CoreState, StateDep
from mlplace_runtime.web.dependencies import SessionDep


def dataset_service_of(state: CoreState, session: AsyncSession) -> DatasetService:
    return DatasetService(
        repository=DatasetRepository(session),
        users=state.ports.dataset_users(session),
        others=state.ports.other_storage(session),
        logs=stat_logs_of(session),
        accounts=accounts_of(session),
        clock=state.clock,
        most=state.settings.datasets_per_account,
        most_bytes=state.settings.dataset_bytes,
    )


def dataset_storage_of(session: AsyncSession) -> DatasetStorage:
    return DatasetStorage(DatasetRepository(session))


def dataset_service(session: SessionDep, state: StateDep) -> DatasetService:
    return dataset_service_of(state, session)


def dataset_contents(state: StateDep) -> DatasetContents:
    return DatasetContents(
        database=state.database,
        objects=ContentObjects(state.objects),
        transfers=state.transfers,
        most_bytes=state.settings.dataset_bytes,
        service=partial(dataset_service_of, state),
    )


DatasetServiceDep = Annotated[DatasetService, Depends(dataset_service)]
DatasetContentsDep = Annotated[DatasetContents, Depends(dataset_contents)]
