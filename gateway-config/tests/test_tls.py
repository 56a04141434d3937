"""TLS at the edge, and the compose file that publishes only ports with TLS."""

import json
import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import httpx
import pytest
from upstream_twins import Gate, Service

from mlplace_gateproto import gate_pb2, gate_pb2_grpc
from mlplace_testing.certificates import Certificate, certificate_for
from mlplace_testing.servers.nginx import Launcher, Nginx

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "gateway-config"


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    return certificate_for("127.0.0.1")


@pytest.fixture(scope="module")
def trust(certificate: Certificate) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=certificate.certificate)


@pytest.fixture(scope="module")
def tls_edge(launcher: Launcher, environment: dict[str, str], certificate: Certificate) -> Iterator[Nginx]:
    nginx = Nginx(launcher, environment, certificate=certificate)
    try:
        nginx.start()
        yield nginx
    finally:
        nginx.stop()


@pytest.fixture(scope="module")
def services_of_compose() -> dict[str, Any]:
    """The services of both files, merged by compose itself."""
    if (
        shutil.which("docker") is None
        or subprocess.run(("docker", "compose", "version"), capture_output=True, check=False).returncode
    ):
        pytest.skip("no docker compose")
    files = ("--file", "docker-compose.yml", "--file", "docker-compose.tls.yml")
    command = ("docker", "compose", "--env-file", ".env.example", *files, "config", "--format", "json")
    answer = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "MLP_TLS_FOLDER": "./tls"}, capture_output=True, check=True, text=True
    )
    return json.loads(answer.stdout)["services"]


class TestConfiguration:
    def test_nginx_accepts_it_without_a_warning(
        self, launcher: Launcher, environment: dict[str, str], certificate: Certificate
    ) -> None:
        nginx = Nginx(launcher, environment, certificate=certificate)
        answer = nginx.check()
        nginx.stop()
        assert (answer.returncode, "[warn]" in answer.stderr) == (0, False), answer.stderr


class TestHttp:
    async def test_services_and_browsers_learn_that_it_is_https(
        self, tls_edge: Nginx, trust: ssl.SSLContext, services: dict[str, Service]
    ) -> None:
        url = f"https://127.0.0.1:{tls_edge.https_port}"
        async with httpx.AsyncClient(base_url=url, verify=trust, trust_env=False, timeout=60) as client:
            for path in ("/api/mlpcore/x", "/", "/health/live"):
                answer = await client.get(path)
                assert answer.status_code == 200
                assert answer.headers["strict-transport-security"] == "max-age=31536000"
        assert services["mlpcore"].last.header("x-forwarded-proto") == ["https"]

    @pytest.mark.parametrize("protocol", ["h2", "http/1.1"])
    def test_browsers_may_choose_the_protocol(self, tls_edge: Nginx, certificate: Certificate, protocol: str) -> None:
        context = ssl.create_default_context(cadata=certificate.certificate)
        context.set_alpn_protocols([protocol])
        assert _handshake(tls_edge.https_port, context) == ("TLSv1.3", protocol)

    async def test_the_plain_port_stays_plain_and_promises_nothing(self, tls_edge: Nginx) -> None:
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{tls_edge.http_port}", trust_env=False, timeout=60
        ) as client:
            answer = await client.get("/api/mlpcore/x")
        assert answer.json()["headers"]["x-forwarded-proto"] == "http"
        assert "strict-transport-security" not in answer.headers

    async def test_plain_http_on_the_tls_port_is_refused_in_the_shape_of_all_errors(self, tls_edge: Nginx) -> None:
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{tls_edge.https_port}", trust_env=False, timeout=60
        ) as client:
            answer = await client.get("/api/mlpcore/x")
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.malformed_request")


