"""Pages of other sites that call with a key: each entry, for origins that the key lists and others."""

import asyncio
import base64
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import aiohttp
import httpx
import orjson
import pytest
from starlette.types import Receive, Scope, Send

from mlpgateway.entry.cross_origin import CrossOrigin
from mlplace_contracts.enums import KeyPermission
from mlplace_contracts.events import ModelPublicity
from mlplace_contracts.internal.identity import KeyIdentity
from mlplace_contracts.limits import KeyLimits, RequestRule
from mlplace_kit.errors import Unavailable
from mlplace_runtime.web.request_context import RequestContext
from mlplace_testing.waiting import eventually
from services.mlpgateway.tests.entries import ENTRIES, MODEL, OPENAI, STREAMED, Answers, Entry

SITE, OTHER, OWN = "https://site.example", "https://other.example", "http://testserver"
ALL = ("predict", "read", "write")
CODE = "mlp.gate.origin_not_allowed"
ASKED = "authorization, mlp-api-key, mlp-billing-key, content-type, x-stainless-os"
ASKING = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": ASKED}
WITH_KEYS: Mapping[str, Entry] = {
    **{name: entry for name, entry in ENTRIES.items() if entry.path and name != "tryWithoutSigningIn"},
    **STREAMED,
}
CALLS = {name: entry for name, entry in WITH_KEYS.items() if entry.answers is not Answers.NONE}
SAID = orjson.dumps({
    "text": "1", "audio_base64": base64.b64encode(bytes(512)).decode(), "embedded_texts": [{"vector": [1]}],
    "choices": [{"index": 0, "message": {"content": "1"}}], "data": [],
})  # fmt: skip
SECRET = "1000000002.999.wrong-wrong-wrong-wrong-wrong-wrong"  # pragma: allowlist secret

every = pytest.mark.parametrize("name", WITH_KEYS)


@pytest.fixture
def site(hosted, instance, kit, tools):
    """A world with one priced model, which serves every entry and counts what reaches it."""
    public = ModelPublicity(is_public=True, hidden=False, public_testing_allowed=True)
    instance.says = ("application/json", SAID)

    def opened(name: str = "predict") -> Any:
        about = {"http": tools.HTTP, "billing": kit.CALLS, "publicity": public, "visitor_calls_per_day": 1000}
        hosted.know(kit.model_changed(name="m", task_type=WITH_KEYS[name].task_type, **about))
        return hosted

    return opened


def cors(answer: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.startswith("access-control-")}


def code_of(answer: httpx.Response) -> str:
    body = answer.json()
    return str(body.get("error", body)["code"])


def listing(world: Any, *origins: str, **about: object) -> dict[str, str]:
    key: dict[str, str] = world.key(permissions=ALL, allowed_origins=origins, **about)
    return key


def fresh(kit: Any, key_id: int, *, expires_at: datetime | None = None) -> KeyIdentity:
    """What mlpcore says of a key that lists OTHER, and whose event has not arrived."""
    return KeyIdentity(
        key_id=key_id, account_id=kit.DEMO, account_name="demo", name="k", allowed_origins=(OTHER,),
        permissions=(KeyPermission.PREDICT,), allowed_models=None, features=(), expires_at=expires_at,
    )  # fmt: skip


async def ask(world: Any, name: str, origin: str = SITE, **about: str) -> httpx.Response:
    entry = WITH_KEYS[name]
    path = f"{entry.path}?{entry.query}" if entry.query else entry.path
    answer: httpx.Response = await world.client.options(path, headers={"Origin": origin, **ASKING, **about})
    return answer


