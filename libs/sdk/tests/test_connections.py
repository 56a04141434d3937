"""Tests how an instance finds its gates, keeps connected and leaves."""

import asyncio
import datetime as dt
import ipaddress
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import grpc
import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from mlplace import Service
from mlplace.hosting.backoff import Backoff
from mlplace.hosting.engine import Engine
from mlplace.hosting.link import Link, start_serving
from mlplace.hosting.pool import Pool
from mlplace.hosting.probes import Probes
from mlplace_gateproto import gate_pb2


def double(data: int) -> int:
    return data * 2


async def value_of(stream) -> str:
    return (await stream.predict("21")).predict.data.json


class TestStartServing:
    async def test_the_first_message_names_instance_and_service(self, gate, settings_for, host):
        host(double, settings_for(gate, IMAGE_NAME="image:1"))
        hello = (await gate.stream()).hello
        assert (hello.hostname, hello.version, hello.image) == ("here", 2, "image:1")
        predict = hello.serviceDescriptor.methods["predict"]
        assert (hello.serviceDescriptor.name, predict.input["data"].type, predict.output.type) == (
            "double",
            "integer",
            "integer",
        )
        schema = yaml.safe_load(hello.serviceDescriptor.schemaFiles["schema"])
        assert schema["methods"]["predict"]["output"] == {"type": "integer"}
        assert gate.health_checks == 1

    async def test_an_unknown_token_is_retried_forever(self, gate, settings_for, host, until):
        host(double, settings_for(gate, MLP_SERVICE_TOKEN="1.2.wrong"))
        await until(lambda: gate.health_checks >= 3)
        assert gate.streams == []

    async def test_an_unhealthy_gate_is_not_served(self, gate, settings_for, host, until):
        gate.health = "Stopping"
        host(double, settings_for(gate))
        await until(lambda: gate.health_checks >= 2)
        assert gate.streams == []
        gate.health = "Ok"
        assert await value_of(await gate.stream()) == "42"

    async def test_probe_files_contain_unix_seconds(self, gate, settings_for, host, until):
        settings, began = settings_for(gate), int(time.time())
        host(double, settings)
        await gate.stream()
        for file in (settings.startup_probe_file, settings.liveness_probe_file):
            await until(file.exists)
            assert began <= int(file.read_text()) <= time.time()

    async def test_an_unwritable_probe_file_is_ignored(self, gate, settings_for, host):
        host(double, settings_for(gate, MLP_STARTUP_PROBE_FILE="/nowhere/probe", MLP_LIVENESS_PROBE_FILE="/nowhere/p"))
        assert await value_of(await gate.stream()) == "42"


class TestHeartbeats:
    async def test_heartbeats_follow_the_gates_interval(self, gate, settings_for, host, until):
        gate.interval_ms = 30
        host(double, settings_for(gate))
        stream = await gate.stream()
        began = time.monotonic()
        await until(lambda: stream.beats >= 5)
        assert time.monotonic() - began >= 0.09

    async def test_a_silent_gate_gets_a_new_stream(self, gate, settings_for, host, until):
        host(double, settings_for(gate))
        first = await gate.stream()
        await until(lambda: first.beats)
        gate.beating = False
        silent_since = time.monotonic()
        second = await gate.stream(1)
        assert time.monotonic() - silent_since >= 3 * 0.1 + 1 - 0.2
        await until(first.closed.is_set)
        assert await value_of(second) == "42"


class TestReconnect:
    async def test_a_restarted_gate_is_served_again(self, gate, settings_for, host):
        host(double, settings_for(gate))
        assert await value_of(await gate.stream()) == "42"
        await gate.restart()
        assert await value_of(await gate.stream()) == "42"

    async def test_after_stop_serving_open_calls_finish_before_the_stream_is_renewed(self, gate, settings_for, host):
        release = asyncio.Event()

        async def slow(data: int) -> int:
            await release.wait()
            return data

        host(slow, settings_for(gate))
        stream = await gate.stream()
        request = gate_pb2.PredictRequestProto(data=gate_pb2.PayloadProto(json="1"))
        request_id = await stream.ask(predict=request)
        await stream.send(stopServing=gate_pb2.StopServingProto())
        release.set()
        assert (await stream.answer(request_id)).predict.data.json == "1"
        renewed = await gate.stream(1)
        assert stream.stopped
        assert (await renewed.predict("2")).predict.data.json == "2"

    async def test_calls_of_a_broken_stream_are_not_answered_on_the_next_one(self, gate, settings_for, host, until):
        cancelled = asyncio.Event()

        async def slow(data: int) -> int:
            try:
                await asyncio.sleep(60 * data)
            finally:
                cancelled.set()
            return data

        host(slow, settings_for(gate))
        stream = await gate.stream()
        await stream.ask(predict=gate_pb2.PredictRequestProto(data=gate_pb2.PayloadProto(json="1")))
        await gate.restart()
        renewed = await gate.stream()
        await until(cancelled.is_set)
        cancelled.clear()
        assert (await renewed.predict("0")).predict.data.json == "0"
        assert list(renewed.answers) == [1]


