"""Tests password hashing: its queue, upgrades of hashes, and equal time for unknown logins."""

import asyncio
import threading
from collections.abc import Generator

import pytest

from accountsadmin.passwords import OWN, Asker, Passwords
from mlplace_kit.errors import Unavailable


@pytest.fixture
def passwords() -> Generator[Passwords]:
    made = Passwords(memory_kib=64, passes=1, workers=2)
    yield made
    made.close()


class TestVerify:
    async def test_the_right_password_matches_and_a_wrong_one_does_not(self, passwords: Passwords) -> None:
        stored = await passwords.hash("секрет 🙂", asker=OWN)
        assert (await passwords.verify("секрет 🙂", stored, asker=OWN)).matches
        assert not (await passwords.verify("секрет", stored, asker=OWN)).matches

    async def test_no_password_matches_without_a_stored_hash(self, passwords: Passwords) -> None:
        assert not (await passwords.verify("", None, asker=OWN)).matches

    async def test_a_hash_with_weaker_parameters_is_upgraded(self, passwords: Passwords) -> None:
        stored = await passwords.hash("secret", asker=OWN)
        stronger = Passwords(memory_kib=128, passes=2, workers=1)
        verdict = await stronger.verify("secret", stored, asker=OWN)
        assert verdict.matches
        assert verdict.upgraded is not None
        assert (await stronger.verify("secret", verdict.upgraded, asker=OWN)).upgraded is None
        stronger.close()


class TestLoad:
    async def test_a_full_queue_refuses_callers_without_blocking_the_loop(self) -> None:
        passwords = Passwords(memory_kib=2048, passes=2, workers=1)
        threads = threading.active_count()
        answers = await asyncio.gather(
            *(passwords.verify("guess", None, asker=OWN) for _ in range(100)), return_exceptions=True
        )
        refused = [answer for answer in answers if isinstance(answer, Unavailable)]
        assert len(refused) == 100 - 65
        assert threading.active_count() <= threads + 1
        assert not (await passwords.verify("guess", None, asker=OWN)).matches
        passwords.close()

    async def test_one_asker_cannot_use_up_the_turns_of_another(self) -> None:
        passwords = Passwords(memory_kib=1024, passes=1, workers=1)
        flood = [asyncio.create_task(passwords.verify("guess", None, asker=Asker("flood"))) for _ in range(65)]
        await asyncio.sleep(0)
        await passwords.verify("mine", None, asker=Asker("mine"))
        answered = [task for task in flood if task.done() and not task.exception()]
        assert len(answered) <= 2
        ended = await asyncio.gather(*flood, return_exceptions=True)
        assert sum(isinstance(answer, Unavailable) for answer in ended) == 1
        passwords.close()

    async def test_a_known_device_does_not_wait_behind_unknown_ones(self) -> None:
        passwords = Passwords(memory_kib=1024, passes=1, workers=1)
        crowd = [asyncio.create_task(passwords.verify("guess", None, asker=Asker(f"a{n}"))) for n in range(90)]
        await asyncio.sleep(0)
        await passwords.verify("mine", None, asker=Asker("device:1", known=True))
        assert sum(task.done() and not task.exception() for task in crowd) <= 2
        ended = await asyncio.gather(*crowd, return_exceptions=True)
        assert sum(isinstance(answer, Unavailable) for answer in ended) == 90 - 65
        passwords.close()

    async def test_a_cancelled_asker_passes_its_turn_on(self) -> None:
        passwords = Passwords(memory_kib=1024, passes=1, workers=1)
        tasks = [asyncio.create_task(passwords.verify("guess", None, asker=Asker(f"a{n}"))) for n in range(20)]
        await asyncio.sleep(0)
        for task in tasks[1::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with asyncio.timeout(60):
            assert not (await passwords.verify("guess", None, asker=Asker("late"))).matches
        passwords.close()
