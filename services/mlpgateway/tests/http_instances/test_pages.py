"""Pages of models, opened with a pass instead of a session."""

import asyncio
import re
from datetime import timedelta

import httpx
import pytest

from mlpgateway.errors.limits import PageRateExceeded
from mlplace_gateproto import headers as names
from mlplace_kit.errors import HeaderNotServed
from mlplace_kit.passes import PagePass
from mlplace_runtime.process.http.proxies import BehindProxies
from mlplace_runtime.process.trusted_proxies import TrustedProxies
from services.mlpgateway.tests.entries import Entry, raw


@pytest.fixture
def opened(hosted, hasher, clock, kit):
    """Returns the address of the model's page for an account."""

    def address(account_id: int = kit.ACME, model_id: int = 500, seconds: int = 0) -> str:
        now = clock.now() + timedelta(seconds=seconds)
        made = PagePass.until(now, account_id=account_id, owner_id=kit.ACME, model_id=model_id)
        return f"/api/mlpgateway/application/{made.signed(hasher)}"

    return address


class TestPage:
    async def test_page_is_the_models_own(self, hosted, instance, opened, kit) -> None:
        answer = await hosted.client.get(f"{opened()}/count?text=a%20b")
        ((method, path, headers, _),) = instance.seen
        assert (answer.status_code, method, path) == (200, "GET", "/count?text=a%20b")
        assert headers[names.CALLER_ACCOUNT_ID] == str(kit.ACME)

    @pytest.mark.parametrize("method", ["GET", "POST"])
    async def test_address_without_its_final_slash_redirects(self, hosted, instance, opened, method) -> None:
        answer = await hosted.client.request(method, f"{opened()}?text=a%20b")
        assert (answer.status_code, answer.headers["location"]) == (308, f"{opened()}/?text=a%20b")
        assert instance.seen == []
        answer = await hosted.client.request(method, f"{opened()}?text=a%20b", follow_redirects=True)
        assert answer.status_code == 200
        assert [path for _, path, _, _ in instance.seen] == ["/?text=a%20b"]

    async def test_redirect_stays_on_this_host(self, hosted) -> None:
        for given in ("https:evil.example-1-2-3-4-5", "javascript:x-1-2-3-4-5", "%2F%2Fevil-1-2-3-4-5"):
            answer = await hosted.client.get(f"/api/mlpgateway/application/{given}")
            assert answer.headers.get("location", "/api/mlpgateway/").startswith("/api/mlpgateway/")

    async def test_requests_of_the_page_are_charged_to_the_visitor(self, hosted, opened, kit, tools) -> None:
        shown = kit.PUBLIC.model_copy(update={"public_testing_allowed": True})
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS, publicity=shown))
        assert (await hosted.client.post(f"{opened(kit.DEMO)}/x", content=b"1")).status_code == 200
        assert [usage.payer_account_id for usage in await hosted.usage()] == [kit.DEMO]

    async def test_loading_a_page_is_free_and_no_call(self, hosted, instance, opened, kit, tools) -> None:
        """A browser loads dozens of files at once: they would use up the account's calls per second."""
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        for method in ("GET", "HEAD"):
            answers = [await hosted.client.request(method, f"{opened()}/x") for _ in range(100)]
            assert {answer.status_code for answer in answers} == {200}
        assert answers[0].headers["ratelimit-policy"].startswith('"pages";q=')
        assert await hosted.usage() == []
        called = await hosted.client.post(f"{opened()}/x", content=b"1")
        assert called.headers["ratelimit-policy"].startswith('"account";q=')

    async def test_number_of_loaded_files_is_limited(self, hosted, opened, kit, tools) -> None:
        hosted.know(kit.limits_changed(kit.ACME, per_second=1))
        answers = [await hosted.client.get(f"{opened()}/x") for _ in range(300)]
        assert {answer.status_code for answer in answers[:50]} == {200}
        refused = next(answer for answer in answers if answer.status_code != 200)
        assert (refused.status_code, refused.json()["code"]) == (429, PageRateExceeded.code)
        assert refused.headers["retry-after"]

    async def test_page_is_shown_only_to_people_who_may_test_the_model(self, hosted, opened, kit) -> None:
        assert (await hosted.client.get(f"{opened(kit.DEMO)}/x")).status_code == 403

    @pytest.mark.parametrize(
        "change", [("page-", "page-9"), ("-500-", "-501-"), ("application/page", "application/pass")]
    )
    async def test_invalid_pass_is_refused(self, hosted, instance, opened, change: tuple[str, str]) -> None:
        refused = await hosted.client.get(f"{opened().replace(*change)}/x")
        assert refused.status_code in {401, 404}
        assert instance.seen == []

    async def test_header_that_is_not_served_is_refused(self, hosted, instance, opened) -> None:
        refused = await hosted.client.get(f"{opened()}/x", headers={"MLP-Webhook": "https://a.example"})
        assert (refused.status_code, refused.json()["code"]) == (400, HeaderNotServed.code)
        assert instance.seen == []

    @pytest.mark.parametrize(("most", "status"), [("0.000000001", 402), ("1", 200), ("x", 400)])
    async def test_maximum_price_holds(self, hosted, opened, kit, tools, most: str, status: int) -> None:
        shown = kit.PUBLIC.model_copy(update={"public_testing_allowed": True})
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS, publicity=shown))
        address = f"{opened(kit.DEMO)}/x"
        answer = await hosted.client.post(address, content=b"1", headers={"MLP-Max-Price": most})
        assert answer.status_code == status
        assert len(await hosted.usage()) == (status == 200)

    @pytest.mark.parametrize("header", ["MLP-Max-Price", "Z-Priority"])
    async def test_nonsense_price_and_priority_are_refused(self, hosted, instance, opened, header) -> None:
        answer = await hosted.client.post(f"{opened()}/x", content=b"1", headers={header: "nonsense"})
        assert (answer.status_code, list(answer.json()["args"])) == (400, [header])
        assert (instance.seen, await hosted.usage()) == ([], [])

    async def test_billing_key_is_refused(self, hosted, instance, opened, kit) -> None:
        """A page could spend a key that lists the origins where it may be used."""
        paying, secret = hosted.key_event(kit.OTHER)
        hosted.know(paying)
        answer = await hosted.client.post(f"{opened()}/x", content=b"1", headers={"MLP-BILLING-KEY": secret})
        assert (answer.status_code, answer.json()["code"]) == (400, HeaderNotServed.code)
        assert (instance.seen, await hosted.usage()) == ([], [])

    @pytest.mark.parametrize(("trusted", "address"), [("127.0.0.1", "203.0.113.9"), ("192.0.2.1", "127.0.0.1")])
    async def test_address_that_a_trusted_proxy_names_counts(self, hosted, opened, kit, trusted, address) -> None:
        limits = kit.limits_changed(kit.ACME)
        hosted.know(limits.model_copy(update={"allowed_networks": ("198.51.100.7/32",)}))
        transport = httpx.ASGITransport(app=BehindProxies(hosted.app, TrustedProxies(trusted)))
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
            for reported in ("198.51.100.7, 203.0.113.9", "203.0.113.9, 198.51.100.7"):
                answer = await client.post(f"{opened()}/x", content=b"1", headers={"X-Forwarded-For": reported})
                if trusted == "127.0.0.1" and reported.endswith("198.51.100.7"):
                    assert answer.status_code == 200
                else:
                    assert (answer.status_code, answer.json()["args"]) == (403, {"address": address})

    async def test_refusal_of_the_instance_arrives_and_is_free(self, hosted, instance, opened, kit, tools) -> None:
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        instance.says, instance.status, instance.headers = ("text/plain", b"busy"), 429, {"Retry-After": "7"}
        answer = await hosted.client.post(f"{opened()}/predict", content=b"1")
        assert (answer.status_code, answer.headers["retry-after"], answer.text) == (429, "7", "busy")
        assert await hosted.usage() == []

    async def test_expired_pass_is_refused(self, hosted, opened) -> None:
        refused = await hosted.client.get(f"{opened(seconds=-3601)}/x")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")

    async def test_pass_opens_no_other_model(self, hosted, opened, kit, tools) -> None:
        hosted.know(kit.model_changed(501, "other", http=tools.HTTP))
        address = opened().replace(f"-{kit.ACME}-500-", f"-{kit.ACME}-501-")
        assert (await hosted.client.get(f"{address}/x")).status_code == 401

    async def test_page_is_sandboxed_and_sends_no_referrer(self, hosted, instance, opened) -> None:
        instance.headers = {"Referrer-Policy": "unsafe-url", "Set-Cookie": "a=b"}
        headers = (await hosted.client.get(f"{opened()}/x", headers={"Cookie": "SESSION_ID=secret"})).headers
        assert "allow-same-origin" not in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in headers
        assert "Cookie" not in instance.seen[0][2]


