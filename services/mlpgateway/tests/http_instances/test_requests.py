"""Requests that are passed on to an instance unchanged."""

import asyncio
import gzip
from ipaddress import ip_network

import aiohttp
import pytest

from mlpgateway.call.call import Operation, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.egress.rules import EgressRules
from mlpgateway.errors.gate import ChannelClosed
from mlpgateway.instances.http.client.address import Address
from mlpgateway.instances.http.clients import Clients
from mlpgateway.instances.http.link import HttpLink, LocatedInstance
from mlplace_contracts.events import ModelHttp
from mlplace_gateproto import codes
from mlplace_gateproto import headers as names
from mlplace_kit.pricing import BillingUnit

BASE = "/api/mlpgateway/account/acme/model/ner/http"


class TestRequest:
    async def test_compressed_body_is_passed_on_as_it_is(self, hosted, instance) -> None:
        body = gzip.compress(b"hi")
        headers = {**hosted.key(), "Content-Encoding": "gzip"}
        url = "/api/mlpgateway/account/acme/model/ner/http/x"
        answer = await hosted.client.post(url, content=body, headers=headers)
        assert (answer.status_code, instance.seen[0][3]) == (200, body)
        assert instance.seen[0][2]["Content-Encoding"] == "gzip"

    @pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    async def test_method_path_query_and_body_are_passed_on(self, hosted, instance, method: str) -> None:
        answer = await hosted.client.request(
            method, f"{BASE}/a%2Fb/c?x=1&y=%20z", content=b"" if method == "GET" else b"\x00\xff", headers=hosted.key()
        )
        ((seen_method, path, _, body),) = instance.seen
        assert answer.status_code == 200
        assert (seen_method, path) == (method, "/a%2Fb/c?x=1&y=%20z")
        assert body == (b"" if method == "GET" else b"\x00\xff")

    @pytest.mark.parametrize("method", ["GET", "POST"])
    async def test_address_without_its_final_slash_redirects(self, hosted, instance, kit, tools, method) -> None:
        """Relative addresses in the answer would lead elsewhere."""
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        answer = await hosted.client.request(method, f"{BASE}?a=%20b", headers=hosted.key())
        assert (answer.status_code, answer.headers["location"]) == (308, f"{BASE}/?a=%20b")
        assert (answer.content, instance.seen, await hosted.usage()) == (b"", [], [])
        answer = await hosted.client.request(method, f"{BASE}?a=%20b", headers=hosted.key(), follow_redirects=True)
        assert answer.status_code == 200
        assert [path for _, path, _, _ in instance.seen] == ["/?a=%20b"]

    async def test_page_of_a_listed_origin_may_follow_the_redirect(self, hosted) -> None:
        key = {**hosted.key(allowed_origins=("https://site.example",)), "Origin": "https://site.example"}
        answer = await hosted.client.get(BASE, headers=key)
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (308, "https://site.example")

    async def test_callers_headers_and_identity_are_passed_on(self, hosted, instance) -> None:
        await hosted.client.get(f"{BASE}/x", headers={**hosted.key(), "X-Mine": "1", "Accept": "text/plain"})
        headers = instance.seen[0][2]
        assert (headers["X-Mine"], headers["Accept"]) == ("1", "text/plain")
        assert headers[names.CALLER_ACCOUNT_ID] == "1000000002"
        assert headers["Z-requestId"]

    @pytest.mark.parametrize(
        "name",
        ["Cookie", "MLP-API-KEY", "MLP-Internal", "Forwarded", "X-Forwarded-For", "Upgrade", "TE", "Proxy", "X-Hop"],
    )
    async def test_secrets_and_hop_by_hop_headers_are_removed(self, hosted, instance, name: str) -> None:
        given = {"Connection": "X-Hop", name: "secret", **hosted.key()}
        await hosted.client.get(f"{BASE}/x", headers=given)
        assert name.lower() not in {header.lower() for header in instance.seen[0][2]}

    async def test_idempotency_key_and_prefer_belong_to_the_instance(self, hosted, instance, kit) -> None:
        """They are passed on even if they are no valid ones of the platform, and each request is charged."""
        hosted.know(kit.model_changed(http=ModelHttp(port=80, page="/health", only=True), billing=kit.CALLS))
        given = {**hosted.key(), "Idempotency-Key": "not one of ours", "Prefer": "respond-async"}
        for _ in range(2):
            assert (await hosted.client.post(f"{BASE}/x", headers=given, content=b"x")).status_code == 200
        told = [(seen[2]["Idempotency-Key"], seen[2]["Prefer"]) for seen in instance.seen]
        assert told == [("not one of ours", "respond-async")] * 2
        assert [usage.amount_nano for usage in await hosted.usage()] == [10, 10]

    async def test_only_the_models_own_authorization_is_passed_on(self, hosted, instance) -> None:
        key = hosted.key()["MLP-API-KEY"]
        await hosted.client.get(f"{BASE}/x", headers={"Authorization": f"Bearer {key}"})
        await hosted.client.get(f"{BASE}/x", headers={"MLP-API-KEY": key, "Authorization": f"Bearer {key}"})
        await hosted.client.get(f"{BASE}/x", headers={"MLP-API-KEY": key, "Authorization": "Basic bWU6bWU="})
        assert [seen[2].get("Authorization") for seen in instance.seen] == [None, None, "Basic bWU6bWU="]

    async def test_other_method_is_refused(self, hosted, instance) -> None:
        refused = await hosted.client.request("TRACE", f"{BASE}/x", headers=hosted.key())
        assert (refused.status_code, refused.headers["allow"]) == (405, "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT")
        assert instance.seen == []

    async def test_anonymous_request_is_refused(self, hosted, instance) -> None:
        assert (await hosted.client.get(f"{BASE}/x")).status_code == 401
        assert instance.seen == []

    @pytest.mark.parametrize(
        ("site", "status"), [("same-origin", 200), ("none", 200), ("cross-site", 403), ("same-site", 403)]
    )
    async def test_session_request_from_another_site_is_refused(self, hosted, kit, site: str, status: int) -> None:
        owner = hosted.people.user(hosted.people.account(kit.ACME, "acme"))
        answer = await hosted.client.get(f"{BASE}/x", headers={**owner, "Sec-Fetch-Site": site})
        assert answer.status_code == status

    async def test_private_model_looks_like_a_missing_one(self, hosted, kit, tools) -> None:
        hosted.know(kit.model_changed(http=tools.HTTP, publicity=kit.PRIVATE))
        private = await hosted.client.get(f"{BASE}/x", headers=hosted.key())
        missing = await hosted.client.get(f"{BASE}/x".replace("/ner/", "/none/"), headers=hosted.key())
        assert (private.status_code, private.json()["code"]) == (missing.status_code, missing.json()["code"])

    async def test_model_without_http_is_refused(self, hosted, kit) -> None:
        hosted.know(kit.model_changed())
        refused = await hosted.client.get(f"{BASE}/x", headers=hosted.key())
        assert (refused.status_code, refused.json()["code"]) == (404, "mlp.gate.http_not_offered")


