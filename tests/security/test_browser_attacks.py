"""Attacks on sessions through a browser."""

import asyncio
import statistics
import time
from collections.abc import AsyncGenerator, Awaitable
from http.cookies import SimpleCookie
from pathlib import Path

import httpx
import pytest

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_testing.databases import DatabasePool
from mlplace_testing.waiting import eventually
from tests.security.callers import refusals
from tests.security.hostile_requests import request_for
from tests.security.platform import Platform, open_platform
from tests.security.routes import all_routes
from tests.security.samples import SAMPLES
from tests.security.tenants import PASSWORD, SIGN_IN, Recipe, Tenant

pytestmark = pytest.mark.timeout(300)
AUTHORIZATION = "/api/accountsadmin/c/authorization"
CROSS_SITE = {
    "foreign origin": {"Origin": "https://evil.example"},
    "null origin": {"Origin": "null"},
    "sibling host": {"Origin": "http://platform.test.evil.example"},
    "other port": {"Origin": "http://platform.test:8443"},
    "other scheme's host in userinfo": {"Origin": "http://platform.test@evil.example"},
    "fetch metadata": {"Sec-Fetch-Site": "cross-site"},
    "same site, other host": {"Sec-Fetch-Site": "same-site"},
    "metadata before origin": {"Sec-Fetch-Site": "cross-site", "Origin": "http://platform.test"},
}
SIMPLE_TYPES = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "")


@pytest.fixture(scope="package")
async def tenant(recipe: Recipe) -> Tenant:
    return await recipe.tenant("oscorp")


async def signed_in(platform: Platform, tenant: Tenant, **cookies: str) -> tuple[httpx.Response, httpx.AsyncClient]:
    client = platform.client()
    client.cookies.update(cookies)
    return await client.post(SIGN_IN, json={"login": tenant.owner.login, "password": PASSWORD}), client


