"""The policy of routes about resource groups and their servers."""

from typing import Final

from fastapi import Request

from mlpcore.system_account import SYSTEM_ACCOUNT
from mlplace_kit.names import PathRef
from mlplace_runtime.web.policy import Access, Member, superadmin_grant

_NAME: Final = "platform"


class GroupMember(Member):
    """Like Member; a superadmin also in the platform's own account, which has no members and is in no directory."""

    async def check(self, request: Request, ref: PathRef) -> Access:
        if ref.id == SYSTEM_ACCOUNT and (principal := await self.signed_in(request)).superadmin:
            return Access(principal, superadmin_grant(SYSTEM_ACCOUNT, _NAME))
        return await super().check(request, ref)
