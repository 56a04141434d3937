"""Password hashing: bounded, upgradable, and the same work for nobody."""

import asyncio
import threading
from collections.abc import Generator

import pytest

from accountsadmin.passwords import Passwords
from mlplace_kit.errors import Unavailable


@pytest.fixture
def passwords() -> Generator[Passwords]:
    made = Passwords(memory_kib=64, passes=1, workers=2)
    yield made
    made.close()


class TestVerify:
    async def test_knows_right_from_wrong(self, passwords: Passwords) -> None:
        stored = await passwords.hash("секрет 🙂")
        assert (await passwords.verify("секрет 🙂", stored)).matches
        assert not (await passwords.verify("секрет", stored)).matches

    async def test_nobody_has_no_password(self, passwords: Passwords) -> None:
        assert not (await passwords.verify("", None)).matches

    async def test_a_hash_by_weaker_parameters_is_upgraded(self, passwords: Passwords) -> None:
        stored = await passwords.hash("secret")
        stronger = Passwords(memory_kib=128, passes=2, workers=1)
        verdict = await stronger.verify("secret", stored)
        assert verdict.matches
        assert verdict.upgraded is not None
        assert (await stronger.verify("secret", verdict.upgraded)).upgraded is None
        stronger.close()


class TestLoad:
    async def test_beyond_the_queue_callers_are_refused_and_the_loop_goes_on(self) -> None:
        passwords = Passwords(memory_kib=2048, passes=2, workers=1)
        threads = threading.active_count()
        answers = await asyncio.gather(*(passwords.verify("guess", None) for _ in range(100)), return_exceptions=True)
        refused = [answer for answer in answers if isinstance(answer, Unavailable)]
        assert len(refused) == 100 - 65
        assert threading.active_count() <= threads + 1
        assert not (await passwords.verify("guess", None)).matches
        passwords.close()