class TestEveryEntry:
    @every
    async def test_page_of_a_listed_origin_may_call_and_read_the_answer(self, site, name) -> None:
        world = site(name)
        key = listing(world, OTHER, SITE)
        plain = await WITH_KEYS[name].send(world.client, key)
        answer = await WITH_KEYS[name].send(world.client, {**key, "Origin": SITE})
        assert (answer.status_code, len(answer.content)) == (plain.status_code, len(plain.content))
        assert answer.is_success
        assert cors(answer) == {"access-control-allow-origin": SITE, "access-control-expose-headers": "*"}
        assert "Origin" in answer.headers.get_list("vary")
        assert (cors(plain), "vary" in plain.headers) == ({}, False)

    @every
    async def test_page_of_another_origin_is_refused_before_anything_is_charged(self, site, instance, name) -> None:
        world = site(name)
        listing(world, OTHER)
        answer = await WITH_KEYS[name].send(world.client, {**listing(world, SITE), "Origin": OTHER})
        assert (answer.status_code, code_of(answer), cors(answer)) == (403, CODE, {})
        assert (instance.seen, await world.usage()) == ([], [])

    @every
    async def test_key_without_a_list_works_as_ever(self, site, name) -> None:
        world = site(name)
        listing(world, SITE)
        key = world.key(permissions=ALL)
        plain = await WITH_KEYS[name].send(world.client, key)
        answer = await WITH_KEYS[name].send(world.client, {**key, "Origin": SITE})
        assert (answer.status_code, answer.is_success, cors(answer)) == (plain.status_code, True, {})

    @every
    @pytest.mark.parametrize("kind", ["cross-site", "same-site"])
    async def test_key_without_a_list_is_refused_where_the_browser_names_another_site(self, site, name, kind) -> None:
        """The preflight of its page was answered since another account's key lists the origin."""
        world = site(name)
        listing(world, "*")
        key = world.key(permissions=ALL)
        answer = await WITH_KEYS[name].send(world.client, {**key, "Origin": SITE, "Sec-Fetch-Site": kind})
        assert (answer.status_code, code_of(answer)) == (403, CODE)
        assert await world.usage() == []

    @every
    async def test_page_of_the_platform_is_not_judged(self, site, name) -> None:
        world = site(name)
        key = listing(world, SITE)
        marked = {"Origin": "https://behind.example", "Sec-Fetch-Site": "same-origin"}
        for headers in ({"Origin": OWN}, marked):
            answer = await WITH_KEYS[name].send(world.client, {**key, **headers})
            assert (answer.is_success, cors(answer)) == (True, {})

    @every
    async def test_preflight_is_answered_while_a_live_key_lists_the_origin(self, site, instance, name) -> None:
        world = site(name)
        before = await ask(world, name)
        assert (before.is_success, cors(before)) == (False, {})
        listing(world, SITE)
        answer = await ask(world, name)
        assert (answer.status_code, answer.content) == (204, b"")
        assert cors(answer) == {
            "access-control-allow-origin": SITE,
            "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
            "access-control-allow-headers": ASKED,
            "access-control-max-age": "600",
        }
        assert answer.headers["vary"] == "Origin"
        other = await ask(world, name, OTHER)
        assert (other.status_code, cors(other)) == (before.status_code, {})
        assert instance.seen == []

    @every
    async def test_page_can_read_that_its_key_is_wrong(self, site, name) -> None:
        """Which key was meant is not known, so any key that lists the origin will do."""
        world = site(name)
        listing(world, SITE)
        for origin, allowed in ((SITE, SITE), (OTHER, None)):
            answer = await WITH_KEYS[name].send(world.client, {"MLP-API-KEY": SECRET, "Origin": origin})
            assert (answer.status_code, cors(answer).get("access-control-allow-origin")) == (401, allowed)

    @pytest.mark.parametrize("name", CALLS)
    async def test_page_can_read_errors_of_its_call(self, site, name) -> None:
        world = site(name)
        key = listing(world, SITE, allowed_models=(999,))
        answer = await WITH_KEYS[name].send(world.client, {**key, "Origin": SITE})
        assert (answer.status_code, cors(answer)["access-control-allow-origin"]) == (403, SITE)
        assert code_of(answer) == "mlp.gate.access_denied"

    @pytest.mark.parametrize("name", CALLS)
    async def test_page_can_read_the_error_of_an_instance(self, site, instance, name) -> None:
        world = site(name)
        instance.status = 418
        answer = await WITH_KEYS[name].send(world.client, {**listing(world, SITE), "Origin": SITE})
        assert (answer.status_code, cors(answer)["access-control-allow-origin"]) == (418, SITE)


