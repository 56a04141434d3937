from collections.abc import Sequence
from typing import ClassVar

from mlpcore.features.data_images.errors import DataImageLimitExceeded
from mlpcore.features.data_images.schemas import DataImageData, DataImageInfoData
from mlpcore.features.data_images.tables import DataImage
from mlpcore.features.images.kind_service import ImageKindService, LogIds, common_info
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.schemas import StatLogData
from mlplace_kit.violations import broken


class DataImageService(ImageKindService[DataImage, DataImageData, DataImageInfoData]):
    entity: ClassVar = "data image"
    fields: ClassVar[Sequence[str]] = (*ImageKindService.fields, "source_path")
    created: ClassVar = LogCode.DATA_IMAGE_CREATED
    changed: ClassVar = LogCode.DATA_IMAGE_CHANGED
    of_other_path: ClassVar = broken("data_image_of_path")
    limit_exceeded: ClassVar = DataImageLimitExceeded

    def _new(self, account_id: int, data: DataImageData) -> DataImage:
        return DataImage(
            account_id=account_id,
            created_at=self._clock.now(),
            name=data.name,
            image=data.image,
            source_path=data.source_path,
            access_mode=data.access_mode,
        )

    def _shown(self, image: DataImage, *, account_name: str | None, own: bool) -> DataImageInfoData:
        common = common_info(image, account_name=account_name, own=own)
        return DataImageInfoData.model_validate({**common, "source_path": image.source_path})

    def _log_ids(self, image_id: int) -> LogIds:
        return {"data_image_id": image_id}

    async def _entries(self, *, account_id: int, image_id: int) -> list[StatLogData]:
        return await self._logs.of_data_image(account_id=account_id, data_image_id=image_id)
