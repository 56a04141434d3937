from typing import Annotated

from fastapi import Depends

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.data_images.repository import DataImageRepository
from mlpcore.features.data_images.service import DataImageService
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def data_image_service(session: SessionDep, state: StateDep) -> DataImageService:
    return DataImageService(
        repository=DataImageRepository(session),
        users=state.ports.data_image_users(session),
        logs=stat_logs_of(session),
        accounts=accounts_of(session),
        clock=state.clock,
        most=state.settings.data_images_per_account,
    )


DataImageServiceDep = Annotated[DataImageService, Depends(data_image_service)]
