import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

import httpx
import pytest
from upstream_twins import Service
from wire import request

from mlplace_testing.ports import free_port
from mlplace_testing.servers.nginx import CONFIG, Launcher, Nginx

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
SITE, ALIAS = "https://site.example", "/api/mlpgate/account/a/model/m/predict"
PATHS = (
    "/api/accountsadmin/x", "/api/accountsadmin/c/authorization/login", "/api/mlpcore/x", "/api/mlpgateway/x",
    "/api/mlpbilling/x", "/api/mlpgate/x", "/api/mlpgate/account/a/model/m/predict", "/api/adapters/x", "/p/a/b",
)  # fmt: skip
SAID_BY_INSIDERS = {
    "MLP-INTERNAL-TOKEN": "guess",
    "X-Real-IP": "10.0.0.1",
    "Forwarded": "for=10.0.0.1",
    "X-Forwarded-Host": "evil.test",
    "X-Forwarded-Port": "1",
    "Proxy": "evil.test",
}


TRUSTS_LOOPBACK = {
    "behind-another-proxy.conf": "set_real_ip_from 127.0.0.1;\nreal_ip_header X-Forwarded-For;\nreal_ip_recursive off;\n"
}


TRUSTS_TWO = {
    "behind-another-proxy.conf": (
        "set_real_ip_from 127.0.0.1;\nset_real_ip_from 10.0.0.0/8;\nreal_ip_header X-Forwarded-For;\n"
        "real_ip_recursive on;\n"
    )
}


@pytest.fixture(scope="module")
def behind_two_proxies(launcher: Launcher, environment: dict[str, str]) -> Iterator[Nginx]:
    """Starts an edge behind a proxy on this machine and another one in 10.0.0.0/8 before that."""
    with _running(Nginx(launcher, environment, TRUSTS_TWO)) as nginx:
        yield nginx


@contextmanager
def _running(nginx: Nginx) -> Iterator[Nginx]:
    try:
        nginx.start()
        yield nginx
    finally:
        nginx.stop()


class TestBehindTwoProxies:
    @pytest.mark.parametrize(
        ("lines", "caller"),
        [
            (["192.0.2.7, 10.0.0.2"], "192.0.2.7"),
            (["192.0.2.7", "10.0.0.2"], "192.0.2.7"),
            (["198.51.100.1, 192.0.2.7, 10.0.0.2"], "192.0.2.7"),  # the first is the caller's own word
            (["192.0.2.7"], "192.0.2.7"),
            (["2001:db8::7, 10.0.0.2"], "2001:db8::7"),
            (["unknown"], "127.0.0.1"),
        ],
    )
    async def test_the_last_address_that_is_no_proxy_is_the_callers(
        self, behind_two_proxies: Nginx, services: dict[str, Service], lines: list[str], caller: str
    ) -> None:
        headers = "".join(f"X-Forwarded-For: {line}\r\n" for line in lines)
        await request(behind_two_proxies.http_port, "/api/mlpgateway/x", headers=headers)
        assert services["mlpgateway"].last.header("x-forwarded-for") == [caller]


@pytest.fixture(scope="module")
def behind_proxy(launcher: Launcher, environment: dict[str, str]) -> Iterator[Nginx]:
    """Starts an edge that trusts a proxy on this machine, as `behind-another-proxy.conf` says."""
    with _running(Nginx(launcher, environment, TRUSTS_LOOPBACK)) as nginx:
        yield nginx


