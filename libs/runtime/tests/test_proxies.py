"""Whose X-Forwarded-For is believed, by the real server."""

import asyncio
import json
import socket
from pathlib import Path

import httpx
import pytest

from mlplace_runtime.process import trusted_proxies
from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer
from mlplace_runtime.process.trusted_proxies import TrustedProxies


async def _told(scope, receive, send) -> None:
    body = json.dumps({"client": scope["client"] and scope["client"][0], "scheme": scope["scheme"]}).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


async def _ask(trusted: str, headers: list[tuple[str, str]], host: str = "127.0.0.1") -> dict[str, str]:
    listener = listen(host, 0)
    shown = f"[{host}]" if ":" in host else host
    return await _tell(listener, trusted, headers, f"http://{shown}:{listener.getsockname()[1]}/", None)


async def _tell(
    listener: socket.socket, trusted: str, headers: list[tuple[str, str]], address: str, path: str | None
) -> dict[str, str]:
    server = HttpServer(_told, listener, trusted_proxies=trusted)
    await server.start()
    try:
        transport = httpx.AsyncHTTPTransport(uds=path)
        async with httpx.AsyncClient(trust_env=False, timeout=60, transport=transport) as client:
            return (await client.get(address, headers=headers)).json()
    finally:
        await server.stop()


class TestNobody:
    @pytest.mark.parametrize(
        "header",
        [
            ("X-Forwarded-For", "203.0.113.9"),
            ("Forwarded", "for=203.0.113.9;proto=https"),
            ("X-Real-IP", "203.0.113.9"),
        ],
    )
    async def test_is_trusted_without_a_setting(self, monkeypatch: pytest.MonkeyPatch, header: tuple[str, str]) -> None:
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
        told = await _ask("", [header, ("X-Forwarded-Proto", "https")])
        assert told == {"client": "127.0.0.1", "scheme": "http"}

    async def test_else_is_trusted_than_the_named_ones(self) -> None:
        told = await _ask("192.0.2.1, 10.0.0.0/8", [("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-Proto", "https")])
        assert told == {"client": "127.0.0.1", "scheme": "http"}

    @pytest.mark.parametrize("trusted", ["127.0.0.1/33", "10.0.0.1, nobody here", "127.0.0.1:80", "::ffff:10.0.0.0/8"])
    async def test_is_named_by_what_is_neither_address_nor_name(self, trusted: str) -> None:
        """It would match no peer, and its operator would not notice."""
        with (
            listen("127.0.0.1", 0) as listener,
            pytest.raises(ValueError, match="neither an address nor a network nor a host name"),
        ):
            HttpServer(_told, listener, trusted_proxies=trusted)


class TestTrustedProxy:
    @pytest.mark.parametrize(
        ("trusted", "lines", "caller"),
        [
            ("127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
            ("127.0.0.0/8", ["198.51.100.1, 203.0.113.9"], "203.0.113.9"),  # the first is the caller's own word
            ("127.0.0.1,10.0.0.1", ["203.0.113.9, 10.0.0.1"], "203.0.113.9"),
            ("127.0.0.1,10.0.0.1", ["203.0.113.9", "10.0.0.1"], "203.0.113.9"),
            ("127.0.0.1", ["203.0.113.9, 10.0.0.1"], "10.0.0.1"),
            ("127.0.0.1", ["2001:db8::7"], "2001:db8::7"),
            ("127.0.0.1", ["[2001:db8::7]:1234"], "2001:db8::7"),
            ("127.0.0.1", ["203.0.113.9:1234"], "203.0.113.9"),
            ("127.0.0.1/8", ["203.0.113.9"], "203.0.113.9"),  # bits behind the prefix do not count
            ("::ffff:127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
            ("127.0.0.1", ["203.0.113.9, ::ffff:127.0.0.1"], "203.0.113.9"),
            ("*", ["203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1, *", ["203.0.113.9"], "203.0.113.9"),
            ("*", ["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
            ("localhost", ["203.0.113.9"], "203.0.113.9"),
            ("edge.invalid, localhost", ["203.0.113.9, 127.0.0.1"], "203.0.113.9"),
        ],
    )
    async def test_says_who_the_caller_is(self, trusted: str, lines: list[str], caller: str) -> None:
        headers = [("X-Forwarded-For", line) for line in lines]
        told = await _ask(trusted, [*headers, ("X-Forwarded-Proto", "https")])
        assert told == {"client": caller, "scheme": "https"}

    @pytest.mark.parametrize(
        "value", ["unknown", "_hidden", "", "203.0.113.9.1", "a, b", "203.0.113.9, x", "[2001:db8::7"]
    )
    @pytest.mark.parametrize("trusted", ["127.0.0.1", "*"])
    async def test_what_is_no_address_leaves_the_peer(self, trusted: str, value: str) -> None:
        told = await _ask(trusted, [("X-Forwarded-For", value)])
        assert told["client"] == "127.0.0.1"

    async def test_is_known_by_its_name_as_soon_as_it_calls(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its name stood for no address when the server started."""
        addresses: list[str] = []

        async def resolved(_: str) -> list[str]:
            return addresses

        monkeypatch.setattr(trusted_proxies, "_addresses_of", resolved)
        listener = listen("127.0.0.1", 0)
        server = HttpServer(_told, listener, trusted_proxies="edge")
        await server.start()
        addresses.append("127.0.0.1")
        try:
            async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
                address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
                told = (await client.get(address, headers={"X-Forwarded-For": "203.0.113.9"})).json()
        finally:
            await server.stop()
        assert told["client"] == "203.0.113.9"

    async def test_has_its_name_resolved_while_the_server_runs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        running = asyncio.Event()

        async def run(_: TrustedProxies) -> None:
            running.set()

        monkeypatch.setattr(TrustedProxies, "run", run)
        await _ask("localhost", [])
        assert running.is_set()

    @pytest.mark.parametrize("scheme", ["ftp", "", "https, http", "javascript"])
    async def test_other_schemes_than_http_and_https_are_not_believed(self, scheme: str) -> None:
        assert (await _ask("127.0.0.1", [("X-Forwarded-Proto", scheme)]))["scheme"] == "http"


class TestOtherPeers:
    @pytest.mark.parametrize("trusted", ["127.0.0.1", "127.0.0.0/8", "::ffff:127.0.0.1"])
    async def test_proxy_with_ipv4_is_known_to_a_listener_for_both_families(self, trusted: str) -> None:
        listener = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert (await _tell(listener, trusted, [("X-Forwarded-For", "203.0.113.9")], address, None))[
            "client"
        ] == "203.0.113.9"

    @pytest.mark.parametrize(
        ("trusted", "caller"), [("", "::1"), ("127.0.0.1", "::1"), ("::1", "203.0.113.9"), ("::/64", "203.0.113.9")]
    )
    async def test_proxy_with_an_ipv6_address_is_one_like_others(self, trusted: str, caller: str) -> None:
        assert (await _ask(trusted, [("X-Forwarded-For", "203.0.113.9")], "::1"))["client"] == caller

    @pytest.mark.parametrize(("trusted", "caller"), [("", None), ("127.0.0.1, ::1", None), ("*", "203.0.113.9")])
    async def test_proxy_at_a_unix_socket_has_no_address_that_could_be_named(
        self, tmp_path: Path, trusted: str, caller: str | None
    ) -> None:
        path = str(tmp_path / "s")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        told = await _tell(listener, trusted, [("X-Forwarded-For", "203.0.113.9")], "http://x/", path)
        assert told["client"] == caller
