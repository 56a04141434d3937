from typing import Annotated

from fastapi import Depends

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.images.repository import ImageRepository
from mlpcore.features.images.service import ImageService
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def image_service(session: SessionDep, state: StateDep) -> ImageService:
    users = state.ports.image_users(session)
    return ImageService(ImageRepository(session), users, accounts_of(session), state.clock)


ImageServiceDep = Annotated[ImageService, Depends(image_service)]
