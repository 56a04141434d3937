"""How callers, peers and instances reach a gate."""

import pytest

from tests.chart.conftest import Render, Rendered

LOAD_BALANCER = {"mode": "loadBalancer", "loadBalancer": {"host": "gates.example.org", "firstPort": 9100}}
PROXIES = ["10.0.0.0/8"]
INGRESS = {"mode": "ingress", "ingress": {"host": "gate-{index}.example.org", "tlsSecret": "gate-{index}-tls"}}


def command(rendered: Rendered) -> str:
    (container,) = dict(rendered.pods())["mlpgateway"]["containers"]
    return container["command"][-1]


class TestInside:
    def test_each_gate_has_a_name_also_while_it_drains(self, external: Rendered) -> None:
        service = external.one("Service", "gates")["spec"]
        assert (service["clusterIP"], service["publishNotReadyAddresses"]) == ("None", True)
        assert external.one("StatefulSet", "mlpgateway")["spec"]["serviceName"] == "mlplace-gates"
        internal = external.environment("mlpgateway")["MLP_MLPGATEWAY_GRPC_INTERNAL_ADDRESS"]
        assert internal == "$(POD_NAME).mlplace-gates.ml.svc.cluster.local:8090"

    def test_instances_get_the_name_of_the_pod(self, external: Rendered) -> None:
        assert '="$POD_NAME.mlplace-gates.ml.svc.cluster.local:8090" exec' in command(external)
        assert external.environment("mlpcore")["MLP_MLPCORE_PUBLIC_GRPC_SECURE"] == "false"

    def test_unshipped_usage_outlives_the_release(self, external: Rendered) -> None:
        gates = external.one("StatefulSet", "mlpgateway")["spec"]
        assert set(gates["persistentVolumeClaimRetentionPolicy"].values()) == {"Retain"}
        assert gates["volumeClaimTemplates"][0]["metadata"]["name"] == "usage"

    def test_gates_believe_only_the_edge_about_callers(self, external: Rendered) -> None:
        environment = external.environment("mlpgateway")
        for name in ("MLP_TRUSTED_PROXIES", "MLP_MLPGATEWAY_TRUSTED_PROXIES"):
            assert environment[name] == "mlplace-edge-pods.ml.svc.cluster.local."

    def test_other_proxies_are_believed_where_they_stand(self, render: Render) -> None:
        rendered = render({"trustedProxies": ["127.0.0.6"], "mlpgateway": {"trustedProxies": ["10.1.2.0/28"]}})
        edge = "mlplace-edge-pods.ml.svc.cluster.local."
        assert rendered.environment("mlpcore")["MLP_TRUSTED_PROXIES"] == f"{edge},127.0.0.6"
        assert rendered.environment("mlpgateway")["MLP_MLPGATEWAY_TRUSTED_PROXIES"] == f"{edge},10.1.2.0/28"


class TestIngress:
    def test_each_gate_has_a_host_and_a_service(self, render: Render) -> None:
        rendered = render({"mlpgateway": {"replicas": 3, "outside": INGRESS, "trustedProxies": PROXIES}})
        assert '="gate-${POD_NAME##*-}.example.org:443" exec' in command(rendered)
        for index in range(3):
            rules = rendered.one("Ingress", f"mlpgateway-{index}")["spec"]
            assert rules["rules"][0]["host"] == f"gate-{index}.example.org"
            assert rules["tls"] == [{"hosts": [f"gate-{index}.example.org"], "secretName": f"gate-{index}-tls"}]
            selector = rendered.one("Service", f"mlpgateway-{index}")["spec"]["selector"]
            assert selector["statefulset.kubernetes.io/pod-name"] == f"mlplace-mlpgateway-{index}"
        assert rendered.environment("mlpcore")["MLP_MLPCORE_PUBLIC_GRPC_SECURE"] == "true"
        assert rendered.environment("mlpcore")["MLP_MLPCORE_PUBLIC_GRPC_ADDRESS"] == "gate-0.example.org:443"

    def test_gateways_get_routes_instead(self, render: Render) -> None:
        outside = {**INGRESS, "ingress": {**INGRESS["ingress"], "parentRefs": [{"name": "public"}]}}
        rendered = render({"mlpgateway": {"outside": outside, "trustedProxies": PROXIES}})
        assert len(rendered.of_kind("GRPCRoute")) == 2
        assert rendered.of_kind("Ingress") == []

    def test_as_many_as_the_autoscaler_may_start(self, render: Render) -> None:
        scaled = {"autoscaling": {"enabled": True, "maxReplicas": 5}, "outside": INGRESS, "trustedProxies": PROXIES}
        rendered = render({"mlpgateway": scaled})
        assert len(rendered.of_kind("Ingress")) == 5
        assert "replicas" not in rendered.one("StatefulSet", "mlpgateway")["spec"]
        metric = rendered.one("HorizontalPodAutoscaler", "mlpgateway")["spec"]["metrics"][0]["pods"]
        assert metric["metric"]["name"] == "mlp_gateway_active_calls"