class TestErrors:
    async def test_page_can_read_when_to_call_again(self, site) -> None:
        world = site()
        limits = KeyLimits(requests=RequestRule(calls=1, period="DAY", period_seconds=86_400))
        headers = {**listing(world, SITE, limits=limits), "Origin": SITE}
        answers = [await ENTRIES["predict"].send(world.client, headers) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 429]
        assert {"retry-after", "ratelimit"} <= set(answers[1].headers)
        assert cors(answers[1])["access-control-expose-headers"] == "*"

    async def test_page_can_read_that_an_address_is_too_long(self, site) -> None:
        world = site("httpInterface")
        headers = {**listing(world, SITE), "Origin": SITE}
        answer = await world.client.post(f"{MODEL}/http/{'a' * 8100}", headers=headers)
        assert (answer.status_code, cors(answer)["access-control-allow-origin"]) == (400, SITE)

    async def test_page_can_read_an_unexpected_error(self, world) -> None:
        async def broken(_scope: Scope, _receive: Receive, _send: Send) -> None:
            raise RuntimeError("broken")

        key = listing(world, SITE)
        front = CrossOrigin(keyring=world.components.keyring, entrance=world.components.entrance, others=broken)
        app = RequestContext(front, service="test", max_body_bytes=100)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=OWN) as client:
            answer = await client.post(f"{MODEL}/predict", headers={**key, "Origin": SITE})
        assert (answer.status_code, cors(answer)["access-control-allow-origin"]) == (500, SITE)

    async def test_answer_that_has_begun_ends_as_without_an_origin(self, world) -> None:
        async def broken(_scope: Scope, _receive: Receive, send: Send) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            raise RuntimeError("broken")

        key = listing(world, SITE)
        front = CrossOrigin(keyring=world.components.keyring, entrance=world.components.entrance, others=broken)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(front), base_url=OWN) as client:
            with pytest.raises(RuntimeError):
                await client.post(f"{MODEL}/predict", headers={**key, "Origin": SITE})


class TestLookUps:
    async def test_unknown_keys_of_an_address_are_looked_up_a_few_at_a_time(self, world, monkeypatch) -> None:
        """Nobody may make the gate ask another service without a bound."""
        asked, answer = 0, asyncio.Event()

        async def key(_secret: str) -> None:
            nonlocal asked
            asked += 1
            await answer.wait()

        monkeypatch.setattr(world.components.keyring._unknown, "key", key)
        most = world.components.entrance.lookups.most("127.0.0.1")
        headers = [{"MLP-API-KEY": f"1.{number}.{'x' * 40}", "Origin": SITE} for number in range(most + 5)]
        calls = [asyncio.create_task(world.client.post(f"{MODEL}/predict", headers=each)) for each in headers]
        await eventually(lambda: _done(calls), until=lambda count: count == 5)
        assert asked == most
        assert {call.result().status_code for call in calls if call.done()} == {429}
        answer.set()
        assert {call.status_code for call in await asyncio.gather(*calls)} == {401, 429}
        assert world.components.entrance.lookups.used == 0


async def _done(calls: list[asyncio.Task[httpx.Response]]) -> int:
    return sum(call.done() for call in calls)


