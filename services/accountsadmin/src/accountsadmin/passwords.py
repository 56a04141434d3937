"""Hashes passwords with argon2id in a few dedicated threads, so that guessing cannot starve the process."""

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Final, TypeVar

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from pydantic import Field, SecretStr

from accountsadmin.hash_turns import HashTurns
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.ids import random_alphanumeric
from mlplace_kit.violations import broken

_MAX_WAITING: Final = 64
_Result = TypeVar("_Result")

NewPassword = Annotated[SecretStr, Field(min_length=8, max_length=256)]
GivenPassword = Annotated[SecretStr, Field(max_length=256)]


@dataclass(frozen=True, slots=True)
class PasswordVerdict:
    """`upgraded` is a new hash with today's parameters if the stored hash has older ones."""

    matches: bool
    upgraded: str | None


@dataclass(frozen=True, slots=True)
class Asker:
    """For whom a password is hashed: `share` is a network address, or the id of a known device or user."""

    share: str
    known: bool = False


OWN = Asker("platform", known=True)
"""The platform itself."""


class Passwords:
    """Computes at most `workers` hashes at once, in a fair order.

    Known and unknown askers have separate queues. If one has more than 64 waiters, the asker with the most of them gets
    503.
    """

    def __init__(self, *, memory_kib: int, passes: int, workers: int) -> None:
        self._algorithm = PasswordHash((Argon2Hasher(memory_cost=memory_kib, time_cost=passes),))
        self._threads = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="argon2")
        self._turns = HashTurns(workers, most_waiting=_MAX_WAITING)
        self._nobody = self._algorithm.hash(random_alphanumeric(32))

    async def hash(self, password: str, *, asker: Asker) -> str:
        return await self._run(functools.partial(self._algorithm.hash, password), asker)

    async def verify(self, password: str, stored: str | None, *, asker: Asker) -> PasswordVerdict:
        """Checks a password.

        Without a stored hash it takes the same time and fails, which hides whether the login exists.
        """
        check = functools.partial(self._algorithm.verify_and_update, password, stored or self._nobody)
        matches, upgraded = await self._run(check, asker)
        return PasswordVerdict(matches and stored is not None, upgraded if stored else None)

    def close(self) -> None:
        self._threads.shutdown(cancel_futures=True)

    async def _run(self, work: Callable[[], _Result], asker: Asker) -> _Result:
        """Runs the work in its turn. Raises Unavailable if too many wait."""
        async with self._turns.turn(asker.share, known=asker.known):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def require_unlike_login(password: SecretStr, login: str, *, path: str) -> None:
    """Raises ValidationFailed for the field `path` if the password equals the login."""
    if password.get_secret_value().strip().lower() == login.lower():
        raise ValidationFailed({path: broken("unlike_login")})
