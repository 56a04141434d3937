"""Tests administration by superadmins: users, accounts, domains, the audit log."""

import httpx
import pytest

from mlplace_contracts.enums import SUPERADMIN_PERMISSION
from mlplace_contracts.events import AccountChanged, SessionRevoked, UserChanged

from .conftest import PASSWORD, World

DOMAIN = {"domain": "ml.example.org", "product": "mlp", "internalUserUiAvailable": True, "ownerOnly": False}


class TestUsers:
    async def test_users_are_listed_by_a_part_of_their_login(self, world: World) -> None:
        for login in ("ann@example.org", "anna@example.org", "bob_x@example.org"):
            await world.signed_up(login)
        root = await world.superadmin()
        page = (await root.get("/admin/users", params={"name": "ANN", "size": 1, "sort": "login,desc"})).json()
        assert page["paging"] == {"totalElements": 2, "totalPages": 2, "pageNumber": 0, "pageSize": 1}
        (record,) = page["records"]
        assert set(record) == {"id", "login", "permissions", "internal", "active", "language", "createdAt"}
        assert record["login"] == "anna@example.org"
        wild = (await root.get("/admin/users", params={"name": "_"})).json()
        assert [user["login"] for user in wild["records"]] == ["bob_x@example.org"]

    @pytest.mark.parametrize(
        ("params", "field"),
        [
            ({"sort": "password_hash,asc"}, "sort"),
            ({"sort": "id,sideways"}, "sort"),
            ({"name": "\x00"}, "name"),
            ({"page": "-1"}, "page"),
            ({"size": "1001"}, "size"),
        ],
    )
    async def test_an_invalid_query_names_its_field(self, world: World, params: dict[str, str], field: str) -> None:
        answer = await (await world.superadmin()).get("/admin/users", params=params)
        assert (answer.status_code, list(answer.json()["args"])) == (400, [field])


class TestPermissions:
    async def test_a_grant_ends_the_users_sessions(self, world: World) -> None:
        ann = await world.signed_up()
        root = await world.superadmin()
        body = {"permissions": [SUPERADMIN_PERMISSION], "internal": True}
        assert (await root.post("/admin/users/1/permissions", json=body)).status_code == 200
        assert (await ann.get("/c/sessions")).status_code == 401
        again = await world.signed_in("ann@example.org")
        assert (await again.get("/admin/users")).status_code == 200
        event = [event for event in await world.events(UserChanged, at_least=3) if event.user_id == 1][-1]
        assert (event.permissions, event.internal, event.version) == ((SUPERADMIN_PERMISSION,), True, 2)
        assert await world.events(SessionRevoked, at_least=1)

    async def test_a_change_of_ones_own_permissions_renews_the_session(self, world: World) -> None:
        root = await world.superadmin()
        old = root.cookies["SESSION_ID"]
        body = {"permissions": [SUPERADMIN_PERMISSION, "BILLING_ADMIN_WRITE"]}
        assert (await root.post("/admin/users/1/permissions", json=body)).status_code == 200
        assert root.cookies["SESSION_ID"] != old
        assert (await root.get("/admin/users")).status_code == 200
        stale = await world.browser().get("/c/sessions", headers={"Cookie": f"SESSION_ID={old}"})
        assert stale.status_code == 401

    async def test_a_superadmin_cannot_revoke_their_own_permission(self, world: World) -> None:
        root = await world.superadmin()
        for path, body in (("permissions", {"permissions": []}), ("block", None)):
            answer = await root.post(f"/admin/users/1/{path}", json=body)
            assert (answer.status_code, answer.json()["code"]) == (409, "accountsadmin.own_access")
        assert (await root.get("/admin/users")).status_code == 200

    @pytest.mark.parametrize("permissions", [["lower"], ["A" * 65], ["A\x00"], "ADMIN", ["A B"], ["AA"] * 33])
    async def test_invalid_permission_names_are_refused(self, world: World, permissions: object) -> None:
        root = await world.superadmin()
        answer = await root.post("/admin/users/1/permissions", json={"permissions": permissions})
        assert answer.status_code == 400


