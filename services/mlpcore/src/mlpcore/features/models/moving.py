"""Gives services another resource group, for administrators."""

from mlpcore.features.models.events import model_changed
from mlpcore.features.models.ports import UsableGroups
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.tables import Model
from mlpcore.features.models.versions.log import VersionLog
from mlpcore.features.models.versions.schemas import VersionKind
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.service import StatLogs
from mlplace_kit.clock import Clock
from mlplace_runtime.db.outbox import Publisher


class ModelMover:
    def __init__(
        self,
        *,
        repository: ModelRepository,
        groups: UsableGroups,
        versions: VersionLog,
        outbox: Publisher,
        logs: StatLogs,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._groups = groups
        self._versions = versions
        self._outbox = outbox
        self._logs = logs
        self._clock = clock

    async def group(self, model: Model, group_id: int) -> ResourceGroup | None:
        """Returns the group if the model may run in it. It stays until the transaction ends."""
        return await self._groups.usable(account_id=model.account_id, group_id=group_id, keep=True)

    async def move(self, model: Model, group_id: int | None, name: str | None) -> None:
        """Gives a model that the caller has locked this group; None: the default one. Its instances stay."""
        now = self._clock.now()
        before, seen = model.resource_group, self._versions.seen(model)
        model.resource_group_id, model.resource_group = group_id, name
        model.version += 1
        model.updated_at = now
        await self._repository.flush(model)
        await self._versions.record(model, seen, VersionKind.MOVED, None)
        await self._outbox.add(model_changed(model, await self._repository.owner(model.account_id)))
        self._logs.add(
            LogCode.MODEL_MOVED,
            account_id=model.account_id,
            model_id=model.model_id,
            at=now,
            message=f"The service moves to the resource group {name or 'that is its default'}",
            args={"before": before, "after": name},
        )