class TestCsrf:
    @pytest.mark.parametrize("how", CROSS_SITE)
    async def test_a_cross_site_request_has_no_effect(self, platform: Platform, tenant: Tenant, how: str) -> None:
        unsafe = [r for r in all_routes() if r.method != "GET" and not r.inside and not r.is_a("OwnCredential")]
        headers = {**tenant.owner.headers, **CROSS_SITE[how]}
        assert await refusals(platform, unsafe, tenant, headers, expected=frozenset({403})) == []

    @pytest.mark.parametrize("kind", SIMPLE_TYPES)
    async def test_form_content_types_are_not_parsed_as_json(
        self, platform: Platform, tenant: Tenant, kind: str
    ) -> None:
        """A form needs no CORS permission; without Origin only the content type distinguishes it."""
        opened = []
        for route in all_routes():
            request = request_for(route, tenant)
            body, text = request.body, SAMPLES[route.service][route.operation].text
            takes_anything = route.is_a("CallsModels") or route.inside or route.is_a("OwnCredential") or text
            if route.method == "GET" or body is None or takes_anything:
                continue
            async with platform.client({**tenant.owner.headers, **({"Content-Type": kind} if kind else {})}) as client:
                content = httpx.Request("POST", "http://x", json=body).content
                answer = await client.request(
                    route.method,
                    request.path,
                    params={name: str(value) for name, value in request.query.items()},
                    content=content,
                )
            if answer.is_success:
                opened.append(f"{route.name}: {answer.status_code}")
        assert opened == []

    async def test_sign_in_cannot_be_forced_on_a_visitor(self, platform: Platform, tenant: Tenant) -> None:
        body = {"login": tenant.owner.login, "password": PASSWORD}
        for headers in CROSS_SITE.values():
            async with platform.client(headers) as client:
                answers = [
                    await client.post(f"{AUTHORIZATION}/login", json=body),
                    await client.post(f"{AUTHORIZATION}/register", json={**body, "login": "forced@example.org"}),
                    await client.post(f"{AUTHORIZATION}/logout"),
                ]
            assert [answer.status_code for answer in answers] == [403] * 3
            assert not any("set-cookie" in answer.headers for answer in answers)

    async def test_cors_allows_no_other_site(self, platform: Platform, tenant: Tenant) -> None:
        async with platform.client({**tenant.owner.headers, "Origin": "https://evil.example"}) as client:
            read = await client.get("/api/mlpcore/account")
            asked = await client.options(
                f"/api/mlpcore/account/{tenant.account_id}/token", headers={"Access-Control-Request-Method": "POST"}
            )
        for answer in (read, asked):
            assert not [name for name in answer.headers if name.startswith("access-control")]

    async def test_cors_allows_the_sites_of_a_key_to_call_models_and_nothing_else(
        self, platform: Platform, tenant: Tenant
    ) -> None:
        site, tokens = "https://site.example", f"/api/mlpcore/account/{tenant.account_id}/token"
        calls = (
            "/api/adapters/openai/v1/chat/completions",
            f"/api/mlpgate/account/{tenant.account_id}/model/{tenant.model_id}/predict",
            f"/p/{tenant.account_id}/{tenant.model_id}",
        )  # fmt: skip
        others = (
            tokens,
            "/api/mlpbilling/account",
            f"{AUTHORIZATION}/login",
            "/api/mlpgateway/version",
            "/specs/x.yml",
        )
        async with platform.client(tenant.owner.headers) as owner:
            made = (await owner.post(tokens, json={"name": "page", "allowedOrigins": [site]})).raise_for_status().json()

            async def allowed(path: str, origin: str = site) -> set[tuple[str, str]]:
                """Returns what the answers to a preflight request and to a request with the key allow."""
                asks = {"Origin": origin, "Access-Control-Request-Method": "POST"}
                asked = await client.options(path, headers=asks)
                answer = await client.post(path, json={}, headers={"Origin": origin, "MLP-API-KEY": made["token"]})
                told = [*asked.headers.multi_items(), *answer.headers.multi_items()]
                return {(name, value) for name, value in told if name.startswith("access-control-allow-")}

            async with platform.client() as client:
                await eventually(lambda: _are(allowed(calls[0])))
                for path in calls:
                    assert ("access-control-allow-origin", site) in await allowed(path), path
                    assert not {name for name, _ in await allowed(path)} & {"access-control-allow-credentials"}
                    assert await allowed(path, "https://evil.example") == set()
                for path in others:
                    assert await allowed(path) == set(), path
            (await owner.delete(f"{tokens}/{made['token'].split('.')[1]}")).raise_for_status()


async def _are(found: Awaitable[set[tuple[str, str]]]) -> bool:
    return bool(await found)


@pytest.fixture(scope="module")
async def secure(
    embedded_postgres: EmbeddedPostgres, database_pool: DatabasePool, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Platform]:
    """The platform behind HTTPS."""
    folder: Path = tmp_path_factory.mktemp("secure")
    async with open_platform(embedded_postgres, database_pool, folder, secure=True) as opened:
        yield opened


class TestCookies:
    @staticmethod
    def _cookies(answer: httpx.Response) -> dict[str, str]:
        return {line.partition("=")[0]: line for line in answer.headers.get_list("set-cookie")}

    async def test_over_https_the_session_is_pinned_to_the_host(self, secure: Platform) -> None:
        async with secure.client() as client:
            answer = await client.post(
                f"{AUTHORIZATION}/register", json={"login": "a@example.org", "password": PASSWORD}
            )
        session = self._cookies(answer)["__Host-SESSION_ID"]
        flags = SimpleCookie(session)["__Host-SESSION_ID"]
        assert (flags["secure"], flags["httponly"], flags["path"], flags["domain"]) == (True, True, "/", "")
        assert flags["samesite"].lower() in {"lax", "strict"}
        assert SimpleCookie(self._cookies(answer)["SELECTED_ACCOUNT"])["SELECTED_ACCOUNT"]["secure"] is True

    async def test_over_https_a_cookie_without_the_prefix_is_no_session(self, secure: Platform) -> None:
        """Such a cookie could have been planted by a sibling host or over plain HTTP."""
        async with secure.client() as client:
            made = await client.post(f"{AUTHORIZATION}/register", json={"login": "b@example.org", "password": PASSWORD})
        secret = SimpleCookie(self._cookies(made)["__Host-SESSION_ID"])["__Host-SESSION_ID"].value
        answers = []
        for name in ("__Host-SESSION_ID", "SESSION_ID"):
            async with secure.client({"Cookie": f"{name}={secret}"}) as client:
                answers.append((await client.get("/api/accountsadmin/c/sessions")).status_code)
        assert answers == [200, 401]

    async def test_scripts_cannot_read_the_session(self, platform: Platform, tenant: Tenant) -> None:
        answer, client = await signed_in(platform, tenant)
        await client.aclose()
        flags = SimpleCookie(self._cookies(answer)["SESSION_ID"])["SESSION_ID"]
        assert (flags["httponly"], flags["path"], flags["domain"]) == (True, "/", "")
        assert flags["samesite"].lower() in {"lax", "strict"}
        assert flags.value not in answer.text