class TestKeys:
    @pytest.mark.parametrize("form", ["MLP-API-KEY", "Bearer", "bare"])
    async def test_key_is_found_wherever_it_may_be(self, site, form) -> None:
        world = site("openaiModels")
        secret = listing(world, SITE)["MLP-API-KEY"]
        named = {"MLP-API-KEY": secret} if form == "MLP-API-KEY" else {
            "Authorization": secret if form == "bare" else f"Bearer {secret}"
        }  # fmt: skip
        listed, other = [
            await ENTRIES["openaiModels"].send(world.client, {**named, "Origin": origin}) for origin in (SITE, OTHER)
        ]
        assert (listed.status_code, cors(listed)["access-control-allow-origin"]) == (200, SITE)
        assert (other.status_code, code_of(other)) == (403, CODE)
        assert other.headers["x-request-id"] == other.headers["z-requestid"]
        header = "MLP-API-KEY" if form == "MLP-API-KEY" else "Authorization"
        assert f"the key in {header} " in other.json()["error"]["message"]

    async def test_any_origin_may_be_listed(self, site) -> None:
        world = site()
        key = listing(world, "*")
        for origin in (SITE, OTHER, "null"):
            answer, asked = (
                await ENTRIES["predict"].send(world.client, {**key, "Origin": origin}),
                await ask(world, "predict", origin),
            )
            assert (answer.status_code, asked.status_code) == (200, 204)
            assert {each.headers["access-control-allow-origin"] for each in (answer, asked)} == {"*"}

    async def test_paying_key_allows_only_its_origins_too(self, site, instance) -> None:
        world = site()
        headers = {**listing(world, SITE), "Origin": SITE}
        refused, paid = [
            await ENTRIES["predict"].send(world.client, {**headers, "MLP-BILLING-KEY": key["MLP-API-KEY"]})
            for key in (listing(world, OTHER), world.key())
        ]
        assert (refused.status_code, refused.json()["args"]) == (403, {"header": "MLP-BILLING-KEY"})
        assert cors(refused)["access-control-allow-origin"] == SITE
        assert (paid.status_code, len(instance.seen)) == (200, 1)

    async def test_change_takes_effect_with_its_event(self, site) -> None:
        world = site()
        event, secret = world.key_event(allowed_origins=(SITE,))
        seen: list[tuple[int, int]] = []
        for version, origins in ((1, (SITE,)), (2, (OTHER,)), (3, ()), (4, (SITE, OTHER))):
            world.know(event.model_copy(update={"version": version, "allowed_origins": origins}))
            answer = await ENTRIES["predict"].send(world.client, {"MLP-API-KEY": secret, "Origin": SITE})
            seen.append((answer.status_code, (await ask(world, "predict")).status_code))
        assert seen == [(200, 204), (403, 405), (200, 405), (200, 204)]

    @pytest.mark.parametrize("pays", [False, True])
    async def test_list_of_a_key_counts_before_its_event(self, site, kit, instance, pays) -> None:
        world = site()
        listing(world, SITE)
        event, secret = world.key_event()
        world.fresh_keys[secret] = fresh(kit, event.key_id)
        key = {**listing(world, SITE, OTHER), "MLP-BILLING-KEY": secret} if pays else {"MLP-API-KEY": secret}
        answers = [await ENTRIES["predict"].send(world.client, {**key, "Origin": each}) for each in (SITE, OTHER)]
        assert [answer.status_code for answer in answers] == [403, 200]
        assert cors(answers[1])["access-control-allow-origin"] == OTHER
        assert (world.resolved, len(instance.seen)) == ([secret], 1)

    async def test_list_of_a_key_that_has_ended_before_its_event_does_not_count(self, site, kit, clock) -> None:
        world = site()
        listing(world, SITE)
        event, secret = world.key_event()
        world.fresh_keys[secret] = fresh(kit, event.key_id, expires_at=clock.now())
        answer = await ENTRIES["predict"].send(world.client, {"MLP-API-KEY": secret, "Origin": SITE})
        assert (answer.status_code, cors(answer)["access-control-allow-origin"]) == (401, SITE)

    @pytest.mark.parametrize("name", ["predict", "openaiModels"])
    async def test_nothing_passes_when_the_list_cannot_be_read(self, site, kit, instance, name) -> None:
        """The next look-up succeeds: what comes behind the check would let the call pass."""

        class AwayOnce(dict[str, KeyIdentity]):
            asked = False

            def get(self, *wanted: Any) -> Any:
                if not self.asked:
                    self.asked = True
                    raise Unavailable
                return super().get(*wanted)

        world = site(name)
        listing(world, SITE)
        event, secret = world.key_event()
        world.fresh_keys = AwayOnce({secret: fresh(kit, event.key_id)})
        answer = await ENTRIES[name].send(world.client, {"MLP-API-KEY": secret, "Origin": SITE})
        assert (answer.status_code, code_of(answer), instance.seen) == (503, Unavailable.code, [])
        assert cors(answer)["access-control-allow-origin"] == SITE

    @pytest.mark.parametrize("end", ["revoked", "expired", "account closed"])
    async def test_dead_key_allows_no_origin(self, site, kit, clock, end) -> None:
        world = site()
        event, secret = world.key_event(kit.OTHER, allowed_origins=(SITE, "*"), expires_at=clock.now() + timedelta(1))
        world.know(event)
        assert (await ask(world, "predict")).status_code == 204
        if end == "revoked":
            world.know(event.model_copy(update={"version": 2, "active": False}))
        elif end == "expired":
            clock.advance(timedelta(days=1))
        else:
            world.know(kit.account_changed(kit.OTHER, "other", active=False))
        assert (await ask(world, "predict")).status_code == 405
        answer = await ENTRIES["predict"].send(world.client, {"MLP-API-KEY": secret, "Origin": SITE})
        assert (answer.status_code, cors(answer)) == (401, {})
        if end == "account closed":
            world.know(kit.account_changed(kit.OTHER, "other"))
            assert (await ask(world, "predict")).status_code == 204


class TestSessions:
    async def test_session_gives_pages_of_other_sites_nothing(self, site, kit) -> None:
        world = site("tts")
        listing(world, SITE, "*")
        session = world.people.user(world.people.account(kit.DEMO, "demo"))
        for name in ("tts", "predict", "openaiModels"):
            answer = await ENTRIES[name].send(world.client, {**session, "Origin": SITE, "Sec-Fetch-Site": "cross-site"})
            assert cors(answer) == {}

    async def test_preflight_never_allows_credentials(self, site) -> None:
        world = site()
        listing(world, SITE, "*")
        for cookie in ({}, {"Cookie": "SESSION_ID=x"}):
            assert "access-control-allow-credentials" not in (await ask(world, "predict", **cookie)).headers


