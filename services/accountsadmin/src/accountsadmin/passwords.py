"""Passwords: argon2id in a few threads of their own, so that guessing cannot starve the process."""

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

_MAX_WAITING: Final = 64
_Result = TypeVar("_Result")

NewPassword = Annotated[SecretStr, Field(min_length=8, max_length=256)]
GivenPassword = Annotated[SecretStr, Field(max_length=256)]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`upgraded` is a hash by today's parameters, when the stored one was made by older ones."""

    matches: bool
    upgraded: str | None


@dataclass(frozen=True, slots=True)
class Asker:
    """Who has a password hashed: `share` is a network address, or what tells a known device from others."""

    share: str
    known: bool = False


OWN = Asker("platform", known=True)
"""The platform's own work."""


class Passwords:
    """At most `workers` hashes are computed at once. Askers have their turns in a fair order.

    Known and unknown askers wait in a line each. Beyond 64 in a line, whoever has most in it gets 503.
    """

    def __init__(self, *, memory_kib: int, passes: int, workers: int) -> None:
        self._algorithm = PasswordHash((Argon2Hasher(memory_cost=memory_kib, time_cost=passes),))
        self._threads = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="argon2")
        self._turns = HashTurns(workers, most_waiting=_MAX_WAITING)
        self._nobody = self._algorithm.hash(random_alphanumeric(32))

    async def hash(self, password: str, *, asker: Asker) -> str:
        return await self._run(functools.partial(self._algorithm.hash, password), asker)

    async def verify(self, password: str, stored: str | None, *, asker: Asker) -> Verdict:
        """Without a stored hash the answer is no, after the same work: time does not tell whether a login exists."""
        check = functools.partial(self._algorithm.verify_and_update, password, stored or self._nobody)
        matches, upgraded = await self._run(check, asker)
        return Verdict(matches and stored is not None, upgraded if stored else None)

    def close(self) -> None:
        self._threads.shutdown(cancel_futures=True)

    async def _run(self, work: Callable[[], _Result], asker: Asker) -> _Result:
        """Raises Unavailable."""
        async with self._turns.turn(asker.share, known=asker.known):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def require_unlike_login(password: SecretStr, login: str, *, path: str) -> None:
    """Raises ValidationFailed on the field `path` when the password is the login."""
    if password.get_secret_value().strip().lower() == login.lower():
        raise ValidationFailed({path: "must differ from the login"})
