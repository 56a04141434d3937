"""Tests the web interface behind the edge of the all-in-one shape."""

import gzip
import os
from pathlib import Path

import httpx
import pytest
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from standalone.edge import Edge
from standalone.pages import Pages

SCRIPT = "/assets/app-1a2b.js"
TEXT = "const application = 'text';\n" * 50


async def _service(scope: Scope, receive: Receive, send: Send) -> None:
    await JSONResponse({"service": "mlpcore"})(scope, receive, send)


async def _nothing_is_missing() -> dict[str, str]:
    return {}


@pytest.fixture
def browser(tmp_path: Path) -> httpx.AsyncClient:
    """Accepts no compression unless a test says so."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "app-1a2b.js").write_text("app")
    (tmp_path / "index.html").write_text("application")
    (tmp_path / "accounts.html").write_text("sign in")
    (tmp_path.parent / "secret").write_text("secret")
    pages = Pages(tmp_path)
    edge = Edge({"mlpcore": _service}, version={}, missing=_nothing_is_missing, pages=pages, built=pages.build)
    transport = httpx.ASGITransport(app=edge)
    return httpx.AsyncClient(transport=transport, base_url="http://edge", headers={"Accept-Encoding": "identity"})


class TestPages:
    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ("/", "application"), ("/catalog/acme/ner-ru", "application"), ("/workspace/", "application"),
            ("/c/login", "sign in"), ("/c/select-account", "sign in"), ("/assets/app-1a2b.js", "app"),
        ],
    )  # fmt: skip
    async def test_every_path_of_the_application_returns_its_page(
        self, browser: httpx.AsyncClient, path: str, text: str
    ) -> None:
        answer = await browser.get(path)
        assert (answer.status_code, answer.text) == (200, text)

    async def test_returns_the_version_of_the_current_build(self, browser: httpx.AsyncClient, tmp_path: Path) -> None:
        assert (await browser.get("/version")).json() == {}
        for text, told in (('{"buildNumber": "7"}', {"buildNumber": "7"}), ("{", {})):
            (tmp_path / "version.json").write_text(text)
            assert (await browser.get("/version")).json() == told

    async def test_pages_are_revalidated_and_assets_cached(self, browser: httpx.AsyncClient) -> None:
        assert (await browser.get("/catalog")).headers["Cache-Control"] == "no-cache"
        assert "immutable" in (await browser.get("/assets/app-1a2b.js")).headers["Cache-Control"]
        missing = await browser.get("/assets/app-old.js")
        assert missing.status_code == 404
        assert "immutable" not in missing.headers.get("Cache-Control", "")

    async def test_pages_run_only_own_scripts_and_cannot_be_framed(self, browser: httpx.AsyncClient) -> None:
        policy = (await browser.get("/")).headers["Content-Security-Policy"]
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy

    @pytest.mark.parametrize("path", ["/api/nowhere", "/internal/mlpcore/x", "/metrics", "/health/other"])
    async def test_unknown_api_paths_return_errors_not_pages(self, browser: httpx.AsyncClient, path: str) -> None:
        assert (await browser.get(path)).json()["code"] == "mlp.core.route_not_found"

    async def test_pages_refuse_other_methods_than_get_and_head(self, browser: httpx.AsyncClient) -> None:
        refused = await browser.post("/catalog")
        assert (refused.status_code, refused.headers["Allow"]) == (405, "GET, HEAD")
        assert refused.json()["code"] == "mlp.core.method_not_allowed"

    @pytest.mark.parametrize(
        "path",
        [
            "/assets/../../secret",
            "/assets/%2e%2e/%2e%2e/secret",
            "/assets//../../secret",
            "/assets/../../secret%00",
            "/assets/%2e%2e/%2e%2e/secret.br",
        ],
    )
    async def test_serves_no_file_outside_the_build(self, browser: httpx.AsyncClient, path: str) -> None:
        assert "secret" not in (await browser.get(path)).text


class TestCompression:
    @pytest.fixture(autouse=True)
    def built(self, browser: httpx.AsyncClient, tmp_path: Path) -> None:
        """Adds variants to the folder of `browser`; that of Brotli is not decoded."""
        (tmp_path / "assets" / "app-1a2b.js").write_text(TEXT)
        (tmp_path / "assets" / "app-1a2b.js.gz").write_bytes(gzip.compress(TEXT.encode()))
        (tmp_path / "assets" / "app-1a2b.js.br").write_bytes(b"as brotli")

    @pytest.mark.parametrize(
        ("accepted", "encoding"),
        [
            ("gzip, deflate, br, zstd", "br"),
            ("gzip", "gzip"),
            ("br;q=0, gzip;q=0.5", "gzip"),
            ("BR ; q=0.1", "br"),
            ("*", "br"),
            ("*, br;q=0", "gzip"),
            ("br;q=none, gzip;q=0", None),
            ("identity", None),
            ("", None),
        ],
    )
    async def test_the_smallest_accepted_variant_is_served(
        self, browser: httpx.AsyncClient, tmp_path: Path, accepted: str, encoding: str | None
    ) -> None:
        suffix = {"br": ".br", "gzip": ".gz", None: ""}[encoding]
        async with browser.stream("GET", SCRIPT, headers={"Accept-Encoding": accepted}) as answer:
            raw = b"".join([part async for part in answer.aiter_raw()])
        assert raw == (tmp_path / f"assets/app-1a2b.js{suffix}").read_bytes()
        assert answer.headers.get("Content-Encoding") == encoding
        assert answer.headers["Content-Length"] == str(len(raw))
        assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert "immutable" in answer.headers["Cache-Control"]

    async def test_a_file_without_variants_does_not_vary(self, browser: httpx.AsyncClient) -> None:
        answer = await browser.get("/catalog", headers={"Accept-Encoding": "br, gzip"})
        assert answer.text == "application"
        assert not {"Vary", "Content-Encoding"} & set(answer.headers)

    async def test_variants_have_no_address_of_their_own(self, browser: httpx.AsyncClient) -> None:
        for method in ("GET", "HEAD", "POST"):
            answers = [await browser.request(method, SCRIPT + suffix) for suffix in (".br", ".gz")]
            assert [answer.status_code for answer in answers] == [404, 404], method

    async def test_head_returns_the_headers_of_the_variant(self, browser: httpx.AsyncClient) -> None:
        answer = await browser.head(SCRIPT, headers={"Accept-Encoding": "br"})
        assert (answer.status_code, answer.content) == (200, b"")
        assert (answer.headers["Content-Length"], answer.headers["Content-Encoding"]) == ("9", "br")

    async def test_a_range_is_one_of_the_variant(self, browser: httpx.AsyncClient) -> None:
        asked = {"Accept-Encoding": "br", "Range": "bytes=3-8"}
        async with browser.stream("GET", SCRIPT, headers=asked) as answer:
            raw = b"".join([part async for part in answer.aiter_raw()])
        assert (answer.status_code, raw, answer.headers["Content-Range"]) == (206, b"brotli", "bytes 3-8/9")
        beyond = await browser.get(SCRIPT, headers={"Range": "bytes=100000-"})
        assert beyond.status_code == 416

    async def test_a_range_of_an_older_file_returns_the_whole_file(self, browser: httpx.AsyncClient) -> None:
        answer = await browser.get(SCRIPT, headers={"Range": "bytes=0-1", "If-Range": '"older"'})
        assert (answer.status_code, answer.text) == (200, TEXT)


class TestRevalidation:
    async def test_a_page_that_the_browser_has_is_not_sent_again(self, browser: httpx.AsyncClient) -> None:
        tag = (await browser.get("/catalog")).headers["ETag"]
        for sent in (tag, f"W/{tag}", f'"other", {tag}', "*"):
            answer = await browser.get("/workspace", headers={"If-None-Match": sent})
            assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", tag)
            assert answer.headers["Cache-Control"] == "no-cache"
        assert (await browser.get("/catalog", headers={"If-None-Match": '"other"'})).status_code == 200

    async def test_a_page_of_the_same_size_and_time_has_another_tag(
        self, browser: httpx.AsyncClient, tmp_path: Path
    ) -> None:
        page = tmp_path / "index.html"
        os.utime(page, (0, 0))
        old = (await browser.get("/")).headers["ETag"]
        page.unlink()
        page.write_text("APPLICATION")
        os.utime(page, (0, 0))
        assert (await browser.get("/")).headers["ETag"] != old

    async def test_each_variant_has_its_own_tag(self, browser: httpx.AsyncClient, tmp_path: Path) -> None:
        (tmp_path / "assets" / "app-1a2b.js.br").write_bytes(b"x")
        tags = {(await browser.head(SCRIPT, headers={"Accept-Encoding": e})).headers["ETag"] for e in ("br", "gzip")}
        assert len(tags) == 2