class TestBehindAnotherProxy:
    @pytest.mark.parametrize("scheme", ["https", "http"])
    async def test_its_caller_and_scheme_are_passed_on(
        self, behind_proxy: Nginx, services: dict[str, Service], scheme: str
    ) -> None:
        lines = f"X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: {scheme}\r\n"
        await request(behind_proxy.http_port, "/api/mlpgateway/x", headers=lines)
        assert services["mlpgateway"].last.header("x-forwarded-for") == ["192.0.2.7"]
        assert services["mlpgateway"].last.header("x-forwarded-proto") == [scheme]

    @pytest.mark.parametrize("said", ["", "X-Forwarded-Proto: ftp\r\n", "X-Forwarded-Proto: http, https\r\n"])
    async def test_another_scheme_is_ignored(
        self, behind_proxy: Nginx, services: dict[str, Service], said: str
    ) -> None:
        await request(behind_proxy.http_port, "/api/mlpgateway/x", headers=f"X-Forwarded-For: 192.0.2.7\r\n{said}")
        assert services["mlpgateway"].last.header("x-forwarded-proto") == ["http"]

    async def test_a_request_without_a_caller_is_not_from_the_proxy(
        self, behind_proxy: Nginx, services: dict[str, Service]
    ) -> None:
        await request(behind_proxy.http_port, "/api/mlpgateway/x", headers="X-Forwarded-Proto: https\r\n")
        assert services["mlpgateway"].last.header("x-forwarded-proto") == ["http"]


@pytest.fixture(scope="module")
def of_both_families(launcher: Launcher, environment: dict[str, str]) -> Iterator[Nginx]:
    """Starts an edge with IPv4 and IPv6 that trusts proxies on this machine."""
    trusts = {
        "behind-another-proxy.conf": (
            "set_real_ip_from 127.0.0.1;\nset_real_ip_from ::1;\nreal_ip_header X-Forwarded-For;\n"
            "real_ip_recursive on;\n"
        )
    }
    nginx = Nginx(launcher, environment, trusts)
    nginx.listen(f"[::]:{nginx.http_port} ipv6only=off")
    with _running(nginx):
        yield nginx


AtASocket = Callable[..., int]


@pytest.fixture(scope="module")
def at_a_socket(launcher: Launcher, environment: dict[str, str]) -> Iterator[AtASocket]:
    """Returns a function that starts an edge which also listens at a Unix socket, unless it runs. `trusted`: it trusts
    who calls there. The function returns a port: what comes to it is sent to the socket with the same headers.

    The program that sends it is nginx, too, since a container's socket cannot be reached from here.
    """
    with ExitStack() as running:

        @cache
        def started(*, trusted: bool = False) -> int:
            path, port = f"/tmp/mlplace-edge-{uuid.uuid4().hex}.sock", free_port()
            calls_there = (
                f"server {{ listen 127.0.0.1:{port}; proxy_http_version 1.1; location / {{\n"
                f"proxy_pass http://unix:{path}; }} }}\n"
            )
            snippets = {"access-log.conf": (CONFIG / "snippets/access-log.conf").read_text() + calls_there}
            if trusted:
                snippets["behind-another-proxy.conf"] = (
                    "set_real_ip_from unix:;\nreal_ip_header X-Forwarded-For;\nreal_ip_recursive off;\n"
                )
            nginx = Nginx(launcher, environment, snippets)
            nginx.listen(f"127.0.0.1:{nginx.http_port} default_server; listen unix:{path}")
            running.callback(Path(path).unlink, missing_ok=True)
            running.enter_context(_running(nginx))
            return port

        yield started


class TestFamilies:
    @pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
    @pytest.mark.parametrize("caller", ["192.0.2.7", "2001:db8::7"])
    async def test_proxy_is_believed_whatever_its_family(
        self, of_both_families: Nginx, services: dict[str, Service], host: str, caller: str
    ) -> None:
        headers = f"X-Forwarded-For: 198.51.100.1, {caller}\r\n"
        await request(of_both_families.http_port, "/api/mlpgateway/x", headers=headers, host=host)
        assert services["mlpgateway"].last.header("x-forwarded-for") == [caller]

    @pytest.mark.parametrize("said", ["", "X-Forwarded-For: unknown\r\n"])
    async def test_caller_with_ipv6_has_its_own_address(
        self, of_both_families: Nginx, services: dict[str, Service], said: str
    ) -> None:
        await request(of_both_families.http_port, "/api/mlpgateway/x", headers=said, host="::1")
        assert services["mlpgateway"].last.header("x-forwarded-for") == ["::1"]


