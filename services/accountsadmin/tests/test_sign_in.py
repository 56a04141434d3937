"""Tests sign-in: sessions, refusals and limits of attempts."""

import asyncio
from datetime import timedelta

import httpx
import pytest
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from accountsadmin.unit_of_work import Resources
from mlplace_testing.statements import counted_statements

from .conftest import PASSWORD, OpenWorld, World

LOGIN = "/c/authorization/login"


def _body(login: str = "ann@example.org", password: str = PASSWORD, **more: object) -> dict[str, object]:
    return {"login": login, "password": password, **more}


async def _refused(browser: httpx.AsyncClient, times: int, login: str = "ann@example.org") -> None:
    for _ in range(times):
        answer = await browser.post(LOGIN, json=_body(login, "wrong password"))
        assert answer.status_code == 401, answer.text


class TestSignIn:
    async def test_a_sign_in_returns_the_user_and_selects_their_only_account(self, world: World) -> None:
        await world.signed_up()
        browser = world.browser()
        answer = await browser.post(LOGIN, json=_body("  ANN@Example.org ", redirectUrl="/workspace/?a=//b"))
        assert answer.status_code == 200
        assert answer.json() == {
            "userId": 1,
            "login": "ann@example.org",
            "accountId": 1_000_000_001,
            "redirectUrl": "/workspace/?a=//b",
        }
        assert browser.cookies["SELECTED_ACCOUNT"] == "1000000001"
        assert (await browser.get("/c/authorization/check-authorized")).status_code == 200

    async def test_the_session_cookie_is_httponly_and_samesite(self, world: World) -> None:
        await world.signed_up()
        answer = await world.browser().post(LOGIN, json=_body())
        session, account, device = sorted(answer.headers.get_list("set-cookie"), reverse=True)
        assert session.startswith("SESSION_ID=")
        assert device.startswith("DEVICE=")
        for cookie in (session, device):
            for flag in ("HttpOnly", "SameSite=lax", "Path=/", "Max-Age="):
                assert flag in cookie
            assert "Secure" not in cookie
            assert "Domain" not in cookie
        assert account.startswith("SELECTED_ACCOUNT=1000000001;")
        assert "Path=/" in account

    async def test_under_https_the_cookie_has_the_host_prefix(self, open_world: OpenWorld) -> None:
        world = await open_world(secure=True)
        answer = await world.browser().post("/c/authorization/register", json=_body())
        cookies = answer.headers.get_list("set-cookie")
        assert {cookie.partition("=")[0] for cookie in cookies} == {
            "__Host-SESSION_ID",
            "__Host-DEVICE",
            "SELECTED_ACCOUNT",
        }
        assert all("Secure" in cookie for cookie in cookies)

    async def test_a_planted_session_id_is_replaced(self, world: World) -> None:
        await world.signed_up()
        victim = world.browser()
        victim.cookies.set("SESSION_ID", "planted-by-somebody-else", domain="testserver.local")
        answer = await victim.post(LOGIN, json=_body())
        assert "planted" not in answer.headers["set-cookie"]
        attacker = world.browser()
        attacker.cookies.set("SESSION_ID", "planted-by-somebody-else", domain="testserver.local")
        assert (await attacker.get("/c/sessions")).status_code == 401

    async def test_a_second_sign_in_ends_the_browsers_former_session(self, world: World) -> None:
        browser = await world.signed_up()
        old = browser.cookies["SESSION_ID"]
        await browser.post(LOGIN, json=_body())
        assert browser.cookies["SESSION_ID"] != old
        thief = world.browser()
        assert (await thief.get("/c/sessions", headers={"Cookie": f"SESSION_ID={old}"})).status_code == 401

    async def test_a_session_id_is_stored_as_a_keyed_hash_only(self, world: World) -> None:
        browser = await world.signed_up()
        secret = browser.cookies["SESSION_ID"]
        assert len(secret) == 43
        stored = await world.sql("SELECT token_hash, sessions::text FROM sessions")
        assert [row[0] for row in stored] == [world.shared.hasher.digest(secret)]
        assert all(secret not in str(row[1]) for row in stored)

    async def test_a_foreign_selected_account_is_ignored(self, world: World) -> None:
        await world.signed_up("bob@example.org")
        await world.signed_up()
        browser = world.browser()
        answer = await browser.post(LOGIN, json=_body(), headers={"Cookie": "SELECTED_ACCOUNT=1000000001"})
        assert answer.json()["accountId"] == 1_000_000_002