class TestCluster:
    async def test_the_instance_connects_to_a_joining_gate_and_leaves_a_leaving_one(
        self, make_gate, settings_for, host, until
    ):
        one, two = await make_gate(), await make_gate()
        one.servers = [one.address]
        two.servers = [one.address, two.address]
        host(double, settings_for(one))
        first = await one.stream()
        one.servers = two.servers
        await first.send(cluster=one.cluster())
        second = await two.stream()
        assert [await value_of(first), await value_of(second)] == ["42", "42"]
        one.servers = [one.address]
        await first.send(cluster=one.cluster())
        await until(second.closed.is_set)
        assert second.stopped
        assert not first.closed.is_set()
        assert await value_of(first) == "42"

    @pytest.mark.parametrize("told", [0, 1])
    async def test_two_addresses_of_one_gate_end_in_one_stream(self, gate, settings_for, host, until, told):
        other_name = gate.address.replace("127.0.0.1", "localhost")
        host(double, settings_for(gate, MLP_GRPC_HOSTS=f"{other_name},{gate.address}"))
        streams = [await gate.stream(0), await gate.stream(1)]
        gate.servers = [gate.address]
        await streams[told].send(cluster=gate.cluster())
        await until(lambda: len(gate.open_streams) == 1)
        assert await value_of(gate.open_streams[0]) == "42"

    async def test_a_stream_opened_under_an_alias_continues_under_the_gates_own_name(
        self, gate, settings_for, host, until
    ):
        gate.servers = [gate.address]
        alias = gate.address.replace("127.0.0.1", "localhost")
        host(double, settings_for(gate, MLP_GRPC_HOSTS=alias))
        stream = await gate.stream()
        await stream.send(cluster=gate.cluster())
        assert await value_of(stream) == "42"
        answer = await stream.call(status=gate_pb2.StatusRequestProto())
        assert list(answer.status.connectedGates) == [gate.address]
        assert not stream.stopped
        assert len(gate.streams) == 1

    async def test_the_initial_addresses_are_retried_when_the_cluster_is_lost(self, make_gate, settings_for, until):
        first, gone = await make_gate(), await make_gate()
        first.servers = [gone.address]
        settings = settings_for(first)
        await gone.stop()
        engine = Engine(Service.of(double), concurrency=1)
        probes = Probes(startup=settings.startup_probe_file, liveness=settings.liveness_probe_file)
        hello = start_serving(settings, engine)
        stop = asyncio.Event()
        link = Link(settings, engine, probes, hello, Backoff(first=0.02, limit=0.1), fallback_after=0.2)
        running = asyncio.create_task(Pool(link).run(stop))
        await until(lambda: len(first.streams) >= 2)
        stop.set()
        await running

    async def test_status_names_the_connected_gates(self, make_gate, settings_for, host, until):
        one, two = await make_gate(), await make_gate()
        host(double, settings_for(one, two))
        stream = await one.stream()
        other = await two.stream()
        await until(lambda: stream.beats and other.beats)
        answer = await stream.call(status=gate_pb2.StatusRequestProto())
        assert set(answer.status.connectedGates) == {one.address, two.address}
        assert answer.status.connectedToAllGates


class TestStop:
    async def test_every_gate_gets_stop_serving_and_the_streams_end(self, make_gate, settings_for, host, until):
        one, two = await make_gate(), await make_gate()
        running = host(double, settings_for(one, two))
        streams = [await one.stream(), await two.stream()]
        assert await running.stop() == 0
        for stream in streams:
            await until(stream.closed.is_set)
            assert stream.stopped

    async def test_an_unreachable_gate_does_not_delay_the_stop(self, gate, settings_for, host):
        # An address of a documentation network: packets to it are dropped or refused, never answered.
        running = host(
            double, settings_for(gate, MLP_GRPC_HOSTS="192.0.2.1:443", MLP_GRPC_CONNECT_TIMEOUT_MS="3600000")
        )
        await asyncio.sleep(0)
        async with asyncio.timeout(60):
            await running.stop()