class TestBlocking:
    async def test_a_blocked_user_is_signed_out_and_cannot_sign_in(self, world: World) -> None:
        ann = await world.signed_up()
        root = await world.superadmin()
        assert (await root.post("/admin/users/1/block")).status_code == 200
        refused = await ann.get("/c/authorization/check-authorized")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        resolved = await world.internal("POST", "/sessions/resolve", {"secret": ann.cookies["SESSION_ID"]})
        assert resolved.json() is None
        body = {"login": "ann@example.org", "password": PASSWORD}
        assert (await world.browser().post("/c/authorization/login", json=body)).status_code == 401
        event = [event for event in await world.events(UserChanged, at_least=3) if event.user_id == 1][-1]
        assert (event.active, event.version) == (False, 2)
        revoked = await world.events(SessionRevoked, at_least=1)
        assert [event.user_id for event in revoked] == [1]

    async def test_an_unblocked_user_can_sign_in_but_old_sessions_stay_ended(self, world: World) -> None:
        ann = await world.signed_up()
        root = await world.superadmin()
        await root.post("/admin/users/1/block")
        assert (await root.post("/admin/users/1/unblock")).status_code == 200
        assert (await ann.get("/c/sessions")).status_code == 401
        await world.signed_in("ann@example.org")

    @pytest.mark.parametrize("verb", ["block", "unblock", "permissions"])
    async def test_a_missing_user_is_not_found(self, world: World, verb: str) -> None:
        root = await world.superadmin()
        body = {"permissions": []} if verb == "permissions" else None
        assert (await root.post(f"/admin/users/999/{verb}", json=body)).status_code == 404

    async def test_an_account_can_be_closed_and_reopened(self, world: World) -> None:
        ann = await world.signed_up(accountName="acme")
        root = await world.superadmin()
        assert (await root.post("/admin/accounts/acme/block")).json()["active"] is False
        assert (await ann.get("/account/acme")).status_code == 403
        assert (await root.post("/admin/accounts/acme/unblock")).json()["active"] is True
        assert (await ann.get("/account/acme")).status_code == 200
        events = [event for event in await world.events(AccountChanged, at_least=4) if event.short_name == "acme"]
        assert [(event.version, event.active) for event in events] == [(1, True), (2, False), (3, True)]
        assert (await root.post("/admin/accounts/nobody/block")).status_code == 403

    @pytest.mark.parametrize("verb", ["block", "unblock"])
    async def test_reason_of_a_closing_is_for_administrators_alone(self, world: World, verb: str) -> None:
        owner = await world.signed_up(accountName="acme")
        root = await world.superadmin()
        answer = await root.post(f"/admin/accounts/acme/{verb}", json={"reason": " счёт 12 не оплачен "})
        assert answer.json()["active"] is (verb == "unblock")
        (told,) = (await root.get("/admin/audit", params={"kind": "ACCOUNT_CHANGED"})).json()["records"]
        assert told["details"] == {"active": str(verb == "unblock"), "reason": "счёт 12 не оплачен"}
        assert told["accountId"] == 1_000_000_001
        assert told["actorUserId"] == (await root.get("/c/users/current")).json()["userId"]
        await root.post("/admin/accounts/acme/unblock")
        shown = (await owner.get("/account/acme/audit", params={"kind": "ACCOUNT_CHANGED"})).json()["records"]
        assert shown[-1]["details"] == {"active": str(verb == "unblock")}

    @pytest.mark.parametrize("verb", ["block", "unblock"])
    @pytest.mark.parametrize("reason", ["", " ", "x" * 501, "two\nlines", "a\x00b", "a\u202eb", 5])
    async def test_invalid_reason_is_refused_and_changes_nothing(self, world: World, verb: str, reason: object) -> None:
        await world.signed_up(accountName="acme")
        root = await world.superadmin()
        answer = await root.post(f"/admin/accounts/acme/{verb}", json={"reason": reason})
        assert (answer.status_code, list(answer.json()["args"])) == (400, ["reason"])
        assert (await root.get("/admin/audit", params={"kind": "ACCOUNT_CHANGED"})).json()["records"] == []
        assert (await root.get("/account/acme")).json()["active"] is True

    @pytest.mark.parametrize("body", [None, {}, {"reason": None}])
    async def test_reason_may_be_missing(self, world: World, body: object) -> None:
        await world.signed_up(accountName="acme")
        root = await world.superadmin()
        assert (await root.post("/admin/accounts/acme/block", json=body)).status_code == 200
        (told,) = (await root.get("/admin/audit", params={"kind": "ACCOUNT_CHANGED"})).json()["records"]
        assert told["details"] == {"active": "False"}


