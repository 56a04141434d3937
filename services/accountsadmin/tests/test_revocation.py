"""Tests that the end of a sign-in takes effect everywhere: here at once, in other services after the event."""

import asyncio
from collections.abc import AsyncGenerator, Callable

import httpx
import pytest

from accountsadmin.features.authorization.errors import InvalidCredentials
from accountsadmin.features.authorization.schemas import LoginInput
from accountsadmin.features.authorization.service import Authorization, Browser
from accountsadmin.origin import PLATFORM
from accountsadmin.passwords import Asker, Passwords, PasswordVerdict
from accountsadmin.unit_of_work import Resources
from mlplace_contracts.internal.identity import ResolveSecret, SessionIdentity
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.auth.sources import CachedSessions, IdentityCache
from mlplace_testing.waiting import eventually
from mlplace_testing.web import internal_client_to

from .conftest import PASSWORD, World

NEW_PASSWORD = "another horse battery"  # pragma: allowlist secret


@pytest.fixture
async def elsewhere(world: World) -> AsyncGenerator[CachedSessions]:
    """Sessions as another service sees them, behind its cache. Its clock stands still, so only an event changes them."""
    internal = internal_client_to(accountsadmin=world.app)

    async def fetch(secret: str) -> SessionIdentity | None:
        body = ResolveSecret(secret=secret)
        return await internal.find("accountsadmin", "/sessions/resolve", body, SessionIdentity)

    cached = CachedSessions(IdentityCache(fetch=fetch, hasher=world.shared.hasher, clock=world.clock))
    projection = Invalidator(sessions=cached).projection(world.bus, name="elsewhere")
    task = asyncio.create_task(projection.run())
    yield cached
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _out(elsewhere: CachedSessions, secret: str) -> None:
    await eventually(lambda: elsewhere.session(secret), until=lambda identity: identity is None)


class TestOtherServices:
    @pytest.mark.parametrize("how", ["sign out", "end others", "new password", "block", "permissions"])
    async def test_an_ended_session_is_refused_after_the_event(
        self, world: World, elsewhere: CachedSessions, how: str
    ) -> None:
        browser = await world.signed_up()
        secret = browser.cookies["SESSION_ID"]
        assert await elsewhere.session(secret)
        await _end(world, browser, how)
        await _out(elsewhere, secret)

    async def test_an_ended_membership_disappears_after_the_event(
        self, world: World, elsewhere: CachedSessions
    ) -> None:
        await world.ensure("owner@example.org", "acme")
        ids = await world.ensure("ann@example.org", "acme")
        browser = await world.signed_in("ann@example.org")
        secret = browser.cookies["SESSION_ID"]
        before = await elsewhere.session(secret)
        assert before
        assert len(before.memberships) == 1
        await (await world.signed_in("owner@example.org")).delete(f"/account/acme/member/{ids['user_id']}")

        def gone(identity: SessionIdentity | None) -> bool:
            return identity is not None and identity.memberships == ()

        await eventually(lambda: elsewhere.session(secret), until=gone)


async def _end(world: World, browser: httpx.AsyncClient, how: str) -> None:
    match how:
        case "sign out":
            answer = await browser.post("/c/authorization/logout")
        case "end others":
            answer = await (await world.signed_in("ann@example.org")).delete("/c/sessions")
        case "new password":
            body = {"currentPassword": PASSWORD, "newPassword": NEW_PASSWORD}
            answer = await browser.post("/c/authorization/change-password", json=body)
        case "block":
            answer = await (await world.superadmin()).post("/admin/users/1/block")
        case _:
            root = await world.superadmin()
            answer = await root.post("/admin/users/1/permissions", json={"permissions": ["SUPPORT"]})
    assert answer.status_code == 200, answer.text


class SlowPasswords(Passwords):
    """Runs something between the check of a password and its result."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        super().__init__(memory_kib=64, passes=1, workers=1)
        self._meanwhile = meanwhile

    async def verify(self, password: str, stored: str | None, *, asker: Asker) -> PasswordVerdict:
        verdict = await super().verify(password, stored, asker=asker)
        happened = self._meanwhile()
        if asyncio.iscoroutine(happened):
            await happened
        return verdict


class TestConcurrentSignIn:
    @pytest.mark.parametrize("how", ["block", "new password"])
    async def test_a_sign_in_during_a_revocation_is_refused(self, world: World, how: str) -> None:
        browser = await world.signed_up()
        passwords = SlowPasswords(lambda: _end(world, browser, how))
        resources: Resources = world.app._app.state.service  # type: ignore[attr-defined]  # the app behind its context
        authorization = Authorization(open_work=resources.open_work, passwords=passwords)
        wanted = LoginInput.model_validate({"login": "ann@example.org", "password": PASSWORD})
        with pytest.raises(InvalidCredentials):
            await authorization.sign_in(wanted=wanted, browser=Browser(PLATFORM, session=None, account=None))
        passwords.close()
        ((live,),) = await world.sql(
            "SELECT count(*) FROM sessions WHERE user_id = 1 AND revoked_at IS NULL AND token_hash <> :current",
            current=world.shared.hasher.digest(browser.cookies.get("SESSION_ID") or ""),
        )
        assert live == 0
