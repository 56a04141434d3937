from typing import Annotated

from fastapi import Depends

from mlpcore.features.accounts.directory import AccountsOfSession
from mlpcore.features.accounts.repository import AccountRepository
from mlpcore.features.images.repository import ImageRepository
from mlpcore.features.images.service import ImageService
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def image_service(session: SessionDep, state: StateDep) -> ImageService:
    accounts = AccountsOfSession(AccountRepository(session))
    return ImageService(ImageRepository(session), state.ports.image_users(session), accounts, state.clock)


ImageServiceDep = Annotated[ImageService, Depends(image_service)]
