"""Clones models: the account's own, and prototypes of other accounts."""

from dataclasses import dataclass
from typing import Final

from mlpcore.features.accounts.service import FeatureGate
from mlpcore.features.models.cache_addresses import CACHES
from mlpcore.features.models.events import model_changed
from mlpcore.features.models.mounts import Mounts
from mlpcore.features.models.notifications import created
from mlpcore.features.models.ports import AccountZones, MountableDataImages, UsableDatasets, UsableGroups, UsableImages
from mlpcore.features.models.reading.access import ReadableModels
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.settings.hidden import HIDING, SETTINGS, without_secrets
from mlpcore.features.models.tables import Model
from mlpcore.features.models.values import BASE, DEFAULTS, NEW_OFFER, stored
from mlpcore.features.models.versions.log import VersionLog
from mlpcore.features.models.versions.schemas import VersionKind
from mlpcore.features.notifications.service import Notifier
from mlpcore.licensing.policy import LicensePolicy
from mlpcore.ports import InstanceStarter, ModelSecrets
from mlplace_contracts.enums import Feature
from mlplace_kit.clock import Clock
from mlplace_kit.denials import LimitedToServices
from mlplace_kit.errors import ModelNotFound, ValidationFailed
from mlplace_kit.money import Currency
from mlplace_kit.names import PathRef, is_model_name
from mlplace_kit.violations import Violation, broken
from mlplace_runtime.db.outbox import Publisher
from mlplace_runtime.secrets import Vault
from mlplace_runtime.web.policy import Access

_OWN_TO_EACH: Final = frozenset(
    {"model_id", "account_id", "version", "name", "created_at", "updated_at", "deleted_at", "last_activity"}
    | {"model_group_id", "aliases", "prototype", "currency", *NEW_OFFER}
    | {"training_fit_config_id", "fit_template_model_id", *BASE}
)
"""Columns that no clone copies. A clone has no trained state, so it is not derived."""
_STAYS: Final = frozenset(
    {"secret_env", "settings_sealed", "caching", "caching_uri_sealed", "archive_settings"}
    | {"resource_group", "resource_group_id"}
)
"""Columns that a clone of another account's prototype does not copy: secrets, and settings of that account."""


@dataclass(frozen=True, slots=True)
class CloneRequest:
    name: str
    display_name: str | None
    display_author: str | None
    auto_start: bool
    template_id: int | None


class ModelCloner:
    def __init__(
        self,
        *,
        repository: ModelRepository,
        readable: ReadableModels,
        images: UsableImages,
        data_images: MountableDataImages,
        datasets: UsableDatasets,
        groups: UsableGroups,
        zones: AccountZones,
        features: FeatureGate,
        starter: InstanceStarter,
        secrets: ModelSecrets,
        vault: Vault,
        versions: VersionLog,
        outbox: Publisher,
        notifier: Notifier,
        license_policy: LicensePolicy,
        clock: Clock,
        currency: Currency,
    ) -> None:
        self._repository = repository
        self._readable = readable
        self._images = images
        self._mounts = Mounts(data_images)
        self._datasets = datasets
        self._groups = groups
        self._zones = zones
        self._features = features
        self._starter = starter
        self._secrets = secrets
        self._vault = vault
        self._versions = versions
        self._outbox = outbox
        self._notifier = notifier
        self._license = license_policy
        self._clock = clock
        self._currency = currency

    async def clone(self, *, access: Access, account: PathRef, model: PathRef, wanted: CloneRequest) -> PathRef:
        """Creates the clone in the account that the caller acts in.

        Raises ModelNotFound for a missing model and for another account's model that is no prototype.
        """
        await self._features.demand(access, Feature.MODEL_ADMIN)
        if access.principal.allowed_models is not None:
            raise LimitedToServices
        await self._license.demand_new_service()
        viewer = Viewer.of(access.principal)
        source = (await self._readable.get(account=account, model=model, viewer=viewer)).model
        own = source.account_id == access.account.account_id
        if not own and not source.prototype:
            raise ModelNotFound
        clone = self._like(source, access.account.account_id, wanted, own=own)
        await self._leave_unusable_dataset(clone)
        zone = await self._zones.chosen(clone.account_id)
        clone.auto_scaling_configuration = {**clone.auto_scaling_configuration, "timeZone": zone}
        await self._check(access, clone, wanted, own=own)
        await self._repository.add(clone)
        await self._versions.begin(clone, VersionKind.CLONED, access.principal)
        if own:
            await self._secrets.copy(account_id=clone.account_id, source=source.model_id, target=clone.model_id)
        await self._outbox.add(model_changed(clone, await self._repository.owner(clone.account_id)))
        await self._notifier.notify([clone.account_id], created(clone))
        if wanted.auto_start:
            await self._starter.start_one(model_id=clone.model_id)
        return PathRef(id=clone.model_id, name=None)

    async def _leave_unusable_dataset(self, clone: Model) -> None:
        """The dataset may be the source account's own, or another account's that has made it private since."""
        dataset_id = clone.training_dataset_id
        if dataset_id is None:
            return
        if await self._datasets.usable(account_id=clone.account_id, dataset_id=dataset_id) is None:
            clone.training_dataset_id = clone.training_dataset_account_id = None

    async def _check(self, access: Access, clone: Model, wanted: CloneRequest, *, own: bool) -> None:
        """Raises ValidationFailed, AccessDenied."""
        problems: dict[str, Violation] = {}
        if not is_model_name(wanted.name):
            problems["name"] = broken("service_name")
        if wanted.template_id is not None:
            problems["templateId"] = broken("not_found")
        if clone.image_id is not None:
            image = await self._images.usable(account_id=clone.account_id, image_id=clone.image_id)
            if image is None:
                problems["imageId"] = broken("image_not_shared")
        problems |= await self._mounts.not_shared(clone, own=own)
        group_id = clone.resource_group_id
        if group_id and not await self._groups.usable(account_id=clone.account_id, group_id=group_id, keep=True):
            problems["resourceGroup"] = broken("not_found")
        if problems:
            raise ValidationFailed(problems)
        if clone.additional_flags or clone.deployment_patch:
            await self._features.demand(access, Feature.CONTAINER_ADDITIONAL_FLAGS)

    def _like(self, source: Model, account_id: int, wanted: CloneRequest, *, own: bool) -> Model:
        now = self._clock.now()
        clone = Model(account_id=account_id, version=1, name=wanted.name, created_at=now, updated_at=now)
        for column in Model.__table__.columns:
            if column.key in _OWN_TO_EACH or column.computed is not None:
                continue
            stays = not own and column.key in _STAYS
            setattr(clone, column.key, stored(DEFAULTS.get(column.key)) if stays else getattr(source, column.key))
        if own:
            for column in (SETTINGS, CACHES):
                column.renew(clone, self._vault)
        else:
            _leave_secrets(clone)
        for column, value in NEW_OFFER.items():
            setattr(clone, column, value)
        clone.currency = self._currency.value
        clone.aliases = []
        clone.prototype = False
        clone.display_name = wanted.display_name or source.display_name
        clone.display_author = wanted.display_author or source.display_author
        return clone


def _leave_secrets(clone: Model) -> None:
    """Removes masked values and the ids of volumes: the clone gets new volumes with the same settings."""
    for name in HIDING:
        if value := getattr(clone, name):
            setattr(clone, name, without_secrets(name, value))
    clone.persistent_volumes = [{**volume, "pvId": None} for volume in clone.persistent_volumes]
