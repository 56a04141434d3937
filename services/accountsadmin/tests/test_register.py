"""Tests registration: a user, an account and a session."""

import asyncio

import pytest

from mlplace_contracts.events import AccountChanged, MembershipChanged, UserChanged
from mlplace_kit.names import is_account_name

from .conftest import PASSWORD, OpenWorld, World

REGISTER = "/c/authorization/register"


def _body(login: str = "ann@example.org", **more: object) -> dict[str, object]:
    return {"login": login, "password": PASSWORD, **more}


class TestRegister:
    async def test_registration_creates_user_and_account_and_signs_in(self, world: World) -> None:
        browser = world.browser()
        body = _body("Ann.Lee@Example.org", accountName="acme", displayName=" Acme Ltd ", language="EN")
        answer = await browser.post(REGISTER, json=body)
        assert answer.status_code == 200
        assert answer.json() == {
            "userId": 1,
            "login": "ann.lee@example.org",
            "accountId": 1_000_000_001,
            "redirectUrl": None,
        }
        account = (await browser.get("/account/acme")).json()
        assert account.pop("createdAt")
        assert account == {
            "accountId": 1_000_000_001,
            "shortName": "acme",
            "displayName": "Acme Ltd",
            "email": "ann.lee@example.org",
            "language": "EN",
            "ownerUserId": 1,
            "active": True,
        }

    async def test_registration_publishes_events(self, world: World) -> None:
        await world.signed_up(accountName="acme")
        (user,) = await world.events(UserChanged, at_least=1)
        (account,) = await world.events(AccountChanged, at_least=1)
        (membership,) = await world.events(MembershipChanged, at_least=1)
        assert (user.user_id, user.login, user.permissions, user.active, user.version) == (
            1, "ann@example.org", (), True, 1,
        )  # fmt: skip
        assert (account.account_id, account.short_name, account.owner_user_id) == (1_000_000_001, "acme", 1)
        assert (membership.account_id, membership.user_id, membership.roles) == (1_000_000_001, 1, ("OWNER",))

    @pytest.mark.parametrize(
        "login", ["ann@example.org", "A.B+tag@example.org", "7@example.org", "123456@example.org", "я@example.org"]
    )
    async def test_without_an_account_name_a_valid_one_is_derived(self, world: World, login: str) -> None:
        await world.signed_up(login)
        ((name,),) = await world.sql("SELECT short_name FROM accounts")
        assert is_account_name(str(name))

    async def test_a_taken_derived_name_gets_a_suffix(self, world: World) -> None:
        for domain in ("one", "two", "three"):
            await world.signed_up(f"ann@{domain}.example.org")
        names = [str(name) for (name,) in await world.sql("SELECT short_name FROM accounts ORDER BY id")]
        assert names[0] == "ann"
        assert len(set(names)) == 3
        assert all(name.startswith("ann-") and is_account_name(name) for name in names[1:])

    async def test_the_password_is_stored_as_argon2id(self, world: World) -> None:
        await world.signed_up()
        ((stored,),) = await world.sql("SELECT password_hash FROM users")
        assert str(stored).startswith("$argon2id$")


class TestConflict:
    async def test_a_login_in_another_case_is_taken(self, world: World) -> None:
        await world.signed_up("ann@example.org")
        answer = await world.browser().post(REGISTER, json=_body("ANN@EXAMPLE.ORG"))
        assert answer.status_code == 409
        assert answer.json()["code"] == "accountsadmin.login_taken"
        assert list(answer.json()["args"]) == ["login"]

    async def test_a_taken_account_name_leaves_nothing_behind(self, world: World) -> None:
        await world.signed_up(accountName="acme")
        answer = await world.browser().post(REGISTER, json=_body("bob@example.org", accountName="acme"))
        assert answer.status_code == 409
        assert answer.json()["code"] == "mlp.core.name_already_exists"
        assert await world.sql("SELECT count(*) FROM users") == [(1,)]

    async def test_of_concurrent_registrations_of_a_login_exactly_one_wins(self, world: World) -> None:
        logins = ["ann@example.org", "Ann@example.org"] * 4
        answers = await asyncio.gather(*(world.browser().post(REGISTER, json=_body(login)) for login in logins))
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
        assert await world.sql("SELECT count(*) FROM users") == [(1,)]
        assert await world.sql("SELECT count(*) FROM accounts") == [(1,)]
        assert await world.sql("SELECT count(*) FROM sessions") == [(1,)]

    async def test_of_concurrent_registrations_exactly_one_gets_the_account_name(self, world: World) -> None:
        bodies = [_body(f"user{n}@example.org", accountName="acme") for n in range(6)]
        answers = await asyncio.gather(*(world.browser().post(REGISTER, json=body) for body in bodies))
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 5


class TestInvalidInput:
    @pytest.mark.parametrize(
        ("changed", "field"),
        [
            ({"login": "ann"}, "login"),
            ({"login": "ann@"}, "login"),
            ({"login": "a" * 300 + "@example.org"}, "login"),
            ({"login": "ann\x00@example.org"}, "login"),
            ({"password": "short"}, "password"),
            ({"password": "x" * 257}, "password"),
            ({"password": "Ann@example.org"}, "password"),
            ({"password": "eight\x00chars"}, "password"),
            ({"accountName": "ab"}, "accountName"),
            ({"accountName": "12345"}, "accountName"),
            ({"accountName": "Acme"}, "accountName"),
            ({"accountName": "a/b/c"}, "accountName"),
            ({"displayName": "   "}, "displayName"),
            ({"displayName": "a\x00"}, "displayName"),
            ({"language": "DE"}, "language"),
            ({"admin": True}, "admin"),
            ({"redirectUrl": "https://evil.example/"}, "redirectUrl"),
        ],
    )
    async def test_invalid_input_names_its_field(self, world: World, changed: dict[str, object], field: str) -> None:
        answer = await world.browser().post(REGISTER, json={**_body(), **changed})
        assert answer.status_code == 400, answer.text
        assert list(answer.json()["args"]) == [field]
        assert await world.sql("SELECT count(*) FROM users") == [(0,)]

    async def test_registrations_from_one_address_are_limited(self, open_world: OpenWorld) -> None:
        world = await open_world(registrations_per_address=2)
        for number in range(2):
            await world.signed_up(f"user{number}@example.org")
        answer = await world.browser().post(REGISTER, json=_body())
        assert answer.status_code == 429
        assert answer.headers["retry-after"] == "900"
