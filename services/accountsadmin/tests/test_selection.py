"""Tests the selection of an account: check-authorized, allowed-accounts, select-account."""

import pytest

from mlplace_contracts.enums import SUPERADMIN_PERMISSION, Role

from .conftest import World

CHECK = "/c/authorization/check-authorized"
SESSION = "/c/authorization/session"
SELECT = "/c/authorization/select-account"


async def _domain(world: World, *, owner_only: bool = False, internal: bool = False) -> None:
    await world.sql(
        "INSERT INTO domains VALUES ('ml.example.org', 'mlp', :internal, :owner_only)",
        internal=internal,
        owner_only=owner_only,
    )


class TestSignedInPerson:
    async def test_the_user_is_returned_before_an_account_is_selected(self, world: World) -> None:
        ids = await world.ensure("ann@example.org", "acme")
        await world.ensure("ann@example.org", "beta")
        answer = await (await world.signed_in("ann@example.org")).get("/c/users/current")
        assert answer.json() == {"userId": ids["user_id"], "login": "ann@example.org"}

    async def test_visitors_are_refused(self, world: World) -> None:
        assert (await world.browser().get("/c/users/current")).status_code == 401


class TestSession:
    async def test_a_visitor_is_no_error(self, world: World) -> None:
        for headers in ({}, {"Cookie": "SESSION_ID=unknown; SELECTED_ACCOUNT=1000000001"}):
            answer = await world.browser().get(SESSION, headers=headers)
            assert (answer.status_code, answer.json()) == (200, {"user": None})

    async def test_a_signed_in_user_gets_what_check_authorized_returns(self, world: World) -> None:
        await world.ensure("ann@example.org", "acme")
        browser = await world.signed_in("ann@example.org")
        assert (await browser.get(SESSION)).json() == {"user": (await browser.get(CHECK)).json()}

    async def test_with_several_accounts_one_must_be_selected(self, world: World) -> None:
        await world.ensure("ann@example.org", "acme")
        await world.ensure("ann@example.org", "beta")
        answer = await (await world.signed_in("ann@example.org")).get(SESSION)
        assert (answer.status_code, answer.json()["code"]) == (403, "account.not_selected")


