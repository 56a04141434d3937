import gzip

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
        assert missing.headers["content-type"] == "application/json"
        assert "immutable" not in missing.headers.get("cache-control", "")


async def read(client: httpx.AsyncClient, path: str, **headers: str) -> tuple[httpx.Response, bytes]:
    """Returns the body as it was sent, too: the stand-in of Brotli cannot be decoded."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    async with client.stream("GET", path, headers=sent) as answer:
        return answer, b"".join([part async for part in answer.aiter_raw()])


class TestCompression:
    @pytest.mark.parametrize(
        ("accepted", "encoding", "body"),
        [
            ("gzip, deflate, br, zstd", "br", b"as brotli"),
            ("br;q=0.5", "br", b"as brotli"),
            ("br;q=0, gzip", "gzip", b"app"),
            ("br;q=0.0, gzip", "gzip", b"app"),
            ("gzip", "gzip", b"app"),
            ("identity", None, b"app"),
        ],
    )
    async def test_the_smallest_accepted_variant_is_served(
        self, client: httpx.AsyncClient, accepted: str, encoding: str | None, body: bytes
    ) -> None:
        answer, sent = await read(client, "/assets/app-1a2b.js", accept_encoding=accepted)
        decoded = gzip.decompress(sent) if encoding == "gzip" else sent
        assert (answer.headers.get("content-encoding"), decoded) == (encoding, body)
        assert answer.headers.get_list("vary") == ["Accept-Encoding"]
        assert answer.headers["content-type"] == "text/javascript"
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers.get_list("x-frame-options") == ["DENY"]
        assert answer.headers["etag"]

    @pytest.mark.parametrize(
        ("path", "kind", "encoding"),
        [("/assets/app-1a2b.css", "text/css", "br"), ("/assets/font-1a2b.woff2", "font/woff2", None)],
    )
    async def test_content_types_are_those_of_the_file(
        self, client: httpx.AsyncClient, path: str, kind: str, encoding: str | None
    ) -> None:
        answer, _ = await read(client, path, accept_encoding="br")
        assert (answer.headers["content-type"], answer.headers.get("content-encoding")) == (kind, encoding)

    async def test_variants_have_no_address_of_their_own(self, client: httpx.AsyncClient) -> None:
        paths = [f"/assets/app-1a2b.js.{suffix}" for suffix in ("br", "gz")]
        assert [(await client.get(path)).status_code for path in paths] == [404, 404]

    async def test_a_range_is_one_of_the_variant(self, client: httpx.AsyncClient) -> None:
        answer, sent = await read(client, "/assets/app-1a2b.js", accept_encoding="br", range="bytes=3-8")
        assert (answer.status_code, sent) == (206, b"brotli")

    async def test_a_variant_that_the_browser_has_is_not_sent_again(self, client: httpx.AsyncClient) -> None:
        first = await client.head("/assets/app-1a2b.js", headers={"accept-encoding": "br"})
        assert first.headers["content-encoding"] == "br"
        asked = {"accept_encoding": "br", "if_none_match": first.headers["etag"]}
        assert (await read(client, "/assets/app-1a2b.js", **asked))[0].status_code == 304
