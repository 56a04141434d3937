"""Requests that must not reach a service, in all spellings."""

from collections.abc import Callable

import pytest
from upstream_twins import Service
from wire import parse, request, say

from mlplace_testing.servers.nginx import Nginx

UNREACHABLE = (
    "/internal/mlpcore/keys/resolve",
    "/internal",
    "//internal/mlpcore/x",
    "/api//internal/x",
    "/./internal/mlpcore/x",
    "/api/../internal/mlpcore/x",
    "/api/mlpcore/../../internal/mlpcore/x",
    "/api/mlpcore/..%2f..%2finternal/mlpcore/x",
    "/api/mlpcore/%2e%2e/%2e%2e/internal/mlpcore/x",
    "/api/mlpcore/%2E./.%2e/internal/mlpcore/x",
    "/internal/mlpcore/..%2f../api/mlpcore/x",
    "/internal/mlpcore/x/../../../api/mlpcore/x",
    "/internal/mlpcore/x/%2e%2e/%2e%2e/%2e%2e/api/mlpcore/x",
    "/%2finternal/mlpcore/x",
    "%2finternal/mlpcore/x",
    "/%69nternal/mlpcore/x",
    "/INTERNAL/mlpcore/x",
    "/Internal/mlpcore/x",
    "/internal;/mlpcore/x",
    "/;/internal/mlpcore/x",
    "/api/mlpcore;/../internal/x",
    "/api/mlpcore\\..\\..\\internal\\x",
    "/api/mlpcore/%5c..%5cinternal",
    "/api/mlpcore/x#/../../internal/x",
    "/api/mlpcore/%0d%0aX:%20y",
    "/api/mlpcore/%00",
    "/api/mlpcore//internal/mlpcore/x",
    "/api/mlpcore/..",
    "/api/mlpcore/../mlpbilling/x",
    "/api/mlpgate/account/a/model/m/predict%0a",
    "/api/mlpgate/../../internal/x",
    "/api/internal/mlpcore",
    "/metrics",
    "/health",
    "/health/",
    "/health/live/x",
    "/docs",
    "/openapi.json",
    "http://mlpcore/internal/mlpcore/x",
    "/p/../internal/mlpcore/x",
    "/api/adapters/openai/models/%2F",
    "/api/adapters/openai/models/a%2F",
    "/api/adapters/openai/models/a%2F..",
    "/api/adapters/openai/models/a%2F.",
    "/api/adapters/openai/models/..%2F..%2F..%2F..%2Finternal",
    "/api/adapters/openai/models/..%2Finternal",
    "/api/adapters/openai/models/a%2Fb%2Fc",
    "/api/adapters/openai/models/a%2Fb/../../../../../internal",
    "/api/adapters/openai/models/a%2Fb%5Cc",
    "/api/adapters/openai/models/a%252Fb%2F..%2F",
    "/api/adapters/openai/other/a%2Fb",
)

SMUGGLED = b"GET /api/mlpcore/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED_SMUGGLE = b"0\r\n\r\n" + SMUGGLED


def _post(*lines: str, body: bytes) -> bytes:
    head = "POST /api/mlpcore/carrier HTTP/1.1\r\nHost: edge.test\r\n" + "".join(f"{line}\r\n" for line in lines)
    return head.encode() + b"\r\n" + body


AMBIGUOUS = {
    "length then chunked": _post("Content-Length: 60", "Transfer-Encoding: chunked", body=CHUNKED_SMUGGLE),
    "chunked then length": _post("Transfer-Encoding: chunked", "Content-Length: 4", body=CHUNKED_SMUGGLE),
    "two lengths": _post("Content-Length: 5", "Content-Length: 0", body=SMUGGLED),
    "two equal lengths": _post("Content-Length: 0", "Content-Length: 0", body=SMUGGLED),
    "a list of lengths": _post("Content-Length: 0, 5", body=SMUGGLED),
    "a signed length": _post("Content-Length: +5", body=SMUGGLED),
    "a negative length": _post("Content-Length: -1", body=SMUGGLED),
    "a hexadecimal length": _post("Content-Length: 0x0", body=SMUGGLED),
    "chunked twice": _post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body=CHUNKED_SMUGGLE),
    "an unknown coding": _post("Transfer-Encoding: xchunked", "Content-Length: 5", body=CHUNKED_SMUGGLE),
    "identity after chunked": _post("Transfer-Encoding: chunked, identity", body=CHUNKED_SMUGGLE),
    "a bad chunk size": _post("Transfer-Encoding: chunked", body=b"-1\r\n" + SMUGGLED),
    "chunked in HTTP/1.0": b"POST /api/mlpcore/carrier HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
    + CHUNKED_SMUGGLE,
    "blank before the colon": _post("Content-Length : 5", "Content-Length: 0", "X: y", body=b""),
    "a null in a header": _post("X-Y: a\0b", body=b""),
    "two hosts": _post("Host: other", body=b""),
}
LAST = b"GET /health/live HTTP/1.1\r\nHost: edge.test\r\nConnection: close\r\n\r\n"


