"""Checks that the objects a model refers to exist and that its account may use them."""

from mlpcore.features.models.ports import UsableImages
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.schemas import ModelCreateUpdateData
from mlpcore.ports import ResourceGroupNames

_NOT_FOUND = "not found"


class References:
    """Datasets, fit configurations, data images and templates are not implemented: each reference is not found."""

    def __init__(self, images: UsableImages, models: ModelRepository, groups: ResourceGroupNames) -> None:
        self._images = images
        self._models = models
        self._groups = groups

    async def problems(self, *, account_id: int, data: ModelCreateUpdateData) -> dict[str, str]:
        found = _of_missing_features(data)
        for field, model_id in (
            ("trainingModelId", data.training_model_id),
            ("fitTemplateModelId", data.fit_template_model_id),
        ):
            if model_id and await self._models.usable(account_id=account_id, model_id=model_id) is None:
                found[field] = _NOT_FOUND
        group = data.resource_group
        if group and not await self._groups.deployable(account_id=account_id, name=group):
            found["resourceGroup"] = _NOT_FOUND
        return found

    async def image_account(self, *, account_id: int, data: ModelCreateUpdateData) -> tuple[int | None, dict[str, str]]:
        """Returns the image's account and the problems by field. Locks the image until the transaction ends."""
        if data.image_id is None:
            return None, {}
        image = await self._images.usable(account_id=account_id, image_id=data.image_id)
        if image is None or (data.image_account_id is not None and data.image_account_id != image.account_id):
            return None, {"imageId": _NOT_FOUND}
        return image.account_id, {}


def _of_missing_features(data: ModelCreateUpdateData) -> dict[str, str]:
    found: dict[str, str] = {}
    if data.training_dataset_id is not None:
        found["trainingDatasetId"] = _NOT_FOUND
    if data.training_fit_config_id is not None:
        found["trainingFitConfigId"] = _NOT_FOUND
    for number, _ in enumerate(data.data_image_mounts or ()):
        found[f"dataImageMounts.{number}.dataImageId"] = _NOT_FOUND
    for number, _ in enumerate(data.supported_templates or ()):
        found[f"supportedTemplates.{number}"] = _NOT_FOUND
    return found
