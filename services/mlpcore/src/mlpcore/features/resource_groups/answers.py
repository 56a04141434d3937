from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.resource_groups.repository import ResourceGroupRepository


class GroupNames:
    """Implements ResourceGroupNames."""

    def __init__(self, session: AsyncSession) -> None:
        self._repository = ResourceGroupRepository(session)

    async def deployable(self, *, account_id: int, name: str) -> bool:
        return await self._repository.resolve(account_id=account_id, name=name) is not None
