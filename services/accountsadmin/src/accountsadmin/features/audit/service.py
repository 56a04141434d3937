from collections.abc import Mapping
from typing import Final

from accountsadmin.features.audit.repository import AuditFilter, AuditRepository
from accountsadmin.features.audit.schemas import AuditPage, AuditRecord, SecurityEvent
from accountsadmin.origin import Origin
from mlplace_kit.clock import Clock
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.pagination import PageRequest, Pagination
from mlplace_kit.violations import broken

REASON: Final = "reason"
"""The detail that says why an administrator made a change."""


class AuditLog:
    """Security events of users and accounts, kept forever. They contain no secrets and no tried passwords."""

    def __init__(self, *, repository: AuditRepository, clock: Clock, origin: Origin) -> None:
        self._repository = repository
        self._clock = clock
        self._origin = origin

    async def record(
        self,
        kind: SecurityEvent,
        *,
        actor: int | None = None,
        user: int | None = None,
        account: int | None = None,
        login: str | None = None,
        details: Mapping[str, str] | None = None,
    ) -> None:
        await self._repository.append(
            {
                "occurred_at": self._clock.now(),
                "kind": kind.value,
                "actor_user_id": actor,
                "user_id": user,
                "account_id": account,
                "login": login,
                "address": self._origin.address,
                "user_agent": self._origin.user_agent,
                "details": dict(details or {}),
            }
        )

    async def page(
        self,
        *,
        request: PageRequest,
        user_id: int | None = None,
        account_id: int | None = None,
        kind: SecurityEvent | None = None,
        with_reasons: bool = True,
    ) -> AuditPage:
        """`with_reasons` False leaves out the reasons of administrators, which they write for each other."""
        if request.sort_field != "id":
            raise ValidationFailed({"sort": broken("sort", message="sort by id", allowed="id")})
        wanted = AuditFilter(user_id=user_id, account_id=account_id, kind=kind.value if kind else None)
        rows, total = await self._repository.page(wanted, request)
        records = [AuditRecord.model_validate(row) for row in rows]
        if not with_reasons:
            records = [_without_reason(record) for record in records]
        return AuditPage(paging=Pagination.of(request, total), records=records)


def _without_reason(record: AuditRecord) -> AuditRecord:
    told = {name: value for name, value in record.details.items() if name != REASON}
    return record.model_copy(update={"details": told})
