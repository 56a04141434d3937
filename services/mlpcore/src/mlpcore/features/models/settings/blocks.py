"""The nested settings of a model. Requests, responses and the database use the same shape.

Defaults are those of a new model. Their sources are the public contract and its published client plug-in.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Literal, LiteralString, Self

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import InitErrorDetails, PydanticCustomError

from mlpcore.features.models.settings.texts import HttpPath, ShortText, problem
from mlpcore.mount_paths import MountPath
from mlpcore.quantities import Quantity
from mlpcore.time_zone_names import TimeZoneName
from mlplace_kit.mongo_uris import fault_in
from mlplace_kit.wire import Input

Int32 = Annotated[int, Field(ge=0, lt=2**31)]
Positive = Annotated[int, Field(ge=1, lt=2**31)]
Id = Annotated[int, Field(ge=1, lt=2**63)]
GpuModel = Annotated[str, Field(min_length=1, max_length=128)]
Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$")]
LabelValue = Annotated[str, Field(max_length=256)]
_LEAST_KEY_BITS = 2048
_MOST_KEY_BITS = 8192
_MEASURES = (
    "requests_per_minute_threshold",
    "latency_threshold_ms",
    "cpu_threshold_milli_cores",
    "active_requests_threshold",
    "queue_time_threshold_ms",
)
_THRESHOLDS = problem("thresholds", "a threshold for scaling down must not be above the one for scaling up")
_COLLECTION = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,119}")


class PersistentVolumeData(Input):
    pv_id: int | None = None
    mount_path: MountPath
    size_in_gb: Annotated[int, Field(ge=1, le=65_536)]
    storage_class: Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$")]


class DataImageMountData(Input):
    dm_id: int | None = None
    data_image_account_id: Id
    data_image_id: Id
    data_image: str | None = None
    data_image_name: str | None = None
    source_path: MountPath | None = None
    target_path: MountPath


class ModelTimeoutsData(Input):
    """Timeouts in seconds."""

    pod_start_timeout_sec: Annotated[int, Field(ge=1, le=86_400)] = 120
    predict_timeout_sec: Annotated[int, Field(ge=1, le=86_400)] = 30
    fit_timeout_sec: Annotated[int, Field(ge=1, le=2_592_000)] | None = 600


class ModelLimitsData(Input):
    """Quantities in Kubernetes notation. Memory and disk are hard limits; CPU is the guaranteed amount.

    `gpuMemoryLimitMb`: memory on each GPU, which others may share; without it each GPU is the instance's alone.
    `gpuModels`: the models of GPUs that will do, any if empty. `serverLabels`: labels that a server's configuration
    must have.
    """

    cpu_request: Quantity = "100m"
    memory_limit: Quantity = "500Mi"
    ephemeral_disk_limit: Quantity = "100Mi"
    gpu_requested: bool = False
    gpu_memory_limit_mb: Positive | None = None
    gpu_usage_limit: Annotated[int, Field(ge=1, le=100)] | None = None
    gpu_count: Annotated[int, Field(ge=1, le=64)] | None = None
    gpu_models: Annotated[tuple[GpuModel, ...], Field(max_length=32)] = ()
    server_labels: dict[Label, LabelValue] = Field(default_factory=dict, max_length=32)


class ModelRetriesData(Input):
    """`timeoutsMs`: times since the first attempt. While there is no answer, a further attempt begins at each."""

    max_retries: Annotated[int, Field(ge=0, le=100)] = 0
    timeouts_ms: Annotated[tuple[Annotated[int, Field(ge=0, le=86_400_000)], ...], Field(max_length=100)] = ()
    max_retries_per_instance: Annotated[int, Field(ge=0, le=100)] | None = 1


class ModelBatchesData(Input):
    """A batch size of 0 or 1 disables batching. Requests longer than `maxLengthToSkip` bytes are sent alone."""

    batch_size: Annotated[int, Field(ge=0, le=100_000)] = 0
    time_wait_ms: Annotated[int, Field(ge=0, le=600_000)] = 0
    max_length_to_skip: Annotated[int, Field(ge=0, lt=2**63)] | None = None


class ModelCachingData(Input):
    """Responses mask the password in `mongoUri`. A request with the masked address keeps the stored password."""

    enabled: bool = False
    mongo_uri: Annotated[str, Field(max_length=1024)] = ""
    collection_name: Annotated[str, Field(max_length=120)] = ""
    records_limit: Annotated[int, Field(ge=0, lt=2**63)] = 0

    @field_validator("mongo_uri")
    @classmethod
    def _may_be_used(cls, uri: str) -> str:
        if uri and (fault := fault_in(uri)):
            raise problem("mongo_uri", fault)
        return uri

    @field_validator("collection_name")
    @classmethod
    def _is_a_name(cls, name: str) -> str:
        if name and not _COLLECTION.fullmatch(name):
            raise problem("collection_name", "use letters, digits, _, . and -, and begin with a letter or _")
        return name

    @model_validator(mode="after")
    def _complete_when_enabled(self) -> Self:
        if self.enabled:
            needed = {"mongoUri": self.mongo_uri, "collectionName": self.collection_name}
            _demand("is required when caching is on", needed | {"recordsLimit": self.records_limit})
        return self


class ModelPriorityQueueData(Input):
    """`concurrencyLevel`: the number of parallel requests to one instance."""

    enabled: bool = False
    concurrency_level: Annotated[int, Field(ge=1, le=10_000)] = 1


class TimePoint(Input):
    hour: Annotated[int, Field(ge=0, le=23)]
    minute: Annotated[int, Field(ge=0, le=59)]
    second: Annotated[int, Field(ge=0, le=59)] = 0
    nano: Annotated[int, Field(ge=0, le=999_999_999)] = 0


class ScheduledInstanceCount(Input):
    start_time: TimePoint
    end_time: TimePoint
    min_instances: Annotated[int, Field(ge=0, le=1000)]
    max_instances: Annotated[int, Field(ge=0, le=1000)]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.max_instances < self.min_instances:
            fault = problem(
                "bounds", "maxInstances must not be less than minInstances", min="minInstances", max="maxInstances"
            )
            raise _at({"maxInstances": (fault, self.max_instances)})
        return self


class ModelAutoScalingConfiguration(Input):
    """`active` is the older name of `enabled`. Responses contain both with the same value.

    `timeZone`: the schedule has the time zone of the account, so a request may name that one only. Responses have null.
    """

    min_instance_count: Annotated[int, Field(ge=0, le=1000)] = 0
    max_instance_count: Annotated[int, Field(ge=0, le=1000)] | None = None
    cooldown_duration_minutes: Annotated[int, Field(ge=0, le=10_080)] | None = None
    scale_up_requests_per_minute_threshold: Positive | None = None
    scale_down_requests_per_minute_threshold: Int32 | None = None
    scale_up_latency_threshold_ms: Positive | None = None
    scale_down_latency_threshold_ms: Int32 | None = None
    scale_up_cpu_threshold_milli_cores: Positive | None = None
    scale_down_cpu_threshold_milli_cores: Int32 | None = None
    scale_up_active_requests_threshold: Positive | None = None
    scale_down_active_requests_threshold: Int32 | None = None
    scale_up_queue_time_threshold_ms: Positive | None = None
    scale_down_queue_time_threshold_ms: Int32 | None = None
    active: bool = False
    enabled: bool | None = None
    scheduled_instance_count_settings: Annotated[tuple[ScheduledInstanceCount, ...], Field(max_length=100)] = ()
    idle_time_minutes: Annotated[int, Field(ge=1, le=525_600)] | None = None
    time_zone: TimeZoneName | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        faults: dict[str, tuple[PydanticCustomError, object]] = {}
        if self.max_instance_count is not None and self.max_instance_count < self.min_instance_count:
            fault = problem(
                "bounds",
                "maxInstanceCount must not be less than minInstanceCount",
                min="minInstanceCount",
                max="maxInstanceCount",
            )
            faults["maxInstanceCount"] = fault, self.max_instance_count
        for measure in _MEASURES:
            up: int | None = getattr(self, f"scale_up_{measure}")
            down: int | None = getattr(self, f"scale_down_{measure}")
            if up is not None and down is not None and down > up:
                faults[to_camel(f"scale_down_{measure}")] = _THRESHOLDS, down
        if faults:
            raise _at(faults)
        return self

    def settled(self) -> "ModelAutoScalingConfiguration":
        """Returns a copy without a time zone, and with `active` and `enabled` equal.

        When both were sent, `enabled` wins.
        """
        on = self.active if self.enabled is None else self.enabled
        return self.model_copy(update={"active": on, "enabled": on, "time_zone": None})


class ModelHttpSettingsData(Input):
    """`mainPageEndpoint`: the path that the platform requests to check whether the application is up."""

    is_http_enabled: bool = False
    http_port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    main_page_endpoint: HttpPath | None = None
    http_interface_only: bool = False

    @model_validator(mode="after")
    def _port_when_enabled(self) -> Self:
        if self.is_http_enabled and self.http_port is None:
            raise problem("http_port", "httpPort is required when HTTP is enabled")
        return self


class ModelArchiveSettingsData(Input):
    enabled: bool = False
    number_of_archived_requests: Annotated[int, Field(ge=0, le=100_000)] = 0
    encryption_enabled: bool = False
    rsa_pem_public_key: Annotated[str, Field(max_length=16_384)] | None = None

    @field_validator("rsa_pem_public_key")
    @classmethod
    def _is_a_key(cls, pem: str | None) -> str | None:
        if pem and (fault := _fault_in_key(pem)):
            raise problem("rsa_pem", fault)
        return pem

    @model_validator(mode="after")
    def _complete_when_enabled(self) -> Self:
        if self.enabled:
            _demand(
                "is required when the archive is on", {"numberOfArchivedRequests": self.number_of_archived_requests}
            )
        if self.encryption_enabled:
            _demand("is required when encryption is on", {"rsaPemPublicKey": self.rsa_pem_public_key})
        return self


def _demand(otherwise: LiteralString, fields: Mapping[str, object]) -> None:
    """Raises ValidationError with the path of each empty field."""
    missing = {name: (problem("required", otherwise), value) for name, value in fields.items() if not value}
    if missing:
        raise _at(missing)


def _at(faults: Mapping[str, tuple[PydanticCustomError, object]]) -> ValidationError:
    """Returns an error that names the fields with their values. An error raised by a model validator has no path."""
    details = [InitErrorDetails(type=fault, loc=(name,), input=value) for name, (fault, value) in faults.items()]
    return ValidationError.from_exception_data("settings", details)


def _fault_in_key(pem: str) -> str | None:
    if "PRIVATE KEY" in pem:
        return "is a private key; send the public key"
    try:
        key = load_pem_public_key(pem.encode())
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, RSAPublicKey):
        return "must be an RSA public key in PEM form"
    if not _LEAST_KEY_BITS <= key.key_size <= _MOST_KEY_BITS:
        return f"must be an RSA key of {_LEAST_KEY_BITS} to {_MOST_KEY_BITS} bits"
    return None


class ModelDefaults(Input):
    """The default settings of a new model."""

    timeouts: ModelTimeoutsData
    retries: ModelRetriesData
    batches: ModelBatchesData
    limits: ModelLimitsData
    resource_group: ShortText


TrainingType = Literal["singleContainer", "multipleFit"]
ModelType = Literal["MLP", "WEB_APPLICATION", "MCP_SERVER"]
TaskType = Literal[
    "text2vec",
    "text-classification",
    "ner",
    "text-processing",
    "chat-completion",
    "asr",
    "tts",
    "chat",
    "image-generation",
    "custom",
    "file_base64",
    "mcp_server",
]
