"""How a gate listens."""

from datetime import timedelta
from pathlib import Path

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from mlpgateway.entry.grpc.server import PortTakenError
from mlpgateway.instances.grpc.options import TlsFiles
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.clock import SystemClock
from mlplace_testing.waiting import eventually


@pytest.fixture
def tls(tmp_path: Path) -> TlsFiles:
    """Returns a certificate for localhost, signed by its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = SystemClock().now()
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = TlsFiles(tmp_path / "gate.crt", tmp_path / "gate.key")
    files.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files.key.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return files


class TestListen:
    async def test_taken_port_raises_one_clear_error(self, gate, run_gate):
        with pytest.raises(PortTakenError, match=gate.address):
            async with run_gate(gate.address):
                pass

    async def test_instances_are_told_the_advertised_address(self, run_gate, connect, scripted):
        async with run_gate("127.0.0.1:0", advertised="gate.example:443") as gate:
            assert gate.server.servers == ("gate.example:443",)

    async def test_unknown_method_is_a_grpc_error(self, gate):
        async with grpc.aio.insecure_channel(gate.address) as channel:
            with pytest.raises(grpc.RpcError, match="UNIMPLEMENTED"):
                await channel.unary_unary("/com.mlp.gate.Gate/nothing")(b"")

    async def test_malformed_call_fails_alone(self, gate, client):
        async with grpc.aio.insecure_channel(gate.address) as channel:
            with pytest.raises(grpc.RpcError):
                await channel.unary_unary("/com.mlp.gate.Gate/process")(b"\xff\xff\xff")
            assert (await client.healthCheck(pb.HeartBeatProto())).status == "Ok"

    @pytest.mark.parametrize("method", ["process", "processResponseStream", "processSynthesis"])
    async def test_malformed_call_is_the_callers_error(self, gate, method):
        async with grpc.aio.insecure_channel(gate.address) as channel:
            call = channel.unary_stream(f"/com.mlp.gate.Gate/{method}")(b"\xff\xff\xff")
            assert await call.code() == grpc.StatusCode.INVALID_ARGUMENT


class TestTls:
    async def test_a_gate_looks_for_a_renewed_certificate(self, run_gate, tls):
        async with run_gate("localhost:0", tls=tls) as gate, run_gate("localhost:0") as plain:
            assert "gate_certificate" in {loop.name for loop in gate.server.loops}
            assert "gate_certificate" not in {loop.name for loop in plain.server.loops}

    async def test_instance_that_trusts_the_authority_connects(
        self, run_gate, tls, twin_module, environment, instances
    ):
        async with run_gate("localhost:0", tls=tls) as gate:
            variables = {
                **environment(gate.address, instances.add(21)),
                "MLP_GRPC_SECURE": "true",
                "GRPC_SSL_CA_FILE_PATH": str(tls.certificate),
            }
            twin = twin_module.PublicSdkTwin(variables, pace=0.05)
            twin.start()
            try:

                async def connected() -> set[str]:
                    return twin.connected_to()

                assert await eventually(connected) == {gate.address}
            finally:
                twin.close()