class TestCheckAuthorized:
    async def test_a_visitor_gets_an_empty_401(self, world: World) -> None:
        for headers in ({}, {"Cookie": "SESSION_ID=unknown; SELECTED_ACCOUNT=1000000001"}):
            answer = await world.browser().get(CHECK, headers=headers)
            assert (answer.status_code, answer.content) == (401, b"")

    async def test_a_signed_in_user_gets_their_data(self, world: World) -> None:
        ids = await world.ensure("ann@example.org", "acme")
        browser = await world.signed_in("ann@example.org")
        assert (await browser.get(CHECK)).json() == {
            "features": [],
            "permissions": ["MLP_DEVELOPER", "MLP_USER"],
            "login": "ann@example.org",
            "userId": ids["user_id"],
            "accountId": ids["account_id"],
            "internal": False,
            "accountOwner": True,
        }

    @pytest.mark.parametrize(
        ("role", "permissions"),
        [(Role.USER, ["MLP_USER"]), (Role.DEVELOPER, ["MLP_DEVELOPER", "MLP_USER"])],
    )
    async def test_roles_are_returned_as_permissions(self, world: World, role: Role, permissions: list[str]) -> None:
        await world.ensure("owner@example.org", "acme")
        await world.ensure("ann@example.org", "acme", role)
        data = (await (await world.signed_in("ann@example.org")).get(CHECK)).json()
        assert (data["permissions"], data["accountOwner"]) == (permissions, False)

    async def test_the_permissions_of_a_superadmin_are_returned(self, world: World) -> None:
        data = (await (await world.superadmin()).get(CHECK)).json()
        assert SUPERADMIN_PERMISSION in data["permissions"]

    async def test_with_several_accounts_one_must_be_selected(self, world: World) -> None:
        await world.ensure("ann@example.org", "acme")
        await world.ensure("ann@example.org", "beta")
        browser = await world.signed_in("ann@example.org")
        answer = await browser.get(CHECK)
        assert (answer.status_code, answer.json()["code"]) == (403, "account.not_selected")

    async def test_without_any_account_none_is_selected(self, world: World) -> None:
        await world.ensure("owner@example.org", "acme")
        await world.ensure("ann@example.org", "acme", Role.USER)
        browser = await world.signed_in("ann@example.org")
        browser.cookies.delete("SELECTED_ACCOUNT")
        await world.sql("UPDATE memberships SET roles = '{}' WHERE user_id = 2")
        assert (await browser.get(CHECK)).json()["code"] == "account.not_selected"

    @pytest.mark.parametrize("named", ["1000000001", "4242424242", "999999999999999999"])
    async def test_a_foreign_account_and_a_missing_one_are_denied_alike(self, world: World, named: str) -> None:
        await world.ensure("bob@example.org", "beta")
        await world.ensure("ann@example.org", "acme")
        browser = await world.signed_in("ann@example.org")
        secret = browser.cookies["SESSION_ID"]
        headers = {"Cookie": f"SESSION_ID={secret}; SELECTED_ACCOUNT={named}"}
        answer = await world.browser().get(CHECK, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "account.access.denied")
        assert answer.json()["args"] == {}

    async def test_a_closed_account_is_denied(self, world: World) -> None:
        await world.ensure("ann@example.org", "acme")
        browser = await world.signed_in("ann@example.org")
        await world.sql("UPDATE accounts SET active = false")
        assert (await browser.get(CHECK)).json()["code"] == "account.access.denied"

    async def test_an_owner_only_domain_admits_owners_only(self, world: World) -> None:
        await _domain(world, owner_only=True)
        await world.ensure("owner@example.org", "acme")
        await world.ensure("ann@example.org", "acme", Role.DEVELOPER)
        for login, status in (("owner@example.org", 200), ("ann@example.org", 403)):
            browser = await world.signed_in(login, host="ml.example.org")
            answer = await browser.get(CHECK)
            assert answer.status_code == status
        assert answer.json()["code"] == "account.access.denied"
        elsewhere = await world.signed_in("ann@example.org")
        assert (await elsewhere.get(CHECK)).status_code == 200

    @pytest.mark.parametrize("host", ["ml.example.org", "ML.Example.Org:8080"])
    async def test_internal_users_need_no_account_if_the_domain_allows_it(self, world: World, host: str) -> None:
        await _domain(world, internal=True, owner_only=True)
        await world.ensure("staff@example.org", "acme", internal=True)
        await world.ensure("staff@example.org", "beta")
        browser = await world.signed_in("staff@example.org")
        headers = {"Cookie": f"SESSION_ID={browser.cookies['SESSION_ID']}", "Host": host}
        data = (await world.browser().get(CHECK, headers=headers)).json()
        assert (data["internal"], data["accountId"], data["accountOwner"]) == (True, None, False)
        assert (await browser.get(CHECK)).json()["code"] == "account.not_selected"

    async def test_other_users_need_an_account_on_such_a_domain(self, world: World) -> None:
        await _domain(world, internal=True)
        await world.ensure("ann@example.org", "acme")
        await world.ensure("ann@example.org", "beta")
        browser = await world.signed_in("ann@example.org", host="ml.example.org")
        assert (await browser.get(CHECK)).json()["code"] == "account.not_selected"

    async def test_a_key_is_refused_like_a_visitor(self, world: World) -> None:
        ids = await world.ensure("ann@example.org", "acme")
        account = world.identities.account(ids["account_id"], "acme")
        answer = await world.browser().get(CHECK, headers=world.identities.api_key(account))
        assert (answer.status_code, answer.content) == (401, b"")


