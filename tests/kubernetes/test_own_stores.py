"""The chart as installed for people: with stores of one's own, named in Secrets, and gates with TLS.

The stores are those of an evaluation in the same namespace: one PostgreSQL server, in which the four databases are new.
"""

import json
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from mlplace_testing.certificates import certificate_for
from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually
from tests.kubernetes.cluster import CHART, OURS, SERVICES, Cluster, CommandError
from tests.kubernetes.streams import counting_model

RELEASE = "own"
NAME = "own-mlplace"
HTTP_PORT, GRPC_PORT, FIRST_GATE_PORT = 31880, 31890, 31900
_ROTATE_KEY = CHART.parent / "rotate-key"
_OURS = f"app.kubernetes.io/instance={RELEASE},app.kubernetes.io/component in ({','.join(OURS)})"
_SECONDS = 180
_PARTS = 4
_PASSWORD = "correct horse battery"  # pragma: allowlist secret


@dataclass(frozen=True, slots=True)
class Installation:
    platform: Platform
    cluster: Cluster
    authority: Path


@pytest.fixture(scope="module")
def installation(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Installs the chart with stores of its own, and removes it."""
    folder = tmp_path_factory.mktemp("own")
    evaluation = cluster.secret("mlplace-stores")
    databases = {
        name: value.rpartition("/")[0] + f"/own_{value.rpartition('/')[2]}"
        for service in SERVICES
        for name in (f"MLP_{service.upper()}_DATABASE_URL", f"MLP_{service.upper()}_OWNER_DATABASE_URL")
        for value in [evaluation[name]]
    }
    cluster.create_secret("own-databases", databases | {"MLP_ADMIN_DATABASE_URL": evaluation["MLP_ADMIN_DATABASE_URL"]})
    cluster.create_secret("own-redis", {"MLP_REDIS_URL": evaluation["MLP_REDIS_URL"].removesuffix("/0") + "/1"})
    cluster.create_secret(
        "own-objects", {name: evaluation[name] for name in ("MLP_S3_ACCESS_KEY", "MLP_S3_SECRET_KEY")}
    )
    certificate = certificate_for(os.environ["MLP_NODE"])
    cluster.create_secret("own-gates", {"tls.crt": certificate.certificate, "tls.key": certificate.key})
    (folder / "ca.crt").write_text(certificate.certificate)
    (folder / "values.json").write_text(json.dumps(_values()))
    installed = ("--values", str(folder / "values.json"), "--namespace", os.environ["MLP_NAMESPACE"])
    cluster.run("helm", "install", RELEASE, str(CHART), *installed, "--wait", "--timeout", "5m")
    yield Installation(Platform(folder, f"http://localhost:{HTTP_PORT}", "", {}), cluster, folder / "ca.crt")
    cluster.run("helm", "uninstall", RELEASE, "--namespace", os.environ["MLP_NAMESPACE"], "--wait", "--timeout", "3m")
    left = cluster.kubectl(
        "get", "secret,pvc", "--selector", f"app.kubernetes.io/instance={RELEASE}", "--output", "name"
    )
    assert sorted(left.split()) == [f"persistentvolumeclaim/usage-{NAME}-mlpgateway-0", f"secret/{NAME}-keys"]
    cluster.kubectl("delete", "job,secret,pvc", "--selector", f"app.kubernetes.io/instance={RELEASE}")
    cluster.kubectl("delete", "secret", "own-databases", "own-redis", "own-objects", "own-gates")


def _values() -> dict[str, object]:
    """Those that an installation must give, one pod of each, and how this machine reaches it."""
    few = {"replicas": 1, "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}}}
    balancer = {
        "mode": "loadBalancer",
        "loadBalancer": {
            "host": os.environ["MLP_NODE"], "firstPort": FIRST_GATE_PORT, "serviceType": "NodePort", "replicas": 1,
            "externalTrafficPolicy": "Cluster",
        },
    }  # fmt: skip
    return {
        "publicUrl": f"http://localhost:{HTTP_PORT}",
        "image": {"tag": os.environ["MLP_VERSION"]},
        "stores": {
            "postgresql": {"existingSecret": "own-databases"},
            "kafka": {
                "brokers": ["mlplace-kafka:9092"], "topicPrefix": "own.", "replicationFactor": 1, "minInsyncReplicas": 1,
            },
            "redis": {"existingSecret": "own-redis"},
            "s3": {"endpoint": "http://mlplace-s3:7070", "bucket": "own", "existingSecret": "own-objects"},
        },
        "mlpgateway": {**few, "outside": balancer, "tls": {"existingSecret": "own-gates"}, "drainSeconds": 10},
        **dict.fromkeys(("accountsadmin", "mlpcore", "mlpbilling"), few),
        "edge": {
            "replicas": 1,
            "service": {
                "type": "NodePort", "httpNodePort": HTTP_PORT, "grpcNodePort": GRPC_PORT, "externalTrafficPolicy": "Cluster",
            },
        },
    }  # fmt: skip


@pytest.fixture
def person(installation: Installation) -> Iterator[httpx.Client]:
    """A new user, whom all services know."""
    name = f"own{uuid.uuid4().hex[:8]}"
    body = {"login": f"{name}@example.org", "password": _PASSWORD, "accountName": name}
    with installation.platform.client() as client:
        eventually(lambda: _registered(client, body), seconds=_SECONDS)
        eventually(lambda: client.get("/api/mlpcore/account").is_success, seconds=_SECONDS)
        balance = f"/api/mlpbilling/account/{installation.platform.account_of(client)}/balance/short"
        eventually(lambda: client.get(balance).is_success, seconds=_SECONDS)
        yield client


def _registered(client: httpx.Client, body: dict[str, str]) -> bool:
    """Pods are ready some moments before the cluster's addresses lead to them."""
    try:
        return client.post("/api/accountsadmin/c/authorization/register", json=body).is_success
    except httpx.TransportError:
        return False


def _answer(client: httpx.Client, path: str) -> httpx.Response | None:
    """Pods are ready some moments before the edge has found them."""
    try:
        answer = client.get(path)
    except httpx.TransportError:
        return None
    return None if answer.status_code >= httpx.codes.BAD_GATEWAY else answer


@pytest.mark.timeout(1800)
class TestOwnStores:
    @pytest.mark.parametrize("service", SERVICES)
    def test_a_service_lacks_nothing(self, installation: Installation, service: str) -> None:
        pod = eventually(
            lambda: installation.cluster.kubectl("get", "pod", "--selector", _selector(service), "--output", "name")
        )
        namespace, name = os.environ["MLP_NAMESPACE"], pod.strip().removeprefix("pod/")
        path = f"/api/v1/namespaces/{namespace}/pods/{name}:8080/proxy/health/ready"
        health = json.loads(installation.cluster.kubectl("get", "--raw", path))
        assert health == {"status": "ok", "missing": {}}

    def test_an_instance_outside_is_called_over_tls_and_each_store_has_its_part(
        self, installation: Installation, person: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GRPC_SSL_CA_FILE_PATH", str(installation.authority))
        cluster, account = installation.cluster, installation.platform.account_of(person)
        key = (
            person.post(f"/api/mlpcore/account/{account}/token", json={"name": "own"})
            .raise_for_status()
            .json()["token"]
        )
        with counting_model(installation.platform, person, tmp_path) as path:
            headers = {"MLP-API-KEY": key}
            answer = person.post(path, json={"data": f'{{"count": {_PARTS}}}'}, headers=headers).raise_for_status()
            assert answer.text.count("number") == _PARTS
        for service in SERVICES:
            owners = cluster.query(
                f"own_{service}", "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'"
            )
            assert owners == [[f"{service}_owner"]]
        eventually(lambda: cluster.query("own_mlpbilling", "SELECT count(*) FROM usage") != [["0"]], seconds=_SECONDS)
        assert cluster.kubectl("exec", "mlplace-s3-0", "--", "ls", "/data/own") == ""
        keys = 'REDISCLI_AUTH="$REDIS_PASSWORD" redis-cli -n 1 dbsize'
        assert int(cluster.kubectl("exec", "mlplace-redis-0", "--", "sh", "-c", keys)) > 0

    def test_values_stay_readable_after_the_envelope_key_is_replaced(
        self, installation: Installation, person: httpx.Client
    ) -> None:
        cluster, path = installation.cluster, f"/api/mlpcore/account/{installation.platform.account_of(person)}/s3"
        credentials = person.get(path).raise_for_status().json()
        sealed = (
            "own_mlpcore",
            f"SELECT encode(secret_sealed, 'hex') FROM bucket_credential WHERE access_key = '{credentials['accessKey']}'",
        )
        before, old = cluster.secret(f"{NAME}-keys"), cluster.query(*sealed)
        cluster.run(str(_ROTATE_KEY), "envelope-key", RELEASE, os.environ["MLP_NAMESPACE"])
        after = cluster.secret(f"{NAME}-keys")
        assert after["MLP_ENVELOPE_KEY"] not in {"", before["MLP_ENVELOPE_KEY"]}
        assert after["MLP_ENVELOPE_KEY_PREVIOUS"] == ""
        assert cluster.query(*sealed) != old
        shown = eventually(lambda: _answer(person, path), seconds=_SECONDS)
        assert shown is not None
        assert shown.raise_for_status().json() == credentials

    def test_a_failed_migration_fails_the_upgrade_and_says_why_while_the_pods_stay(
        self, installation: Installation
    ) -> None:
        cluster = installation.cluster
        before = cluster.kubectl("get", "pods", "--selector", _OURS, "--output", "name")
        ((known,),) = cluster.query("own_mlpcore", "SELECT version_num FROM alembic_version")
        cluster.query("own_mlpcore", "UPDATE alembic_version SET version_num = 'of-a-later-release'")
        upgrade = ("helm", "upgrade", RELEASE, str(CHART), "--namespace", os.environ["MLP_NAMESPACE"], "--reuse-values")
        with pytest.raises(CommandError, match="pre-upgrade hooks failed"):
            cluster.run(*upgrade, "--set", "edge.connectionsPerAddress=900", "--wait", "--timeout", "3m")
        cluster.query("own_mlpcore", f"UPDATE alembic_version SET version_num = '{known}'")
        assert (
            "the data of own_mlpcore was written by a newer version of MLPlace (revision of-a-later-release)"
            in cluster.kubectl("logs", f"job/{NAME}-prepare")
        )
        assert cluster.kubectl("get", "pods", "--selector", _OURS, "--output", "name") == before


def _selector(component: str) -> str:
    return f"app.kubernetes.io/instance={RELEASE},app.kubernetes.io/component={component}"
