"""Tests mailed links: a new password without the old one, and the confirmation of an address."""

import asyncio
import re
from datetime import timedelta

import httpx
import pytest

from mlplace_contracts.events import SessionRevoked
from mlplace_testing.post import Post

from .conftest import PASSWORD, OpenWorld, World

FRESH = "another horse battery"  # pragma: allowlist secret
AUTH = "/c/authorization"


class Mailbox(Post):
    def token(self, path: str) -> str:
        """Returns the token of the newest mail with a link to this page."""
        links = [re.search(rf"{path}#token=(\w+)", mail.text) for mail in self.sent]
        return next(link[1] for link in reversed(links) if link)


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture
async def mailing(open_world: OpenWorld, mailbox: Mailbox) -> World:
    return await open_world(mailer=mailbox, public_url="https://ml.example.org")


async def forgot(world: World, login: str = "ann@example.org", **where: str) -> httpx.Response:
    return await world.browser(**where).post(f"{AUTH}/forgot-password", json={"login": login})


async def reset(world: World, token: str, password: str = FRESH) -> httpx.Response:
    return await world.browser().post(f"{AUTH}/reset-password", json={"token": token, "newPassword": password})


class TestForgotPassword:
    async def test_the_mailed_link_sets_a_new_password_and_ends_all_sessions(
        self, mailing: World, mailbox: Mailbox
    ) -> None:
        ann = await mailing.signed_up()
        assert (await forgot(mailing, "ANN@example.org")).status_code == 200
        assert mailbox.sent[-1].to == "ann@example.org"
        assert "https://ml.example.org/c/reset-password#token=" in mailbox.sent[-1].text
        answer = await reset(mailing, mailbox.token("/c/reset-password"))
        assert (answer.status_code, answer.content) == (200, b"")
        assert (await ann.get("/c/sessions")).status_code == 401
        assert await mailing.events(SessionRevoked, at_least=1)
        old = await mailing.browser().post(f"{AUTH}/login", json={"login": "ann@example.org", "password": PASSWORD})
        assert old.status_code == 401
        await mailing.signed_in("ann@example.org", FRESH)

    async def test_a_link_works_once_even_for_concurrent_requests(self, mailing: World, mailbox: Mailbox) -> None:
        await mailing.signed_up()
        await forgot(mailing)
        token = mailbox.token("/c/reset-password")
        answers = await asyncio.gather(*(reset(mailing, token, f"{FRESH} {n}") for n in range(4)))
        assert sorted(answer.status_code for answer in answers)[:2] == [200, 400]
        assert [answer.status_code for answer in answers].count(200) == 1
        again = await reset(mailing, token)
        assert (again.status_code, again.json()["code"]) == (400, "accountsadmin.token_invalid")
        assert again.json()["message"].startswith("token: ")

    async def test_a_link_expires_after_half_an_hour(self, mailing: World, mailbox: Mailbox) -> None:
        await mailing.signed_up()
        await forgot(mailing)
        mailing.clock.advance(timedelta(minutes=30))
        assert (await reset(mailing, mailbox.token("/c/reset-password"))).status_code == 400

    async def test_a_newer_link_invalidates_an_older_one(self, mailing: World, mailbox: Mailbox) -> None:
        await mailing.signed_up()
        await forgot(mailing)
        older = mailbox.token("/c/reset-password")
        await forgot(mailing)
        assert (await reset(mailing, older)).status_code == 400
        assert (await reset(mailing, mailbox.token("/c/reset-password"))).status_code == 200

    async def test_a_token_is_stored_as_a_hash_only(self, mailing: World, mailbox: Mailbox) -> None:
        await mailing.signed_up()
        await forgot(mailing)
        stored = await mailing.sql("SELECT token_hash FROM mail_tokens WHERE purpose = 'RESET'")
        token = mailbox.token("/c/reset-password")
        assert stored == [(mailing.shared.hasher.digest(token),)]

    async def test_an_unknown_login_gets_the_same_answer_and_no_mail(self, mailing: World, mailbox: Mailbox) -> None:
        await mailing.signed_up()
        known, unknown = await forgot(mailing), await forgot(mailing, "nobody@example.org")
        assert (known.status_code, known.content) == (unknown.status_code, unknown.content) == (200, b"")
        assert {mail.to for mail in mailbox.sent} == {"ann@example.org"}

    async def test_a_blocked_user_gets_no_mail_and_an_older_link_does_nothing(
        self, mailing: World, mailbox: Mailbox
    ) -> None:
        ids = await mailing.ensure("bob@example.org", "bob")
        await forgot(mailing, "bob@example.org")
        root = await mailing.superadmin()
        await root.post(f"/admin/users/{ids['user_id']}/block")
        assert (await reset(mailing, mailbox.token("/c/reset-password"))).status_code == 409
        sent = len(mailbox.sent)
        assert (await forgot(mailing, "bob@example.org")).status_code == 200
        assert len(mailbox.sent) == sent

    async def test_mails_to_one_login_are_limited_whether_it_exists_or_not(self, open_world: OpenWorld) -> None:
        world = await open_world(mailer=Mailbox(), mails_per_login=2)
        for login in ("ann@example.org", "nobody@example.org"):
            answers = [(await forgot(world, login)).status_code for _ in range(3)]
            assert answers == [200, 200, 429]

    async def test_mails_requested_from_one_address_are_limited(self, open_world: OpenWorld) -> None:
        world = await open_world(mailer=Mailbox(), mails_per_address=2)
        answers = [(await forgot(world, f"user{n}@example.org")).status_code for n in range(3)]
        assert answers == [200, 200, 429]
        assert (await forgot(world, "else@example.org", address="192.0.2.77")).status_code == 200

    async def test_a_foreign_host_header_does_not_appear_in_the_mail(self, mailing: World, mailbox: Mailbox) -> None:
        await mailing.signed_up()
        await forgot(mailing, host="evil.example")
        assert "evil.example" not in mailbox.sent[-1].text
        assert "https://ml.example.org/c/reset-password" in mailbox.sent[-1].text

    async def test_links_lead_to_the_known_domain_of_the_request(self, mailing: World, mailbox: Mailbox) -> None:
        await mailing.signed_up()
        root = await mailing.superadmin()
        await root.put("/admin/domains", json={"domains": [{"domain": "cloud.example.org", "product": "cloud"}]})
        await forgot(mailing, host="cloud.example.org")
        assert "http://cloud.example.org/c/reset-password" in mailbox.sent[-1].text

    @pytest.mark.parametrize(
        ("password", "field"),
        [("short", "newPassword"), ("ann@example.org", "newPassword"), ("x" * 257, "newPassword")],
    )
    async def test_an_invalid_password_names_its_field_and_keeps_the_link_valid(
        self, mailing: World, mailbox: Mailbox, password: str, field: str
    ) -> None:
        await mailing.signed_up()
        await forgot(mailing)
        token = mailbox.token("/c/reset-password")
        refused = await reset(mailing, token, password)
        assert (refused.status_code, set(refused.json()["args"])) == (400, {field})
        assert (await reset(mailing, token)).status_code == 200

    async def test_an_unreachable_mail_server_does_not_change_the_answer(
        self, mailing: World, mailbox: Mailbox
    ) -> None:
        await mailing.signed_up()
        mailbox.away = True
        assert (await forgot(mailing)).status_code == 200


