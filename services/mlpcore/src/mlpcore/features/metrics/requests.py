"""Answered and failed requests by service and days, for managers of the platform."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from mlpcore.features.metrics.kinds import CallKind
from mlpcore.features.metrics.reading_repository import SampleReader, TierSpan
from mlpcore.features.metrics.request_repository import Key, RequestRepository
from mlpcore.features.metrics.schemas import ModelMetricsData, OverallMetricsData, RequestMetricsData, RequestType
from mlpcore.features.metrics.subjects_repository import Subjects
from mlpcore.features.metrics.tiers import DAY, MINUTE, QUARTER, SAMPLE
from mlplace_kit.clock import Clock
from mlplace_kit.errors import ModelNotFound, NotFound
from mlplace_kit.names import PathRef
from mlplace_runtime.service import AccountDirectory

_ADDED_UP: Final = timedelta(seconds=60)
"""A coarser tier has what ended so long ago."""


class RequestMetrics:
    def __init__(
        self,
        reader: SampleReader,
        requests: RequestRepository,
        subjects: Subjects,
        accounts: AccountDirectory,
        clock: Clock,
    ) -> None:
        self._accounts = accounts
        self._reader = reader
        self._requests = requests
        self._subjects = subjects
        self._clock = clock

    async def overall(
        self, *, account: PathRef | None, since: date | None, until: date | None, kind: RequestType | None
    ) -> OverallMetricsData:
        """Returns the requests of the services of the account, or of all, from the first to the last day (UTC).

        Raises NotFound.
        """
        if account is None:
            models = await self._subjects.all_models()
        else:
            models = await self._subjects.models_of(await self._account_id(account))
        rows = await self._rows(models, since, until, kind)
        success, fail = sum(row.total_success for row in rows), sum(row.total_fail for row in rows)
        return OverallMetricsData(
            total_success_count=success,
            total_fail_count=fail,
            total_fail_percentage=_percentage(success, fail),
            model_metrics=rows,
        )

    async def of_model(
        self,
        *,
        account: PathRef,
        model: PathRef,
        since: date | None,
        until: date | None,
        kind: RequestType | None,
    ) -> ModelMetricsData:
        """Raises NotFound, ModelNotFound."""
        model_id = await self._subjects.model(await self._account_id(account), model)
        if model_id is None:
            raise ModelNotFound
        rows = await self._rows([model_id], since, until, kind)
        return rows[0] if rows else _data(model_id, 0, 0)

    async def _account_id(self, ref: PathRef) -> int:
        found = await self._accounts.find(ref)
        if found is None:
            raise NotFound(entity="account")
        return found.account_id

    async def save(self, counted: Sequence[RequestMetricsData]) -> None:
        """Adds requests that were counted elsewhere."""
        counts: Counter[Key] = Counter()
        for entry in counted:
            details = entry.request_details_data
            key = (
                details.date, details.model_id, details.caller_account_id, entry.request_type_data.value,
                entry.is_success,
            )  # fmt: skip
            counts[key] += entry.count
        await self._requests.add(counts)

    async def _rows(
        self, models: Sequence[int], since: date | None, until: date | None, kind: RequestType | None
    ) -> list[ModelMetricsData]:
        now = self._clock.now()
        first = max(since or now.date() - timedelta(days=30), (now - QUARTER.kept).date())
        last = min(until or now.date(), now.date()) + DAY
        if not models or last <= first:
            return []
        types = [kind.value] if kind is not None else [each.value for each in RequestType]
        success, fail = Counter[int](), Counter[int]()
        for model_id, (answered, failed) in (
            await self._requests.sums(models, since=first, until=last, types=types)
        ).items():
            success[model_id] += answered
            fail[model_id] += failed
        if kind is not RequestType.FIT:
            for span in _spans(_midnight(first), min(_midnight(last), now), now):
                for model_id, by_step in (await self._reader.calls(CallKind.MODEL, models, span)).items():
                    success[model_id] += sum(calls.answered for calls in by_step.values())
                    fail[model_id] += sum(calls.failed for calls in by_step.values())
        return [_data(model_id, success[model_id], fail[model_id]) for model_id in sorted({*success, *fail})]


def _spans(since: datetime, until: datetime, now: datetime) -> Sequence[TierSpan]:
    """Returns spans without overlap: the coarsest tier as far as it is added up, then finer ones."""
    ends = (
        (QUARTER, QUARTER.start_of(now - _ADDED_UP)),
        (MINUTE, MINUTE.start_of(now - _ADDED_UP)),
        (SAMPLE, until),
    )
    spans: list[TierSpan] = []
    for tier, end in ends:
        stop = min(end, until)
        if stop > since:
            spans.append(TierSpan(tier, since, stop, QUARTER.kept, now, origin=since))
            since = stop
    return spans


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _data(model_id: int, success: int, fail: int) -> ModelMetricsData:
    return ModelMetricsData(
        model_id=model_id, total_success=success, total_fail=fail, fail_percentage=_percentage(success, fail)
    )


def _percentage(success: int, fail: int) -> float:
    return round(100 * fail / (success + fail), 3) if fail else 0.0
