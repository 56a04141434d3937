"""Values that the API server would refuse, after the migration, are refused with one sentence before anything is created."""

import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.chart.conftest import CHART, RefusedError, Render

_PROXIES = ["10.0.0.0/8"]
_NODE_PORT = {"type": "NodePort"}


def gates(**changed: object) -> dict[str, Any]:
    return {"mlpgateway": changed}


def balancer(first_port: int, *, service_type: str = "NodePort", replicas: int = 2) -> dict[str, Any]:
    options = {"host": "gates.example.org", "firstPort": first_port, "serviceType": service_type}
    return gates(replicas=replicas, outside={"mode": "loadBalancer", "loadBalancer": options})


def hosts(host: str, secret: str = "gates") -> dict[str, Any]:
    outside = {"mode": "ingress", "ingress": {"host": host, "tlsSecret": secret}}
    return gates(outside=outside, trustedProxies=_PROXIES)


def edge(**service: object) -> dict[str, Any]:
    return {"edge": {"service": service}}


def sentence_of(render: Render, values: dict[str, Any]) -> str:
    with pytest.raises(RefusedError) as refused:
        render(values)
    (line,) = str(refused.value).split("Use --debug")[0].strip().splitlines()
    return line


def named_violation(render: Render, values: dict[str, Any]) -> str:
    with pytest.raises(RefusedError, match="of the schema") as refused:
        render(values)
    (problem,) = [line for line in str(refused.value).splitlines() if line.startswith("- at")]
    return problem


class TestNodePorts:
    @pytest.mark.parametrize(
        ("values", "sentence"),
        [
            (
                balancer(9000),
                "firstPort takes the node ports 9000 to 9001, and those of the cluster are 30000 to 32767",
            ),
            (balancer(32766, replicas=3), "firstPort takes the node ports 32766 to 32768"),
            (edge(**_NODE_PORT, httpNodePort=80), "edge.service.httpNodePort takes the node port 80, and"),
            (
                {"nodePorts": {"first": 20000, "last": 22767}, **balancer(30000)},
                "those of the cluster are 20000 to 22767",
            ),
            (edge(**_NODE_PORT, httpNodePort=30080, grpcNodePort=30080), "both take the node port 30080"),
            (
                {**balancer(30080, replicas=5), **edge(**_NODE_PORT, grpcNodePort=30084)},
                "edge.service.grpcNodePort and mlpgateway.outside.loadBalancer.firstPort both take the node port 30084",
            ),
            ({"nodePorts": {"first": 32768}}, "nodePorts.first is larger than nodePorts.last"),
            (edge(loadBalancerSourceRanges=["10.0.0.0/8"]), "needs edge.service.type LoadBalancer"),
        ],
    )
    def test_those_that_are_out_of_range_or_taken_twice_are_refused(
        self, render: Render, values: dict[str, Any], sentence: str
    ) -> None:
        assert sentence in sentence_of(render, values)

    @pytest.mark.parametrize(
        "values",
        [
            balancer(32766),
            balancer(9000, service_type="LoadBalancer"),
            balancer(9000, service_type="ClusterIP"),
            {"nodePorts": {"first": 9000, "last": 9999}, **balancer(9000)},
            {**balancer(30080, replicas=4), **edge(**_NODE_PORT, grpcNodePort=30084)},
        ],
    )
    def test_others_are_accepted(self, render: Render, values: dict[str, Any]) -> None:
        assert render(values).objects