class TestSessionFixation:
    async def test_a_planted_session_id_is_not_adopted(self, platform: Platform, tenant: Tenant) -> None:
        planted = "p" * 43
        answer, client = await signed_in(platform, tenant, SESSION_ID=planted)
        await client.aclose()
        assert SimpleCookie(answer.headers["set-cookie"])["SESSION_ID"].value != planted
        async with platform.client({"Cookie": f"SESSION_ID={planted}"}) as attacker:
            assert (await attacker.get("/api/accountsadmin/c/sessions")).status_code == 401

    async def test_signing_in_again_ends_the_previous_session(self, platform: Platform, tenant: Tenant) -> None:
        first, client = await signed_in(platform, tenant)
        old = SimpleCookie(first.headers["set-cookie"])["SESSION_ID"].value
        second = await client.post(SIGN_IN, json={"login": tenant.owner.login, "password": PASSWORD})
        await client.aclose()
        new = SimpleCookie(second.headers["set-cookie"])["SESSION_ID"].value
        assert new != old
        async with platform.client({"Cookie": f"SESSION_ID={old}"}) as attacker:
            assert (await attacker.get("/api/accountsadmin/c/sessions")).status_code == 401

    async def test_a_new_password_ends_every_other_session(self, platform: Platform, recipe: Recipe) -> None:
        person = await recipe.person("rotates@example.org")
        thief = await recipe.sign_in(person.login, person.account_id)
        body = {"currentPassword": PASSWORD, "newPassword": PASSWORD + "!"}
        async with platform.client(person.headers) as client:
            changed = await client.post(f"{AUTHORIZATION}/change-password", json=body)
        assert SimpleCookie(changed.headers["set-cookie"])["SESSION_ID"].value != person.secret
        for old in (person, thief):
            async with platform.client(old.headers) as client:
                assert (await client.get("/api/accountsadmin/c/sessions")).status_code == 401


class TestOpenRedirect:
    ELSEWHERE = (
        "https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "/%5cevil.example",
        "/%2f/evil.example", "///evil.example", "https:evil.example", "http://platform.test@evil.example/",
        "http://platform.test.evil.example/", "javascript:alert(1)", "data:text/html,x", "/a/..//evil.example",
        "\thttps://evil.example", "/\t/evil.example", "/\n/evil.example", "http://platform.test:8443/",
        "http://[::1", "/.//evil.example",
    )  # fmt: skip

    @pytest.mark.parametrize("url", ELSEWHERE)
    async def test_sign_in_redirects_to_no_other_site(self, platform: Platform, tenant: Tenant, url: str) -> None:
        body = {"login": tenant.owner.login, "password": PASSWORD, "redirectUrl": url}
        async with platform.client() as client:
            answer = await client.post(SIGN_IN, json=body)
        assert answer.status_code == 400
        assert not {"location", "set-cookie"} & set(answer.headers)

    async def test_sign_in_redirects_to_pages_of_this_site(self, platform: Platform, tenant: Tenant) -> None:
        body = {"login": tenant.owner.login, "password": PASSWORD, "redirectUrl": "/models?page=2"}
        async with platform.client() as client:
            assert (await client.post(SIGN_IN, json=body)).json()["redirectUrl"] == "/models?page=2"