class TestAnswer:
    async def test_status_headers_and_body_come_back(self, hosted, instance) -> None:
        instance.status, instance.headers = 201, {"Content-Type": "text/x-mine", "X-Mine": "1", "ETag": '"a"'}
        answer = await hosted.client.post(f"{BASE}/x", content=b"abc", headers=hosted.key())
        assert (answer.status_code, answer.content) == (201, b"abc")
        assert (answer.headers["content-type"], answer.headers["x-mine"], answer.headers["etag"]) == (
            "text/x-mine", "1", '"a"',
        )  # fmt: skip

    @pytest.mark.parametrize(
        "name",
        ["Set-Cookie", "Clear-Site-Data", "X-Accel-Redirect", "X-Sendfile", "Service-Worker-Allowed", "Z-custom-billing",
         "Access-Control-Allow-Origin", "MLP-API-KEY", "Strict-Transport-Security", "Alt-Svc"],
    )  # fmt: skip
    async def test_forbidden_headers_are_removed(self, hosted, instance, name: str) -> None:
        instance.headers = {name: "1"}
        answer = await hosted.client.get(f"{BASE}/x", headers=hosted.key())
        assert answer.status_code == 200
        assert name.lower() not in answer.headers

    async def test_page_is_apart_from_the_platforms_origin(self, hosted, instance) -> None:
        instance.headers = {"Content-Security-Policy": "default-src *", "Content-Type": "text/html"}
        answer = await hosted.client.get(f"{BASE}/x", headers=hosted.key())
        policies = answer.headers.get_list("content-security-policy")
        assert any("sandbox" in policy and "allow-same-origin" not in policy for policy in policies)
        assert answer.headers["x-content-type-options"] == "nosniff"

    async def test_redirect_is_not_followed(self, hosted, instance) -> None:
        answer = await hosted.client.get(f"{BASE}/moved", headers=hosted.key())
        assert (answer.status_code, answer.headers["location"]) == (302, "http://127.0.0.1:1/inside")

    async def test_answer_to_head_has_only_headers(self, hosted) -> None:
        answer = await hosted.client.head(f"{BASE}/x", headers=hosted.key())
        assert (answer.status_code, answer.content) == (200, b"")


