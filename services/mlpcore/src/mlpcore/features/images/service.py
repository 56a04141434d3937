from typing import ClassVar

from mlpcore.features.images.errors import ImageLimitExceeded
from mlpcore.features.images.kind_service import ImageKindService, LogIds, common_info
from mlpcore.features.images.repository import ImageRepository
from mlpcore.features.images.schemas import ImageData, ImageInfoData
from mlpcore.features.images.tables import Image
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.schemas import StatLogData
from mlpcore.features.stat_logs.service import StatLogs
from mlpcore.ports import ImageUsers, ModelRestarter
from mlplace_kit.clock import Clock
from mlplace_kit.violations import broken
from mlplace_runtime.service import AccountDirectory


class ImageService(ImageKindService[Image, ImageData, ImageInfoData]):
    entity: ClassVar = "image"
    created: ClassVar = LogCode.IMAGE_CREATED
    changed: ClassVar = LogCode.IMAGE_CHANGED
    of_other_path: ClassVar = broken("image_of_path")
    limit_exceeded: ClassVar = ImageLimitExceeded

    def __init__(
        self,
        *,
        repository: ImageRepository,
        users: ImageUsers,
        restarter: ModelRestarter,
        logs: StatLogs,
        accounts: AccountDirectory,
        clock: Clock,
        most: int,
    ) -> None:
        super().__init__(repository=repository, users=users, logs=logs, accounts=accounts, clock=clock, most=most)
        self._restarter = restarter

    async def restart_models(
        self, *, account_id: int, image_id: int, user_id: int | None, only: frozenset[int] | None
    ) -> None:
        """Begins to replace the instances of the account's models that run this image, one by one in each model.

        Models of other accounts that use the image keep their instances. `only`: the models to which the caller's key
        is limited.
        """
        image = await self._existing(account_id, image_id)
        count = await self._restarter.restart_of_image(
            account_id=account_id, image_id=image_id, image_name=image.name, only=only
        )
        message = f"The instances of {count} services with the image {image.name} are being replaced"
        self._log(image, LogCode.MODELS_RESTARTED, message, user_id, services=count)

    def _new(self, account_id: int, data: ImageData) -> Image:
        return Image(
            account_id=account_id,
            created_at=self._clock.now(),
            name=data.name,
            image=data.image,
            access_mode=data.access_mode,
        )

    def _shown(self, image: Image, *, account_name: str | None, own: bool) -> ImageInfoData:
        return image_info(image, account_name=account_name, own=own)

    def _log_ids(self, image_id: int) -> LogIds:
        return {"image_id": image_id}

    async def _entries(self, *, account_id: int, image_id: int) -> list[StatLogData]:
        return await self._logs.of_image(account_id=account_id, image_id=image_id)


def image_info(image: Image, *, account_name: str | None, own: bool) -> ImageInfoData:
    return ImageInfoData.model_validate(common_info(image, account_name=account_name, own=own))
