"""Tests that guesses lock nobody out: known devices sign in, unknown ones wait for their turn."""

import asyncio
from datetime import timedelta

import httpx
import pytest

from mlplace_testing.post import Post

from .conftest import PASSWORD, OpenWorld, World
from .test_recovery import AUTH, FRESH, Mailbox, forgot
from .test_sign_in import LOGIN

ANN = "ann@example.org"
ATTACKER = "203.0.113.9"
HOUR = timedelta(hours=1)


async def _try(browser: httpx.AsyncClient, password: str = "wrong password", login: str = ANN) -> httpx.Response:
    return await browser.post(LOGIN, json={"login": login, "password": password})


async def _attack(world: World, times: int, *addresses: str) -> list[httpx.Response]:
    return [await _try(world.browser(address)) for address in addresses or (ATTACKER,) for _ in range(times)]


class TestKnownDevice:
    async def test_a_known_device_signs_in_despite_attempts_of_others(self, world: World) -> None:
        own = await world.signed_up()
        await own.post("/c/authorization/logout")
        answers = await _attack(world, 15, *(f"198.51.100.{n}" for n in range(5)))
        assert {answer.status_code for answer in answers} == {401, 429}
        assert (await _try(own, PASSWORD)).status_code == 200

    async def test_a_known_device_signs_in_from_the_attackers_network(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_address=5)
        own = await world.signed_up()
        answers = await _attack(world, 40, "192.0.2.1")
        assert answers[-1].status_code == 429
        assert (await _try(own, PASSWORD)).status_code == 200

    async def test_a_known_device_is_slowed_down_by_its_own_attempts(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_login=3)
        own = await world.signed_up()
        assert [(await _try(own)).status_code for _ in range(4)] == [401, 401, 401, 429]
        world.clock.advance(timedelta(seconds=1))
        assert (await _try(own, PASSWORD)).status_code == 200

    async def test_a_device_is_known_for_each_user_who_signed_in_there(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_login=2)
        shared = await world.signed_up("bob@example.org")
        await shared.post("/c/authorization/register", json={"login": ANN, "password": PASSWORD})
        await _attack(world, 5, "192.0.2.1")
        assert [(await _try(shared, login="bob@example.org")).status_code for _ in range(3)] == [401, 401, 429]
        assert (await _try(shared, PASSWORD)).status_code == 200
        world.clock.advance(timedelta(seconds=1))
        assert (await _try(shared, PASSWORD, "bob@example.org")).status_code == 200

    async def test_a_planted_device_cookie_is_worthless_after_the_sign_in(self, world: World) -> None:
        victim = await world.signed_up()
        planted = victim.cookies["DEVICE"]
        await _try(victim, PASSWORD)
        assert victim.cookies["DEVICE"] != planted
        thief = world.browser(ATTACKER)
        await _attack(world, 10)
        thief.cookies.set("DEVICE", planted, domain="testserver.local")
        assert (await _try(thief)).status_code == 429

    async def test_an_unused_device_is_forgotten_after_its_lifetime(self, open_world: OpenWorld) -> None:
        world = await open_world(device_lifetime=timedelta(days=1), attempts_per_login=1)
        own = await world.signed_up()
        world.clock.advance(timedelta(days=1))
        await _attack(world, 1, "192.0.2.1")
        assert (await _try(own, PASSWORD)).status_code == 429

    async def test_a_device_cookie_is_stored_as_a_keyed_hash_only(self, world: World) -> None:
        own = await world.signed_up()
        stored = await world.sql("SELECT token_hash FROM known_devices")
        assert stored == [(world.shared.hasher.digest(own.cookies["DEVICE"]),)]

    async def test_a_password_reset_by_mail_makes_the_device_known(self, open_world: OpenWorld) -> None:
        mailbox = Mailbox()
        world = await open_world(mailer=mailbox)
        await world.signed_up()
        await _attack(world, 15, "192.0.2.1", ATTACKER)
        await forgot(world)
        fresh = world.browser()
        body = {"token": mailbox.token("/c/reset-password"), "newPassword": FRESH}
        assert (await fresh.post(f"{AUTH}/reset-password", json=body)).status_code == 200
        await _attack(world, 15, "192.0.2.1", ATTACKER)
        assert (await _try(fresh, FRESH)).status_code == 200

    async def test_a_password_change_does_not_wait_for_attackers(self, world: World) -> None:
        own = await world.signed_up()
        await _attack(world, 15, "192.0.2.1", ATTACKER)
        body = {"currentPassword": PASSWORD, "newPassword": FRESH}
        assert (await own.post("/c/authorization/change-password", json=body)).status_code == 200


