"""What owners read of the history of a resource group: its own entries, and those about its capacity."""

from datetime import timedelta
from typing import Protocol

from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.entries import GroupEntries
from mlpcore.features.stat_logs.schemas import PageStatLogData, StatLogData
from mlpcore.features.stat_logs.service import StatLogs
from mlplace_kit.clock import Clock
from mlplace_kit.errors import NotFound
from mlplace_kit.pagination import PageRequest

_OF_CAPACITY = frozenset({LogCode.CAPACITY_CHANGED.value})


class Groups(Protocol):
    async def owned(self, *, account_id: int, name: str) -> ResourceGroup | None: ...


class GroupLogs:
    """Each method raises NotFound for a group that the account does not own."""

    def __init__(self, groups: Groups, logs: StatLogs, clock: Clock) -> None:
        self._groups = groups
        self._logs = logs
        self._clock = clock

    async def events(self, account_id: int, group: str) -> list[StatLogData]:
        """Returns the newest 1,000 entries about the group and its servers, without those of its capacity."""
        await self._check(account_id, group)
        return await self._logs.of_group(GroupEntries(account_id, group, without=_OF_CAPACITY))

    async def events_page(self, account_id: int, group: str, *, minutes: int, page: PageRequest) -> PageStatLogData:
        """Returns a page of the entries of the last `minutes`."""
        await self._check(account_id, group)
        since = self._clock.now() - timedelta(minutes=minutes)
        return await self._logs.page_of_group(GroupEntries(account_id, group, without=_OF_CAPACITY, since=since), page)

    async def capacity(self, account_id: int, group: str, *, server: str | None) -> list[StatLogData]:
        """Returns the newest 1,000 changes of what servers have, of all servers or of the one with this name."""
        await self._check(account_id, group)
        return await self._logs.of_group(GroupEntries(account_id, group, codes=_OF_CAPACITY, node=server))

    async def capacity_page(
        self, account_id: int, group: str, *, server: str | None, minutes: int, page: PageRequest
    ) -> PageStatLogData:
        await self._check(account_id, group)
        since = self._clock.now() - timedelta(minutes=minutes)
        wanted = GroupEntries(account_id, group, codes=_OF_CAPACITY, node=server, since=since)
        return await self._logs.page_of_group(wanted, page)

    async def _check(self, account_id: int, name: str) -> None:
        if await self._groups.owned(account_id=account_id, name=name) is None:
            raise NotFound(entity="resource group")