class TestUnixSocket:
    """A program on the edge's own machine that calls it at a Unix socket: nginx calls its address `unix:`."""

    async def test_its_callers_have_no_address_and_claim_none(
        self, at_a_socket: AtASocket, services: dict[str, Service]
    ) -> None:
        """`unix:` is no address, so for the services the caller is the edge itself."""
        lines = "X-Forwarded-For: 192.0.2.7\r\nX-Real-IP: 192.0.2.7\r\nX-Forwarded-Proto: https\r\n"
        await request(at_a_socket(), "/api/mlpgateway/x", headers=lines)
        seen = services["mlpgateway"].last
        assert (seen.header("x-forwarded-for"), seen.header("x-forwarded-proto")) == (["unix:"], ["http"])
        assert seen.header("x-real-ip") == []

    @pytest.mark.parametrize(
        ("said", "caller", "scheme"),
        [
            ("192.0.2.7", "192.0.2.7", "https"),
            ("198.51.100.1, 192.0.2.7", "192.0.2.7", "https"),
            ("2001:db8::7", "2001:db8::7", "https"),
            ("unknown", "unix:", "http"),
            ("", "unix:", "http"),
        ],
    )
    async def test_it_names_its_callers_where_sockets_are_trusted(
        self, at_a_socket: AtASocket, services: dict[str, Service], said: str, caller: str, scheme: str
    ) -> None:
        lines = f"X-Forwarded-For: {said}\r\n" if said else ""
        port = at_a_socket(trusted=True)
        await request(port, "/api/mlpgateway/x", headers=f"{lines}X-Forwarded-Proto: https\r\n")
        seen = services["mlpgateway"].last
        assert (seen.header("x-forwarded-for"), seen.header("x-forwarded-proto")) == ([caller], [scheme])


class TestToServices:
    @pytest.mark.parametrize("path", PATHS)
    async def test_internal_headers_are_removed(self, client: httpx.AsyncClient, path: str) -> None:
        headers = (await client.get(path, headers=SAID_BY_INSIDERS)).json()["headers"]
        assert not {name.lower() for name in SAID_BY_INSIDERS} & set(headers)

    @pytest.mark.parametrize("path", PATHS)
    async def test_the_address_is_the_connections_own(
        self, edge: Nginx, services: dict[str, Service], path: str
    ) -> None:
        lines = "X-Forwarded-For: 10.0.0.1, 10.0.0.2\r\nx-forwarded-for: 10.0.0.3\r\nX-Forwarded-Proto: https\r\n"
        service = (await request(edge.http_port, path, headers=lines)).json()["service"]
        assert services[service].last.header("x-forwarded-for") == ["127.0.0.1"]
        assert services[service].last.header("x-forwarded-proto") == ["http"]

    @pytest.mark.parametrize("name", ["MLP_INTERNAL_TOKEN", "X_Forwarded_For", "X.Real.IP"])
    async def test_no_other_spelling_of_a_header_passes(self, edge: Nginx, name: str) -> None:
        headers = (await request(edge.http_port, "/api/mlpcore/x", headers=f"{name}: 10.9.9.9\r\n")).json()["headers"]
        assert "10.9.9.9" not in headers.values()

    @pytest.mark.parametrize("host", ["ml.customer.example", "ml.customer.example:8443", "[::1]:80"])
    async def test_the_host_of_a_white_label_passes_unchanged(self, client: httpx.AsyncClient, host: str) -> None:
        assert (await client.get("/api/mlpcore/x", headers={"Host": host})).json()["headers"]["host"] == host

    async def test_keys_cookies_and_billing_headers_pass(self, client: httpx.AsyncClient) -> None:
        sent = {"mlp-api-key": "k", "mlp-billing-key": "b", "cookie": "SESSION_ID=s", "z-priority": "high", "a": "b"}
        told = (await client.get("/api/mlpgateway/x", headers=sent)).json()["headers"]
        assert sent.items() <= told.items()

    @pytest.mark.parametrize(
        "path", ["/api/adapters/openai/models", "/api/mlpgateway/account/a/model/m/http/x", ALIAS, "/p/a/b"]
    )
    async def test_questions_of_browsers_reach_the_gateway(
        self, edge: Nginx, services: dict[str, Service], path: str
    ) -> None:
        """The gateway decides which pages of other sites may call (docs/limits.md)."""
        lines = f"Origin: {SITE}\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: a, b\r\n"
        answer = await request(edge.http_port, path, "OPTIONS", lines)
        seen = services["mlpgateway"].last
        assert (answer.json()["service"], seen.method) == ("mlpgateway", "OPTIONS")
        assert (seen.header("origin"), seen.header("access-control-request-headers")) == ([SITE], ["a, b"])
        assert not [name for name in answer.headers if name.startswith("access-control-")]


