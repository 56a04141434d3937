"""Appends versions to the history of a model, in the transaction of the change."""

from collections.abc import Sequence

from mlpcore.features.models.tables import Block, Model
from mlpcore.features.models.versions.differences import differences, of_documents
from mlpcore.features.models.versions.repository import VersionRepository
from mlpcore.features.models.versions.schemas import FieldChange, VersionKind
from mlpcore.features.models.versions.snapshot import Snapshot, Snapshots
from mlplace_kit.clock import Clock
from mlplace_runtime.auth.principal import Principal


class VersionLog:
    """The caller has locked the model, from before `seen` until its transaction ends. So versions form a chain."""

    def __init__(self, repository: VersionRepository, snapshots: Snapshots, clock: Clock) -> None:
        self._repository = repository
        self._snapshots = snapshots
        self._clock = clock

    def seen(self, model: Model) -> Snapshot:
        """Returns the present settings, for `record` after the change."""
        return self._snapshots.of(model)

    async def begin(self, model: Model, kind: VersionKind, author: Principal) -> None:
        """Records the first version of a model that the caller has just added."""
        await self._append(model, 1, kind, author, document=self._snapshots.of(model).document)

    async def record(
        self,
        model: Model,
        before: Snapshot,
        kind: VersionKind,
        author: Principal | None,
        *,
        restored: int | None = None,
    ) -> None:
        """Records what has changed since `before`; nothing if nothing has. `author` None: the platform's team.

        What the versions do not tell yet is recorded first: the settings of a model that has none, and what changed
        without a version (the previous release, or a deletion that took a reference away). So one can always go back.
        """
        after = self._snapshots.of(model)
        changes = differences(before, after)
        if not changes:
            return
        newest = await self._repository.newest(account_id=model.account_id, model_id=model.model_id)
        number = newest.number if newest else 0
        missed = of_documents(newest.document, before.document) if newest else []
        if newest is None or missed:
            number += 1
            await self._append(model, number, VersionKind.UNRECORDED, None, document=before.document, changes=missed)
        await self._append(model, number + 1, kind, author, document=after.document, changes=changes, restored=restored)

    async def _append(
        self,
        model: Model,
        number: int,
        kind: VersionKind,
        author: Principal | None,
        *,
        document: Block,
        changes: Sequence[FieldChange] = (),
        restored: int | None = None,
    ) -> None:
        await self._repository.append(
            {
                "model_id": model.model_id,
                "number": number,
                "account_id": model.account_id,
                "occurred_at": self._clock.now(),
                "user_id": author.user_id if author else None,
                "author": author.author if author else None,
                "kind": kind.value,
                "restored_number": restored,
                "changes": [change.model_dump(mode="json", by_alias=True) for change in changes],
                "document": document,
            }
        )
