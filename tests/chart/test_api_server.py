"""What the API server of the current kubeconfig says about the chart's objects. It creates nothing but a namespace."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.chart.conftest import CHART, EXTERNAL, NAMESPACE, Render, Rendered, merged, without_notices

_OF_OPERATORS = ("monitoring.coreos.com/", "gateway.networking.k8s.io/")
"""Groups of objects that a cluster knows only where their operators are installed."""
_EVALUATION: Mapping[str, Any] = {"evaluation": True}
_INGRESS: Mapping[str, Any] = {
    "gatewayApi": {"enabled": True, "parentRefs": [{"name": "public"}]},
    "edge": {"trustedProxies": ["10.0.0.0/8"]},
    "mlpgateway": {
        "outside": {"mode": "ingress", "ingress": {"host": "gate-{index}.example.org", "tlsSecret": "gate-{index}"}},
        "trustedProxies": ["10.0.0.0/8"],
    },
}


_OBJECTS = {"MLP_S3_ACCESS_KEY": "a", "MLP_S3_SECRET_KEY": "b"}


def _urls(password: str) -> dict[str, str]:
    return {
        f"MLP_{role.upper()}_DATABASE_URL": f"postgresql+asyncpg://{role}{password}@db/{service}"
        for service in ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling")
        for role in (service, f"{service}_owner")
    }


class ApiServer:
    def dry_run(self, rendered: Rendered) -> str:
        """Returns its warnings. Raises CalledProcessError if it refuses an object or knows no such field."""
        known = [each for each in rendered.objects if not each["apiVersion"].startswith(_OF_OPERATORS)]
        options = ("apply", "--dry-run=server", "--validate=strict", "--namespace", NAMESPACE, "--filename", "-")
        answer = self.kubectl(*options, text=yaml.dump_all(known))
        assert len(answer.stdout.splitlines()) == len(known)
        return answer.stderr

    def install(self, values: Mapping[str, Any], file: Path, *options: str) -> str:
        """Returns what Helm refuses these values with; empty if it accepts them."""
        file.write_text(json.dumps(values))
        command = ["helm", "install", "mlplace", str(CHART), "--namespace", NAMESPACE, "--values", str(file), *options]
        answer = subprocess.run([*command, "--dry-run=server"], capture_output=True, check=False, text=True)
        return without_notices(answer.stderr) if answer.returncode else ""

    def notes(self, values: Mapping[str, Any], file: Path) -> str:
        """What Helm prints after an installation."""
        file.write_text(json.dumps(values))
        command = ["helm", "install", "mlplace", str(CHART), "--namespace", NAMESPACE, "--values", str(file)]
        answer = subprocess.run([*command, "--dry-run=server"], capture_output=True, check=True, text=True)
        return answer.stdout.partition("\nNOTES:\n")[2]

    def kubectl(self, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["kubectl", *arguments], input=text, capture_output=True, check=True, text=True)


@contextmanager
def _secret(server: ApiServer, name: str, values: Mapping[str, str]) -> Iterator[None]:
    literals = [f"--from-literal={key}={value}" for key, value in values.items()]
    server.kubectl("create", "secret", "generic", name, "--namespace", NAMESPACE, *literals)
    try:
        yield
    finally:
        server.kubectl("delete", "secret", name, "--namespace", NAMESPACE)


@pytest.fixture(scope="module")
def api_server() -> Iterator[ApiServer]:
    if shutil.which("kubectl") is None:
        pytest.skip("no kubectl on PATH")
    server = ApiServer()
    try:
        server.kubectl("get", "--raw", "/readyz", "--request-timeout=5s")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no API server answers: {error.stderr}")
    server.kubectl("create", "namespace", NAMESPACE)
    server.kubectl("label", "namespace", NAMESPACE, "pod-security.kubernetes.io/warn=restricted")
    yield server
    server.kubectl("delete", "namespace", NAMESPACE)


class TestObjects:
    @pytest.mark.parametrize("name", ["external", "evaluation"])
    def test_are_valid_and_satisfy_the_standard_restricted(
        self, api_server: ApiServer, name: str, request: pytest.FixtureRequest
    ) -> None:
        assert api_server.dry_run(request.getfixturevalue(name)) == ""

    def test_optional_ones_are_valid_and_only_agents_need_more_rights(
        self, api_server: ApiServer, everything: Rendered
    ) -> None:
        (warning,) = api_server.dry_run(everything).splitlines()
        assert 'volumes "state", "docker" use restricted volume type "hostPath"' in warning
        assert 'container "agent"' not in warning

    def test_those_of_gates_behind_an_ingress_are_valid(self, api_server: ApiServer, render: Render) -> None:
        assert api_server.dry_run(render(_INGRESS)) == ""

    def test_a_field_that_the_api_lacks_would_be_refused(self, api_server: ApiServer, external: Rendered) -> None:
        (edge,) = [each for each in external.of_kind("Deployment") if each["metadata"]["name"] == "mlplace-edge"]
        with pytest.raises(subprocess.CalledProcessError) as refused:
            api_server.dry_run(Rendered((merged(edge, {"spec": {"replicaz": 2}}),)))
        assert 'unknown field "spec.replicaz"' in refused.value.stderr


class TestMissingSecrets:
    @pytest.mark.parametrize(
        ("base", "path", "values"),
        [
            (EXTERNAL, "stores.postgresql.existingSecret", {}),
            (_EVALUATION, "keys.existingSecret", {"keys": {"existingSecret": "absent"}}),
            (_EVALUATION, "license.existingSecret", {"license": {"existingSecret": "absent"}}),
            (_EVALUATION, "mail.existingSecret", {"mail": {"existingSecret": "absent"}}),
            (_EVALUATION, "image.pullSecrets[0]", {"image": {"pullSecrets": ["absent"]}}),
            (_EVALUATION, "mlpgateway.tls.existingSecret", {"mlpgateway": {"tls": {"existingSecret": "absent"}}}),
            (
                _EVALUATION,
                "agent.tokens.existingSecret",
                {"agent": {"enabled": True, "tokens": {"existingSecret": "absent"}}},
            ),
        ],
    )
    def test_are_refused_with_one_sentence_before_anything_is_created(
        self, api_server: ApiServer, base: Mapping[str, Any], path: str, values: Mapping[str, Any], tmp_path: Path
    ) -> None:
        refused = api_server.install(merged(base, values), tmp_path / "values.json")
        assert f"that {path} names does not exist in the namespace {NAMESPACE}: create it first." in refused
        assert len(refused.strip().splitlines()) == 1
        assert api_server.kubectl("get", "secret,job", "--namespace", NAMESPACE, "--output", "name").stdout == ""

    def test_without_a_key_or_with_a_wrong_url_are_refused_too(self, api_server: ApiServer, tmp_path: Path) -> None:
        """First the URLs of the services, then those of the administrators."""
        urls = _urls(":word")
        without = {name: url for name, url in urls.items() if name != "MLP_MLPCORE_OWNER_DATABASE_URL"}
        wrong = {**urls, "MLP_MLPCORE_DATABASE_URL": "postgresql://mlpcore:word@db/mlpcore"}  # pragma: allowlist secret
        own = merged(EXTERNAL, {"stores": {"postgresql": {"createDatabases": False}}})
        file = tmp_path / "values.json"
        with _secret(api_server, "redis", {"MLP_REDIS_URL": "redis://redis"}), _secret(api_server, "objects", _OBJECTS):
            with _secret(api_server, "databases", without):
                lacks = api_server.install(EXTERNAL, file)
            with _secret(api_server, "databases", wrong):
                misspelt = api_server.install(EXTERNAL, file)
            with _secret(api_server, "databases", {**urls, "MLP_ADMIN_DATABASE_URL": urls["MLP_MLPCORE_DATABASE_URL"]}):
                misadministered = api_server.install(EXTERNAL, file)
            with _secret(api_server, "databases", urls):
                unadministered, accepted = api_server.install(EXTERNAL, file), api_server.install(own, file)
        assert "names has no key MLP_MLPCORE_OWNER_DATABASE_URL: add it first." in lacks
        assert "MLP_MLPCORE_DATABASE_URL in the Secret databases does not begin with postgresql+asyncpg://" in misspelt
        assert "has neither MLP_ADMIN_DATABASE_URL nor MLP_ACCOUNTSADMIN_ADMIN_DATABASE_URL: add" in unadministered
        assert "MLP_ADMIN_DATABASE_URL in the Secret databases does not begin with postgresql://" in misadministered
        for refused in (lacks, misspelt, unadministered, misadministered):
            assert len(refused.strip().splitlines()) == 1
            assert "word" not in refused
        assert accepted == ""

    def test_others_are_accepted(self, api_server: ApiServer, tmp_path: Path) -> None:
        assert api_server.install(_EVALUATION, tmp_path / "values.json") == ""

    def test_urls_without_passwords_are_accepted(self, api_server: ApiServer, tmp_path: Path) -> None:
        """The server may trust the address, or ask for a certificate."""
        urls = _urls("")
        own = merged(
            EXTERNAL,
            {
                "stores": {"postgresql": {"createDatabases": False}, "redis": {"existingSecret": ""}},
                "mlpgateway": {"replicas": 1},
            },
        )
        with _secret(api_server, "objects", _OBJECTS), _secret(api_server, "databases", urls):
            assert api_server.install(own, tmp_path / "values.json") == ""


class TestNotes:
    @pytest.mark.parametrize("values", [{}, {"demo": {"enabled": False}}])
    def test_they_name_workloads_that_exist(
        self, api_server: ApiServer, render: Render, values: Mapping[str, Any], tmp_path: Path
    ) -> None:
        whole = merged(_EVALUATION, values)
        notes = api_server.notes(whole, tmp_path / "values.json")
        named = re.findall(r"(statefulset/|exec )(mlplace-[a-z]+)", notes)
        assert named
        existing = {each["metadata"]["name"] for each in render(whole, base={}).of_kind("StatefulSet")}
        assert {name for _, name in named} <= existing


class TestAdministratorOfTheNamespace:
    def test_needs_no_rights_outside_it(self, api_server: ApiServer, tmp_path: Path) -> None:
        api_server.kubectl("create", "serviceaccount", "operator", "--namespace", NAMESPACE)
        account = f"system:serviceaccount:{NAMESPACE}:operator"
        binding = ("rolebinding", "operator", "--namespace", NAMESPACE)
        api_server.kubectl("create", *binding, "--clusterrole=admin", f"--serviceaccount={NAMESPACE}:operator")
        try:
            refused = api_server.install(EXTERNAL, tmp_path / "values.json", "--kube-as-user", account)
            accepted = api_server.install(_EVALUATION, tmp_path / "values.json", "--kube-as-user", account)
        finally:
            api_server.kubectl("delete", *binding)
            api_server.kubectl("delete", "serviceaccount", "operator", "--namespace", NAMESPACE)
        assert "that stores.postgresql.existingSecret names does not exist" in refused
        assert accepted == ""


class TestVolumes:
    @pytest.mark.parametrize("changed", [{"size": "4Gi"}, {"storageClass": "other"}])
    def test_a_change_that_kubernetes_refuses_is_refused_before_the_migration(
        self, api_server: ApiServer, evaluation: Rendered, changed: Mapping[str, str], tmp_path: Path
    ) -> None:
        gates = evaluation.one("StatefulSet", "mlpgateway")
        stopped = merged(gates, {"spec": {"replicas": 0}})
        api_server.kubectl("create", "--namespace", NAMESPACE, "--filename", "-", text=json.dumps(stopped))
        try:
            refused = api_server.install(
                merged(_EVALUATION, {"mlpgateway": {"usage": changed}}), tmp_path / "values.json"
            )
        finally:
            api_server.kubectl("delete", "statefulset", "mlplace-mlpgateway", "--namespace", NAMESPACE)
        (name,) = changed
        assert f"mlpgateway.usage.{name} is " in refused
        assert "which Kubernetes does not change" in refused
        assert len(refused.strip().splitlines()) == 1

    @pytest.mark.parametrize(
        ("changed", "path"),
        [
            ({"evaluationStores": {"redis": {"size": "4Gi"}}}, "evaluationStores.redis.size"),
            ({"evaluationStores": {"storageClass": "other"}}, "evaluationStores.storageClass"),
        ],
    )
    def test_so_is_one_of_the_stores_of_an_evaluation(
        self, api_server: ApiServer, evaluation: Rendered, changed: Mapping[str, Any], path: str, tmp_path: Path
    ) -> None:
        stopped = merged(evaluation.one("StatefulSet", "redis"), {"spec": {"replicas": 0}})
        api_server.kubectl("create", "--namespace", NAMESPACE, "--filename", "-", text=json.dumps(stopped))
        try:
            refused = api_server.install(merged(_EVALUATION, changed), tmp_path / "values.json")
        finally:
            api_server.kubectl("delete", "statefulset", "mlplace-redis", "--namespace", NAMESPACE)
        assert f"{path} is " in refused
        assert "which Kubernetes does not change" in refused
