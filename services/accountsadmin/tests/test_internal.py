"""Tests the internal API: sessions, accounts, and the users of the demo."""

import asyncio

import pytest

from accountsadmin.features.limits.consumers import account_limits
from mlplace_contracts.enums import SUPERADMIN_PERMISSION, Role
from mlplace_contracts.events import AccountLimitsChanged, MembershipChanged, UserChanged
from mlplace_contracts.internal.identity import SessionIdentity

from .conftest import PASSWORD, World


async def _limits(world: World, account_id: int, version: int, *features: str) -> None:
    event = AccountLimitsChanged(
        account_id=account_id, predict_per_sec=10, fit_per_minute=5, features=features, version=version
    )
    async with world.database.transaction() as session:
        await account_limits().handle(session, [event])


class TestResolveSession:
    async def test_a_live_session_is_resolved_to_its_identity(self, world: World) -> None:
        ids = await world.ensure("ann@example.org", "acme", internal=True, permissions=[SUPERADMIN_PERMISSION])
        other = await world.ensure("ann@example.org", "beta")
        await _limits(world, ids["account_id"], 1, "mlp.Test_Form")
        browser = await world.signed_in("ann@example.org")
        secret = browser.cookies["SESSION_ID"]
        answer = await world.internal("POST", "/sessions/resolve", {"secret": secret})
        identity = SessionIdentity.model_validate_json(answer.content)
        assert identity.session_hash == world.shared.hasher.digest(secret)
        assert (identity.user_id, identity.login, identity.internal) == (ids["user_id"], "ann@example.org", True)
        assert identity.permissions == (SUPERADMIN_PERMISSION,)
        assert [(m.account_id, m.account_name, m.roles) for m in identity.memberships] == [
            (ids["account_id"], "acme", (Role.OWNER,)),
            (other["account_id"], "beta", (Role.OWNER,)),
        ]
        assert identity.features == {ids["account_id"]: ("mlp.test_form",)}

    @pytest.mark.parametrize("secret", ["", "unknown", "\x00", "ключ"])
    async def test_an_unknown_session_is_null(self, world: World, secret: str) -> None:
        answer = await world.internal("POST", "/sessions/resolve", {"secret": secret})
        assert (answer.status_code, answer.json()) == (200, None)

    async def test_a_revoked_session_is_null_at_once(self, world: World) -> None:
        browser = await world.signed_up()
        secret = browser.cookies["SESSION_ID"]
        await browser.delete("/c/sessions/1")
        assert (await world.internal("POST", "/sessions/resolve", {"secret": secret})).json() is None


class TestFindAccount:
    async def test_an_account_is_found_by_id_and_by_name(self, world: World) -> None:
        ids = await world.ensure("ann@example.org", "acme")
        for ref in ("acme", ids["account_id"]):
            assert (await world.internal("GET", f"/accounts/{ref}")).json() == {
                "account_id": ids["account_id"],
                "short_name": "acme",
                "display_name": "Acme",
                "owner_user_id": ids["user_id"],
                "active": True,
            }

    @pytest.mark.parametrize("ref", ["nobody", "1", "9" * 40, "a%00b", "%D1%8F", "ACME"])
    async def test_a_missing_account_is_null(self, world: World, ref: str) -> None:
        await world.ensure("ann@example.org", "acme")
        answer = await world.internal("GET", f"/accounts/{ref}")
        assert (answer.status_code, answer.json()) == (200, None)


class TestLimits:
    async def test_an_older_version_never_overwrites_a_newer_one(self, world: World) -> None:
        for version, feature in ((2, "second"), (1, "first"), (2, "again")):
            await _limits(world, 7, version, feature)
        assert await world.sql("SELECT features, version FROM account_limits") == [(["second"], 2)]
        await _limits(world, 7, 3)
        assert await world.sql("SELECT features, version FROM account_limits") == [([], 3)]

    async def test_limits_set_the_features_of_the_selected_account(self, world: World) -> None:
        ids = await world.ensure("ann@example.org", "acme")
        await _limits(world, ids["account_id"], 1, "mlp.model_admin", "mlp.test_form")
        browser = await world.signed_in("ann@example.org")
        data = (await browser.get("/c/authorization/check-authorized")).json()
        assert data["features"] == ["mlp.model_admin", "mlp.test_form"]


