"""Tests a user's sessions: their lifetime, list and end."""

from datetime import timedelta

import pytest

from mlplace_contracts.events import SessionRevoked

from .conftest import PASSWORD, World

NEW_PASSWORD = "another horse battery"  # pragma: allowlist secret
CHANGE = "/c/authorization/change-password"


class TestLifetime:
    async def test_a_session_ends_thirty_days_after_its_last_use(self, world: World) -> None:
        browser = await world.signed_up()
        for _ in range(2):
            world.clock.advance(timedelta(days=29))
            assert (await browser.get("/c/sessions")).status_code == 200
        world.clock.advance(timedelta(days=30))
        assert (await browser.get("/c/sessions")).status_code == 401

    async def test_a_session_ends_ninety_days_after_sign_in_even_if_used(self, world: World) -> None:
        browser = await world.signed_up()
        for _ in range(8):
            world.clock.advance(timedelta(days=10))
            assert (await browser.get("/c/sessions")).status_code == 200
        world.clock.advance(timedelta(days=10))
        assert (await browser.get("/c/sessions")).status_code == 401

    async def test_the_use_of_a_session_is_stored_every_five_minutes_at_most(self, world: World) -> None:
        browser = await world.signed_up()
        started = world.clock.now()
        world.clock.advance(timedelta(minutes=4))
        await browser.get("/c/sessions")
        assert await world.sql("SELECT last_seen_at FROM sessions") == [(started,)]
        world.clock.advance(timedelta(minutes=1))
        await browser.get("/c/sessions")
        assert await world.sql("SELECT last_seen_at FROM sessions") == [(world.clock.now(),)]


class TestList:
    async def test_a_user_sees_their_live_sessions_with_the_current_one_marked(self, world: World) -> None:
        await world.signed_up("bob@example.org")
        await world.signed_up()
        browser = world.browser("198.51.100.7")
        headers = {"User-Agent": "Browser/1.0"}
        await browser.post(
            "/c/authorization/login", json={"login": "ann@example.org", "password": PASSWORD}, headers=headers
        )
        listed = (await browser.get("/c/sessions")).json()
        assert [session["id"] for session in listed] == [2, 3]
        (current,) = [session for session in listed if session["current"]]
        assert (current["id"], current["address"], current["userAgent"]) == (3, "198.51.100.7", "Browser/1.0")
        assert set(current) == {"id", "createdAt", "lastSeenAt", "expiresAt", "address", "userAgent", "current"}

    async def test_the_list_contains_no_secret(self, world: World) -> None:
        browser = await world.signed_up()
        text = (await browser.get("/c/sessions")).text
        assert browser.cookies["SESSION_ID"] not in text
        assert world.shared.hasher.digest(browser.cookies["SESSION_ID"]) not in text