class NotedHasher(Argon2Hasher):
    """Notes the cost of each check: memory, passes and lanes, as the checked hash states them."""

    def __init__(self) -> None:
        super().__init__(memory_cost=256, time_cost=3)
        self.costs: list[str] = []

    def verify(self, password: str | bytes, hash: str | bytes) -> bool:  # noqa: A002  the name in the base class
        self.costs.append(str(hash).split("$")[3])
        return super().verify(password, hash)


class TestRefusal:
    @pytest.mark.parametrize("case", ["wrong password", "unknown login", "no address", "blocked user"])
    async def test_the_answer_is_the_same_for_every_reason(self, world: World, case: str) -> None:
        await world.signed_up()
        if case == "blocked user":
            await world.sql("UPDATE users SET active = false")
        login = {"unknown login": "nobody@example.org", "no address": "' OR 1=1 --"}.get(case, "ann@example.org")
        password = "wrong password" if case == "wrong password" else PASSWORD
        answer = await world.browser().post(LOGIN, json=_body(login, password))
        assert answer.status_code == 401
        body = answer.json()
        assert (body["code"], body["args"]) == ("accountsadmin.invalid_credentials", {})
        assert "set-cookie" not in answer.headers

    async def test_an_unknown_login_takes_as_long_as_a_wrong_password(self, open_world: OpenWorld) -> None:
        """One hash of the same cost and the same statements: neither reveals itself by its time."""
        world = await open_world(argon2_memory_kib=256, argon2_passes=3, attempts_per_login=100)
        await world.signed_up()
        resources: Resources = world.app._app.state.service  # type: ignore[attr-defined]  # the app behind its context
        hasher = NotedHasher()
        resources.passwords._algorithm = PasswordHash((hasher,))
        work: dict[str, tuple[list[str], list[str]]] = {}
        browser = world.browser()
        with counted_statements(world.database) as statements:
            for login in ("ann@example.org", "nobody@example.org") * 2:
                statements.clear()
                hasher.costs.clear()
                await _refused(browser, 1, login)
                work[login] = list(hasher.costs), list(statements.seen)
        known, unknown = work.values()
        assert known == unknown
        assert known[0] == ["m=256,t=3,p=4"]

    async def test_a_failed_sign_in_is_recorded_without_the_password(self, world: World) -> None:
        await world.signed_up()
        await _refused(world.browser("198.51.100.7"), 1)
        assert ("SIGN_IN_FAILED", 1, None, "ann@example.org", "198.51.100.7") in await world.audit()
        rows = await world.sql("SELECT audit_events::text FROM audit_events")
        assert all("wrong password" not in str(row) for row in rows)