class TestDomains:
    async def test_the_list_of_domains_is_replaced_and_public(self, world: World) -> None:
        root = await world.superadmin()
        assert (await world.browser().get("/public/options")).json()["domains"] == []
        old = {**DOMAIN, "domain": "old.example.org"}
        await root.put("/admin/domains", json={"domains": [old]})
        answer = await root.put("/admin/domains", json={"domains": [{**DOMAIN, "domain": "ML.Example.org"}]})
        assert answer.json()["domains"] == [DOMAIN]
        assert (await world.browser().get("/public/options")).json()["domains"] == [DOMAIN]
        assert (await root.get("/admin/domains")).json()["domains"] == [DOMAIN]

    @pytest.mark.parametrize(
        ("domains", "field"),
        [
            ([{**DOMAIN, "domain": "https://ml.example.org"}], "domains.0.domain"),
            ([{**DOMAIN, "domain": "ml.example.org:8080"}], "domains.0.domain"),
            ([{**DOMAIN, "domain": "-x.org"}], "domains.0.domain"),
            ([{**DOMAIN, "product": ""}], "domains.0.product"),
            ([{**DOMAIN, "colour": "red"}], "domains.0.colour"),
            ([DOMAIN, {**DOMAIN, "domain": "ML.example.org"}], "domains.1.domain"),
        ],
    )
    async def test_invalid_input_names_its_field(
        self, world: World, domains: list[dict[str, object]], field: str
    ) -> None:
        answer = await (await world.superadmin()).put("/admin/domains", json={"domains": domains})
        assert (answer.status_code, list(answer.json()["args"])) == (400, [field])

    async def test_a_redirect_to_a_known_domain_is_allowed(self, world: World) -> None:
        root = await world.superadmin()
        await root.put("/admin/domains", json={"domains": [DOMAIN]})
        body = {"login": "root@example.org", "password": PASSWORD, "redirectUrl": "https://ml.example.org/x"}
        answer = await world.browser().post("/c/authorization/login", json=body)
        assert answer.json()["redirectUrl"] == "https://ml.example.org/x"


class TestAudit:
    async def test_a_superadmin_reads_and_filters_all_records(self, world: World) -> None:
        await world.signed_up()
        await world.signed_up("bob@example.org")
        root = await world.superadmin()
        everything = (await root.get("/admin/audit", params={"size": 1000})).json()
        kinds = [record["kind"] for record in everything["records"]]
        assert kinds.count("SIGNED_UP") == 2
        ids = [record["id"] for record in everything["records"]]
        assert ids == sorted(ids, reverse=True)
        found = (await root.get("/admin/audit", params={"userId": 2, "kind": "SIGNED_UP"})).json()["records"]
        assert [(record["login"], record["address"]) for record in found] == [("bob@example.org", "192.0.2.1")]

    async def test_an_owner_reads_the_records_of_their_account(self, world: World) -> None:
        owner = await world.signed_up(accountName="acme")
        await world.signed_up("bob@example.org", accountName="beta")
        records = (await owner.get("/account/acme/audit")).json()["records"]
        assert {record["kind"] for record in records} == {"ACCOUNT_CREATED", "MEMBERSHIP_CHANGED"}
        assert {record["accountId"] for record in records} == {1_000_000_001}

    async def test_the_service_cannot_change_records(self, world: World) -> None:
        await world.signed_up()
        for statement in ("UPDATE audit_events SET kind = 'X'", "DELETE FROM audit_events", "TRUNCATE audit_events"):
            with pytest.raises(Exception, match="permission denied"):
                await world.sql(statement)

    @pytest.mark.parametrize(("params", "field"), [({"sort": "kind,asc"}, "sort"), ({"kind": "NAP"}, "kind")])
    async def test_an_invalid_query_names_its_field(self, world: World, params: dict[str, str], field: str) -> None:
        answer = await (await world.superadmin()).get("/admin/audit", params=params)
        assert (answer.status_code, list(answer.json()["args"])) == (400, [field])


class TestAccess:
    @pytest.mark.parametrize(
        ("method", "path", "body"),
        [
            ("GET", "/admin/users", None),
            ("POST", "/admin/users/1/permissions", {"permissions": [SUPERADMIN_PERMISSION]}),
            ("POST", "/admin/users/1/block", None),
            ("POST", "/admin/users/1/unblock", None),
            ("POST", "/admin/accounts/acme/block", None),
            ("POST", "/admin/accounts/acme/unblock", None),
            ("GET", "/admin/domains", None),
            ("PUT", "/admin/domains", {"domains": []}),
            ("GET", "/admin/audit", None),
        ],
    )
    async def test_admin_routes_refuse_visitors_owners_and_keys(
        self, world: World, method: str, path: str, body: object
    ) -> None:
        owner = await world.signed_up(accountName="acme")
        account = world.identities.account(1_000_000_001, "acme")
        anonymous: httpx.AsyncClient = world.browser()
        assert (await anonymous.request(method, path, json=body)).status_code == 401
        assert (await owner.request(method, path, json=body)).status_code == 403
        key = world.identities.api_key(account)
        assert (await anonymous.request(method, path, json=body, headers=key)).status_code == 403
