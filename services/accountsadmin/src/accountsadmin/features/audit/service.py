from collections.abc import Mapping

from accountsadmin.features.audit.repository import AuditFilter, AuditRepository
from accountsadmin.features.audit.schemas import AuditPage, AuditRecord, SecurityEvent
from accountsadmin.origin import Origin
from mlplace_kit.clock import Clock
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.pagination import PageRequest, Pagination
from mlplace_kit.violations import broken


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
    ) -> AuditPage:
        if request.sort_field != "id":
            raise ValidationFailed({"sort": broken("sort", message="sort by id", allowed="id")})
        wanted = AuditFilter(user_id=user_id, account_id=account_id, kind=kind.value if kind else None)
        rows, total = await self._repository.page(wanted, request)
        return AuditPage(
            paging=Pagination.of(request, total), records=[AuditRecord.model_validate(row) for row in rows]
        )
