"""Who changed the limits, features and allowed networks of accounts, and why."""

from collections.abc import Mapping
from dataclasses import dataclass

from mlpcore.features.accounts.change_repository import ChangeRepository
from mlpcore.features.accounts.schemas import (
    AccountChangeData,
    AccountChangeKind,
    ChangedValue,
    PagedAccountChanges,
)
from mlplace_kit.clock import Clock
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.pagination import PageRequest, Pagination
from mlplace_kit.violations import broken


@dataclass(frozen=True, slots=True)
class Author:
    """Who makes a change, and why. `user_id` and `login` None: no user, but the start of an installation."""

    user_id: int | None = None
    login: str | None = None
    reason: str | None = None


class ChangeLog:
    """Changes of accounts, kept forever."""

    def __init__(self, repository: ChangeRepository, clock: Clock) -> None:
        self._repository = repository
        self._clock = clock

    async def record(
        self,
        kind: AccountChangeKind,
        *,
        account_id: int,
        before: Mapping[str, ChangedValue],
        after: Mapping[str, ChangedValue],
        author: Author,
    ) -> None:
        """Records the names of `after` whose values differ; nothing if none does."""
        details = {
            name: {"before": before[name], "after": value} for name, value in after.items() if before[name] != value
        }
        if not details:
            return
        await self._repository.append(
            {
                "account_id": account_id,
                "occurred_at": self._clock.now(),
                "actor_user_id": author.user_id,
                "actor_login": author.login,
                "kind": kind.value,
                "details": details,
                "reason": author.reason,
            }
        )

    async def page(self, request: PageRequest, *, account_id: int) -> PagedAccountChanges:
        """Raises ValidationFailed for another order than by id."""
        if request.sort_field != "id":
            raise ValidationFailed({"sort": broken("sort", message="use id,asc or id,desc", allowed="id,asc, id,desc")})
        rows, total = await self._repository.page(
            account_id, offset=request.offset, limit=request.size, descending=request.descending
        )
        records = [AccountChangeData.model_validate(row) for row in rows]
        return PagedAccountChanges(paging=Pagination.of(request, total), records=records)