class TestNames:
    @pytest.mark.parametrize(
        ("values", "sentence"),
        [
            (hosts("gate..{index}.example.org"), "ingress.host makes gate..0.example.org for gate 0"),
            (hosts("10.0.0.{index}"), "ingress.host makes 10.0.0.0 for gate 0"),
            (hosts("{index}-.example.org"), "ingress.host makes 0-.example.org for gate 0"),
            (hosts(f"{'a' * 63}{{index}}.example.org"), "which is not the name of a host"),
            (hosts("gate-{index}.example.org", "-{index}"), "ingress.tlsSecret makes -0 for gate 0"),
            (
                {
                    "whiteLabelHosts": ["192.0.2.1"],
                    "gatewayApi": {"enabled": True, "parentRefs": [{"name": "public"}]},
                    "edge": {"trustedProxies": _PROXIES},
                },
                "whiteLabelHosts has 192.0.2.1, an address instead of a name",
            ),
            ({"whiteLabelHosts": [f"{'a' * 64}.example"]}, "in publicUrl or whiteLabelHosts is not the name of a host"),
        ],
    )
    def test_wrong_ones_are_refused(self, render: Render, values: dict[str, Any], sentence: str) -> None:
        assert sentence in sentence_of(render, values)

    def test_all_of_the_longest_release_are_short_enough(self, helm: str) -> None:
        """Names of Services and values of labels have 63 characters; a StatefulSet's pods get 11 more for a label."""
        release = "r" * 53
        command = [helm, "template", release, str(CHART), "--set", "evaluation=true"]
        answer = subprocess.run(command, capture_output=True, check=True, text=True)
        for each in filter(None, yaml.load_all(answer.stdout, yaml.CSafeLoader)):
            name = each["metadata"]["name"]
            assert len(name) <= (52 if each["kind"] == "StatefulSet" else 63), name
            assert all(len(value) <= 63 for value in labels_of(each)), name


def labels_of(node: Any) -> Iterator[str]:
    """Values of all labels below."""
    if isinstance(node, dict):
        for key, below in node.items():
            if key in {"labels", "matchLabels"} and isinstance(below, dict):
                yield from map(str, below.values())
            else:
                yield from labels_of(below)
    elif isinstance(node, list):
        for each in node:
            yield from labels_of(each)


class TestPods:
    @pytest.mark.parametrize(
        ("values", "sentence"),
        [
            (
                {"mlpcore": {"resources": {"requests": {"memory": "4Gi"}}}},
                "mlpcore.resources requests 4Gi of memory, more than its limit of 2304Mi",
            ),
            (
                {"edge": {"resources": {"requests": {"cpu": 1}, "limits": {"cpu": "900m"}}}},
                "edge.resources requests 1 of",
            ),
            (
                gates(outside={"loadBalancer": {"resources": {"requests": {"memory": "1G"}}}}),
                "mlpgateway.outside.loadBalancer.resources requests 1G of memory",
            ),
            (
                {"mlpcore": {"extraVolumes": [{"name": "license", "emptyDir": {}}]}},
                "mlpcore.extraVolumes has license, the name of another volume",
            ),
            (
                {"edge": {"extraVolumes": [{"name": "a", "emptyDir": {}}, {"name": "a", "emptyDir": {}}]}},
                "edge.extraVolumes has a, the name of another volume",
            ),
            (
                {"tools": {"extraVolumeMounts": [{"name": "authority", "mountPath": "/authority"}]}},
                "names the volume authority, which tools.extraVolumes lacks",
            ),
            (
                {"agent": {"extraVolumeMounts": [{"name": "state", "mountPath": "/tmp"}]}},
                "agent.extraVolumeMounts has the path /tmp, at which another volume is mounted",
            ),
            (
                {"edge": {"extraEnv": [{"name": "A", "value": "a", "valueFrom": {"fieldRef": {"fieldPath": "b"}}}]}},
                "A of edge has value and valueFrom",
            ),
        ],
    )
    def test_contradictions_are_refused(self, render: Render, values: dict[str, Any], sentence: str) -> None:
        assert sentence in sentence_of(render, values)

    def test_requests_below_their_limits_are_accepted(self, render: Render) -> None:
        resources = {"requests": {"cpu": "1500m", "memory": "1024Mi"}, "limits": {"cpu": 2, "memory": "1Gi"}}
        assert render({"edge": {"resources": resources}}).objects


