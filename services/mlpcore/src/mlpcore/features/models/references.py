"""Checks that the objects a model refers to exist and that its account may use them."""

from mlpcore.features.models.ports import UsableGroups, UsableImages
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.schemas import ModelCreateUpdateData
from mlpcore.features.models.tables import Model
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlplace_kit.violations import Violation, broken

_NOT_FOUND = broken("not_found")


class References:
    """Datasets, fit configurations, data images and templates are not implemented: each reference is not found."""

    def __init__(self, images: UsableImages, models: ModelRepository, groups: UsableGroups) -> None:
        self._images = images
        self._models = models
        self._groups = groups

    async def problems(self, *, account_id: int, data: ModelCreateUpdateData) -> dict[str, Violation]:
        found = _of_missing_features(data)
        for field, model_id in (
            ("trainingModelId", data.training_model_id),
            ("fitTemplateModelId", data.fit_template_model_id),
        ):
            if model_id and await self._models.usable(account_id=account_id, model_id=model_id) is None:
                found[field] = _NOT_FOUND
        return found

    async def resource_group(
        self, model: Model, data: ModelCreateUpdateData
    ) -> tuple[ResourceGroup | None, dict[str, Violation]]:
        """Returns the named group, and the problem if there is none. The group stays until the transaction ends.

        The name of the model's present group always means that group, even if the account has created another group of
        this name since. A client that sends back what it read therefore changes nothing.
        """
        name, account_id = data.resource_group, model.account_id
        if name is None:
            return None, {}
        if model.resource_group_id is not None:
            kept = await self._groups.usable(account_id=account_id, group_id=model.resource_group_id, keep=True)
            if kept is not None and kept.name == name:
                return kept, {}
        found = await self._groups.meant(account_id=account_id, name=name)
        return found, {} if found else {"resourceGroup": _NOT_FOUND}

    async def image_account(
        self, *, account_id: int, data: ModelCreateUpdateData
    ) -> tuple[int | None, dict[str, Violation]]:
        """Returns the image's account and the problems by field. Locks the image until the transaction ends."""
        if data.image_id is None:
            return None, {}
        image = await self._images.usable(account_id=account_id, image_id=data.image_id)
        if image is None or (data.image_account_id is not None and data.image_account_id != image.account_id):
            return None, {"imageId": _NOT_FOUND}
        return image.account_id, {}


def _of_missing_features(data: ModelCreateUpdateData) -> dict[str, Violation]:
    found: dict[str, Violation] = {}
    if data.training_dataset_id is not None:
        found["trainingDatasetId"] = _NOT_FOUND
    if data.training_fit_config_id is not None:
        found["trainingFitConfigId"] = _NOT_FOUND
    for number, _ in enumerate(data.data_image_mounts or ()):
        found[f"dataImageMounts.{number}.dataImageId"] = _NOT_FOUND
    for number, _ in enumerate(data.supported_templates or ()):
        found[f"supportedTemplates.{number}"] = _NOT_FOUND
    return found