class TestLoadBalancer:
    def test_one_address_has_a_port_for_each_gate(self, render: Render) -> None:
        rendered = render({"mlpgateway": {"outside": LOAD_BALANCER}})
        assert '="gates.example.org:$((9100 + ${POD_NAME##*-}))" exec' in command(rendered)
        ports = rendered.one("Service", "gate-ports")["spec"]["ports"]
        assert [port["port"] for port in ports] == [9100, 9101]
        configuration = rendered.one("ConfigMap", "gate-ports")["data"]["nginx.conf.template"]
        assert "mlplace-mlpgateway-1.mlplace-gates.ml.svc.cluster.local:8090" in configuration

    def test_pods_listen_at_ports_that_their_user_may_have(self, render: Render) -> None:
        outside = {**LOAD_BALANCER, "loadBalancer": {"host": "gates.example.org", "firstPort": 443}}
        rendered = render({"mlpgateway": {"outside": outside}})
        (container,) = dict(rendered.pods())["gate-ports"]["containers"]
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        assert min(ports.values()) >= 1024
        configuration = rendered.one("ConfigMap", "gate-ports")["data"]["nginx.conf.template"]
        assert [f"listen {port};" in configuration for port in ports.values()] == [True, True]
        service = rendered.one("Service", "gate-ports")["spec"]["ports"]
        assert [(port["port"], port["targetPort"]) for port in service] == [(443, "gate-0"), (444, "gate-1")]

    @pytest.mark.parametrize("policy", ["Local", "Cluster"])
    @pytest.mark.parametrize("service_type", ["LoadBalancer", "NodePort"])
    def test_addresses_of_instances_arrive_unless_the_operator_chooses_otherwise(
        self, render: Render, service_type: str, policy: str
    ) -> None:
        balancer = {"host": "gates.example.org", "firstPort": 30900, "serviceType": service_type}
        chosen = {} if policy == "Local" else {"externalTrafficPolicy": policy}
        outside = {"mode": "loadBalancer", "loadBalancer": {**balancer, **chosen}}
        service = render({"mlpgateway": {"outside": outside}}).one("Service", "gate-ports")["spec"]
        assert service["externalTrafficPolicy"] == policy

    def test_a_service_inside_the_cluster_has_no_policy_of_traffic(self, render: Render) -> None:
        outside = {"mode": "loadBalancer", "loadBalancer": {"host": "gates.example.org", "serviceType": "ClusterIP"}}
        service = render({"mlpgateway": {"outside": outside}}).one("Service", "gate-ports")["spec"]
        assert "externalTrafficPolicy" not in service

    def test_the_load_balancer_limits_an_address_and_gates_do_not_take_it_for_one_caller(
        self, render: Render, external: Rendered
    ) -> None:
        balancer = {"host": "gates.example.org", "connectionsPerAddress": 50, "unprovenPerProxy": 700}
        rendered = render({"mlpgateway": {"outside": {"mode": "loadBalancer", "loadBalancer": balancer}}})
        configuration = rendered.one("ConfigMap", "gate-ports")["data"]["nginx.conf.template"]
        assert "limit_conn_zone $binary_remote_addr zone=addresses:10m;" in configuration
        assert "limit_conn addresses 50;" in configuration
        name = "MLP_MLPGATEWAY_GRPC_UNPROVEN_PER_ADDRESS"
        assert rendered.environment("mlpgateway")[name] == "700"
        assert name not in external.environment("mlpgateway")

    def test_a_stopping_proxy_keeps_connections_until_gates_have_moved_them(self, render: Render) -> None:
        balancer = {"host": "gates.example.org", "drainSeconds": 120}
        rendered = render({"mlpgateway": {"outside": {"mode": "loadBalancer", "loadBalancer": balancer}}})
        configuration = rendered.one("ConfigMap", "gate-ports")["data"]["nginx.conf.template"]
        assert "worker_shutdown_timeout 120s;" in configuration
        assert dict(rendered.pods())["gate-ports"]["terminationGracePeriodSeconds"] == 5 + 120 + 5

    def test_tls_of_the_gates_leaves_a_port_for_peers_and_the_edge(self, render: Render) -> None:
        rendered = render({"mlpgateway": {"outside": LOAD_BALANCER, "tls": {"existingSecret": "gates"}}})
        environment = rendered.environment("mlpgateway")
        assert environment["MLP_MLPGATEWAY_GRPC_INTERNAL_ADDRESS"].endswith(":8091")
        assert environment["MLP_MLPGATEWAY_GRPC_TLS_CERTIFICATE"] == "/etc/mlplace/tls/tls.crt"
        # Only to gates that are ready: those that drain have said goodbye.
        assert rendered.environment("edge")["EDGE_GATE"] == "mlplace-mlpgateway-pods.ml.svc.cluster.local:8091"
        ready = rendered.one("Service", "mlpgateway-pods")["spec"]
        assert "publishNotReadyAddresses" not in ready
        assert {port["port"]: port["targetPort"] for port in ready["ports"]}[8091] == "grpc-internal"
        assert rendered.environment("mlpcore")["MLP_MLPCORE_PUBLIC_GRPC_SECURE"] == "true"
