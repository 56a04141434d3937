"""What every pod of the chart has in common."""

from typing import Any

import pytest
import versions

from mlpcore.settings import MlpcoreSettings
from mlpcore.transfers import Transfers
from tests.chart.conftest import Render, Rendered

SERVICES = ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling")


@pytest.fixture(params=["external", "evaluation", "everything"])
def rendered(request: pytest.FixtureRequest) -> Rendered:
    return request.getfixturevalue(request.param)


def containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    return [*pod.get("initContainers", []), *pod["containers"]]


class TestSecurity:
    def test_pods_run_as_the_standard_restricted_demands(self, rendered: Rendered) -> None:
        for name, pod in rendered.pods():
            assert pod["securityContext"]["runAsNonRoot"] is True, name
            assert pod["securityContext"]["runAsUser"] > 0, name
            assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
            assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys(), name
            for container in containers(pod):
                context = container["securityContext"]
                assert context["allowPrivilegeEscalation"] is False, name
                assert context["readOnlyRootFilesystem"] is (name != "kafka"), name
                if container["name"] != "own-state":
                    assert context["capabilities"] == {"drop": ["ALL"]}, name
                    assert "runAsUser" not in context, name

    def test_only_a_step_of_the_agent_runs_as_root_to_own_its_folder_on_the_node(self, everything: Rendered) -> None:
        (step,) = dict(everything.pods())["agent"]["initContainers"]
        assert step["command"] == ["chown", "10001:10001", "/var/lib/mlplace-agent"]
        assert step["securityContext"]["runAsUser"] == 0
        assert step["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["CHOWN"]}
        assert step["volumeMounts"] == [{"name": "state", "mountPath": "/var/lib/mlplace-agent"}]

    def test_only_the_job_that_makes_secrets_gets_a_token_of_the_api_server(self, rendered: Rendered) -> None:
        with_token = {name for name, pod in rendered.pods() if pod.get("automountServiceAccountToken") is not False}
        assert with_token == {"make-secrets"}

    def test_only_agents_use_folders_of_the_node(self, rendered: Rendered) -> None:
        users = {name for name, pod in rendered.pods() for volume in pod.get("volumes", []) if "hostPath" in volume}
        assert users <= {"agent"}

    def test_no_secret_is_a_value(self, rendered: Rendered) -> None:
        for name, pod in rendered.pods():
            for container in containers(pod):
                for variable in container.get("env", []):
                    if variable["name"].endswith(
                        ("_PASSWORD", "_SECRET", "_TOKEN", "_KEY", "DATABASE_URL", "REDIS_URL")
                    ):
                        shown = variable.get("value", "/")
                        assert shown.startswith("/"), f"{name}: {variable['name']}"


class TestResources:
    def test_every_container_requests_processor_time_and_memory_and_limits_memory(self, rendered: Rendered) -> None:
        for name, pod in rendered.pods():
            for container in containers(pod):
                resources = container["resources"]
                assert resources["requests"].keys() == {"cpu", "memory"}, name
                assert resources["limits"]["memory"], name


class TestImages:
    def test_tag_is_the_version_of_the_chart(self, external: Rendered) -> None:
        for _, pod in external.pods():
            assert all(container["image"].endswith(f":{versions.current()}") for container in containers(pod))

    def test_registry_tag_and_pull_secrets_apply_to_all(self, render: Render) -> None:
        rendered = render({"image": {"registry": "registry.example.org", "tag": "1.2", "pullSecrets": ["pull"]}})
        for name, pod in rendered.pods():
            assert pod["imagePullSecrets"] == [{"name": "pull"}], name
            for container in containers(pod):
                assert container["image"].startswith("registry.example.org/mlplace/"), name
                assert container["image"].endswith(":1.2"), name

    def test_a_digest_wins_over_a_tag_in_each_image_of_a_private_registry(self, render: Render) -> None:
        names = (*SERVICES, "edge", "tools", "agent")
        digests = {name: f"sha256:{number:064x}" for number, name in enumerate(names)}
        values: dict[str, dict[str, object]] = {name: {"image": {"digest": digest}} for name, digest in digests.items()}
        values["agent"] |= {"enabled": True, "tokens": {"existingSecret": "agent-tokens"}}
        outside = {"outside": {"mode": "loadBalancer", "loadBalancer": {"host": "gates.example.org"}}}
        values["mlpgateway"] |= outside
        rendered = render({**values, "image": {"registry": "registry.example.org", "tag": "1.2"}})
        images = {container["image"] for _, pod in rendered.pods() for container in containers(pod)}
        assert images == {f"registry.example.org/mlplace/{name}@{digest}" for name, digest in digests.items()}


class TestServices:
    def test_a_pod_says_when_it_is_live_and_when_ready(self, external: Rendered) -> None:
        for name in (*SERVICES, "edge"):
            (container,) = dict(external.pods())[name]["containers"]
            paths = {
                probe: container[probe]["httpGet"]["path"]
                for probe in ("startupProbe", "livenessProbe", "readinessProbe")
            }
            assert paths == {
                "startupProbe": "/health/live",
                "livenessProbe": "/health/live",
                "readinessProbe": "/health/ready",
            }

    def test_a_gate_has_time_to_drain_before_it_is_killed(self, render: Render) -> None:
        rendered = render({"mlpgateway": {"drainSeconds": 120}, "endpointSeconds": 7})
        pod = dict(rendered.pods())["mlpgateway"]
        environment = rendered.environment("mlpgateway")
        assert environment["MLP_MLPGATEWAY_DRAIN_SECONDS"] == "120"
        waits = sum(int(environment[f"MLP_MLPGATEWAY_{name}_SECONDS"]) for name in ("SETTLE", "CONNECTION", "DRAIN"))
        assert pod["terminationGracePeriodSeconds"] >= 7 + waits + 10
        (container,) = pod["containers"]
        assert container["lifecycle"]["preStop"]["exec"]["command"] == ["sleep", "7"]

    def test_all_services_use_the_same_keys_and_only_their_own_database(self, external: Rendered) -> None:
        for service in SERVICES:
            environment = external.environment(service)
            assert environment["MLP_HASH_SECRET"]["secretKeyRef"]["name"] == "mlplace-keys"
            urls = {name for name in environment if name.endswith("DATABASE_URL")}
            assert urls == {f"MLP_{service.upper()}_DATABASE_URL"}

    def test_temporary_files_of_mlpcore_have_room_for_all_transfers_of_datasets(self, render: Render) -> None:
        def limit(**values: object) -> str:
            pod = dict(render({"mlpcore": values}).pods())["mlpcore"]
            (folder,) = [volume["emptyDir"] for volume in pod["volumes"] if volume["name"] == "tmp"]
            return folder["sizeLimit"]

        needed = 2 * Transfers.of_process * MlpcoreSettings.model_fields["dataset_bytes"].default
        assert limit() == f"{needed // 1024**3}Gi"
        smaller = {"MLP_MLPCORE_DATASET_BYTES": str(256 * 1024**2)}
        assert limit(settings=smaller, temporaryStorage="16Gi") == "16Gi"

    def test_settings_reach_all_services_and_those_of_a_service_only_it(self, render: Render) -> None:
        rendered = render(
            {
                "settings": {"MLP_DEFAULT_MAX_PRICE": 5},
                "mlpbilling": {"settings": {"MLP_MLPBILLING_WELCOME_BONUS": 0}},
            }
        )
        for service in SERVICES:
            environment = rendered.environment(service)
            assert environment["MLP_DEFAULT_MAX_PRICE"] == "5"
            assert ("MLP_MLPBILLING_WELCOME_BONUS" in environment) is (service == "mlpbilling")

    def test_extra_environment_and_volumes_reach_the_container(self, render: Render) -> None:
        own = {
            "extraEnv": [{"name": "A", "value": "b"}],
            "extraVolumes": [{"name": "v", "emptyDir": {}}],
            "extraVolumeMounts": [{"name": "v", "mountPath": "/v"}],
        }
        rendered = render(dict.fromkeys((*SERVICES, "edge"), own))
        for name in (*SERVICES, "edge"):
            pod = dict(rendered.pods())[name]
            (container,) = pod["containers"]
            assert rendered.environment(name)["A"] == "b"
            assert {"name": "v", "mountPath": "/v"} in container["volumeMounts"]
            assert {"name": "v", "emptyDir": {}} in pod["volumes"]

    def test_the_job_that_migrates_gets_them_too(self, render: Render) -> None:
        rendered = render(
            {
                "tools": {
                    "extraEnv": [{"name": "PGSSLROOTCERT", "value": "/authority/ca.crt"}],
                    "extraVolumes": [{"name": "authority", "secret": {"secretName": "authority"}}],
                    "extraVolumeMounts": [{"name": "authority", "mountPath": "/authority"}],
                }
            }
        )
        pod = dict(rendered.pods())["prepare"]
        (container,) = pod["containers"]
        assert rendered.environment("prepare")["PGSSLROOTCERT"] == "/authority/ca.crt"
        assert {"name": "authority", "mountPath": "/authority"} in container["volumeMounts"]
        assert {"name": "authority", "secret": {"secretName": "authority"}} in pod["volumes"]

    def test_what_is_said_of_all_pods_is_true_of_the_jobs_too(self, render: Render) -> None:
        """On a cluster whose nodes all have taints, a hook that tolerates none would wait forever."""
        tolerations = [{"key": "only", "operator": "Exists"}]
        common = {"nodeSelector": {"pool": "mlplace"}, "tolerations": tolerations, "priorityClassName": "high"}
        for name, pod in render(common).pods():
            assert {key: pod.get(key) for key in common} == common, name
        own = render({**common, "tools": {"nodeSelector": {"pool": "jobs"}, "podAnnotations": {"mesh": "off"}}})
        for name in ("prepare", "make-secrets"):
            assert dict(own.pods())[name]["nodeSelector"] == {"pool": "jobs"}
            assert own.one("Job", name)["spec"]["template"]["metadata"]["annotations"] == {"mesh": "off"}

    def test_labels_of_ones_own_reach_objects_and_pods_and_leave_selectors_alone(self, render: Render) -> None:
        rendered = render({"commonLabels": {"team": "ml", "cost": "1"}, "mlpcore": {"podLabels": {"team": "core"}}})
        for each in rendered.objects:
            assert each["metadata"]["labels"]["cost"] == "1", each["metadata"]["name"]
        core = rendered.one("Deployment", "mlpcore")
        assert core["metadata"]["labels"]["team"] == "ml"
        assert core["spec"]["template"]["metadata"]["labels"]["team"] == "core"
        assert core["spec"]["selector"]["matchLabels"].keys() == {
            f"app.kubernetes.io/{part}" for part in ("name", "instance", "component")
        }

    @pytest.mark.parametrize("name", [*SERVICES, "edge", "gate-ports"])
    def test_replicas_are_spread_and_one_at_most_is_drained_at_once(self, everything: Rendered, name: str) -> None:
        keys = [each["topologyKey"] for each in dict(everything.pods())[name]["topologySpreadConstraints"]]
        assert keys == ["topology.kubernetes.io/zone", "kubernetes.io/hostname"]
        assert everything.one("PodDisruptionBudget", name)["spec"]["maxUnavailable"] == 1

    def test_mail_and_licence_come_from_secrets(self, everything: Rendered) -> None:
        environment = everything.environment("mlpcore")
        assert environment["MLP_SMTP_HOST"] == "smtp.example.org"
        assert environment["MLP_SMTP_PASSWORD"]["secretKeyRef"]["name"] == "mail"
        assert environment["MLP_MLPCORE_LICENSE_FILE"] == "/etc/mlplace/license/license"
        assert environment["MLP_KAFKA_SASL_MECHANISM"] == "SCRAM-SHA-512"
        assert environment["MLP_KAFKA_TLS_CERTIFICATE"] == "/etc/mlplace/kafka/tls.crt"