class TestScripts:
    async def test_scripts_can_read_errors(self, hosted, opened) -> None:
        for address in (opened(seconds=-3601), opened().replace("-500-", "-501-")):
            answer = await hosted.client.post(f"{address}/x", content=b"1", headers={"Origin": "null"})
            assert answer.status_code == 401
            assert answer.headers["access-control-allow-origin"] == "null"
            assert answer.headers["access-control-allow-credentials"] == "true"

    async def test_scripts_of_the_page_may_call_it(self, hosted, instance, opened) -> None:
        """Even with cookies, as Gradio's scripts send them: browsers then do not accept `*`."""
        asks = {
            "Origin": "null",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type, x-gradio-user",
        }
        allowed = await hosted.client.options(f"{opened()}/x", headers=asks)
        assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (204, "null")
        assert allowed.headers["access-control-allow-credentials"] == "true"
        assert allowed.headers["access-control-allow-headers"] == "content-type, x-gradio-user"
        assert instance.seen == []
        answer = await hosted.client.post(f"{opened()}/x", content=b"1", headers={"Origin": "null"})
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "null")
        assert (answer.headers["access-control-allow-credentials"], answer.headers["vary"]) == ("true", "Origin")

    @pytest.mark.parametrize("origin", ["https://evil.test", "null, https://evil.test", "NULL"])
    async def test_scripts_of_other_sites_may_not_send_cookies(self, hosted, opened, origin: str) -> None:
        answer = await hosted.client.post(f"{opened()}/x", content=b"1", headers={"Origin": origin})
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers

    async def test_session_gives_scripts_no_further_rights(self, hosted, instance, opened, kit) -> None:
        session = hosted.people.user(hosted.people.account(kit.ACME, "acme"))
        answer = await hosted.client.post(f"{opened(seconds=-3601)}/x", content=b"1", headers=session)
        assert answer.status_code == 401
        assert instance.seen == []

    async def test_origins_that_keys_list_do_not_matter(self, hosted, opened) -> None:
        hosted.key(allowed_origins=("*",))
        answer = await hosted.client.post(f"{opened()}/x", content=b"1", headers={"Origin": "null"})
        asked = await hosted.client.options(
            f"{opened()}/x", headers={"Origin": "null", "Access-Control-Request-Method": "POST"}
        )
        for each in (answer, asked):
            assert each.headers.get_list("access-control-allow-origin") == ["null"]
            assert each.headers["access-control-allow-credentials"] == "true"
            assert "access-control-expose-headers" not in each.headers

    async def test_scripts_cannot_call_anything_else(self, hosted) -> None:
        asks = {"Origin": "null", "Access-Control-Request-Method": "POST"}
        answer = await hosted.client.options("/api/mlpgateway/account/acme/model/ner/http/x", headers=asks)
        assert "access-control-allow-origin" not in answer.headers


