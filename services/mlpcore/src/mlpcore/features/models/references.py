"""Checks that the objects a model refers to exist and that its account may use them."""

from collections.abc import Sequence

from pydantic.alias_generators import to_camel

from mlpcore.features.models.mounts import Mounts, mounted_ids
from mlpcore.features.models.ports import AccountZones, MountableDataImages, UsableDatasets, UsableGroups, UsableImages
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.schemas import ModelCreateUpdateData
from mlpcore.features.models.tables import Block, Model
from mlpcore.features.models.values import BASE
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlplace_kit.violations import Violation, broken

_NOT_FOUND = broken("not_found")


class References:
    """Fit configurations and templates are not implemented: each reference is not found."""

    def __init__(
        self,
        images: UsableImages,
        data_images: MountableDataImages,
        datasets: UsableDatasets,
        models: ModelRepository,
        groups: UsableGroups,
        zones: AccountZones,
    ) -> None:
        self._images = images
        self._mounts = Mounts(data_images)
        self._datasets = datasets
        self._models = models
        self._groups = groups
        self._zones = zones

    async def problems(self, model: Model, data: ModelCreateUpdateData) -> dict[str, Violation]:
        """A request may repeat the base and the template that the model has, whatever became of these since."""
        account_id = model.account_id
        found = _of_missing_features(data) | _of_another_base(model, data)
        template = data.fit_template_model_id
        if template is not None and template != model.fit_template_model_id:
            usable = await self._models.usable(account_id=account_id, model_id=template)
            if usable is None:
                found["fitTemplateModelId"] = _NOT_FOUND
        named = data.auto_scaling_configuration.time_zone if data.auto_scaling_configuration else None
        if named and named != (zone := (await self._zones.of(account_id)).key):
            found["autoScalingConfiguration.timeZone"] = broken("account_time_zone", zone=zone)
        return found

    async def resource_group(
        self, model: Model, data: ModelCreateUpdateData, *, group_id: int | None = None
    ) -> tuple[ResourceGroup | None, dict[str, Violation]]:
        """Returns the named group, and the problem if there is none. The group stays until the transaction ends.

        The name of the model's present group always means that group, even if the account has created another group of
        this name since. A client that sends back what it read therefore changes nothing. `group_id`: the group that is
        meant whatever its name is now, as versions know it.
        """
        name, account_id = data.resource_group, model.account_id
        if name is None:
            return None, {}
        if group_id is not None:
            meant = await self._groups.usable(account_id=account_id, group_id=group_id, keep=True)
            return meant, {} if meant else {"resourceGroup": _NOT_FOUND}
        if model.resource_group_id is not None:
            kept = await self._groups.usable(account_id=account_id, group_id=model.resource_group_id, keep=True)
            if kept is not None and kept.name == name:
                return kept, {}
        found = await self._groups.by_name(account_id=account_id, name=name)
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

    async def mounts(
        self,
        *,
        account_id: int,
        wanted: Sequence[Block],
        before: Sequence[Block],
        volumes: Sequence[Block],
    ) -> tuple[list[Block], dict[str, Violation]]:
        """Returns the mounts of data images as the model stores them, and the problems by field.

        `wanted` and `before`: the mounts after and before the request. `volumes`: those after it.
        """
        return await self._mounts.checked(
            account_id=account_id,
            wanted=wanted,
            before=before,
            other_paths=[volume["mountPath"] for volume in volumes],
        )

    async def time_zone(self, account_id: int) -> str | None:
        """Returns the time zone as the configurations of models store it, for processes of the previous release."""
        return await self._zones.chosen(account_id)

    async def dataset_account(
        self, *, account_id: int, data: ModelCreateUpdateData
    ) -> tuple[int | None, dict[str, Violation]]:
        """Returns the dataset's account and the problems by field. Locks the dataset until the transaction ends."""
        if data.training_dataset_id is None:
            return None, {}
        dataset = await self._datasets.usable(account_id=account_id, dataset_id=data.training_dataset_id)
        if dataset is None or data.training_dataset_account_id not in {None, dataset.account_id}:
            return None, {"trainingDatasetId": _NOT_FOUND}
        return dataset.account_id, {}

    def kept_dataset(self, model: Model, data: ModelCreateUpdateData) -> bool:
        """Says whether the request names the dataset that the locked model has.

        A client that sends back what it read changes nothing, even if the dataset's owner has made it private since.
        """
        named = (data.training_dataset_id, data.training_dataset_account_id)
        kept = model.training_dataset_id
        return kept is not None and named in {(kept, None), (kept, model.training_dataset_account_id)}

    def others(self, model: Model, data: ModelCreateUpdateData) -> dict[str, Violation]:
        """Returns a problem for each dataset, image and data image that the model has not yet, as if none existed."""
        found: dict[str, Violation] = {}
        if data.training_dataset_id not in {None, model.training_dataset_id}:
            found["trainingDatasetId"] = _NOT_FOUND
        if data.image_id not in {None, model.image_id}:
            found["imageId"] = _NOT_FOUND
        mounted = mounted_ids([model])
        for number, mount in enumerate(data.data_image_mounts or ()):
            if mount.data_image_id not in mounted:
                found[f"dataImageMounts.{number}.dataImageId"] = _NOT_FOUND
        return found


def _of_another_base(model: Model, data: ModelCreateUpdateData) -> dict[str, Violation]:
    """`null` keeps the base as well: presentation hides a base that the reader may not read."""
    return {
        to_camel(name): broken("not_changed_here")
        for name in BASE
        if getattr(data, name) not in {None, getattr(model, name)}
    }


def _of_missing_features(data: ModelCreateUpdateData) -> dict[str, Violation]:
    found: dict[str, Violation] = {}
    if data.training_fit_config_id is not None:
        found["trainingFitConfigId"] = _NOT_FOUND
    for number, _ in enumerate(data.supported_templates or ()):
        found[f"supportedTemplates.{number}"] = _NOT_FOUND
    return found
