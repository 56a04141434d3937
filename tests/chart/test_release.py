"""What happens around the services: secrets, migrations, stores, monitoring, networks."""

import json
from pathlib import Path

import yaml

from tests.chart.conftest import Render, Rendered

ROOT = Path(__file__).parents[2]
STORES = {"postgresql", "kafka", "redis", "s3"}
SERVICES = ("ACCOUNTSADMIN", "MLPCORE", "MLPGATEWAY", "MLPBILLING")


def plan(rendered: Rendered) -> dict[str, dict[str, str]]:
    return json.loads(rendered.environment("make-secrets")["PLAN"])


class TestSecrets:
    def test_a_hook_makes_the_keys_before_all_else_and_keeps_them(self, external: Rendered) -> None:
        assert plan(external) == {
            "mlplace-keys": dict.fromkeys(
                ("MLP_INTERNAL_TOKEN", "MLP_HASH_SECRET", "MLP_ENVELOPE_KEY", "MLP_METRICS_TOKEN"), "{random}"
            )
        }
        job = external.one("Job", "make-secrets")["metadata"]["annotations"]
        assert job["helm.sh/hook"] == "pre-install,pre-upgrade"
        assert int(job["helm.sh/hook-weight"]) < 0
        assert external.of_kind("Secret") == []

    def test_it_may_read_only_the_secrets_that_it_makes(self, evaluation: Rendered) -> None:
        rules = evaluation.one("Role", "make-secrets")["rules"]
        assert rules == [
            {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
            {
                "apiGroups": [""],
                "resources": ["secrets"],
                "resourceNames": ["mlplace-keys", "mlplace-stores"],
                "verbs": ["get", "patch"],
            },
        ]

    def test_there_is_no_hook_for_keys_of_ones_own(self, render: Render) -> None:
        rendered = render({"keys": {"existingSecret": "mine"}})
        assert [job["metadata"]["name"] for job in rendered.of_kind("Job")] == ["mlplace-prepare"]
        assert rendered.of_kind("Role") == []
        assert rendered.environment("mlpcore")["MLP_ENVELOPE_KEY"]["secretKeyRef"]["name"] == "mine"


class TestMigrations:
    def test_they_run_before_an_installation_and_before_an_upgrade(self, external: Rendered) -> None:
        assert external.one("Job", "prepare")["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"

    def test_helm_prints_why_a_hook_failed(self, external: Rendered) -> None:
        for name in ("prepare", "make-secrets"):
            annotations = external.one("Job", name)["metadata"]["annotations"]
            assert annotations["helm.sh/hook-output-log-policy"] == "hook-failed"
            assert "hook-failed" not in annotations["helm.sh/hook-delete-policy"]

    def test_an_evaluation_runs_them_beside_its_new_databases(self, render: Render, evaluation: Rendered) -> None:
        assert "annotations" not in evaluation.one("Job", "prepare")["metadata"]
        assert dict(evaluation.pods())["mlpcore"]["initContainers"][0]["name"] == "wait-for-schema"
        upgraded = render({"evaluation": True}, base={}, upgrade=True).one("Job", "prepare")
        assert upgraded["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"

    def test_databases_of_ones_own_need_no_administrator(self, render: Render, external: Rendered) -> None:
        own = render({"stores": {"postgresql": {"createDatabases": False}}})
        assert [name for name in own.environment("prepare") if name.endswith("_ADMIN_DATABASE_URL")] == []
        assert len([name for name in own.environment("prepare") if name.endswith("OWNER_DATABASE_URL")]) == 4

    def test_one_server_has_one_administrator_and_four_may_have_four(self, external: Rendered) -> None:
        environment = external.environment("prepare")
        names = ["MLP_ADMIN_DATABASE_URL", *(f"MLP_{service}_ADMIN_DATABASE_URL" for service in SERVICES)]
        for name in names:
            assert environment[name]["secretKeyRef"] == {"name": "databases", "key": name, "optional": True}


class TestEvaluation:
    def test_it_brings_small_stores_and_the_demo(self, evaluation: Rendered, external: Rendered) -> None:
        names = {each["metadata"]["name"].removeprefix("mlplace-") for each in evaluation.of_kind("StatefulSet")}
        assert names == STORES | {"mlpgateway", "demo"}
        assert {each["metadata"]["name"] for each in external.of_kind("StatefulSet")} == {"mlplace-mlpgateway"}

    def test_all_addresses_and_passwords_come_from_its_secret(self, evaluation: Rendered) -> None:
        made = plan(evaluation)["mlplace-stores"]
        for workload, pod in evaluation.pods():
            for container in [*pod.get("initContainers", []), *pod["containers"]]:
                for variable in container.get("env", []):
                    source = variable.get("valueFrom", {}).get("secretKeyRef", {})
                    if source.get("name") == "mlplace-stores":
                        assert source["key"] in made, workload


class TestMonitoring:
    def test_rules_are_those_for_plain_prometheus(self, everything: Rendered) -> None:
        plain = yaml.safe_load((ROOT / "observability" / "alerts.yml").read_text())
        assert everything.one("PrometheusRule", "")["spec"] == plain

    def test_the_job_of_a_metric_is_the_service(self, everything: Rendered) -> None:
        monitor = everything.one("ServiceMonitor", "")["spec"]
        assert monitor["jobLabel"] == "mlplace.io/service"
        labels = [each["metadata"]["labels"].get("mlplace.io/service") for each in everything.of_kind("Service")]
        assert sorted(filter(None, labels)) == ["accountsadmin", "mlpbilling", "mlpcore", "mlpgateway"]

    def test_detailed_series_have_jobs_of_their_own_and_are_read_with_the_token(self, everything: Rendered) -> None:
        monitor = everything.one("ServiceMonitor", "detailed")["spec"]
        (endpoint,) = monitor["endpoints"]
        assert endpoint["path"] == "/metrics/detailed"
        assert endpoint["authorization"]["credentials"] == {"name": "mlplace-keys", "key": "MLP_METRICS_TOKEN"}
        assert endpoint["relabelings"][0]["replacement"] == "$1-detailed"
        variable = everything.environment("mlpcore")["MLP_METRICS_TOKEN"]["secretKeyRef"]
        assert variable == {"name": "mlplace-keys", "key": "MLP_METRICS_TOKEN", "optional": True}
        assert "MLP_METRICS_TOKEN" in everything.environment("mlpgateway")
        assert "MLP_METRICS_TOKEN" not in everything.environment("mlpbilling")

    def test_detailed_series_can_be_left_out(self, render: Render) -> None:
        some = {"networkPolicy": {"metricsFrom": [{"podSelector": {}}]}}
        rendered = render({**some, "monitoring": {"serviceMonitor": {"enabled": True, "detailed": {"enabled": False}}}})
        assert len(rendered.of_kind("ServiceMonitor")) == 1

    def test_dashboards_are_the_files_of_observability(self, everything: Rendered) -> None:
        expected = {path.name for path in (ROOT / "observability" / "dashboards").glob("*.json")}
        assert expected
        assert everything.one("ConfigMap", "dashboards")["data"].keys() == expected


class TestEvaluationVolumes:
    def test_a_storage_class_holds_for_the_stores_and_the_demo(self, render: Render, evaluation: Rendered) -> None:
        named = render({"evaluation": True, "evaluationStores": {"storageClass": "fast"}}, base={})
        for name in (*STORES, "demo"):
            (claim,) = named.one("StatefulSet", name)["spec"]["volumeClaimTemplates"]
            assert claim["spec"]["storageClassName"] == "fast", name
            (claim,) = evaluation.one("StatefulSet", name)["spec"]["volumeClaimTemplates"]
            assert "storageClassName" not in claim["spec"], name


class TestNetworks:
    def test_nothing_reaches_a_pod_unless_a_policy_allows_it(self, evaluation: Rendered) -> None:
        deny = evaluation.one("NetworkPolicy", "default-deny")["spec"]
        assert deny["policyTypes"] == ["Ingress"]
        assert "ingress" not in deny

    def test_stores_open_no_connection(self, evaluation: Rendered) -> None:
        assert evaluation.one("NetworkPolicy", "stores")["spec"]["egress"] == []

    def test_models_of_the_demo_reach_no_store(self, evaluation: Rendered) -> None:
        (rule,) = evaluation.one("NetworkPolicy", "stores")["spec"]["ingress"]
        (callers,) = rule["from"][0]["podSelector"]["matchExpressions"]
        assert "demo" not in callers["values"]

    def test_limits_of_callers_and_instances_hold_at_each_entrance_and_leave_out_no_agent(self, render: Render) -> None:
        office, cluster = {"ipBlock": {"cidr": "192.0.2.0/24"}}, {"ipBlock": {"cidr": "10.0.0.0/8"}}
        outside = {"outside": {"mode": "loadBalancer", "loadBalancer": {"host": "gates.example.org"}}}
        values = {"networkPolicy": {"edgeFrom": [office], "instancesFrom": [cluster]}, "mlpgateway": outside}
        limited, open_to_all = render(values), render({"mlpgateway": outside})
        for name, allowed in (("edge", office), ("gates", cluster), ("gate-ports", cluster)):
            (rule,) = limited.one("NetworkPolicy", name)["spec"]["ingress"]
            own, *others = rule["from"]
            assert own["podSelector"]["matchLabels"]["app.kubernetes.io/instance"] == "mlplace"
            assert others == [allowed]
            (rule,) = open_to_all.one("NetworkPolicy", name)["spec"]["ingress"]
            assert "from" not in rule

    def test_only_the_platform_and_prometheus_reach_internal_routes(self, render: Render) -> None:
        prometheus = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}
        rendered = render({"networkPolicy": {"metricsFrom": [prometheus]}})
        (rule,) = rendered.one("NetworkPolicy", "services")["spec"]["ingress"]
        assert rule["ports"] == [{"port": "http"}]
        assert rule["from"][1:] == [prometheus]


class TestAgent:
    def test_each_node_enrols_with_its_own_token(self, everything: Rendered) -> None:
        pod = dict(everything.pods())["agent"]
        (tokens,) = [volume for volume in pod["volumes"] if volume["name"] == "tokens"]
        assert tokens["secret"]["secretName"] == "agent-tokens"
        configuration = json.loads(everything.one("ConfigMap", "agent")["data"]["agent.json"])
        assert configuration["platform_url"] == "http://mlplace-edge.ml.svc.cluster.local:80"
        assert configuration["docker"]["enabled"] is True
