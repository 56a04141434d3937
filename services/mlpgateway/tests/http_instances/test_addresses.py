"""The public address of an instance: headers announce it, and redirects to the instance use it."""

from datetime import timedelta

import pytest

from mlpgateway.instances.http.addresses import from_instance
from mlpgateway.instances.http.client.address import Address
from mlplace_kit.passes import PagePass

BASE = "/api/mlpgateway/account/acme/model/ner/http"


@pytest.fixture
def page(hasher, clock, kit) -> str:
    made = PagePass.until(clock.now() + timedelta(), account_id=kit.ACME, owner_id=kit.ACME, model_id=500)
    return f"/api/mlpgateway/application/{made.signed(hasher)}"


class TestInstance:
    async def test_instance_is_told_the_address_of_its_page(self, hosted, instance, page: str) -> None:
        await hosted.client.get(f"{page}/a/b?c=d", headers={"Host": "ml.example.org:8080"})
        ((_, path, headers, _),) = instance.seen
        assert path == "/a/b?c=d"
        assert headers["X-Forwarded-Prefix"] == page
        assert headers["X-Forwarded-Host"] == f"ml.example.org:8080{page}", "what Gradio makes its addresses of"
        assert headers["X-Forwarded-Proto"] == "http"

    async def test_instance_is_told_the_address_for_callers_with_a_key(self, hosted, instance) -> None:
        for address in (f"{BASE}/", f"{BASE}/a"):
            await hosted.client.get(address, headers=hosted.key())
        assert {headers["X-Forwarded-Prefix"] for _, _, headers, _ in instance.seen} == {BASE}

    async def test_callers_cannot_set_the_address_headers(self, hosted, instance, page: str) -> None:
        given = {
            "X-Forwarded-Prefix": "/evil",
            "X-Forwarded-Proto": "https",
            "X-Forwarded-Host": "evil.test",
        }
        await hosted.client.get(f"{page}/", headers={"Host": "ml.example.org", **given})
        headers = instance.seen[0][2]
        assert headers.getall("X-Forwarded-Prefix") == [page]
        assert headers.getall("X-Forwarded-Host") == [f"ml.example.org{page}"]
        assert headers.getall("X-Forwarded-Proto") == ["http"]

    @pytest.mark.parametrize("host", ['a"><script>', "evil.test/path", "a b", "user@evil.test", "[::1"])
    async def test_invalid_host_is_not_passed_on(self, hosted, instance, page: str, host: str) -> None:
        await hosted.client.get(f"{page}/", headers={"Host": host})
        headers = instance.seen[0][2]
        assert headers["X-Forwarded-Prefix"] == page
        assert "X-Forwarded-Host" not in headers


class TestRedirect:
    @pytest.mark.parametrize(
        "to", ["/docs/?a=b#c", "http://127.0.0.1:{port}/docs/?a=b#c", "//127.0.0.1:{port}/docs/?a=b#c"]
    )
    @pytest.mark.parametrize("status", [201, 302, 307])
    async def test_redirect_to_the_instance_leads_through_the_platform(
        self, hosted, instance, page: str, to: str, status: int
    ) -> None:
        instance.status, instance.headers = status, {"Location": to.format(port=instance.port)}
        assert (await hosted.client.get(f"{page}/x")).headers["location"] == f"{page}/docs/?a=b#c"
        called = await hosted.client.get(f"{BASE}/x", headers=hosted.key())
        assert called.headers["location"] == f"{BASE}/docs/?a=b#c"

    @pytest.mark.parametrize("to", ["{page}", "{page}/docs", "{page}?a=b"])
    async def test_redirect_with_the_public_address_stays(self, hosted, instance, page: str, to: str) -> None:
        instance.status, instance.headers = 302, {"Location": to.format(page=page)}
        assert (await hosted.client.get(f"{page}/x")).headers["location"] == to.format(page=page)

    @pytest.mark.parametrize("to", ["../docs", "?a=b", "https://example.org/x", "//example.org/x", "http://[x"])
    async def test_redirect_elsewhere_stays(self, hosted, instance, page: str, to: str) -> None:
        instance.status, instance.headers = 302, {"Location": to}
        assert (await hosted.client.get(f"{page}/x")).headers["location"] == to

    async def test_invalid_redirect_stays(self, hosted, instance, page: str) -> None:
        instance.headers = {"Location": "/docs"}
        assert (await hosted.client.get(f"{page}/x")).headers["location"] == "/docs"


class TestOwnAddress:
    @pytest.mark.parametrize(
        ("host", "port", "to"),
        [
            ("ml.example.org", 443, "https://ML.example.org/a"),
            ("ml.example.org", 443, "http://ml.example.org/a"),  # behind a TLS proxy
            ("ml.example.org", 443, "https://ml.example.org:443/a"),
            ("ml.example.org", 80, "http://ml.example.org/a"),
            ("::1", 8000, "http://[::1]:8000/a"),
            ("10.0.0.1", 8000, "http://10.0.0.1:8000//a"),  # otherwise callers would take it for a host
        ],
    )
    def test_own_address_becomes_a_path(self, host: str, port: int, to: str) -> None:
        headers = from_instance(302, ((b"Location", to.encode()),), Address(host, port, trusted=False))
        assert headers == ((b"Location", b"/a"),)

    @pytest.mark.parametrize(
        "to", ["http://10.0.0.1/a", "http://10.0.0.1:8001/a", "http://10.0.0.2:8000/a", "ftp://10.0.0.1:8000/a"]
    )
    def test_other_port_host_or_scheme_is_not_the_own_address(self, to: str) -> None:
        given = ((b"Location", to.encode()),)
        assert from_instance(302, given, Address("10.0.0.1", 8000, trusted=True)) == given
