"""Somebody tries passwords for another person's login."""

import httpx
import pytest

from standalone.demo.content import ADMIN
from tests.attacks.installation import Target
from tests.attacks.people import People

_LOGIN = "/api/accountsadmin/c/authorization/login"
_TRIES = 12


class TestWrongPasswords:
    @pytest.mark.usefixtures("bystander")
    async def test_wrong_passwords_do_not_slow_down_a_known_browser(self, target: Target, people: People) -> None:
        right = {"login": ADMIN.login, "password": people.password(ADMIN)}
        async with httpx.AsyncClient(base_url=target.url, timeout=60) as browser:
            assert (await browser.post(_LOGIN, json=right)).status_code == 200
            await _guess(target)
            browser.cookies.delete("SESSION_ID")
            answer = await browser.post(_LOGIN, json=right)
            assert answer.status_code == 200, answer.text

    async def test_wrong_passwords_do_not_lock_out_another_address(self, target: Target, people: People) -> None:
        await _guess(target)
        async with httpx.AsyncClient(base_url=target.url, timeout=60) as browser:
            answer = await browser.post(_LOGIN, json={"login": ADMIN.login, "password": people.password(ADMIN)})
            assert answer.status_code == 200, answer.text

    async def test_wrong_passwords_are_slowed_down(self, target: Target) -> None:
        answers = await _guess(target)
        assert answers[0].status_code in {401, 429}
        assert answers[-1].status_code == 429
        assert int(answers[-1].headers["Retry-After"]) >= 1


async def _guess(target: Target) -> list[httpx.Response]:
    transport = httpx.AsyncHTTPTransport(local_address="127.0.0.3")
    async with httpx.AsyncClient(base_url=target.url, transport=transport, timeout=60) as client:
        return [
            await client.post(_LOGIN, json={"login": ADMIN.login, "password": f"guess {number}"})
            for number in range(_TRIES)
        ]
