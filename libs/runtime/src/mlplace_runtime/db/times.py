"""The time by which processes judge each other's rows: one may delete what another is about to use."""

from collections.abc import Awaitable, Callable
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_kit.clock import Clock

SharedTime = Callable[[AsyncSession, Clock], Awaitable[datetime]]
"""Returns the time, of the session's database or of the clock."""


async def database_time(session: AsyncSession, _clock: Clock) -> datetime:
    """Returns the same time to all processes, also while their own clocks differ. It moves on within a transaction."""
    return (await session.execute(sa.select(sa.func.clock_timestamp()))).scalar_one()


async def process_time(_session: AsyncSession, clock: Clock) -> datetime:
    """Returns the clock's time: for tests that move it."""
    return clock.now()
