from typing import Annotated

from fastapi import Depends

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.images.repository import ImageRepository
from mlpcore.features.images.service import ImageService
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def image_service(session: SessionDep, state: StateDep) -> ImageService:
    return ImageService(
        repository=ImageRepository(session),
        users=state.ports.image_users(session),
        restarter=state.ports.model_restarter(session, state),
        logs=stat_logs_of(session),
        accounts=accounts_of(session),
        clock=state.clock,
        most=state.settings.images_per_account,
    )


ImageServiceDep = Annotated[ImageService, Depends(image_service)]