class TestUnknownDevice:
    async def test_an_unknown_device_signs_in_while_another_address_attacks(self, world: World) -> None:
        await world.signed_up()
        await _attack(world, 25)
        assert (await _try(world.browser("198.51.100.7"), PASSWORD)).status_code == 200

    async def test_an_unknown_device_gets_a_turn_while_many_addresses_attack(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_login_everywhere=10)
        await world.signed_up()
        addresses = [f"203.0.113.{n}" for n in range(12)]
        await _attack(world, 2, *addresses)
        own = world.browser("198.51.100.7")
        answer = await _try(own, PASSWORD)
        assert answer.status_code == 429
        wait = int(answer.headers["retry-after"])
        assert wait <= 5 * len(addresses)
        await _attack(world, 5, *addresses)  # later and early attempts do not get in between
        assert (await _try(own, PASSWORD)).headers["retry-after"] == str(wait)
        world.clock.advance(timedelta(seconds=wait))
        assert (await _try(own, PASSWORD)).status_code == 200

    async def test_many_addresses_have_twelve_attempts_a_minute(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_login_everywhere=10)
        await world.signed_up()
        addresses = [f"203.0.113.{n}" for n in range(20)]
        await _attack(world, 1, *addresses)
        tried = 0
        for _ in range(12):
            world.clock.advance(timedelta(seconds=5))
            tried += sum(answer.status_code == 401 for answer in await _attack(world, 1, *addresses))
        assert tried <= 13

    async def test_an_address_over_its_limit_builds_no_queue_at_other_logins(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_address=3, attempts_per_login=2)
        await world.signed_up()
        attacker = world.browser(ATTACKER)
        for number in range(40):
            await _try(attacker, login=f"user{number}@example.org")
        full = await _try(attacker, login="one-more@example.org")
        assert (full.status_code, full.headers["retry-after"]) == (429, "60")
        await world.signed_in(ANN)
        tried = "SELECT count(*) FROM attempts WHERE subject LIKE 'login:user%' AND attempts > 0"
        assert await world.sql(tried) == [(4,)]


class TestClock:
    @pytest.mark.parametrize("jump", [HOUR, -HOUR])
    async def test_a_jump_of_the_clock_neither_locks_out_nor_admits_a_flood(
        self, open_world: OpenWorld, jump: timedelta
    ) -> None:
        world = await open_world(attempts_per_login=3, attempts_per_login_everywhere=6)
        own = await world.signed_up()
        addresses = [f"203.0.113.{n}" for n in range(4)]
        await _attack(world, 6, *addresses)
        world.clock.advance(jump)
        assert (await _try(own, PASSWORD)).status_code == 200
        answers = await _attack(world, 10, *addresses)
        assert sum(answer.status_code == 401 for answer in answers) <= 6 + len(addresses)
        waits = [int(answer.headers["retry-after"]) for answer in answers if answer.status_code == 429]
        assert max(waits) <= 900

    async def test_mails_are_sent_after_the_clock_was_set_back(self, open_world: OpenWorld) -> None:
        world = await open_world(mailer=Post(), mails_per_login=1)
        await world.signed_up()
        assert [(await forgot(world)).status_code for _ in range(2)] == [200, 429]
        world.clock.advance(-HOUR)
        assert int((await forgot(world)).headers["retry-after"]) <= 900


class TestMails:
    async def test_mails_to_one_address_are_limited_per_day(self, open_world: OpenWorld) -> None:
        mailbox = Mailbox()
        world = await open_world(mailer=mailbox, mails_per_login=2, mails_per_login_per_day=3)
        await world.signed_up()
        answers: list[int] = []
        for number in range(8):
            answers.append((await forgot(world, address=f"203.0.113.{number}")).status_code)
            world.clock.advance(timedelta(minutes=16))
        assert answers == [200] * 3 + [429] * 5
        world.clock.advance(timedelta(days=1))
        assert (await forgot(world)).status_code == 200

    async def test_a_known_device_gets_its_link_despite_requests_of_others(self, open_world: OpenWorld) -> None:
        mailbox = Mailbox()
        world = await open_world(mailer=mailbox, mails_per_login_per_day=2, mails_per_address=3)
        own = await world.signed_up()
        answers = [(await forgot(world)).status_code for _ in range(5)]
        assert answers == [200, 200, 429, 429, 429]
        sent = len(mailbox.sent)
        assert (await own.post(f"{AUTH}/forgot-password", json={"login": ANN})).status_code == 200
        assert len(mailbox.sent) == sent + 1

    async def test_invitations_of_all_accounts_count_for_the_address(self, open_world: OpenWorld) -> None:
        world = await open_world(mails_per_login_per_day=2)
        statuses: list[int] = []
        for number in range(3):
            owner = await world.signed_up(f"owner{number}@example.org")
            account = owner.cookies["SELECTED_ACCOUNT"]
            body = {"email": "victim@example.org", "roles": ["MLP_USER"]}
            statuses.append((await owner.post(f"/account/{account}/invitation", json=body)).status_code)
        assert statuses == [200, 200, 429]


async def test_a_hundred_concurrent_guesses_lock_nobody_out(world: World) -> None:
    own = await world.signed_up()
    await asyncio.gather(*(_try(world.browser(f"203.0.113.{n % 9}")) for n in range(60)))
    assert (await _try(own, PASSWORD)).status_code == 200