class TestBootstrap:
    async def test_a_second_start_changes_nothing(self, world: World) -> None:
        first = await world.ensure("ann@example.org", "acme", permissions=[SUPERADMIN_PERMISSION])
        before = await world.sql("SELECT users::text FROM users UNION ALL SELECT memberships::text FROM memberships")
        again = await world.ensure("Ann@example.org", "acme", permissions=[SUPERADMIN_PERMISSION])
        after = await world.sql("SELECT users::text FROM users UNION ALL SELECT memberships::text FROM memberships")
        assert first == again
        assert before == after
        assert len(await world.events(MembershipChanged, at_least=1)) == 1

    async def test_a_changed_password_stays(self, world: World) -> None:
        await world.ensure("ann@example.org", "acme")
        browser = await world.signed_in("ann@example.org")
        changed = "changed by its owner"
        body = {"currentPassword": PASSWORD, "newPassword": changed}
        assert (await browser.post("/c/authorization/change-password", json=body)).status_code == 200
        await world.ensure("ann@example.org", "acme")
        await world.signed_in("ann@example.org", changed)

    async def test_missing_permissions_and_roles_are_added(self, world: World) -> None:
        await world.ensure("owner@example.org", "acme")
        await world.ensure("ann@example.org", "acme", Role.USER, permissions=["ONE"])
        await world.ensure("ann@example.org", "acme", Role.DEVELOPER, permissions=["TWO"])
        assert await world.sql("SELECT permissions FROM users WHERE id = 2") == [(["ONE", "TWO"],)]
        assert await world.sql("SELECT roles FROM memberships WHERE user_id = 2") == [(["MLP_DEVELOPER", "MLP_USER"],)]
        assert len(await world.events(UserChanged, at_least=3)) == 3

    async def test_concurrent_starts_return_the_same_ids(self, world: World) -> None:
        found = await asyncio.gather(*(world.ensure("ann@example.org", "acme") for _ in range(5)))
        assert found == [found[0]] * 5
        assert await world.sql("SELECT count(*) FROM accounts") == [(1,)]

    async def test_an_invalid_short_name_is_refused(self, world: World) -> None:
        body = {"login": "a@example.org", "password": PASSWORD, "account_name": "A B", "display_name": "x"}
        answer = await world.internal("POST", "/bootstrap", body)
        assert (answer.status_code, list(answer.json()["args"])) == (400, ["account_name"])


class TestReplacePassword:
    async def _replace(self, world: World, login: str, known: str) -> object:
        body = {"login": login, "known": known, "password": "another one entirely"}
        return (await world.internal("POST", "/bootstrap/password", body)).json()

    async def test_the_known_password_is_replaced_and_sessions_end(self, world: World) -> None:
        await world.ensure("ann@example.org", "acme")
        browser = await world.signed_in("ann@example.org")
        assert await self._replace(world, "Ann@example.org", PASSWORD) == {"replaced": True}
        secret = {"secret": browser.cookies["SESSION_ID"]}
        assert (await world.internal("POST", "/sessions/resolve", secret)).json() is None
        await world.signed_in("ann@example.org", "another one entirely")

    async def test_an_unknown_password_is_not_replaced(self, world: World) -> None:
        await world.ensure("ann@example.org", "acme")
        assert await self._replace(world, "ann@example.org", "not the one") == {"replaced": False}
        await world.signed_in("ann@example.org", PASSWORD)

    async def test_the_password_of_an_unknown_user_is_not_replaced(self, world: World) -> None:
        assert await self._replace(world, "nobody@example.org", PASSWORD) == {"replaced": False}


class TestOutsiders:
    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("POST", "/sessions/resolve"),
            ("GET", "/accounts/acme"),
            ("POST", "/bootstrap"),
            ("POST", "/bootstrap/password"),
        ],
    )
    async def test_callers_without_the_internal_token_are_refused(self, world: World, method: str, path: str) -> None:
        address = f"http://testserver/internal/accountsadmin{path}"
        root = await world.superadmin()
        body = {
            "secret": "x", "login": "evil@example.org", "password": PASSWORD, "account_name": "evil",
            "display_name": "x", "known": PASSWORD,
        }  # fmt: skip
        for browser in (world.browser(), root):
            for headers in ({}, {"MLP-INTERNAL-TOKEN": "guess"}, {"MLP-INTERNAL-TOKEN": ""}):
                answer = await browser.request(method, address, json=body, headers=headers)
                assert answer.status_code == 401