class TestConfirmation:
    async def test_a_new_user_may_accept_invitations_after_following_the_link(
        self, mailing: World, mailbox: Mailbox
    ) -> None:
        owner = await mailing.signed_up("owner@example.org", accountName="acme")
        invited = await owner.post("/account/acme/invitation", json={"email": "ann@example.org", "roles": ["MLP_USER"]})
        accept = f"/c/account-invitation/{invited.json()['id']}/accept"
        ann = await mailing.signed_up("ann@example.org", language="EN")
        refused = await ann.post(accept)
        assert (refused.status_code, refused.json()["code"]) == (403, "accountsadmin.email_not_confirmed")
        assert mailbox.sent[-1].subject == "Confirm your e-mail address"
        token = mailbox.token("/c/confirm-email")
        assert (await mailing.browser().post(f"{AUTH}/confirm-email", json={"token": token})).status_code == 200
        assert (await ann.post(accept)).status_code == 200

    async def test_a_password_reset_confirms_the_address(self, mailing: World, mailbox: Mailbox) -> None:
        await mailing.signed_up()
        await forgot(mailing)
        await reset(mailing, mailbox.token("/c/reset-password"))
        ann = await mailing.signed_in("ann@example.org", FRESH)
        sent = len(mailbox.sent)
        assert (await ann.post(f"{AUTH}/send-confirmation")).status_code == 200
        assert len(mailbox.sent) == sent

    async def test_a_confirmation_is_sent_again_on_request(self, mailing: World, mailbox: Mailbox) -> None:
        ann = await mailing.signed_up()
        first = mailbox.token("/c/confirm-email")
        assert (await ann.post(f"{AUTH}/send-confirmation")).status_code == 200
        assert mailbox.token("/c/confirm-email") != first

    async def test_a_link_is_only_valid_for_its_purpose(self, mailing: World, mailbox: Mailbox) -> None:
        await mailing.signed_up()
        assert (await reset(mailing, mailbox.token("/c/confirm-email"))).status_code == 400


class TestInvitation:
    async def test_an_invited_person_gets_a_mail_with_the_link_to_answer(
        self, mailing: World, mailbox: Mailbox
    ) -> None:
        owner = await mailing.signed_up("owner@example.org", accountName="acme", displayName="Acme {x}", language="EN")
        invited = {"email": "new@example.org", "roles": ["MLP_USER"]}
        assert (await owner.post("/account/acme/invitation", json=invited)).status_code == 200
        mail = mailbox.sent[-1]
        assert (mail.to, mail.subject) == ("new@example.org", "An invitation to Acme {x}")
        assert "https://ml.example.org/c/select-account" in mail.text

    async def test_invitations_of_an_account_are_limited(self, open_world: OpenWorld) -> None:
        mailbox = Mailbox()
        world = await open_world(mailer=mailbox, invitations_per_account=2)
        owner = await world.signed_up("owner@example.org", accountName="acme")
        told = len(mailbox.sent)
        bodies = [{"email": f"user{n}@example.org", "roles": ["MLP_USER"]} for n in range(3)]
        answers = [(await owner.post("/account/acme/invitation", json=body)).status_code for body in bodies]
        assert answers == [200, 200, 429]
        assert len(mailbox.sent) == told + 2


class TestWithoutMail:
    async def test_public_options_and_routes_report_that_mail_is_off(self, world: World) -> None:
        assert (await world.browser().get("/public/options")).json()["mailAvailable"] is False
        ann = await world.signed_up()
        for answer in (await forgot(world), await ann.post(f"{AUTH}/send-confirmation")):
            assert (answer.status_code, answer.json()["code"]) == (403, "accountsadmin.mail_off")

    async def test_invitations_are_accepted_without_a_confirmation(self, world: World) -> None:
        owner = await world.signed_up("owner@example.org", accountName="acme")
        invited = await owner.post("/account/acme/invitation", json={"email": "ann@example.org", "roles": ["MLP_USER"]})
        ann = await world.signed_up()
        assert (await ann.post(f"/c/account-invitation/{invited.json()['id']}/accept")).status_code == 200
