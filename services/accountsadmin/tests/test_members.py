"""Tests accounts and their members: who may read and change them, and that changes apply at once."""

import httpx
import pytest

from mlplace_contracts.enums import Role
from mlplace_contracts.events import AccountChanged, MembershipChanged

from .conftest import World


async def _team(world: World) -> tuple[httpx.AsyncClient, httpx.AsyncClient, dict[str, int]]:
    """Returns the owner of acme, a developer in it, and the developer's ids."""
    await world.ensure("owner@example.org", "acme")
    ids = await world.ensure("dev@example.org", "acme", Role.DEVELOPER)
    return await world.signed_in("owner@example.org"), await world.signed_in("dev@example.org"), ids


class TestReadAccount:
    async def test_members_read_the_account_by_name_and_by_id(self, world: World) -> None:
        _, developer, ids = await _team(world)
        for ref in ("acme", ids["account_id"]):
            assert (await developer.get(f"/account/{ref}")).json()["shortName"] == "acme"

    @pytest.mark.parametrize("path", ["", "/member", "/invitation", "/audit"])
    async def test_a_foreign_account_looks_like_a_missing_one(self, world: World, path: str) -> None:
        await _team(world)
        stranger = await world.signed_up("stranger@example.org")
        answers = [await stranger.get(f"/account/{ref}{path}") for ref in ("acme", "nobody", "9" * 30, "a%00b")]
        assert {answer.status_code for answer in answers} == {403}
        assert len({answer.text.replace(answer.json()["requestId"], "") for answer in answers}) == 1


class TestUpdateAccount:
    async def test_owners_change_the_given_fields(self, world: World) -> None:
        owner, _, _ = await _team(world)
        answer = await owner.post("/account/acme", json={"displayName": "Acme Ltd", "email": "Office@Example.org"})
        data = answer.json()
        assert (data["displayName"], data["email"], data["language"]) == ("Acme Ltd", "office@example.org", "RU")
        events = await world.events(AccountChanged, at_least=2)
        assert [(event.version, event.display_name) for event in events] == [(1, "Acme"), (2, "Acme Ltd")]

    async def test_an_update_without_fields_changes_nothing(self, world: World) -> None:
        owner, _, _ = await _team(world)
        assert (await owner.post("/account/acme", json={})).status_code == 200
        assert await world.sql("SELECT version FROM accounts") == [(1,)]

    async def test_developers_may_not_update_the_account(self, world: World) -> None:
        _, developer, _ = await _team(world)
        answer = await developer.post("/account/acme", json={"displayName": "Mine"})
        assert (answer.status_code, answer.json()["code"]) == (403, "mlp.gate.access_denied")

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"displayName": ""}, "displayName"),
            ({"displayName": "x" * 129}, "displayName"),
            ({"displayName": "\x00"}, "displayName"),
            ({"language": "ru"}, "language"),
            ({"email": "nobody"}, "email"),
            ({"ownerUserId": 2}, "ownerUserId"),
        ],
    )
    async def test_invalid_input_names_its_field(self, world: World, body: dict[str, object], field: str) -> None:
        owner, _, _ = await _team(world)
        answer = await owner.post("/account/acme", json=body)
        assert answer.status_code == 400
        assert list(answer.json()["args"]) == [field]

    async def test_keys_may_not_update_the_account(self, world: World) -> None:
        _, _, ids = await _team(world)
        key = world.identities.api_key(world.identities.account(ids["account_id"], "acme"))
        answer = await world.browser().post("/account/acme", json={"displayName": "Mine"}, headers=key)
        assert answer.status_code == 403


class TestListMembers:
    async def test_lists_all_members_with_their_roles(self, world: World) -> None:
        _, developer, _ = await _team(world)
        assert (await developer.get("/account/acme/member")).json() == [
            {"userId": 1, "login": "owner@example.org", "roles": ["OWNER"]},
            {"userId": 2, "login": "dev@example.org", "roles": ["MLP_DEVELOPER"]},
        ]


class TestSetRoles:
    async def test_new_roles_apply_at_once(self, world: World) -> None:
        owner, developer, ids = await _team(world)
        answer = await owner.put(f"/account/acme/member/{ids['user_id']}", json={"roles": ["MLP_USER", "MLP_USER"]})
        assert answer.json() == {"userId": 2, "login": "dev@example.org", "roles": ["MLP_USER"]}
        data = (await developer.get("/c/authorization/check-authorized")).json()
        assert data["permissions"] == ["MLP_USER"]
        events = [event for event in await world.events(MembershipChanged, at_least=3) if event.user_id == 2]
        assert [(event.version, event.roles) for event in events] == [(1, ("MLP_DEVELOPER",)), (2, ("MLP_USER",))]
        assert {event.login for event in events} == {"dev@example.org"}

    async def test_the_owner_keeps_their_role(self, world: World) -> None:
        owner, _, ids = await _team(world)
        await owner.put(f"/account/acme/member/{ids['user_id']}", json={"roles": ["OWNER"]})
        second = await world.signed_in("dev@example.org")
        for browser in (owner, second):
            answer = await browser.put("/account/acme/member/1", json={"roles": ["MLP_USER"]})
            assert (answer.status_code, answer.json()["code"]) == (409, "accountsadmin.owner_kept")
            assert (await browser.delete("/account/acme/member/1")).status_code == 409

    async def test_roles_of_a_user_who_is_not_a_member_are_not_found(self, world: World) -> None:
        owner, _, _ = await _team(world)
        await world.signed_up("stranger@example.org")
        for number in (3, 999):
            answer = await owner.put(f"/account/acme/member/{number}", json={"roles": ["MLP_USER"]})
            assert answer.status_code == 404

    async def test_developers_may_not_set_roles(self, world: World) -> None:
        _, developer, ids = await _team(world)
        answer = await developer.put(f"/account/acme/member/{ids['user_id']}", json={"roles": ["OWNER"]})
        assert answer.status_code == 403
        assert await world.sql("SELECT roles FROM memberships WHERE user_id = 2") == [(["MLP_DEVELOPER"],)]

    @pytest.mark.parametrize("roles", [[], ["ADMIN"], "OWNER", None, ["OWNER"] * 4])
    async def test_invalid_roles_are_refused(self, world: World, roles: object) -> None:
        owner, _, ids = await _team(world)
        answer = await owner.put(f"/account/acme/member/{ids['user_id']}", json={"roles": roles})
        assert answer.status_code == 400


class TestEndMembership:
    async def test_an_ended_membership_is_refused_at_the_next_request(self, world: World) -> None:
        owner, developer, ids = await _team(world)
        assert (await owner.delete(f"/account/acme/member/{ids['user_id']}")).status_code == 200
        assert (await developer.get("/account/acme")).status_code == 403
        denied = await developer.get("/c/authorization/check-authorized")
        assert denied.json()["code"] == "account.access.denied"
        event = (await world.events(MembershipChanged, at_least=3))[-1]
        assert (event.user_id, event.roles, event.version) == (2, (), 2)

    async def test_members_may_leave(self, world: World) -> None:
        _, developer, ids = await _team(world)
        assert (await developer.delete(f"/account/acme/member/{ids['user_id']}")).status_code == 200

    async def test_members_may_not_remove_others(self, world: World) -> None:
        await world.ensure("user@example.org", "acme", Role.USER)
        _, developer, _ = await _team(world)
        answer = await developer.delete("/account/acme/member/1")
        assert answer.status_code == 403

    async def test_the_membership_of_a_stranger_is_not_found(self, world: World) -> None:
        owner, _, _ = await _team(world)
        assert (await owner.delete("/account/acme/member/999")).status_code == 404
