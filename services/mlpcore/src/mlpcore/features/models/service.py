"""Creates, changes and deletes models. Each change publishes an event for the gates in the same transaction."""

from collections.abc import Mapping
from typing import cast

from mlpcore.features.accounts.service import FeatureGate
from mlpcore.features.models.caching_secret import CachingSecret
from mlpcore.features.models.events import model_changed
from mlpcore.features.models.notifications import created
from mlpcore.features.models.reading.access import OwnedModels
from mlpcore.features.models.references import References
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.schemas import ModelCreateUpdateData
from mlpcore.features.models.settings.blocks import ModelArchiveSettingsData, ModelCachingData, ModelHttpSettingsData
from mlpcore.features.models.settings.hidden import HiddenSettings, env_names
from mlpcore.features.models.tables import Block, Model, ModelVersion
from mlpcore.features.models.values import NEW_OFFER, columns_of
from mlpcore.features.models.versions.history import VersionHistory
from mlpcore.features.models.versions.log import VersionLog
from mlpcore.features.models.versions.restoring import request_of
from mlpcore.features.models.versions.schemas import VersionKind
from mlpcore.features.models.versions.snapshot import Snapshot
from mlpcore.features.notifications.service import Notifier
from mlpcore.licensing.policy import LicensePolicy
from mlpcore.ports import InstanceStopper, ModelSecrets
from mlplace_contracts.enums import Feature, HostingType
from mlplace_kit.clock import Clock
from mlplace_kit.denials import LimitedToServices
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.money import Currency
from mlplace_kit.names import PathRef, is_model_name
from mlplace_kit.violations import Violation, broken
from mlplace_runtime.db.outbox import Publisher
from mlplace_runtime.web.policy import Access