class TestWire:
    async def test_visitor_with_http_1_0_gets_no_chunks(self, over_wire, instance, opened) -> None:
        instance.says = ("text/plain", b"done")
        async with raw(over_wire.port, Entry(f"{opened()}/predict", {}), {}, version="1.0") as visitor:
            head, _, body = (await visitor.rest()).partition(b"\r\n\r\n")
        assert (head.split()[1], body) == (b"200", b"done")
        assert b"transfer-encoding" not in head.lower()

    async def test_begun_answer_breaks_off_for_the_visitor_and_is_free(
        self, over_wire, instance, opened, kit, tools
    ) -> None:
        world, shown = over_wire.world, kit.PUBLIC.model_copy(update={"public_testing_allowed": True})
        world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS, publicity=shown))
        instance.begins = b"x" * 100_000
        page = Entry(f"{opened(kit.DEMO)}/predict", {})
        async with raw(over_wire.port, page, {"Connection": "close"}) as visitor:
            head, _, body = (await visitor.rest()).partition(b"\r\n\r\n")
        announced = re.search(rb"content-length: (\d+)", head.lower())
        assert announced is not None
        assert 0 < len(body) < int(announced[1])
        assert await world.usage() == []

    async def test_work_for_a_visitor_who_leaves_is_stopped_and_its_parts_are_charged(
        self, over_wire, instance, opened, kit, tools
    ) -> None:
        world, shown = over_wire.world, kit.PUBLIC.model_copy(update={"public_testing_allowed": True})
        world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS, publicity=shown))
        instance.hangs = True
        for begun, charged in ((None, []), (("text/plain", b"begun"), [(kit.DEMO, 10)])):
            instance.says = begun
            instance.cancelled.clear()
            async with raw(over_wire.port, Entry(f"{opened(kit.DEMO)}/predict", {}), {}) as visitor:
                await tools.until(lambda: len(instance.seen) == 1)
                if begun is not None:
                    async with asyncio.timeout(60):
                        await visitor.reader.readuntil(b"begun")
            async with asyncio.timeout(60):
                await instance.cancelled.wait()
            instance.seen.clear()
            await tools.until(lambda: world.components.admission.held == 0)
            assert [(usage.payer_account_id, usage.amount_nano) for usage in await world.usage()] == charged
