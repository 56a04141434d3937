"""The stages that calls of a model pass, computed once per version of the model. An unused stage is None."""

from dataclasses import dataclass

from mlplace_contracts.enums import HostingType
from mlplace_contracts.events import ModelArchive, ModelBatches, ModelCaching, ModelChanged, ModelRetries

LONGEST_SECONDS = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Repeats:
    """Up to `most` retries, `offsets` seconds after the first request. `per_instance` counts the first request, too."""

    most: int
    offsets: tuple[float, ...]
    per_instance: int


@dataclass(frozen=True, slots=True)
class Batches:
    size: int
    wait_seconds: float
    longest_bytes: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """How calls of one model run.

    `waits`: a call waits for an instance that starts. `concurrency`: the most requests in progress at one instance.
    `http_only`: instances open no stream to a gate; the gate calls them over HTTP.
    """

    model: ModelChanged
    answer_seconds: float
    start_seconds: float
    waits: bool
    wakeable: bool
    concurrency: int | None
    repeats: Repeats | None
    batches: Batches | None
    composite: bool
    http_only: bool = False
    caching: ModelCaching | None = None
    archive: ModelArchive | None = None

    @property
    def is_plain(self) -> bool:
        """Whether each call is sent to one instance at once, and again only after a failure.

        Otherwise calls may be answered from a cache, archived, gathered in batches or sent twice at set times.
        """
        hedged = self.repeats is not None and bool(self.repeats.offsets)
        return not (self.caching or self.archive or self.batches or hedged)


class Plans:
    """The plans of all called models, each built from one ModelChanged event and replaced after the next."""

    def __init__(self) -> None:
        self._plans: dict[int, Plan] = {}

    def of(self, model: ModelChanged) -> Plan:
        plan = self._plans.get(model.model_id)
        if plan is None or plan.model is not model:
            plan = self._plans[model.model_id] = plan_of(model)
        return plan


def plan_of(model: ModelChanged) -> Plan:
    queue = model.priority_queue
    return Plan(
        model=model,
        answer_seconds=float(model.timeouts.predict),
        start_seconds=min(float(model.timeouts.pod_start), LONGEST_SECONDS),
        waits=not model.reject_if_inactive,
        wakeable=model.hosting_type != HostingType.EXTERNAL,
        concurrency=queue.concurrency if queue and queue.enabled else None,
        repeats=_repeats(model.retries),
        batches=_batches(model.batches),
        composite=model.composite,
        http_only=model.http is not None and model.http.only,
        caching=model.caching,
        archive=model.archive,
    )


def _repeats(retries: ModelRetries | None) -> Repeats | None:
    if retries is None or not retries.most:
        return None
    offsets = tuple(sorted(ms / 1000 for ms in retries.timeouts_ms))[: retries.most]
    per_instance = retries.most + 1 if retries.most_per_instance is None else max(1, retries.most_per_instance)
    return Repeats(retries.most, offsets, per_instance)


def _batches(batches: ModelBatches | None) -> Batches | None:
    if batches is None or batches.size < 2:
        return None
    return Batches(batches.size, batches.wait_ms / 1000, batches.longest_bytes)