class TestBrokenAnswer:
    async def test_broken_answer_is_a_lost_connection_and_free(self, hosted, instance, kit, tools) -> None:
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        instance.begins = b"begun"
        answer = await hosted.client.get(f"{BASE}/x", headers=hosted.key())
        assert (answer.status_code, answer.json()["code"]) == (503, codes.CHANNEL_CLOSED)
        assert await hosted.usage() == []

    async def test_instance_is_checked_and_has_no_active_request_afterwards(self, instance) -> None:
        instance.begins, doubts = b"begun", []
        clients = Clients.under(EgressRules([ip_network("127.0.0.0/8")]), any_port=True)
        place = LocatedInstance(7, 500, Address("127.0.0.1", instance.port, trusted=True))
        pool = clients.http.pool(place.address)
        link = HttpLink(place, pool, clients.sockets, suspect=lambda: doubts.append(7), most_bytes=1000)
        with pytest.raises(ChannelClosed):
            await anext(link.send(InstanceRequest(Operation.PREDICT, Payload(json="1"), None, None, {}, {})))
        assert (doubts, link.active_requests) == ([7], 0)
        await clients.close()

    async def test_begun_answer_breaks_off_for_the_caller(self, over_wire, instance) -> None:
        instance.begins = b"x" * 100_000
        async with over_wire.client.get(f"{over_wire.base}/x", headers=over_wire.world.key()) as answer:
            assert answer.status == 200
            with pytest.raises(aiohttp.ClientPayloadError):
                await answer.read()


class TestMoney:
    async def test_one_request_is_one_usage(self, hosted, kit, tools) -> None:
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        await hosted.client.get(f"{BASE}/x", headers=hosted.key())
        (usage,) = await hosted.usage()
        assert (usage.units, usage.instance_id, usage.operation) == (1, 7, "predict")

    async def test_instance_can_report_its_price(self, hosted, kit, tools, instance) -> None:
        hosted.know(
            kit.model_changed(http=tools.HTTP, billing=kit.CALLS.model_copy(update={"unit": BillingUnit.CUSTOM}))
        )
        instance.headers = {"Z-custom-billing": "42"}
        await hosted.client.get(f"{BASE}/x", headers=hosted.key())
        assert [usage.units for usage in await hosted.usage()] == [42]

    async def test_error_of_the_instance_is_free_and_passed_on(self, hosted, kit, tools) -> None:
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        answer = await hosted.client.get(f"{BASE}/failing", headers=hosted.key())
        assert (answer.status_code, answer.text) == (500, "broken")
        assert await hosted.usage() == []

    @pytest.mark.parametrize(("path", "charged"), [("endless", 1), ("held", 0)])
    async def test_caller_who_leaves_pays_for_what_came(self, over_wire, instance, kit, tools, path, charged) -> None:
        world = over_wire.world
        world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        asking = asyncio.create_task(over_wire.client.get(f"{over_wire.base}/{path}", headers=world.key()))
        if charged:
            answer = await asking
            assert await answer.content.readexactly(5) == b"begun"
            answer.close()
        else:
            await tools.until(lambda: instance.holding == 1)
            asking.cancel()
        await tools.until(lambda: not world.components.admission.running)
        assert len(await world.usage()) == charged

    async def test_key_that_pays_and_largest_price_count(self, hosted, instance, kit, tools) -> None:
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS), kit.limits_changed(kit.OTHER))
        hosted.billing.money[kit.OTHER] = 10**15
        caller, payer = hosted.key(), hosted.key(kit.OTHER)["MLP-API-KEY"]
        refused = await hosted.client.get(f"{BASE}/x", headers={**caller, "MLP-Max-Price": "0.000000001"})
        assert (refused.status_code, instance.seen) == (402, [])
        assert (await hosted.client.get(f"{BASE}/x", headers={**caller, "MLP-BILLING-KEY": payer})).status_code == 200
        assert [usage.payer_account_id for usage in await hosted.usage()] == [kit.OTHER]


