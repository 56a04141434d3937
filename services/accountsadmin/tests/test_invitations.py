"""Tests invitations and how they create memberships."""

import asyncio

import httpx
import pytest

from mlplace_contracts.events import MembershipChanged

from .conftest import World

MINE = "/c/account-invitation/get-by-user"


async def _invited(
    world: World, email: str = "ann@example.org", roles: tuple[str, ...] = ("MLP_DEVELOPER",)
) -> tuple[httpx.AsyncClient, int]:
    """Returns the owner of acme, and the id of an invitation to it."""
    await world.ensure("owner@example.org", "acme")
    owner = await world.signed_in("owner@example.org")
    answer = await owner.post("/account/acme/invitation", json={"email": email, "roles": list(roles)})
    assert answer.status_code == 200, answer.text
    return owner, answer.json()["id"]


class TestInvite:
    async def test_an_invitation_reaches_a_user_whatever_the_case_of_the_login(self, world: World) -> None:
        _, number = await _invited(world, "Ann@Example.org")
        browser = await world.signed_up()
        (invitation,) = (await browser.get(MINE, params={"userId": 2})).json()
        assert set(invitation) == {"id", "accountId", "accountName", "createdAt"}
        assert (invitation["id"], invitation["accountName"]) == (number, "Acme")

    async def test_an_invitation_waits_for_the_sign_up(self, world: World) -> None:
        await _invited(world)
        browser = await world.signed_up()
        assert len((await browser.get(MINE)).json()) == 1

    async def test_a_second_pending_invitation_is_a_conflict(self, world: World) -> None:
        owner, _ = await _invited(world)
        answer = await owner.post("/account/acme/invitation", json={"email": "ann@example.org", "roles": ["MLP_USER"]})
        assert (answer.status_code, answer.json()["code"]) == (409, "accountsadmin.already_invited")

    async def test_an_invitation_of_a_member_is_a_conflict(self, world: World) -> None:
        owner, _ = await _invited(world)
        body = {"email": "owner@example.org", "roles": ["MLP_USER"]}
        answer = await owner.post("/account/acme/invitation", json=body)
        assert (answer.status_code, answer.json()["code"]) == (409, "accountsadmin.already_member")

    async def test_only_owners_may_invite(self, world: World) -> None:
        _, number = await _invited(world)
        browser = await world.signed_up()
        await browser.post(f"/c/account-invitation/{number}/accept")
        body = {"email": "third@example.org", "roles": ["OWNER"]}
        assert (await browser.post("/account/acme/invitation", json=body)).status_code == 403

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"email": "nobody", "roles": ["MLP_USER"]}, "email"),
            ({"email": "a@example.org", "roles": []}, "roles"),
            ({"email": "a@example.org", "roles": ["ROOT"]}, "roles.0"),
            ({"email": "a@example.org\x00", "roles": ["MLP_USER"]}, "email"),
        ],
    )
    async def test_invalid_input_names_its_field(self, world: World, body: dict[str, object], field: str) -> None:
        owner, _ = await _invited(world)
        answer = await owner.post("/account/acme/invitation", json=body)
        assert answer.status_code == 400
        assert list(answer.json()["args"]) == [field]


class TestListOwn:
    async def test_invitations_of_another_user_look_like_those_of_a_missing_one(self, world: World) -> None:
        await _invited(world)
        browser = await world.signed_up()
        foreign, missing = [await browser.get(MINE, params={"userId": number}) for number in (1, 999)]
        assert foreign.status_code == missing.status_code == 404
        assert {**foreign.json(), "requestId": ""} == {**missing.json(), "requestId": ""}

    @pytest.mark.parametrize("number", ["0", "-1", "x", "9223372036854775808"])
    async def test_an_impossible_user_id_is_invalid(self, world: World, number: str) -> None:
        browser = await world.signed_up()
        answer = await browser.get(MINE, params={"userId": number})
        assert (answer.status_code, list(answer.json()["args"])) == (400, ["userId"])

    async def test_invitations_to_closed_accounts_are_left_out(self, world: World) -> None:
        await _invited(world)
        await world.sql("UPDATE accounts SET active = false")
        browser = await world.signed_up()
        assert (await browser.get(MINE)).json() == []


