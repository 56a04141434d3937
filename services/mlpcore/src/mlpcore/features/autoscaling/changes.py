"""Applies decisions, and tells people what stands against the numbers that are needed."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.errors import LicenseLimitExceeded
from mlpcore.features.autoscaling.repository import AutoscalingRepository, ModelFacts
from mlpcore.features.autoscaling.tasks import NeedTasks
from mlpcore.features.instances.dependencies import requests_of, scaling_of
from mlpcore.features.instances.desired.scaling import RequestMoved
from mlpcore.features.instances.errors import InstanceLimitExceeded, ResourceLimitExceeded
from mlpcore.features.models.tables import Model
from mlpcore.features.scaling_rules.decision import Counts, Decision, Kind, Load
from mlpcore.features.scaling_rules.dependencies import scaling_history_of
from mlpcore.features.scaling_rules.history import Scaled, ScalingKind, numbers_of
from mlpcore.features.scaling_rules.schedule import Bounds
from mlpcore.features.tasks.dependencies import tasks_of
from mlpcore.state import CoreState
from mlplace_contracts.enums import HostingType
from mlplace_kit.errors import DomainError

MAXIMUM: Final = "maximum"
_PLACE: Final = "place"
_LIMIT: Final = "limit"
_TOLD_AGAIN: Final = timedelta(hours=1)
_KINDS: Final = {Kind.UP: ScalingKind.SCALE_UP, Kind.DOWN: ScalingKind.SCALE_DOWN, Kind.SLEEP: ScalingKind.SLEEP}
_REFUSALS: Final = (InstanceLimitExceeded, ResourceLimitExceeded, LicenseLimitExceeded)


@dataclass(frozen=True, slots=True)
class Finding:
    """A decision about a model, and what it was made from."""

    model: ModelFacts
    decision: Decision
    counts: Counts
    load: Load
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class Applied:
    """`reached`: the requested number now. `refused`: the limit that forbids the decided one."""

    reached: int
    refused: DomainError | None


class Changes:
    def __init__(self, state: CoreState) -> None:
        self._state = state

    async def apply(self, finding: Finding) -> Applied:
        """Requests the number of instances; if a limit forbids it, as many of them as are allowed.

        Raises RequestMoved.
        """
        before, wanted = finding.model.requested, finding.decision.wanted
        refused: DomainError | None = None
        while wanted != before:
            try:
                return Applied(await self._request(finding, wanted), refused)
            except _REFUSALS as refusal:
                refused = refusal
                wanted = before + int((wanted - before) / 2)  # half a step, and none after a step of one
        return Applied(before, refused)

    async def _request(self, finding: Finding, wanted: int) -> int:
        """Returns the number that is requested now."""
        before = finding.model.requested
        async with self._state.database.transaction() as session:
            model = await _automatic(session, finding.model.model_id)
            if model is None:
                raise RequestMoved
            reached = await scaling_of(session, self._state).adjust(model, before=before, wanted=wanted)
            if reached != before:
                scaled = _scaled(finding, _KINDS[finding.decision.kind], finding.decision.reason, after=reached)
                await scaling_history_of(session, self._state.clock).add(scaled)
        return reached

    async def notify(self, finding: Finding, applied: Applied) -> None:
        """Stores what stands against the needed number.

        Tells people and begins the task NEED_SCALE_UP when it begins, at most once an hour for each kind of trouble: it
        may come and go with every decision.
        """
        refusal = applied.refused
        trouble = _trouble(finding, refusal)
        if trouble == finding.model.trouble:
            return
        async with self._state.database.transaction() as session:
            model = await _automatic(session, finding.model.model_id)
            if model is None:
                return
            repository, now = AutoscalingRepository(session), self._state.clock.now()
            before = finding.model.trouble
            if not await repository.change_trouble(model.model_id, before, trouble) or trouble is None:
                return
            if not await repository.note_told(model.model_id, trouble, now=now, since=now - _TOLD_AGAIN):
                return
            kind = ScalingKind.HELD if trouble == MAXIMUM else ScalingKind.NEED_SCALE_UP
            detail = refusal.text if refusal is not None else _waiting(finding.model)
            scaled = _scaled(finding, kind, trouble, after=applied.reached, detail=detail)
            await scaling_history_of(session, self._state.clock).add(scaled)
            if trouble != MAXIMUM:
                text = None if refusal is None else refusal.text
                await NeedTasks(tasks_of(session, self._state.clock)).begin(model, refusal=text)


async def _automatic(session: AsyncSession, model_id: int) -> Model | None:
    """Returns the model unless it has been deleted or gets its number from people now."""
    model = await requests_of(session).model(model_id)
    fits = model is not None and model.deleted_at is None and model.hosting_type == HostingType.AUTOMATIC
    return model if fits else None


def _trouble(finding: Finding, refusal: DomainError | None) -> str | None:
    """A limit stands until the load needs no more than it allows, a maximum until the number or the maximum changes."""
    model, decision = finding.model, finding.decision
    needs_more = decision.kind is Kind.HOLD and decision.needed is not None and decision.needed > model.requested
    if refusal is not None or (needs_more and model.trouble == _LIMIT):
        return _LIMIT
    if _waiting(model) is not None:
        return _PLACE
    if decision.needed is not None and max(decision.wanted, model.requested) >= finding.bounds.most:
        return MAXIMUM
    reached = decision.kind is Kind.HOLD and model.requested >= finding.bounds.most
    return MAXIMUM if reached and model.trouble == MAXIMUM else None


def _waiting(model: ModelFacts) -> str | None:
    return next((instance.waiting for instance in model.instances if instance.waiting is not None), None)


def _scaled(finding: Finding, kind: ScalingKind, reason: str, *, after: int, detail: str | None = None) -> Scaled:
    numbers = numbers_of(finding.load, finding.counts)
    wanted = finding.decision.needed or finding.decision.wanted
    if wanted != after:
        numbers["wanted"] = wanted
    if detail is not None:
        numbers["detail"] = detail
    model = finding.model
    return Scaled(
        model.account_id,
        model.model_id,
        kind,
        reason,
        before=model.requested,
        after=after,
        connected=finding.counts.connected,
        bounds=finding.bounds,
        numbers=numbers,
    )
