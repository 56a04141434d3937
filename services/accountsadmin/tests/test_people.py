"""Tests which users count as one person."""

import pytest

from accountsadmin.logins import normal_login
from accountsadmin.mailboxes import mailbox_of
from mlplace_testing.post import Post

from .conftest import OpenWorld, World
from .test_recovery import AUTH, Mailbox


class TestMailbox:
    @pytest.mark.parametrize(
        ("login", "same"),
        [
            ("ann+1@example.org", "ann@example.org"),
            ("Ann+a+b@Example.ORG", "ann@example.org"),
            ("a.n.n@gmail.com", "ann@gmail.com"),
            ("a.nn+x@googlemail.com", "ann@gmail.com"),
            ("ann.lee@ya.ru", "ann-lee@yandex.ru"),
            ("ann@pm.me", "ann@proton.me"),
            ("ann@me.com", "ann@icloud.com"),
            ("\uff41nn@example.org", "ann@example.org"),
            ("ann@b\u00fccher.example", "ann@xn--bcher-kva.example"),
            ("ann@ex\uff41mple.org", "ann@example.org"),
        ],
    )
    def test_aliases_have_one_mailbox(self, login: str, same: str) -> None:
        assert mailbox_of(normal_login(login)) == mailbox_of(same)

    @pytest.mark.parametrize(
        ("login", "other"),
        [
            ("a.nn@example.org", "ann@example.org"),
            ("ann@example.org", "ann@example.com"),
            ("ann-lee@example.org", "ann.lee@example.org"),
            ("+1@example.org", "+2@example.org"),
        ],
    )
    def test_different_addresses_have_different_mailboxes(self, login: str, other: str) -> None:
        assert mailbox_of(login) != mailbox_of(other)


async def _resolve(world: World, user_id: int) -> dict[str, object]:
    answer = await world.internal("POST", "/people/resolve", {"user_id": user_id})
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found


class TestResolve:
    async def test_aliases_of_one_mailbox_are_one_person(self, world: World) -> None:
        for login in ("ann@gmail.com", "a.nn+2@googlemail.com", "bob@gmail.com"):
            await world.signed_up(login)
        first, second, third = [(await _resolve(world, number))["person"] for number in (1, 2, 3)]
        assert first == second != third
        assert "ann" not in str(first)

    async def test_a_user_is_confirmed_after_following_the_mailed_link(self, open_world: OpenWorld) -> None:
        mailbox = Mailbox()
        world = await open_world(mailer=mailbox)
        await world.signed_up()
        assert (await _resolve(world, 1))["confirmed"] is False
        token = mailbox.token("/c/confirm-email")
        assert (await world.browser().post(f"{AUTH}/confirm-email", json={"token": token})).status_code == 200
        assert (await _resolve(world, 1))["confirmed"] is True

    async def test_without_mail_every_user_counts_as_confirmed(self, open_world: OpenWorld) -> None:
        world = await open_world(mailer=None)
        await world.signed_up()
        assert (await _resolve(world, 1))["confirmed"] is True

    async def test_a_user_created_by_the_installation_has_to_confirm(self, open_world: OpenWorld) -> None:
        world = await open_world(mailer=Post())
        made = await world.ensure("carl@example.org", "carl")
        assert (await _resolve(world, made["user_id"]))["confirmed"] is False

    async def test_resolve_refuses_callers_without_the_internal_token(self, world: World) -> None:
        await world.signed_up()
        address = "http://testserver/internal/accountsadmin/people/resolve"
        assert (await world.browser().post(address, json={"user_id": 1})).status_code == 401

    async def test_an_unknown_user_is_not_found(self, world: World) -> None:
        assert (await world.internal("POST", "/people/resolve", {"user_id": 77})).status_code == 404