class TestSchema:
    @pytest.mark.parametrize(
        ("values", "words"),
        [
            ({"commonLabels": {"a b": "c"}}, "a b"),
            ({"edge": {"podAnnotations": {"Example.org/a": "b"}}}, "Example.org/a"),
            ({"nodeSelector": {"-a": "b"}}, "-a"),
            ({"tolerations": [{"key": "a", "effect": "NoStart"}]}, "effect"),
            ({"mlpcore": {"tolerations": [{"key": "a", "operator": "In"}]}}, "operator"),
            ({"edge": {"affinity": {"nodeAfinity": {}}}}, "nodeAfinity"),
            ({"edge": {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone"}]}}, "whenUnsatisfiable"),
            ({"priorityClassName": "High"}, "priorityClassName"),
            ({"ingress": {"className": "My class"}}, "className"),
            (gates(usage={"storageClass": "Fast"}), "storageClass"),
            ({"evaluationStores": {"storageClass": "a_b"}}, "storageClass"),
            ({"evaluationStores": {"redis": {"size": "0Gi"}}}, "size"),
            ({"evaluationStores": {"redis": {"image": ""}}}, "image"),
            ({"mlpcore": {"resources": {"limits": {"mem": "1Gi"}}}}, "mem"),
            ({"mlpcore": {"extraEnv": [{"name": "A=B", "value": "c"}]}}, "name"),
            ({"mlpcore": {"extraVolumes": [{"name": "A", "emptyDir": {}}]}}, "name"),
            ({"mlpcore": {"extraVolumeMounts": [{"name": "a", "mountPath": "a"}]}}, "mountPath"),
            (edge(type="LoadBalancer", loadBalancerSourceRanges=["10.0.0.1"]), "loadBalancerSourceRanges"),
            (edge(type="LoadBalancer", loadBalancerSourceRanges=["10.0.0.0/33"]), "loadBalancerSourceRanges"),
            (edge(type="LoadBalancer", loadBalancerSourceRanges=["10.0.0.256/8"]), "loadBalancerSourceRanges"),
            ({"edge": {"trustedProxies": ["fd00::/129"]}}, "trustedProxies"),
            ({"networkPolicy": {"edgeFrom": [{"ipBlock": {"cidr": "192.0.2.1"}}]}}, "cidr"),
            ({"networkPolicy": {"metricsFrom": [{"podSelectr": {}}]}}, "podSelectr"),
            ({"ingress": {"tls": [{"hosts": ["a..example"]}]}}, "hosts"),
            ({"agent": {"statePath": "/var/../lib"}}, "statePath"),
            ({"agent": {"dockerGroup": 2147483648}}, "dockerGroup"),
            (gates(outside={"loadBalancer": {"externalTrafficPolicy": "Near"}}), "externalTrafficPolicy"),
            ({"nodePorts": {"last": 65536}}, "last"),
        ],
    )
    def test_wrong_forms_are_refused(self, render: Render, values: dict[str, Any], words: str) -> None:
        assert words in named_violation(render, values)

    @pytest.mark.parametrize("network", ["10.0.0.0/8", "192.0.2.1/32", "fd00::/8", "::/0", "::ffff:192.0.2.0/120"])
    def test_networks_are_accepted(self, render: Render, network: str) -> None:
        values = {**edge(type="LoadBalancer", loadBalancerSourceRanges=[network])}
        service = render(values).one("Service", "edge")["spec"]
        assert service["loadBalancerSourceRanges"] == [network]


class TestSharedLimits:
    @pytest.mark.parametrize(
        "changed", [{}, {"autoscaling": {"enabled": True, "minReplicas": 1, "maxReplicas": 3}, "replicas": 1}]
    )
    def test_several_gates_without_redis_are_refused(self, render: Render, changed: dict[str, Any]) -> None:
        values = {"stores": {"redis": {"existingSecret": ""}}, "mlpgateway": changed}
        sentence = sentence_of(render, values)
        assert "each would admit the whole of every limit of calls and money" in sentence
        assert f"may run {3 if changed else 2} gates" in sentence

    @pytest.mark.parametrize(
        "changed",
        [
            {"replicas": 1},
            {"separateLimits": True},
            {"settings": {"MLP_REDIS_URL": "redis://redis:6379/0"}},
            {"extraEnv": [{"name": "MLP_REDIS_URL", "value": "redis://redis:6379/0"}]},
        ],
    )
    def test_one_gate_and_gates_that_an_operator_accepts_or_that_have_it_in_another_way_are_not(
        self, render: Render, changed: dict[str, Any]
    ) -> None:
        assert render({"stores": {"redis": {"existingSecret": ""}}, "mlpgateway": changed}).objects
