"""Models on the wire. Field names and types follow the published contract."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer

from mlpcore.features.call_statistics.schemas import CallStatisticsData
from mlpcore.features.datasets.schemas import DatasetInfoData
from mlpcore.features.images.schemas import ImageInfoData
from mlpcore.features.models.settings.blocks import (
    DataImageMountData,
    Id,
    Int32,
    ModelArchiveSettingsData,
    ModelAutoScalingConfiguration,
    ModelBatchesData,
    ModelCachingData,
    ModelHttpSettingsData,
    ModelLimitsData,
    ModelPriorityQueueData,
    ModelRetriesData,
    ModelTimeoutsData,
    ModelType,
    PersistentVolumeData,
    TaskType,
    TrainingType,
)
from mlpcore.features.models.settings.texts import (
    EnvName,
    EnvText,
    Flag,
    JsonObjectText,
    JsonText,
    LanguageCode,
    SecretName,
    ShortText,
    WebLink,
)
from mlpcore.starts import Start, StartPhase
from mlplace_contracts.enums import HostingType
from mlplace_kit.money import Currency
from mlplace_kit.pagination import Pagination
from mlplace_kit.prices import MOST
from mlplace_kit.pricing import BillingUnit
from mlplace_kit.wire import Input, Output

# A JSON number on the wire and a Decimal in Python. The exact price is also sent as an integer of nano-units.
Price = Annotated[Decimal, PlainSerializer(float, return_type=float, when_used="json")]
ModelState = Literal["RUNNING", "STARTING", "INACTIVE", "SLEEPING", "REMOVING"]


class ModelInfoPK(Input):
    account_id: Id
    model_id: Id


class LastActivityPk(ModelInfoPK):
    """A model that was used."""


class ModelCreateUpdateData(Input):
    """An update keeps the fields that are not sent, and resets fields sent as `null` to their defaults.

    A mask (`********`) in `env`, `config`, `additionalFlags` or `deploymentPatch` stands for the stored value.
    `secretEnv` maps environment variables of instances to names of secrets.
    """

    model_name: Annotated[str, Field(max_length=64)]
    image_account_id: Id | None = None
    image_id: Id | None = None
    training_model_account_id: Id | None = None
    training_model_id: Id | None = None
    training_type: TrainingType | None = None
    training_dataset_account_id: Id | None = None
    training_dataset_id: Id | None = None
    training_fit_config_id: Id | None = None
    task_type: TaskType | None = None
    training_dataset_type: ShortText | None = None
    fit_template_model_id: Id | None = None
    composite: bool | None = None
    prototype: bool | None = None
    reject_requests_if_inactive: bool | None = None
    config: JsonText | None = None
    env: EnvText | None = None
    secret_env: Annotated[dict[EnvName, SecretName], Field(max_length=100)] | None = None
    additional_flags: Annotated[list[Flag], Field(max_length=100)] | None = None
    fittable: bool | None = None
    hosting_type: HostingType | None = None
    persistent_volumes: Annotated[list[PersistentVolumeData], Field(max_length=20)] | None = None
    data_image_mounts: Annotated[list[DataImageMountData], Field(max_length=20)] | None = None
    resource_group: Annotated[ShortText, Field(min_length=1, max_length=128)] | None = None
    timeouts: ModelTimeoutsData | None = None
    resource_limits: ModelLimitsData | None = None
    retries_config: ModelRetriesData | None = None
    batches_config: ModelBatchesData | None = None
    caching: ModelCachingData | None = None
    priority_queue: ModelPriorityQueueData | None = None
    auto_scaling_configuration: ModelAutoScalingConfiguration | None = None
    short_description: Annotated[str, Field(max_length=2000)] | None = None
    languages: Annotated[list[LanguageCode], Field(max_length=100)] | None = None
    min_instances_count: Annotated[int, Field(ge=0, le=1000)] | None = None
    start_time_sec: Annotated[float, Field(ge=0, le=86_400)] | None = None
    http_settings: ModelHttpSettingsData | None = None
    archive_settings: ModelArchiveSettingsData | None = None
    aliases: Annotated[list[ShortText], Field(max_length=20)] | None = None
    display_name: ShortText | None = None
    display_author: ShortText | None = None
    model_link: WebLink | None = None
    model_author_company: ShortText | None = None
    supported_templates: Annotated[list[Id], Field(max_length=100)] | None = None
    deployment_patch: JsonObjectText | None = None
    wait_start: bool | None = None
    model_type: ModelType | None = None
    protocols: Annotated[list[ShortText], Field(max_length=20)] | None = None


class ModelPublicSettingsData(Input):
    """An update keeps the fields that are not sent. `allowedAccounts` may use the model even if it is private.

    `visitorCallsPerDay`: how many free calls visitors who are not signed in may make in a day, all together; 0: none.
    They need `isPublic` and `publicTestingAllowed`, too. The owner pays for what these calls cause.
    """

    is_public: bool | None = None
    available_in_jaicp: bool | None = None
    featured: bool | None = None
    featured_list_order: Int32 | None = None
    hidden: bool | None = None
    public_testing_allowed: bool | None = None
    visitor_calls_per_day: Annotated[int, Field(ge=0, le=100_000)] | None = None
    show_personal_data_disclaimer: bool | None = None
    allowed_accounts: Annotated[list[Id], Field(max_length=1000)] | None = None


class ModelBillingSettingsData(Input):
    """The unit price in nano-units (10^-9) or as an amount of `currency`. Responses contain both.

    `maxPriceInCurrency`: the maximal price of a call whose price only the answer tells (`custom`, `direct`). Null
    removes it; the platform's bound then applies (`defaultMaxPrice` of the configuration).
    """

    is_billing_enabled: bool
    billing_unit: BillingUnit | None = None
    billing_unit_price_in_nano_token: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    billing_unit_price_in_currency: Annotated[Price, Field(ge=0)] | None = None
    free_unit_quota: Int32 | None = None
    allow_deferred_billing: bool | None = None
    currency: Currency | None = None
    max_price_in_currency: Annotated[Price, Field(ge=0, le=MOST)] | None = None


class InstanceCountsData(Output):
    """`connected` instances answer calls; `expected` counts those that are starting, too. Only the owner sees them."""

    connected: int
    expected: int


class StartData(Output):
    """A start that is under way. `since`: when it was requested, in whichever phase it is now.

    `usualSeconds`: how long starts of the model take once there is a server: measured, else as its owner states it;
    null if nobody knows.
    """

    phase: StartPhase
    since: datetime
    usual_seconds: float | None

    @classmethod
    def of(cls, start: Start | None, *, usual_seconds: float | None) -> "StartData | None":
        return None if start is None else cls(phase=start.phase, since=start.since, usual_seconds=usual_seconds)


class ModelInfoData(Output):
    """Fields that only the owner's account may see are empty or have their default value for others.

    Secrets are masked for everybody. Callers who may not change the model see the names in `env`, but no values.
    `waitsForServer`: the model is STARTING, but nothing starts before a server can take one of its instances.
    `start`: how far the instance is that will answer first; null unless the model is STARTING and something is known to
    start.
    """

    id: ModelInfoPK
    model_account_name: str | None
    model_account_display_name: str | None
    model_name: str
    image_account_id: int
    image_id: int | None
    image: ImageInfoData | None
    model_group_id: int | None
    model_group_name: str | None
    training_dataset_account_id: int | None
    training_dataset_id: int | None
    training_dataset: DatasetInfoData | None
    training_dataset_type: str | None
    training_fit_config_id: int | None
    training_fit_config: None
    fit_template_model_id: int | None
    composite: bool
    prototype: bool
    reject_requests_if_inactive: bool
    task_type: str
    training_model_account_id: int | None
    training_model_id: int | None
    training_model_name: str | None
    training_type: str | None
    config: str | None
    env: str | None
    secret_env: dict[str, str]
    additional_flags: list[str]
    fittable: bool
    hosting_type: HostingType
    persistent_volumes: list[PersistentVolumeData]
    data_image_mounts: list[DataImageMountData]
    resource_group: str | None
    timeouts: ModelTimeoutsData
    resource_limits: ModelLimitsData
    retries_config: ModelRetriesData
    batches_config: ModelBatchesData
    caching: ModelCachingData
    priority_queue: ModelPriorityQueueData
    auto_scaling_configuration: ModelAutoScalingConfiguration
    short_description: str | None
    languages: list[str]
    min_instances_count: int
    start_time_sec: float | None
    public_settings: ModelPublicSettingsData
    billing_settings: ModelBillingSettingsData
    http_settings: ModelHttpSettingsData
    archive_settings: ModelArchiveSettingsData
    restricted_image_access: bool
    last_activity: int | None
    favorite: bool
    state: ModelState
    waits_for_server: bool
    start: StartData | None
    measured_start_time_sec: float | None
    call_statistics: CallStatisticsData | None
    instance_counts: InstanceCountsData | None
    display_name: str | None
    display_author: str | None
    model_link: str | None
    model_author_company: str | None
    supported_templates: list[int]
    deployment_patch: str | None
    wait_start: bool
    model_type: str
    protocols: list[str]
    aliases: list[str]


class PagedModelInfoData(Output):
    paging: Pagination
    records: list[ModelInfoData]


class ModelStringId(Input):
    """Each field is an id or a short name."""

    account: Annotated[str, Field(max_length=64)]
    model: Annotated[str, Field(max_length=64)]


class ModelListRequest(Input):
    ids: Annotated[list[ModelStringId], Field(max_length=1000)]


class ModelCounts(Output):
    """Numbers of models. `createdByMe`: the account's own. `favorites`: the caller's. `fitted`: own, trained ones."""

    created_by_me: int
    favorites: int
    fitted: int


class ModelNameAvailability(Output):
    available: bool
    reason: str | None


class TaskTypeToModelsCount(Output):
    task_type_name: str
    models_count: int


class CatalogCategoryData(Output):
    categories: list[TaskTypeToModelsCount]


class SchemaFileData(Input):
    name: Annotated[str, Field(max_length=256)]
    content: Annotated[str, Field(max_length=1024 * 1024)]


class ParamTypeData(Input):
    type: Annotated[str, Field(max_length=256)]


class MethodDescriptorData(Input):
    name: Annotated[str, Field(max_length=128)]
    params: Annotated[dict[Annotated[str, Field(max_length=128)], ParamTypeData], Field(max_length=100)]
    output: ParamTypeData
    fitted: bool = False


class ServiceDescriptorData(Input):
    """The methods of a model. The model's first connection sets it unless somebody has set it before."""

    name: Annotated[str, Field(max_length=256)]
    schema_files: Annotated[list[SchemaFileData], Field(max_length=100)]
    fittable: bool
    methods: Annotated[dict[Annotated[str, Field(max_length=128)], MethodDescriptorData], Field(max_length=100)]