class TestRequestIdentity:
    async def test_valid_ids_of_the_caller_pass(self, client: httpx.AsyncClient) -> None:
        sent = {"Z-requestId": "order-5:a/b", "traceparent": TRACE, "tracestate": "vendor=1"}
        told = (await client.get("/api/mlpgateway/x", headers=sent)).json()["headers"]
        assert (told["z-requestid"], told["traceparent"], told["tracestate"]) == ("order-5:a/b", TRACE, "vendor=1")

    async def test_without_a_trace_one_starts_with_the_request_id(self, client: httpx.AsyncClient) -> None:
        told = [(await client.get("/api/mlpgateway/x")).json()["headers"] for _ in range(2)]
        found = re.fullmatch(r"00-([0-9a-f]{32})-[0-9a-f]{16}-01", told[0]["traceparent"])
        assert found
        assert found[1] == told[0]["z-requestid"]
        assert told[0]["z-requestid"] != told[1]["z-requestid"]

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("Z-requestId", 'a"b'),
            ("Z-requestId", "x" * 129),
            ("Z-requestId", "a b"),
            ("traceparent", "00-" + "0" * 32 + "-b7ad6b7169203331-01"),
            ("traceparent", "ff" + TRACE[2:]),
            ("traceparent", "junk"),
        ],
    )
    async def test_unsafe_ids_are_replaced(self, client: httpx.AsyncClient, name: str, value: str) -> None:
        told = (await client.get("/api/mlpgateway/x", headers={name: value})).json()["headers"]
        assert told[name.lower()] != value
        assert len(told[name.lower()]) in {32, 55}

    async def test_errors_have_the_request_id(self, client: httpx.AsyncClient) -> None:
        answer = await client.get("/api/nowhere", headers={"Z-requestId": "mine"})
        assert answer.headers["z-requestid"] == answer.json()["requestId"] == "mine"


class TestToBrowsers:
    @pytest.mark.parametrize(
        "path", ["/api/mlpcore/x", "/api/mlpgateway/x", "/api/nowhere", "/health/live", "/version"]
    )
    async def test_security_headers_come_once_with_every_answer(self, client: httpx.AsyncClient, path: str) -> None:
        headers = (await client.get(path)).headers
        assert headers.get_list("x-content-type-options") == ["nosniff"]
        assert headers["x-frame-options"] == "SAMEORIGIN"
        assert "frame-ancestors 'self'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "strict-origin-when-cross-origin"
        assert headers["cross-origin-opener-policy"] == "same-origin"

    @pytest.mark.parametrize("path", ["/api/mlpcore/x", "/nowhere", "/api/nowhere"])
    async def test_server_versions_are_hidden(self, client: httpx.AsyncClient, path: str) -> None:
        assert (await client.get(path)).headers.get_list("server") == ["nginx"]