class ModelService:
    def __init__(
        self,
        *,
        repository: ModelRepository,
        references: References,
        features: FeatureGate,
        caching: CachingSecret,
        hidden: HiddenSettings,
        secrets: ModelSecrets,
        stopper: InstanceStopper,
        history: VersionHistory,
        versions: VersionLog,
        outbox: Publisher,
        notifier: Notifier,
        license_policy: LicensePolicy,
        clock: Clock,
        currency: Currency,
    ) -> None:
        self._repository = repository
        self._owned = OwnedModels(repository)
        self._references = references
        self._features = features
        self._caching = caching
        self._hidden = hidden
        self._secrets = secrets
        self._stopper = stopper
        self._history = history
        self._versions = versions
        self._outbox = outbox
        self._notifier = notifier
        self._license = license_policy
        self._clock = clock
        self._currency = currency

    async def create(self, *, access: Access, data: ModelCreateUpdateData) -> PathRef:
        """Needs the feature mlp.model_admin. Raises AccessDenied for a key that is limited to some models."""
        await self._features.demand(access, Feature.MODEL_ADMIN)
        if access.principal.allowed_models is not None:
            raise LimitedToServices
        await self._demand_for_container(access, data)
        await self._license.demand_new_service()
        account_id, now = access.account.account_id, self._clock.now()
        model = Model(account_id=account_id, version=1, name=data.model_name, created_at=now, updated_at=now)
        for column, value in {**NEW_OFFER, "currency": self._currency.value}.items():
            setattr(model, column, value)
        dataset_account, problems = await self._references.dataset_account(account_id=account_id, data=data)
        await self._write(model, data, dataset_account, problems, everything=True)
        await self._repository.add(model)
        await self._versions.begin(model, VersionKind.CREATED, access.principal)
        await self._publish(model)
        await self._notifier.notify([account_id], created(model))
        return PathRef(id=model.model_id, name=None)

    async def update(self, *, access: Access, model: str, data: ModelCreateUpdateData) -> PathRef:
        """A key that is limited to models may keep dataset, image and mounts or take them away, and name no others.

        A model that becomes EXTERNAL or a prototype has no instances on the platform any more: they end.
        """
        # A dataset is locked before models, as its deletion does, which takes it from them.
        dataset = await self._references.dataset_account(account_id=access.account.account_id, data=data)
        found = await self._owned.get(access, model, lock=True)
        return await self._save(access, found, data, dataset)

    async def restore(self, *, access: Access, model: str, number: int) -> PathRef:
        """Gives the model the settings of a version again, as `update` does. Publication and prices stay.

        Hidden values stay as well. Raises NotFound for a version that does not exist, and ValidationFailed with each
        field that can no longer be set.
        """
        found = await self._owned.get(access, model)
        version = await self._history.version(found, number)
        dataset = await self._references.dataset_account(
            account_id=found.account_id, data=request_of(version.document, found)
        )
        # By its id: another model may have got the name since.
        found = await self._owned.get(access, str(found.model_id), lock=True)
        return await self._save(access, found, request_of(version.document, found), dataset, restored=version)

    async def _save(
        self,
        access: Access,
        found: Model,
        data: ModelCreateUpdateData,
        dataset: tuple[int | None, dict[str, Violation]],
        *,
        restored: ModelVersion | None = None,
    ) -> PathRef:
        """`dataset`: what References says of the dataset. `restored`: the version that `data` has the settings of."""
        before = self._versions.seen(found)
        dataset_account, problems = dataset
        if self._references.kept_dataset(found, data):
            dataset_account, problems = found.training_dataset_account_id, {}
        if access.principal.allowed_models is not None:
            problems |= self._references.others(found, data)
        await self._demand_for_container(access, data)
        group_id = restored.document["resourceGroupId"] if restored else None
        await self._write(found, data, dataset_account, problems, everything=False, group_id=group_id)
        kind = VersionKind.RESTORED if restored else VersionKind.SETTINGS_CHANGED
        changed = await self._changed(found, before, access, kind, restored=restored.number if restored else None)
        await self._leave_platform(found)
        return changed

    async def _leave_platform(self, model: Model) -> None:
        """Ends what still runs on the platform for a model that may not run there, whenever it became one."""
        if model.prototype:
            reason = "The service is a prototype now"
        elif model.hosting_type == HostingType.EXTERNAL:
            reason = "The service runs outside the platform now"
        else:
            return
        await self._stopper.stop_hosted(account_id=model.account_id, model_id=model.model_id, reason=reason)

    async def delete(self, *, access: Access, model: str) -> None:
        """Marks the model as deleted, stops its instances and deletes its secrets. Name and resource group become free.

        The database forgets its versions. The row stays because other rows refer to it.
        """
        found = await self._owned.get(access, model, lock=True)
        found.deleted_at = self._clock.now()
        found.resource_group_id = None
        await self._stopper.stop_all(account_id=found.account_id, model_id=found.model_id)
        await self._secrets.forget(account_id=found.account_id, model_id=found.model_id)
        await self._advance(found)

    async def set_archive(
        self, *, access: Access, model: str, data: ModelArchiveSettingsData
    ) -> ModelArchiveSettingsData:
        found = await self._owned.get(access, model, lock=True)
        before = self._versions.seen(found)
        found.archive_settings = data.model_dump(mode="json", by_alias=True)
        await self._changed(found, before, access)
        return data

    async def set_http(self, *, access: Access, model: str, data: ModelHttpSettingsData) -> ModelHttpSettingsData:
        found = await self._owned.get(access, model, lock=True)
        before = self._versions.seen(found)
        found.http_settings = data.model_dump(mode="json", by_alias=True)
        await self._changed(found, before, access)
        return data

    async def _demand_for_container(self, access: Access, data: ModelCreateUpdateData) -> None:
        if data.additional_flags or data.deployment_patch:
            await self._features.demand(access, Feature.CONTAINER_ADDITIONAL_FLAGS)

    async def _write(
        self,
        model: Model,
        data: ModelCreateUpdateData,
        dataset_account: int | None,
        problems: Mapping[str, Violation],
        *,
        everything: bool,
        group_id: int | None = None,
    ) -> None:
        """`problems`: those found so far. Raises ValidationFailed with these and every other invalid field."""
        image_account, missing = await self._references.image_account(account_id=model.account_id, data=data)
        group, wrong = await self._references.resource_group(model, data, group_id=group_id)
        problems = {**problems, **missing, **wrong}
        problems |= await self._references.problems(model, data)
        if not is_model_name(data.model_name):
            problems["modelName"] = broken("service_name")
        columns = columns_of(data, everything=everything)
        problems |= await self._problems_of_secrets(model, columns)
        if {"data_image_mounts", "persistent_volumes"} & columns.keys():
            before = [] if everything else model.data_image_mounts
            columns["data_image_mounts"], wrong = await self._references.mounts(
                account_id=model.account_id,
                wanted=cast("list[Block]", columns.get("data_image_mounts", before)),
                before=before,
                volumes=cast("list[Block]", columns.get("persistent_volumes", model.persistent_volumes)),
            )
            problems |= wrong
        if problems:
            raise ValidationFailed(problems)
        if "auto_scaling_configuration" in columns:
            zone = await self._references.time_zone(model.account_id)
            stored = cast("dict[str, object]", columns["auto_scaling_configuration"])
            columns["auto_scaling_configuration"] = {**stored, "timeZone": zone}
        model.name = data.model_name
        for column, value in self._hidden.write(model, columns).items():
            setattr(model, column, value)
        if everything or "image_id" in data.model_fields_set:
            model.image_account_id = image_account
        if everything or "training_dataset_id" in data.model_fields_set:
            model.training_dataset_account_id = dataset_account
        if everything or "resource_group" in data.model_fields_set:
            model.resource_group_id = group.group_id if group else None
            model.resource_group = group.name if group else None
        if everything or "caching" in data.model_fields_set:
            kept = "" if everything else str(model.caching.get("mongoUri", ""))
            self._caching.write(model, data.caching or ModelCachingData(), kept=kept)

    async def _problems_of_secrets(self, model: Model, columns: Mapping[str, object]) -> dict[str, Violation]:
        """Returns problems of references to missing secrets, and of variables that `env` sets, too."""
        wanted = cast("dict[str, str]", columns.get("secret_env", model.secret_env or {}))
        missing = await self._secrets.missing(
            account_id=model.account_id, model_id=model.model_id, names=frozenset(wanted.values())
        )
        plain = env_names(str(columns.get("env", model.env) or "{}"))
        found = {f"secretEnv.{name}": broken("not_found") for name, secret in wanted.items() if secret in missing}
        return found | {f"secretEnv.{name}": broken("set_in_env") for name in wanted if name in plain}

    async def _changed(
        self,
        model: Model,
        before: Snapshot,
        access: Access,
        kind: VersionKind = VersionKind.SETTINGS_CHANGED,
        *,
        restored: int | None = None,
    ) -> PathRef:
        changed = await self._advance(model)
        await self._versions.record(model, before, kind, access.principal, restored=restored)
        return changed

    async def _advance(self, model: Model) -> PathRef:
        model.version += 1
        model.updated_at = self._clock.now()
        await self._repository.flush(model)
        await self._publish(model)
        return PathRef(id=model.model_id, name=None)

    async def _publish(self, model: Model) -> None:
        await self._outbox.add(model_changed(model, await self._repository.owner(model.account_id)))