class TestAnswer:
    async def test_accepting_creates_a_membership(self, world: World) -> None:
        _, number = await _invited(world)
        browser = await world.signed_up()
        answer = await browser.post(f"/c/account-invitation/{number}/accept")
        assert (answer.status_code, answer.content) == (200, b"")
        assert (await browser.get("/account/acme")).status_code == 200
        assert (await browser.get(MINE)).json() == []
        event = (await world.events(MembershipChanged, at_least=3))[-1]
        assert (event.user_id, event.roles) == (2, ("MLP_DEVELOPER",))

    async def test_a_former_member_can_accept_again(self, world: World) -> None:
        owner, number = await _invited(world)
        browser = await world.signed_up()
        await browser.post(f"/c/account-invitation/{number}/accept")
        await browser.delete("/account/acme/member/2")
        body = {"email": "ann@example.org", "roles": ["MLP_USER"]}
        again = (await owner.post("/account/acme/invitation", json=body)).json()["id"]
        await browser.post(f"/c/account-invitation/{again}/accept")
        events = [
            event for event in await world.events(MembershipChanged, at_least=5) if event.account_id != 1000000002
        ]
        assert [(event.version, event.roles) for event in events if event.user_id == 2] == [
            (1, ("MLP_DEVELOPER",)),
            (2, ()),
            (3, ("MLP_USER",)),
        ]

    async def test_declining_creates_no_membership(self, world: World) -> None:
        _, number = await _invited(world)
        browser = await world.signed_up()
        assert (await browser.post(f"/c/account-invitation/{number}/decline")).status_code == 200
        assert (await browser.get("/account/acme")).status_code == 403

    @pytest.mark.parametrize("second", ["accept", "decline"])
    async def test_a_second_answer_is_a_conflict(self, world: World, second: str) -> None:
        _, number = await _invited(world)
        browser = await world.signed_up()
        await browser.post(f"/c/account-invitation/{number}/decline")
        answer = await browser.post(f"/c/account-invitation/{number}/{second}")
        assert (answer.status_code, answer.json()["code"]) == (409, "accountsadmin.invitation_closed")

    async def test_of_concurrent_answers_one_counts(self, world: World) -> None:
        _, number = await _invited(world)
        browser = await world.signed_up()
        paths = [f"/c/account-invitation/{number}/{verb}" for verb in ("accept", "decline") * 3]
        answers = await asyncio.gather(*(browser.post(path) for path in paths))
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 5

    @pytest.mark.parametrize("verb", ["accept", "decline"])
    async def test_an_invitation_of_somebody_else_looks_like_a_missing_one(self, world: World, verb: str) -> None:
        _, number = await _invited(world)
        thief = await world.signed_up("thief@example.org")
        foreign, missing = [await thief.post(f"/c/account-invitation/{n}/{verb}") for n in (number, 999)]
        assert foreign.status_code == missing.status_code == 404
        assert {**foreign.json(), "requestId": ""} == {**missing.json(), "requestId": ""}


class TestWithdraw:
    async def test_a_withdrawn_invitation_cannot_be_accepted(self, world: World) -> None:
        owner, number = await _invited(world)
        assert [sent["id"] for sent in (await owner.get("/account/acme/invitation")).json()] == [number]
        assert (await owner.delete(f"/account/acme/invitation/{number}")).status_code == 200
        assert (await owner.get("/account/acme/invitation")).json() == []
        browser = await world.signed_up()
        assert (await browser.post(f"/c/account-invitation/{number}/accept")).status_code == 409

    async def test_an_invitation_of_another_account_is_not_found(self, world: World) -> None:
        _, number = await _invited(world)
        stranger = await world.signed_up("stranger@example.org", accountName="mine")
        assert (await stranger.delete(f"/account/mine/invitation/{number}")).status_code == 404