class TestGrpc:
    async def test_calls_and_streams_of_instances_pass(
        self, tls_edge: Nginx, certificate: Certificate, gate: Gate
    ) -> None:
        credentials = grpc.ssl_channel_credentials(certificate.certificate.encode())
        async with grpc.aio.secure_channel(f"127.0.0.1:{tls_edge.grpcs_port}", credentials) as channel:
            stub = gate_pb2_grpc.GateStub(channel)
            predict = gate_pb2.PredictRequestProto(data=gate_pb2.PayloadProto(json="1"))
            request = gate_pb2.ClientRequestProto(account="a", model="m", predict=predict)
            assert (await stub.process(request, timeout=60)).predict.data.json == "1"
            assert dict(gate.metadata)["x-forwarded-proto"] == "https"
            stream = stub.processAsync(timeout=60)
            await stream.write(gate_pb2.ServiceToGateProto(requestId=7))
            assert (await stream.read()).requestId == 7
            await stream.done_writing()

    async def test_a_caller_who_does_not_trust_the_certificate_sends_nothing(self, tls_edge: Nginx, gate: Gate) -> None:
        gate.called.clear()
        other = grpc.ssl_channel_credentials(certificate_for("127.0.0.1").certificate.encode())
        async with grpc.aio.secure_channel(f"127.0.0.1:{tls_edge.grpcs_port}", other) as channel:
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await gate_pb2_grpc.GateStub(channel).process(gate_pb2.ClientRequestProto(), timeout=60)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert gate.called == []

    @pytest.mark.parametrize("port", ["https_port", "grpcs_port"])
    def test_versions_before_1_2_are_refused(self, tls_edge: Nginx, port: str) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        with pytest.warns(DeprecationWarning, match="TLSv1"):
            context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        with pytest.raises(ssl.SSLError):
            _handshake(getattr(tls_edge, port), context)


def _handshake(port: int, context: ssl.SSLContext) -> tuple[str | None, str | None]:
    with (
        socket.create_connection(("127.0.0.1", port), timeout=60) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as tls,
    ):
        return tls.version(), tls.selected_alpn_protocol()


class TestCompose:
    def test_the_edge_publishes_only_its_ports_with_tls(self, services_of_compose: dict[str, Any]) -> None:
        edge = services_of_compose["edge"]
        environment = edge["environment"]
        published = {(port["published"], str(port["target"])) for port in edge["ports"]}
        assert published == {("8080", environment["EDGE_HTTPS_LISTEN"]), ("8090", environment["EDGE_GRPCS_LISTEN"])}
        assert _mounts(edge)["/etc/nginx/templates/tls"] == str(CONFIG / "tls")
        assert _mounts(edge)["/etc/nginx/certificates"] == str(ROOT / "tls")

    @pytest.mark.parametrize("name", ["gateway-0", "gateway-1"])
    def test_a_gate_publishes_tls_and_keeps_a_plain_port_for_the_edge_and_its_peers(
        self, services_of_compose: dict[str, Any], name: str
    ) -> None:
        gate = services_of_compose[name]
        environment = gate["environment"]
        prefix = "MLP_MLPGATEWAY_GRPC_"
        assert [str(port["target"]) for port in gate["ports"]] == [environment[f"{prefix}PORT"]]
        for file in ("CERTIFICATE", "KEY"):
            folder = str(Path(environment[f"{prefix}TLS_{file}"]).parent)
            assert _mounts(gate)[folder] == str(ROOT / "tls")
        internal = environment[f"{prefix}INTERNAL_PORT"]
        assert internal != environment[f"{prefix}PORT"]
        assert environment[f"{prefix}INTERNAL_ADDRESS"] == f"{name}:{internal}"
        assert services_of_compose["edge"]["environment"]["EDGE_GATE"] == f"mlpgateway:{internal}"

    def test_users_and_instances_get_addresses_with_tls(self, services_of_compose: dict[str, Any]) -> None:
        core = services_of_compose["mlpcore"]["environment"]
        assert core["MLP_MLPCORE_PUBLIC_REST_URL"] == "https://localhost:8080"
        assert core["MLP_MLPCORE_PUBLIC_GRPC_SECURE"] == "true"
        for name in ("accountsadmin", "mlpcore", "mlpbilling", "gateway-0", "gateway-1"):
            assert services_of_compose[name]["environment"]["MLP_SECURE_COOKIES"] == "true"


def _mounts(service: dict[str, Any]) -> dict[str, str]:
    return {volume["target"]: volume["source"] for volume in service["volumes"]}