class TestOtherAddresses:
    @pytest.mark.parametrize(
        "path",
        ["/api/mlpgateway/version", "/api/mlpgateway/account/demo/storage", f"{MODEL}/archive", f"{MODEL}/cache"],
    )
    async def test_programs_only(self, site, path) -> None:
        world = site()
        key = listing(world, SITE, "*")
        asked = await world.client.options(path, headers={"Origin": SITE, **ASKING})
        answer = await world.client.get(path, headers={**key, "Origin": SITE})
        assert (asked.status_code, cors(asked), cors(answer)) == (405, {}, {})

    async def test_visitors_of_other_sites_stay_refused(self, site) -> None:
        world = site()
        listing(world, SITE, "*")
        headers = {"Origin": SITE, "Sec-Fetch-Site": "cross-site"}
        answer = await ENTRIES["tryWithoutSigningIn"].send(world.client, headers)
        assert (answer.status_code, cors(answer)) == (403, {})

    async def test_options_with_a_key_are_passed_on(self, site, instance) -> None:
        world = site()
        key = listing(world, SITE)
        answer = await world.client.options(f"{MODEL}/http/x", headers={**key, "Origin": SITE, **ASKING})
        assert (answer.status_code, cors(answer)["access-control-allow-origin"]) == (200, SITE)
        assert [method for method, *_ in instance.seen] == ["OPTIONS"]


class TestHostileOrigins:
    HOSTILE = (
        "null", SITE.upper(), f"{SITE}/", f"{SITE}:443", f"{SITE}.evil.example", "https://evil.site.example", "", " ",
        f"{SITE}, {OTHER}", "*", "x" * 60_000, "http://[", "\x01", f"{SITE}\x00", "https://сайт".encode().decode("latin-1"),
    )  # fmt: skip

    @pytest.mark.parametrize("origin", HOSTILE, ids=range(len(HOSTILE)))
    async def test_no_other_spelling_is_the_listed_origin(self, site, instance, origin) -> None:
        world = site()
        answer = await ENTRIES["predict"].send(world.client, {**listing(world, SITE), "Origin": origin})
        asked = await self._asked(world, origin)
        assert (answer.status_code, code_of(answer), cors(answer)) == (403, CODE, {})
        assert (asked.status_code, cors(asked), instance.seen) == (405, {}, [])

    @pytest.mark.parametrize("origin", HOSTILE, ids=range(len(HOSTILE)))
    async def test_nothing_is_sent_back_that_no_key_lists(self, site, origin) -> None:
        world = site()
        key = listing(world, "*")
        wrong = {"MLP-API-KEY": SECRET, "Origin": origin}
        for answer in (
            await ENTRIES["predict"].send(world.client, {**key, "Origin": origin}),
            await ENTRIES["predict"].send(world.client, wrong),
            await self._asked(world, origin),
        ):
            assert answer.headers["access-control-allow-origin"] == "*"

    @pytest.mark.parametrize("asked", ["a" * 4001, "x\x01", "a: b", "a\u00e9", "<b>"])
    async def test_headers_that_are_no_names_are_not_allowed(self, site, asked) -> None:
        world = site()
        listing(world, SITE)
        raw = [(b"Origin", SITE.encode()), (b"Access-Control-Request-Method", b"POST")]
        raw.append((b"Access-Control-Request-Headers", asked.encode("latin-1")))
        answer = await world.client.options(f"{OPENAI}/models", headers=raw)
        assert (answer.status_code, "access-control-allow-headers" in answer.headers) == (204, False)

    @staticmethod
    async def _asked(world: Any, origin: str) -> httpx.Response:
        raw = [(b"Origin", origin.encode("latin-1")), (b"Access-Control-Request-Method", b"POST")]
        answer: httpx.Response = await world.client.options(ENTRIES["predict"].path, headers=raw)
        return answer


class TestSockets:
    async def test_origin_is_compared_with_the_list_of_the_key(self, over_wire) -> None:
        world = over_wire.world
        key = listing(world, SITE)
        open_to_all = [{**key, "Origin": SITE}, {**world.key(), "Origin": OTHER}, key]
        own = f"http://127.0.0.1:{over_wire.port}"
        for headers in (*open_to_all, {**key, "Origin": own}):
            async with over_wire.client.ws_connect(f"{over_wire.base}/talk", headers=headers) as socket:
                await socket.send_str("one")
                assert await socket.receive_str() == "one"
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await over_wire.client.ws_connect(f"{over_wire.base}/talk", headers={**key, "Origin": OTHER})
        assert refused.value.status == 403
