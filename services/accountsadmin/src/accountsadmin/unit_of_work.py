"""One transaction with the resources of its services. Each feature builds its own in its `dependencies`."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.cookies import Cookies
from accountsadmin.origin import Origin, OriginDep
from accountsadmin.passwords import Passwords
from accountsadmin.settings import AccountsadminSettings
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.mail import Mailer
from mlplace_runtime.service import state_of
from mlplace_runtime.web.dependencies import SessionDep


@dataclass(frozen=True, slots=True)
class Resources:
    """What the service opened at start-up. It is stored at `app.state.service`."""

    settings: AccountsadminSettings
    database: Database
    clock: Clock
    hasher: KeyedHasher
    passwords: Passwords
    cookies: Cookies
    mailer: Mailer | None
    secure: bool
    """Whether browsers reach the platform by HTTPS."""

    @asynccontextmanager
    async def open_work(self, origin: Origin) -> AsyncGenerator["UnitOfWork"]:
        """For work that needs several transactions, or that must commit even if the request fails."""
        async with self.database.transaction() as session:
            yield UnitOfWork(session, self, origin)


@dataclass(frozen=True, slots=True)
class UnitOfWork:
    session: AsyncSession
    resources: Resources
    origin: Origin

    @property
    def clock(self) -> Clock:
        return self.resources.clock

    @property
    def outbox(self) -> Outbox:
        return Outbox(self.session, self.clock)


OpenWork: TypeAlias = Callable[[Origin], AbstractAsyncContextManager[UnitOfWork]]


ResourcesDep = Annotated[Resources, Depends(state_of(Resources))]


def work_of(session: SessionDep, resources: ResourcesDep, origin: OriginDep) -> UnitOfWork:
    return UnitOfWork(session, resources, origin)


WorkDep = Annotated[UnitOfWork, Depends(work_of, scope="function")]
"""The request's transaction: committed before the response is sent, rolled back if the request is refused."""
