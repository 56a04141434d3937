"""Whose X-Forwarded-For counts for a caller's address, and which of its entries."""

import asyncio
import socket

import pytest

from mlplace_runtime.process import trusted_proxies
from mlplace_runtime.process.trusted_proxies import TrustedProxies
from mlplace_testing.waiting import eventually

PEER, CLAIMED = "10.0.0.1", "6.6.6.6"
OUTAGE = socket.gaierror(socket.EAI_AGAIN, "no answer")


class Names:
    """A name server. `known`: what it says of each name."""

    def __init__(self) -> None:
        self.known: dict[str, list[str] | Exception] = {}
        self.asked = 0
        self.now = 0.0

    def proxies(self, listed: str) -> TrustedProxies:
        return TrustedProxies(listed, clock=lambda: self.now)

    async def addresses(self, name: str) -> list[str]:
        self.asked += 1
        await asyncio.sleep(0)
        found = self.known.get(name, socket.gaierror(socket.EAI_NONAME, "no such name"))
        if isinstance(found, Exception):
            raise found
        return found


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    found = Names()
    monkeypatch.setattr(trusted_proxies, "_addresses_of", found.addresses)
    return found


class TestCaller:
    @pytest.mark.parametrize("listed", ["10.0.0.1", "10.0.0.0/8", "*", "1.1.1.1, 10.0.0.1", "::ffff:10.0.0.0/104"])
    def test_proxies_are_believed(self, listed: str) -> None:
        assert TrustedProxies(listed)
        assert TrustedProxies(listed).caller(PEER, [CLAIMED]) == CLAIMED

    @pytest.mark.parametrize("listed", ["", " , ", "10.0.0.2", "11.0.0.0/8", "fd00::/8", "edge.invalid"])
    def test_other_peers_are_not_believed(self, listed: str) -> None:
        assert TrustedProxies(listed).caller(PEER, [CLAIMED]) == PEER

    @pytest.mark.parametrize(
        ("reported", "caller"),
        [
            (["7.7.7.7, 6.6.6.6"], "6.6.6.6"),  # the first is the caller's own word
            (["7.7.7.7, 10.0.0.2"], "7.7.7.7"),
            (["8.8.8.8,7.7.7.7", "10.0.0.2"], "7.7.7.7"),
            (["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            (["nonsense, 6.6.6.6"], "6.6.6.6"),
            (["nonsense, 10.0.0.2"], PEER),
            ([], PEER),
            (["unknown"], PEER),
            (["6.6.6.6:1234"], "6.6.6.6"),
            (["[fd00::1]"], "fd00::1"),
            (["[fd00::1]:1234"], "fd00::1"),
            (["6.6.6.6:x"], PEER),
            (["a.example:80"], PEER),
            (["[fd00::1"], PEER),
            (["6.6.6.6,"], PEER),
            (["unix:"], PEER),  # what nginx reports of a caller at a Unix socket
            (["fd00::1%eth0"], PEER),
            (["fd00::1"], "fd00::1"),
            (["6.6.6.6, ::ffff:10.0.0.2"], "6.6.6.6"),
        ],
    )
    def test_is_the_last_that_no_trusted_proxy_has(self, reported: list[str], caller: str) -> None:
        assert TrustedProxies("10.0.0.0/8").caller(PEER, reported) == caller

    def test_is_the_last_of_all_when_everybody_is_trusted(self) -> None:
        """The first one is what a caller may have written, if the proxy appends to it."""
        assert TrustedProxies("*").caller(PEER, ["7.7.7.7, 6.6.6.6"]) == CLAIMED

    @pytest.mark.parametrize(
        "proxy",
        [
            "127.0.0.1/33",
            "::ffff:10.0.0.0/8",
            "fe80::1%eth0",
            "10.0.0.256",
            "10.0.0",
            "http://edge",
            "edge:80",
            "edge/",
            "ed ge",
        ],
    )
    def test_text_that_is_neither_address_nor_network_nor_name_is_refused(self, proxy: str) -> None:
        with pytest.raises(ValueError, match="neither an address nor a network nor a host name"):
            TrustedProxies(f"{PEER}, {proxy}")


class TestNames:
    async def test_stand_for_their_addresses_once_resolved(self) -> None:
        proxies = TrustedProxies("localhost, edge.invalid")
        assert proxies.caller("127.0.0.1", [CLAIMED]) == "127.0.0.1"
        await proxies.look_up()
        for peer in ("127.0.0.1", "::ffff:127.0.0.1"):  # as a listener for both families shows it
            assert proxies.caller(peer, [CLAIMED]) == CLAIMED
        assert proxies.caller(PEER, [CLAIMED]) == PEER

    async def test_lose_addresses_that_they_no_longer_have(self, names: Names) -> None:
        proxies = names.proxies("edge")
        names.known["edge"] = [PEER, "10.0.0.2"]
        await proxies.look_up()
        assert proxies.believes(PEER)
        assert proxies.believes("10.0.0.2")
        names.known["edge"] = ["10.0.0.2"]
        await proxies.look_up()
        assert not proxies.believes(PEER)
        assert proxies.believes("10.0.0.2")

    @pytest.mark.parametrize("problem", [OUTAGE, socket.gaierror(socket.EAI_NONAME, "no such name"), UnicodeError("x")])
    async def test_keep_their_addresses_for_a_minute_when_they_do_not_resolve(self, names: Names, problem) -> None:
        proxies = names.proxies("edge")
        names.known["edge"] = [PEER]
        await proxies.look_up()
        names.known["edge"] = problem
        for names.now, believed in ((59.0, True), (61.0, False)):
            await proxies.look_up()
            assert proxies.believes(PEER) is believed
        names.known["edge"] = [PEER]
        await proxies.look_up()
        assert proxies.believes(PEER)

    async def test_one_that_does_not_resolve_is_logged_once(
        self, names: Names, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told: list[dict[str, object]] = []
        monkeypatch.setattr(
            trusted_proxies.log, "warning", lambda event, **about: told.append({"event": event, **about})
        )
        proxies = names.proxies("egde")
        for _ in range(3):
            await proxies.look_up()
        assert told == [{"event": "trusted_proxy_not_resolved", "name": "egde", "problem": "[Errno -2] no such name"}]

    async def test_one_that_fails_does_not_hide_another(self, names: Names) -> None:
        proxies = names.proxies("gone, edge")
        names.known.update({"gone": OUTAGE, "edge": [PEER]})
        await proxies.look_up()
        assert proxies.believes(PEER)

    async def test_are_resolved_once_for_all_peers_that_may_be_new(self, names: Names) -> None:
        proxies = TrustedProxies("edge", between=0.05)
        await proxies.look_up()
        names.known["edge"] = [PEER]
        assert proxies.may_be_new(PEER)
        await asyncio.gather(*(proxies.meet(peer) for peer in (PEER, *(f"10.0.1.{number}" for number in range(20)))))
        assert proxies.believes(PEER)
        assert not proxies.may_be_new(PEER)
        assert names.asked == 2

    async def test_strangers_have_them_resolved_seldom_and_do_not_wait_long(self, names: Names) -> None:
        proxies = TrustedProxies("edge", between=3600.0, longest=0.01)
        await proxies.look_up()
        names.known["edge"] = [PEER]
        await asyncio.gather(*(proxies.meet(f"10.0.1.{number}") for number in range(5)))
        assert (names.asked, proxies.believes(PEER)) == (1, False)

    async def test_nobody_waits_long_for_a_name_server(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def never(_name: str) -> list[str]:
            await asyncio.Event().wait()
            return []

        monkeypatch.setattr(trusted_proxies, "_addresses_of", never)
        proxies = TrustedProxies("edge", longest=0.01)
        await proxies.start()
        await proxies.meet(PEER)
        assert not proxies.believes(PEER)

    async def test_are_resolved_again_while_it_runs(self, names: Names) -> None:
        proxies = TrustedProxies("edge", every=0.001)
        running = asyncio.create_task(proxies.run())
        try:
            for address in (PEER, "10.0.0.2"):
                names.known["edge"] = [address]
                await eventually(lambda address=address: _is(proxies.believes(address)))
            assert not proxies.believes(PEER)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    @pytest.mark.parametrize("listed", ["", "10.0.0.2", "*"])
    def test_without_them_no_peer_may_be_new(self, listed: str) -> None:
        assert not TrustedProxies(listed).may_be_new(PEER)


async def _is(true: bool) -> bool:
    return true