class TestUnreachable:
    @pytest.mark.parametrize("target", UNREACHABLE)
    @pytest.mark.parametrize("method", ["GET", "POST"])
    async def test_no_spelling_reaches_a_service(
        self, edge: Nginx, seen: Callable[[], int], target: str, method: str
    ) -> None:
        before = seen()
        answer = await request(edge.http_port, target, method)
        is_page = (method, answer.status, answer.body) == ("GET", 200, b"application")
        told = {} if is_page else answer.json()
        assert is_page or (answer.status, told.get("error", told)["code"]) in {
            (404, "mlp.core.route_not_found"),
            (400, "mlp.core.malformed_request"),
            (405, "mlp.core.method_not_allowed"),  # pages are only read
        }
        assert seen() == before

    async def test_a_query_may_contain_what_a_path_may_not(self, edge: Nginx) -> None:
        told = (await request(edge.http_port, "/api/mlpcore/x?to=/../internal//%2f;#")).json()
        assert told["path"] == "/api/mlpcore/x"


class TestForm:
    @pytest.mark.parametrize(
        ("head", "status"),
        {
            "a star": (b"GET * HTTP/1.1\r\nHost: x\r\n", 400),
            "options of a star": (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n", 400),
            "a tunnel": (b"CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n", 400),
            "no host": (b"GET /api/mlpcore/x HTTP/1.1\r\n", 400),
            "an empty host": (b"GET /api/mlpcore/x HTTP/1.1\r\nHost:\r\n", 400),
            "two hosts": (b"GET /api/mlpcore/x HTTP/1.1\r\nHost: x\r\nHost: x\r\n", 400),
        }.values(),
    )
    async def test_ambiguous_requests_are_refused(
        self, edge: Nginx, seen: Callable[[], int], head: bytes, status: int
    ) -> None:
        before = seen()
        answer = parse(await say(edge.http_port, head + b"Connection: close\r\n\r\n"))
        assert answer.status == status
        assert seen() == before


class TestSmuggling:
    @pytest.mark.parametrize("kind", AMBIGUOUS)
    async def test_a_body_of_unclear_length_never_becomes_a_second_request(
        self, edge: Nginx, services: dict[str, Service], kind: str
    ) -> None:
        before = len(services["mlpcore"].seen)
        heard = await say(edge.http_port, AMBIGUOUS[kind] + LAST)
        reached = [seen.path for seen in services["mlpcore"].seen[before:]]
        assert "/api/mlpcore/smuggled" not in reached
        assert parse(heard).status in {400, 501}
        assert reached == []

    async def test_a_body_that_looks_like_a_request_stays_a_body(
        self, edge: Nginx, services: dict[str, Service]
    ) -> None:
        before = len(services["mlpcore"].seen)
        heard = await say(edge.http_port, _post(f"Content-Length: {len(SMUGGLED)}", body=SMUGGLED) + LAST)
        assert heard.count(b"HTTP/1.1 200 OK") == 2
        assert [seen.path for seen in services["mlpcore"].seen[before:]] == ["/api/mlpcore/carrier"]

    async def test_a_client_cannot_remove_headers_by_naming_them_hop_by_hop(
        self, edge: Nginx, services: dict[str, Service]
    ) -> None:
        headers = "MLP-API-KEY: key\r\nConnection: MLP-API-KEY, X-Forwarded-For\r\n"
        await request(edge.http_port, "/api/mlpcore/x", headers=headers)
        assert services["mlpcore"].last.header("mlp-api-key") == ["key"]
        assert services["mlpcore"].last.header("x-forwarded-for") == ["127.0.0.1"]

    @pytest.mark.parametrize("protocol", ["h2c", "TLS/1.0", "websocket, h2c"])
    async def test_only_websocket_upgrades_are_passed_on(
        self, edge: Nginx, services: dict[str, Service], protocol: str
    ) -> None:
        headers = f"Upgrade: {protocol}\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"
        assert (await request(edge.http_port, "/api/mlpcore/x", headers=headers)).status == 200
        assert services["mlpcore"].last.header("upgrade") == []
