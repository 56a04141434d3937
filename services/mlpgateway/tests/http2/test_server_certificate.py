"""A renewed certificate of a gate, while connections are open."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import uvloop
from cryptography.x509 import load_pem_x509_certificate
from prometheus_client import REGISTRY

from mlpgateway.entry.grpc.server_certificate import ServerCertificate
from mlpgateway.http2 import frames
from mlpgateway.instances.grpc.options import TlsFiles
from mlplace_testing.certificates import Certificate, certificate_for

LOOPS = [uvloop.new_event_loop, asyncio.new_event_loop]
EXPIRES = "mlp_grpc_certificate_expires_timestamp_seconds"


@pytest.fixture
def files(tmp_path: Path) -> TlsFiles:
    return TlsFiles(tmp_path / "tls.crt", tmp_path / "tls.key")


@pytest.fixture(params=LOOPS, ids=["uvloop", "asyncio"])
def run(request: pytest.FixtureRequest) -> Callable[[Callable[[], Awaitable[None]]], None]:
    def within(test: Callable[[], Awaitable[None]]) -> None:
        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(asyncio.wait_for(test(), 100))

    return within


def write(files: TlsFiles, made: Certificate) -> Certificate:
    files.certificate.write_text(made.certificate)
    files.key.write_text(made.key)
    return made


def trusting(made: Certificate) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=made.certificate)
    context.set_alpn_protocols(["h2"])
    return context


async def answers(peers: Any, port: int, made: Certificate) -> bool:
    """Whether a new connection is encrypted with this certificate."""
    try:
        async with peers.Peer(port, tls=trusting(made)) as peer:
            peer.greet()
            await peer.until(frames.SETTINGS)
    except ssl.SSLCertVerificationError:
        return False
    return True


class TestRenewal:
    def test_new_connections_get_it_and_open_ones_go_on(self, run, serve, peers, files):
        async def test() -> None:
            old = write(files, certificate_for("127.0.0.1"))
            certificate = ServerCertificate(files)
            async with (
                serve(tls=certificate.context) as served,
                peers.Peer(served.port, tls=trusting(old)) as peer,
            ):
                peer.greet()
                await peer.until(frames.SETTINGS)
                new = write(files, certificate_for("127.0.0.1"))
                assert await answers(peers, served.port, old), "nobody has looked yet"
                await certificate.renew()
                assert await answers(peers, served.port, new)
                assert not await answers(peers, served.port, old)
                peer.write(frames.frame(frames.PING, 0, 0, b"12345678"))
                await peer.until(frames.PING)

        run(test)

    def test_a_certificate_waits_for_its_key(self, run, serve, peers, files):
        async def test() -> None:
            old = write(files, certificate_for("127.0.0.1"))
            certificate = ServerCertificate(files)
            new = certificate_for("127.0.0.1")
            async with serve(tls=certificate.context) as served:
                for damaged in (new.certificate, "no certificate", None):
                    if damaged is None:
                        files.certificate.unlink()
                    else:
                        files.certificate.write_text(damaged)
                    await certificate.renew()
                    assert await answers(peers, served.port, old)
                write(files, new)
                await certificate.renew()
                assert await answers(peers, served.port, new)

        run(test)

    async def test_its_end_is_a_metric(self, files):
        for _ in range(2):
            made = write(files, certificate_for("127.0.0.1"))
            await ServerCertificate(files).renew()
            ends = load_pem_x509_certificate(made.certificate.encode()).not_valid_after_utc
            assert REGISTRY.get_sample_value(EXPIRES) == ends.timestamp()

    def test_a_key_of_another_certificate_is_refused_at_the_start(self, files):
        write(files, certificate_for("127.0.0.1"))
        files.key.write_text(certificate_for("127.0.0.1").key)
        with pytest.raises(ssl.SSLError):
            ServerCertificate(files)