SERVICE = """
import os
import pathlib
import time
import mlplace

def predict(data: float) -> str:
    pathlib.Path(os.environ["CALLED_FILE"]).touch()
    time.sleep(data)
    return "done"

if __name__ == "__main__":
    mlplace.serve(predict)
"""
OWN_MAIN = ("service.py",)
COMMAND_LINE = ("-m", "mlplace", "serve", "service:predict")


@pytest.fixture
def start_process(tmp_path: Path):
    processes: list[subprocess.Popen] = []

    def start(gate, command=OWN_MAIN, **more: str) -> subprocess.Popen:
        (tmp_path / "service.py").write_text(SERVICE)
        environment = {
            **os.environ,
            "MLP_GRPC_HOST": gate.address,
            "MLP_GRPC_SECURE": "false",
            "MLP_SERVICE_TOKEN": "1.2.secret",
            "CALLED_FILE": str(tmp_path / "called"),
            "MLP_STARTUP_PROBE_FILE": str(tmp_path / "startup"),
            "MLP_LIVENESS_PROBE_FILE": str(tmp_path / "liveness"),
            **more,
        }
        processes.append(subprocess.Popen([sys.executable, *command], env=environment, cwd=tmp_path))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


def seconds(value: float) -> dict[str, gate_pb2.PredictRequestProto]:
    return {"predict": gate_pb2.PredictRequestProto(data=gate_pb2.PayloadProto(json=str(value)))}


class TestProcess:
    @pytest.mark.parametrize(
        ("number", "command"), [(signal.SIGTERM, OWN_MAIN), (signal.SIGINT, OWN_MAIN), (signal.SIGTERM, COMMAND_LINE)]
    )
    async def test_after_a_signal_the_running_call_finishes_and_the_process_ends(
        self, gate, start_process, until, tmp_path, number, command
    ):
        process = start_process(gate, command)
        stream = await gate.stream()
        request_id = await stream.ask(**seconds(0.7))
        await until((tmp_path / "called").exists)
        process.send_signal(number)
        await until(lambda: stream.stopped)
        assert (await stream.answer(request_id)).predict.data.json == '"done"'
        assert await asyncio.to_thread(process.wait, 10) == 0

    async def test_a_call_that_never_ends_does_not_keep_the_process_running(self, gate, start_process, until, tmp_path):
        process = start_process(gate, MLP_GRACEFUL_SHUTDOWN_CONNECTOR_MS="200")
        stream = await gate.stream()
        await stream.ask(**seconds(600))
        await until((tmp_path / "called").exists)
        process.terminate()
        assert await asyncio.to_thread(process.wait, 10) == 0

    async def test_a_process_without_a_reachable_gate_stops(self, gate, start_process, until, tmp_path):
        await gate.stop()
        process = start_process(gate)
        await until((tmp_path / "liveness").exists)
        process.terminate()
        assert await asyncio.to_thread(process.wait, 10) == 0


def certificate(name: str, issuer: tuple | None = None) -> tuple:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[0].subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
    )
    return builder.sign(issuer[1] if issuer else key, hashes.SHA256()), key


def pem(cert) -> bytes:
    return cert.public_bytes(serialization.Encoding.PEM)


class TestTls:
    async def test_a_gate_with_a_private_ca_is_trusted_by_the_ca_file(
        self, make_gate, settings_for, host, tmp_path, until, caplog
    ):
        authority = certificate("private authority")
        leaf, key = certificate("localhost", authority)
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        gate = await make_gate(credentials=grpc.ssl_server_credentials([(private, pem(leaf))]))
        trusted, other = tmp_path / "ca.pem", tmp_path / "other.pem"
        trusted.write_bytes(pem(authority[0]))
        other.write_bytes(pem(certificate("another authority")[0]))

        running = host(double, settings_for(gate, MLP_GRPC_SECURE="true", GRPC_SSL_CA_FILE_PATH=str(other)))
        await until(lambda: "UNAVAILABLE" in caplog.text)
        await running.stop()
        assert gate.health_checks == 0

        host(double, settings_for(gate, MLP_GRPC_SECURE="true", GRPC_SSL_CA_FILE_PATH=str(trusted)))
        assert await value_of(await gate.stream()) == "42"