class TestHostHeaderInjection:
    HOSTS = (
        "evil.example",
        "platform.test:evil.example",
        "platform.test, evil.example",
        "[::1",
        "a b",
        "evil.example#",
    )

    @pytest.mark.parametrize("host", HOSTS)
    async def test_no_answer_repeats_or_trusts_the_host(self, platform: Platform, tenant: Tenant, host: str) -> None:
        headers = {**tenant.owner.headers, "Host": host, "X-Forwarded-Host": "evil.example"}
        wanted = {"login": tenant.owner.login, "password": PASSWORD, "redirectUrl": "https://evil.example/"}
        external = f"/api/mlpcore/account/{tenant.account_id}/model/{tenant.model_id}/external"
        async with platform.client(headers) as client:
            answers = [
                await client.post(SIGN_IN, json=wanted),
                await client.get("/api/mlpcore/nowhere"),
                await client.get("/api/accountsadmin/public/options"),
                await client.get(external),
                await client.get("/api/mlpcore/docs"),
            ]
        assert answers[0].status_code == 400
        assert not [answer.text for answer in answers[1:] if "evil" in answer.text or "evil" in str(answer.headers)]


class TestUserEnumeration:
    async def test_a_wrong_password_and_an_unknown_login_get_the_same_answer(
        self, platform: Platform, tenant: Tenant
    ) -> None:
        answers = []
        async with platform.client() as client:
            for login in (tenant.owner.login, "nobody@example.org"):
                answer = await client.post(SIGN_IN, json={"login": login, "password": "wrong password 1"})
                told = {name: value for name, value in answer.json().items() if name != "requestId"}
                answers.append((answer.status_code, told, sorted(answer.headers)))
        assert answers[0] == answers[1]
        assert answers[0][0] == 401

    async def test_wrong_passwords_and_unknown_logins_take_about_as_long(
        self, platform: Platform, tenant: Tenant
    ) -> None:
        """Both cases hash a password: otherwise an unknown login would be answered faster."""
        seconds: dict[str, list[float]] = {tenant.owner.login: [], "nobody@example.org": []}
        async with platform.client() as client:
            for _ in range(15):
                for login, spent in seconds.items():
                    started = time.perf_counter()
                    await client.post(SIGN_IN, json={"login": login, "password": "wrong password 1"})
                    spent.append(time.perf_counter() - started)
        known, unknown = (statistics.median(spent) for spent in seconds.values())
        assert 1 / 3 < known / unknown < 3

    async def test_a_blocked_user_looks_like_a_wrong_password(
        self, platform: Platform, recipe: Recipe, admin: object
    ) -> None:
        person = await recipe.person("banned@example.org")
        async with platform.client(admin.headers) as client:  # type: ignore[attr-defined]  # a Person
            (await client.post(f"/api/accountsadmin/admin/users/{person.user_id}/block")).raise_for_status()
        codes = []
        async with platform.client() as client:
            for login in (person.login, "nobody@example.org"):
                answer = await client.post(SIGN_IN, json={"login": login, "password": PASSWORD})
                codes.append((answer.status_code, answer.json()["code"], answer.json()["message"]))
        assert codes[0] == codes[1]


class TestParallelSignIns:
    async def test_sessions_of_parallel_sign_ins_do_not_mix(self, platform: Platform, recipe: Recipe) -> None:
        people = [await recipe.person(f"p{number}@example.org") for number in range(5)]

        async def who(person: object) -> bool:
            async with platform.client(person.headers) as client:  # type: ignore[attr-defined]  # a Person
                answer = await client.get("/api/accountsadmin/c/authorization/check-authorized")
                return str(person.login) in answer.text  # type: ignore[attr-defined]

        assert all(await asyncio.gather(*(who(person) for person in people * 5)))
