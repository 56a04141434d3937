import httpx
import pytest

from mlplace_testing.servers.nginx import Nginx


class TestBuild:
    async def test_version_comes_from_the_pages(self, client: httpx.AsyncClient, edge: Nginx) -> None:
        told = edge.pages / "version.json"
        told.write_text('{"buildNumber": "of the pages"}')
        try:
            answer = await client.get("/version")
        finally:
            told.unlink()
        assert answer.json() == {"buildNumber": "of the pages"}
        assert (answer.headers["content-type"], answer.headers["cache-control"]) == ("application/json", "no-store")
        assert (await client.get("/version")).json()["buildNumber"] == "7"


@pytest.mark.parametrize("path", ["/", "/catalog/acme/ner-ru", "/c/login"])
class TestPages:
    async def test_run_only_own_scripts_and_cannot_be_framed(self, client: httpx.AsyncClient, path: str) -> None:
        headers = (await client.get(path)).headers
        assert "script-src 'self';" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers.get_list("x-frame-options") == ["DENY"]
        assert headers.get_list("x-content-type-options") == ["nosniff"]
        assert headers["content-type"] == "text/html"

    async def test_are_revalidated_and_assets_cached(self, client: httpx.AsyncClient, path: str) -> None:
        assert (await client.get(path)).headers["cache-control"] == "no-cache"
        script = await client.get("/assets/app-1a2b.js")
        assert script.headers["content-type"] == "text/javascript"
        assert "immutable" in script.headers["cache-control"]
        missing = await client.get("/assets/app-old.js")
        assert (missing.status_code, missing.json()["code"]) == (404, "mlp.core.route_not_found")
        assert "immutable" not in missing.headers.get("cache-control", "")