class TestAllowedAccounts:
    async def test_all_accounts_of_the_user_are_listed(self, world: World) -> None:
        ann = await world.ensure("ann@example.org", "acme")
        closed = await world.ensure("ann@example.org", "beta")
        await world.ensure("bob@example.org", "gamma")
        await world.sql("UPDATE accounts SET active = false WHERE short_name = 'beta'")
        browser = await world.signed_in("ann@example.org")
        answer = await browser.get(f"/c/users/{ann['user_id']}/allowed-accounts", params={"product": "mlp"})
        assert answer.json() == [
            {"id": ann["account_id"], "name": "Acme", "availableToSelect": True},
            {"id": closed["account_id"], "name": "Beta", "availableToSelect": False},
        ]

    @pytest.mark.parametrize(("product", "selectable"), [(None, True), ("mlp", False), ("other", True)])
    async def test_an_owner_only_product_allows_owned_accounts_only(
        self, world: World, product: str | None, *, selectable: bool
    ) -> None:
        await _domain(world, owner_only=True)
        await world.ensure("owner@example.org", "acme")
        ann = await world.ensure("ann@example.org", "acme", Role.USER)
        browser = await world.signed_in("ann@example.org")
        params = {"product": product} if product else {}
        answer = await browser.get(f"/c/users/{ann['user_id']}/allowed-accounts", params=params)
        assert [account["availableToSelect"] for account in answer.json()] == [selectable]

    async def test_accounts_of_another_user_look_like_those_of_a_missing_one(self, world: World) -> None:
        other = await world.ensure("bob@example.org", "beta")
        await world.ensure("ann@example.org", "acme")
        browser = await world.signed_in("ann@example.org")
        foreign, missing = [
            await browser.get(f"/c/users/{number}/allowed-accounts") for number in (other["user_id"], 999)
        ]
        assert foreign.status_code == missing.status_code == 404
        assert {**foreign.json(), "requestId": ""} == {**missing.json(), "requestId": ""}

    async def test_a_superadmin_lists_accounts_of_other_users(self, world: World) -> None:
        other = await world.ensure("bob@example.org", "beta")
        root = await world.superadmin()
        assert len((await root.get(f"/c/users/{other['user_id']}/allowed-accounts")).json()) == 1
        assert (await root.get("/c/users/999/allowed-accounts")).status_code == 404


class TestSelectAccount:
    async def test_a_selected_account_is_stored_in_a_cookie_for_the_whole_site(self, world: World) -> None:
        ids = await world.ensure("ann@example.org", "acme")
        await world.ensure("ann@example.org", "beta")
        browser = await world.signed_in("ann@example.org")
        answer = await browser.post(SELECT, json={"accountId": ids["account_id"]})
        assert answer.status_code == 200
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith(f"SELECTED_ACCOUNT={ids['account_id']};")
        assert "Path=/" in cookie
        assert (await browser.get(CHECK)).json()["accountId"] == ids["account_id"]

    async def test_a_foreign_account_and_a_missing_one_are_denied_alike(self, world: World) -> None:
        other = await world.ensure("bob@example.org", "beta")
        await world.ensure("ann@example.org", "acme")
        browser = await world.signed_in("ann@example.org")
        answers = [await browser.post(SELECT, json={"accountId": n}) for n in (other["account_id"], 4242)]
        assert [(a.status_code, a.json()["code"]) for a in answers] == [(403, "account.access.denied")] * 2
        assert all("set-cookie" not in answer.headers for answer in answers)

    @pytest.mark.parametrize("number", [0, -1, 2**63, "x", None])
    async def test_an_impossible_account_id_is_invalid(self, world: World, number: object) -> None:
        browser = await world.signed_up()
        answer = await browser.post(SELECT, json={"accountId": number})
        assert answer.status_code == 400
        assert list(answer.json()["args"]) == ["accountId"]