class TestLargeBodies:
    async def test_request_body_is_passed_on_as_it_arrives(self, over_wire, instance, tools) -> None:
        arrived = asyncio.Event()

        async def body():
            yield b"a" * 70_000
            await arrived.wait()
            yield b"b" * 70_000

        async def post() -> str:
            url = f"{over_wire.base}/count"
            async with over_wire.client.post(url, data=body(), headers=over_wire.world.key()) as answer:
                return await answer.text()

        posting = asyncio.create_task(post())
        await tools.until(lambda: instance.bodies == 70_000)
        arrived.set()
        assert await posting == "140000"

    @pytest.mark.parametrize("length", ["", "&length"])
    async def test_answer_body_arrives_whole(self, over_wire, length: str) -> None:
        url = f"{over_wire.base}/large?size={8 * 2**20}{length}"
        async with over_wire.client.get(url, headers=over_wire.world.key()) as answer:
            assert len(await answer.read()) == 8 * 2**20
            assert ("content-length" in answer.headers) is bool(length)

    async def test_unread_body_is_not_buffered(self, over_wire, instance, tools) -> None:
        """Data in flight is in socket buffers; the rest waits at the instance."""
        size = 512 * 2**20
        async with over_wire.client.get(f"{over_wire.base}/large?size={size}", headers=over_wire.world.key()) as answer:
            still = 0
            while instance.written < size and still < 25:
                before = instance.written
                await asyncio.sleep(0.02)
                still = still + 1 if instance.written == before else 0
            assert 0 < instance.written < size // 4
            answer.close()

    async def test_too_large_body_is_refused_before_it_is_read(self, over_wire, instance) -> None:
        headers = {**over_wire.world.key(), "Content-Length": str(101 * 2**20)}
        reader, writer = await asyncio.open_connection("127.0.0.1", over_wire.port)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(
            f"POST {over_wire.base.partition(str(over_wire.port))[2]}/count HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode()
        )
        assert b" 413 " in await reader.readline()
        writer.close()
        assert instance.bodies == 0


class TestStreams:
    async def test_events_are_passed_on_one_by_one(self, over_wire, instance) -> None:
        async with over_wire.client.post(f"{over_wire.base}/events", headers=over_wire.world.key()) as answer:
            for number in range(3):
                assert await answer.content.readuntil(b"\n\n") == f'data: {{"n":{number}}}\n\n'.encode()
                instance.go_on.set()
            assert await answer.content.read() == b"data: [DONE]\n\n"

    async def test_disconnect_ends_the_request(self, over_wire, instance) -> None:
        async with over_wire.client.get(f"{over_wire.base}/endless", headers=over_wire.world.key()) as answer:
            assert await answer.content.readexactly(5) == b"begun"
            answer.close()
        await asyncio.wait_for(instance.cancelled.wait(), 60)

    async def test_disconnect_in_the_body_ends_the_request(self, over_wire, instance, tools) -> None:
        async def body():
            yield b"a" * 70_000
            await asyncio.Event().wait()

        url = f"{over_wire.base}/count"
        posting = asyncio.create_task(over_wire.client.post(url, data=body(), headers=over_wire.world.key()))
        await tools.until(lambda: instance.bodies == 70_000)
        posting.cancel()
        links = over_wire.world.components.http_instances.of_model(500)
        await tools.until(lambda: links[0].active_requests == 0)
