from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.features.users.tables import User
from mlplace_kit.pagination import PageRequest

_FRESH = {"populate_existing": True}


class UserRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def by_id(self, user_id: int) -> User | None:
        return await self._session.get(User, user_id)

    async def by_ids(self, user_ids: Collection[int]) -> Sequence[User]:
        return (await self._session.scalars(sa.select(User).where(User.id.in_(user_ids)))).all()

    async def by_login(self, login: str) -> User | None:
        return await self._session.scalar(sa.select(User).where(User.login == login))

    async def locked_by_login(self, login: str) -> User | None:
        """Returns the current user and locks it until this transaction ends."""
        statement = sa.select(User).where(User.login == login).with_for_update()
        return await self._session.scalar(statement, execution_options=_FRESH)

    async def locked_holders(self, permission: str) -> Sequence[User]:
        """Returns the users with this permission, by id, and locks them until this transaction ends."""
        statement = sa.select(User).where(sa.literal(permission) == sa.any_(User.permissions)).order_by(User.id)
        return (await self._session.scalars(statement.with_for_update(), execution_options=_FRESH)).all()

    async def held(self, user_id: int) -> User | None:
        """Returns the current user and locks it against changes until this transaction ends."""
        statement = sa.select(User).where(User.id == user_id).with_for_update(read=True)
        return await self._session.scalar(statement, execution_options=_FRESH)

    async def add(
        self,
        *,
        login: str,
        password_hash: str,
        permissions: Sequence[str],
        internal: bool,
        language: str,
        now: datetime,
    ) -> User | None:
        """Returns None if the login exists, even in a transaction that commits meanwhile."""
        values = {
            "login": login,
            "password_hash": password_hash,
            "permissions": list(permissions),
            "internal": internal,
            "active": True,
            "language": language,
            "created_at": now,
            "version": 1,
        }
        statement = postgresql.insert(User).values(values).on_conflict_do_nothing(index_elements=[User.login])
        return await self._session.scalar(statement.returning(User))

    async def set_password(self, user_id: int, *, old_hash: str, new_hash: str) -> bool:
        """Returns False if the password was changed meanwhile."""
        statement = sa.update(User).where(User.id == user_id, User.password_hash == old_hash)
        changed = await self._session.scalar(statement.values(password_hash=new_hash).returning(User.id))
        return changed is not None

    async def confirm_email(self, user_id: int, now: datetime) -> None:
        """Sets the time of the first confirmation."""
        statement = sa.update(User).where(User.id == user_id, User.email_confirmed_at.is_(None))
        await self._session.execute(statement.values(email_confirmed_at=now))

    async def change(self, user_id: int, **values: object) -> User | None:
        """Returns the changed user with a higher version; None if there is no such user."""
        statement = sa.update(User).where(User.id == user_id).values(version=User.version + 1, **values)
        return await self._session.scalar(statement.returning(User), execution_options=_FRESH)

    async def search(self, name: str, request: PageRequest) -> tuple[Sequence[User], int]:
        """Returns users whose login contains `name`, sorted by id or login."""
        column = User.login if request.sort_field == "login" else User.id
        order = column.desc() if request.descending else column.asc()
        condition = User.login.contains(name.lower(), autoescape=True)
        rows = sa.select(User).where(condition).order_by(order).limit(request.size).offset(request.offset)
        total = sa.select(sa.func.count()).select_from(User).where(condition)
        return (await self._session.scalars(rows)).all(), (await self._session.execute(total)).scalar_one()