class TestInvalidInput:
    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"login": "ann@example.org"}, "password"),
            ({"login": "", "password": "x"}, "login"),
            ({"login": "ann\x00@example.org", "password": "x"}, "login"),
            ({"login": "ann@example.org", "password": "x\x00"}, "password"),
            ({"login": "ann@example.org", "password": "x" * 257}, "password"),
            ({"login": "ann@example.org", "password": PASSWORD, "remember": True}, "remember"),
            ({"login": "ann@example.org", "password": PASSWORD, "redirectUrl": "https://evil.example"}, "redirectUrl"),
            ({"login": "ann@example.org", "password": PASSWORD, "redirectUrl": "//evil.example"}, "redirectUrl"),
        ],
    )
    async def test_invalid_input_names_its_field(self, world: World, body: dict[str, object], field: str) -> None:
        answer = await world.browser().post(LOGIN, json=body)
        assert answer.status_code == 400
        assert list(answer.json()["args"]) == [field]

    @pytest.mark.parametrize("content", [b'{"login": "\xff"}', b'{"login": "\\ud800", "password": "x"}', b"[]", b""])
    async def test_a_malformed_body_is_refused(self, world: World, content: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        answer = await world.browser().post(LOGIN, content=content, headers=headers)
        assert answer.status_code == 400


class TestOtherSites:
    @pytest.mark.parametrize("path", ["login", "register", "logout"])
    @pytest.mark.parametrize(
        "headers",
        [
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
        ],
    )
    async def test_other_sites_cannot_sign_a_visitor_in_or_out(
        self, world: World, path: str, headers: dict[str, str]
    ) -> None:
        await world.signed_up()
        before = await world.sql("SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM users)")
        body = None if path == "logout" else _body("new@example.org" if path == "register" else "ann@example.org")
        answer = await world.browser().post(f"/c/authorization/{path}", json=body, headers=headers)
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
        assert await world.sql("SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM users)") == before

    async def test_the_platforms_own_pages_may_sign_in(self, world: World) -> None:
        await world.signed_up()
        for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://testserver"}):
            assert (await world.browser().post(LOGIN, json=_body(), headers=headers)).status_code == 200

    @pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", ""])
    async def test_only_json_is_accepted(self, world: World, content_type: str) -> None:
        await world.signed_up()
        content = b'{"login": "ann@example.org", "password": "correct horse battery"}'
        headers = {"Content-Type": content_type} if content_type else {}
        answer = await world.browser().post(LOGIN, content=content, headers=headers)
        assert answer.status_code in {400, 415}
        assert "set-cookie" not in answer.headers


class TestTooManyAttempts:
    async def test_waits_grow_and_the_right_password_is_accepted_after_the_wait(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_login=3, attempts_longest_wait=timedelta(seconds=3))
        await world.signed_up()
        browser = world.browser()
        await _refused(browser, 3)
        for seconds in (1, 2, 3, 3):
            answer = await browser.post(LOGIN, json=_body())
            assert answer.status_code == 429
            assert answer.json()["code"] == "accountsadmin.too_many_attempts"
            assert answer.headers["retry-after"] == str(seconds)
            world.clock.advance(timedelta(seconds=seconds))
            await _refused(browser, 1)
        await browser.post(LOGIN, json=_body())
        world.clock.advance(timedelta(seconds=3))
        assert (await browser.post(LOGIN, json=_body())).status_code == 200
        assert len([row for row in await world.audit() if row[0] == "SIGN_IN_SLOWED"]) == 1

    async def test_an_early_attempt_does_not_extend_the_wait(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_login=2)
        await world.signed_up()
        browser = world.browser()
        await _refused(browser, 2)
        for _ in range(20):
            assert (await browser.post(LOGIN, json=_body())).headers["retry-after"] == "1"
        world.clock.advance(timedelta(seconds=1))
        assert (await browser.post(LOGIN, json=_body())).status_code == 200

    async def test_the_limit_does_not_reveal_whether_the_login_exists(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_login=2)
        await world.signed_up()
        seen = []
        for login in ("ann@example.org", "nobody@example.org"):
            answers = [await world.browser().post(LOGIN, json=_body(login, "wrong password")) for _ in range(4)]
            seen.append([(a.status_code, a.json()["code"], a.json()["message"]) for a in answers])
        assert seen[0] == seen[1]
        assert [status for status, *_ in seen[0]] == [401, 401, 429, 429]

    async def test_a_success_resets_the_count(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_login=3)
        await world.signed_up()
        for _ in range(3):
            await _refused(world.browser(), 2)
            await world.signed_in("ann@example.org")

    async def test_case_and_spaces_do_not_change_the_login(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_login=2)
        await world.signed_up()
        await _refused(world.browser(), 1, "ANN@example.org")
        await _refused(world.browser(), 1, " ann@EXAMPLE.org")
        assert (await world.browser().post(LOGIN, json=_body())).status_code == 429

    async def test_concurrent_guesses_all_count(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_login=3)
        await world.signed_up()
        answers = await asyncio.gather(
            *(world.browser().post(LOGIN, json=_body(password=f"guess number {n}")) for n in range(12))
        )
        assert sorted(answer.status_code for answer in answers) == [401] * 3 + [429] * 9

    async def test_a_turn_allows_one_attempt(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_login=2)
        await world.signed_up()
        await _refused(world.browser(), 2)
        await world.browser().post(LOGIN, json=_body(password="wrong password"))
        world.clock.advance(timedelta(seconds=1))
        answers = await asyncio.gather(
            *(world.browser().post(LOGIN, json=_body(password=f"guess number {n}")) for n in range(5))
        )
        assert sorted(answer.status_code for answer in answers) == [401] + [429] * 4

    async def test_addresses_of_one_ipv6_network_count_together(self, open_world: OpenWorld) -> None:
        world = await open_world(attempts_per_login=2)
        for address in ("2001:db8:1:2::1", "2001:db8:1:2:ffff::2"):
            await _refused(world.browser(address), 1)
        assert (await world.browser("2001:db8:1:2::3").post(LOGIN, json=_body())).status_code == 429
        assert (await world.browser("2001:db8:1:3::3").post(LOGIN, json=_body())).status_code == 401


class TestSignOut:
    async def test_a_sign_out_ends_the_session_and_clears_the_cookies(self, world: World) -> None:
        browser = await world.signed_up()
        secret = browser.cookies["SESSION_ID"]
        answer = await browser.post("/c/authorization/logout")
        assert (answer.status_code, answer.content) == (200, b"")
        assert set(browser.cookies) == {"DEVICE"}
        stolen = await world.browser().get("/c/sessions", headers={"Cookie": f"SESSION_ID={secret}"})
        assert stolen.status_code == 401

    async def test_a_sign_out_without_a_session_succeeds(self, world: World) -> None:
        assert (await world.browser().post("/c/authorization/logout")).status_code == 200