class TestEnd:
    async def test_one_session_is_ended_by_its_number(self, world: World) -> None:
        first = await world.signed_up()
        second = await world.signed_in("ann@example.org")
        answer = await second.delete("/c/sessions/1")
        assert (answer.status_code, answer.content) == (200, b"")
        assert (await first.get("/c/sessions")).status_code == 401
        assert (await second.get("/c/sessions")).status_code == 200

    async def test_all_other_sessions_are_ended(self, world: World) -> None:
        others = [await world.signed_up(), await world.signed_in("ann@example.org")]
        bystander = await world.signed_up("bob@example.org")
        current = await world.signed_in("ann@example.org")
        assert (await current.delete("/c/sessions")).status_code == 200
        assert [(await other.get("/c/sessions")).status_code for other in others] == [401, 401]
        assert (await current.get("/c/sessions")).status_code == 200
        assert (await bystander.get("/c/sessions")).status_code == 200

    async def test_an_ended_session_is_published_by_its_hash_only(self, world: World) -> None:
        browser = await world.signed_up()
        digest = world.shared.hasher.digest(browser.cookies["SESSION_ID"])
        await browser.delete("/c/sessions/1")
        (event,) = await world.events(SessionRevoked, at_least=1)
        assert (event.session_hash, event.user_id) == (digest, 1)

    async def test_a_foreign_session_looks_like_a_missing_one(self, world: World) -> None:
        victim = await world.signed_up("bob@example.org")
        browser = await world.signed_up()
        foreign, missing = [await browser.delete(f"/c/sessions/{number}") for number in (1, 999)]
        assert foreign.status_code == missing.status_code == 404
        assert {**foreign.json(), "requestId": ""} == {**missing.json(), "requestId": ""}
        assert (await victim.get("/c/sessions")).status_code == 200

    @pytest.mark.parametrize("number", ["0", "-1", "9223372036854775808", "x", "1%00"])
    async def test_an_impossible_session_number_is_invalid(self, world: World, number: str) -> None:
        browser = await world.signed_up()
        assert (await browser.delete(f"/c/sessions/{number}")).status_code == 400

    async def test_a_session_that_has_ended_is_not_found(self, world: World) -> None:
        browser = await world.signed_up()
        await world.signed_in("ann@example.org")
        assert [(await browser.delete("/c/sessions/2")).status_code for _ in range(2)] == [200, 404]


class TestChangePassword:
    async def test_a_password_change_ends_other_sessions_and_renews_this_one(self, world: World) -> None:
        other = await world.signed_up()
        browser = await world.signed_in("ann@example.org")
        old = browser.cookies["SESSION_ID"]
        answer = await browser.post(CHANGE, json={"currentPassword": PASSWORD, "newPassword": NEW_PASSWORD})
        assert (answer.status_code, answer.content) == (200, b"")
        assert browser.cookies["SESSION_ID"] != old
        assert (await browser.get("/c/sessions")).status_code == 200
        assert (await other.get("/c/sessions")).status_code == 401
        stolen = await world.browser().get("/c/sessions", headers={"Cookie": f"SESSION_ID={old}"})
        assert stolen.status_code == 401

    async def test_the_new_password_signs_in_and_the_old_one_does_not(self, world: World) -> None:
        browser = await world.signed_up()
        await browser.post(CHANGE, json={"currentPassword": PASSWORD, "newPassword": NEW_PASSWORD})
        await world.signed_in("ann@example.org", NEW_PASSWORD)
        body = {"login": "ann@example.org", "password": PASSWORD}
        assert (await world.browser().post("/c/authorization/login", json=body)).status_code == 401

    @pytest.mark.parametrize(
        ("current", "new", "field"),
        [
            ("wrong password", NEW_PASSWORD, "currentPassword"),
            (PASSWORD, "short", "newPassword"),
            (PASSWORD, "x" * 257, "newPassword"),
            (PASSWORD, "ANN@example.org", "newPassword"),
        ],
    )
    async def test_invalid_input_names_its_field(self, world: World, current: str, new: str, field: str) -> None:
        browser = await world.signed_up()
        answer = await browser.post(CHANGE, json={"currentPassword": current, "newPassword": new})
        assert answer.status_code == 400
        assert list(answer.json()["args"]) == [field]
        assert (await browser.get("/c/sessions")).status_code == 200

    async def test_guesses_of_the_current_password_are_slowed_down_like_sign_ins(self, world: World) -> None:
        browser = await world.signed_up()
        body = {"currentPassword": "wrong password", "newPassword": NEW_PASSWORD}
        answers = [(await browser.post(CHANGE, json=body)).status_code for _ in range(11)]
        assert answers == [400] * 10 + [429]

    async def test_other_sites_cannot_change_the_password(self, world: World) -> None:
        browser = await world.signed_up()
        body = {"currentPassword": PASSWORD, "newPassword": NEW_PASSWORD}
        answer = await browser.post(CHANGE, json=body, headers={"Sec-Fetch-Site": "cross-site"})
        assert answer.status_code == 403
        await world.signed_in("ann@example.org")
