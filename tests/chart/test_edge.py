"""The edge runs with the files that compose mounts."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.chart.conftest import Render, Rendered, merged

CONFIG = Path(__file__).parents[2] / "gateway-config"
GRPC = "/com.mlp.gate.Gate"
FOLDERS = {
    "edge": "nginx.conf",
    "edge-snippets": "snippets/*",
    "edge-servers": "conf.d/*",
    "edge-upstreams": "upstreams/*",
}


class TestConfiguration:
    @pytest.mark.parametrize(("name", "pattern"), FOLDERS.items())
    def test_files_are_those_of_gateway_config(self, external: Rendered, name: str, pattern: str) -> None:
        expected = {path.name: path.read_text() for path in CONFIG.glob(pattern)}
        assert external.one("ConfigMap", name)["data"] == expected

    def test_every_variable_of_the_templates_is_set(self, external: Rendered) -> None:
        text = "".join(path.read_text() for pattern in FOLDERS.values() for path in CONFIG.glob(pattern))
        wanted = set(re.findall(r"\$\{(EDGE_\w+)\}", text)) - {"EDGE_RESOLVER"}  # the command sets it
        assert wanted <= external.environment("edge").keys()

    def test_upstreams_are_names_of_all_ready_pods(self, external: Rendered) -> None:
        for service in ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling"):
            upstream = external.environment("edge")[f"EDGE_{service.upper()}"]
            assert upstream == f"mlplace-{service}-pods.ml.svc.cluster.local:8080"
            assert external.one("Service", f"{service}-pods")["spec"]["clusterIP"] == "None"

    def test_a_proxy_in_front_is_believed_about_callers(self, render: Render) -> None:
        rendered = render({"edge": {"trustedProxies": ["10.0.0.0/8"]}})
        snippet = rendered.one("ConfigMap", "edge-snippets")["data"]["behind-another-proxy.conf"]
        assert snippet.splitlines() == [
            "set_real_ip_from 10.0.0.0/8;",
            "real_ip_header X-Forwarded-For;",
            "real_ip_recursive off;",
        ]

    def test_several_proxies_in_a_row_are_believed(self, render: Render) -> None:
        rendered = render({"edge": {"trustedProxies": ["10.0.0.0/8", "192.0.2.7"], "severalProxies": True}})
        snippet = rendered.one("ConfigMap", "edge-snippets")["data"]["behind-another-proxy.conf"]
        assert snippet.splitlines() == [
            "set_real_ip_from 10.0.0.0/8;",
            "set_real_ip_from 192.0.2.7;",
            "real_ip_header X-Forwarded-For;",
            "real_ip_recursive on;",
        ]

    def test_a_changed_configuration_replaces_the_pods(self, render: Render, external: Rendered) -> None:
        def checksum(rendered: Rendered) -> str:
            annotations = rendered.one("Deployment", "edge")["spec"]["template"]["metadata"]["annotations"]
            return annotations["checksum/configuration"]

        assert checksum(external) != checksum(render({"edge": {"trustedProxies": ["10.0.0.0/8"]}}))


class TestEntrances:
    def test_an_ingress_serves_the_public_host_and_those_of_customers(self, everything: Rendered) -> None:
        spec = everything.one("Ingress", "")["spec"]
        assert [rule["host"] for rule in spec["rules"]] == ["mlplace.example.org", "models.customer.example"]
        assert [entry["secretName"] for entry in spec["tls"]] == ["tls", "customer-tls"]

    def test_annotations_of_the_operator_win_over_those_of_the_chart(self, render: Render) -> None:
        name = "nginx.ingress.kubernetes.io/proxy-read-timeout"
        tls = [{"hosts": ["mlplace.example.org"], "secretName": "tls"}]
        ingress = {"enabled": True, "tls": tls, "annotations": {name: "60", "of": "mine"}}
        rendered = render({"ingress": ingress, "edge": {"trustedProxies": ["10.0.0.0/8"]}})
        annotations = rendered.one("Ingress", "")["metadata"]["annotations"]
        assert (annotations[name], annotations["of"]) == ("60", "mine")
        assert annotations["nginx.ingress.kubernetes.io/proxy-body-size"] == "0"

    def test_an_ingress_leaves_the_bounds_of_bodies_to_the_edge(self, everything: Rendered) -> None:
        annotations = everything.one("Ingress", "")["metadata"]["annotations"]
        assert annotations["nginx.ingress.kubernetes.io/proxy-body-size"] == "0"
        assert annotations["nginx.ingress.kubernetes.io/proxy-request-buffering"] == "off"
        files = (
            everything.one("ConfigMap", "edge-snippets")["data"] | everything.one("ConfigMap", "edge-servers")["data"]
        )
        assert "client_max_body_size 100m;" in files["limits.conf"]
        uploads = files["edge.conf.template"].partition("/(?:dataset/(?:raw|[0-9]+/content)|s3/content)$ {")[2]
        assert uploads.split()[:2] == ["client_max_body_size", "0;"]
        buckets = files["edge.conf.template"].partition("location ~ ^/s3-bucket-[0-9]+- {")[2]
        assert buckets.split()[:2] == ["include", "snippets/s3.conf;"]
        assert "client_max_body_size 0;" in files["s3.conf"]

    def test_a_route_serves_them_too(self, render: Render) -> None:
        rendered = render(
            {
                "whiteLabelHosts": ["models.customer.example"],
                "gatewayApi": {"enabled": True, "parentRefs": [{"name": "public", "namespace": "gateways"}]},
                "edge": {"trustedProxies": ["10.0.0.0/8"]},
            }
        )
        spec = rendered.one("HTTPRoute", "")["spec"]
        assert spec["hostnames"] == ["mlplace.example.org", "models.customer.example"]
        ports = {rule["matches"][0]["path"]["value"]: rule["backendRefs"] for rule in spec["rules"]}
        assert ports == {
            GRPC: [{"name": "mlplace-edge", "port": 8090}],
            "/": [{"name": "mlplace-edge", "port": 80}],
        }
        assert rendered.of_kind("GRPCRoute") == []

    def test_callers_over_grpc_enter_at_the_same_hosts(self, everything: Rendered) -> None:
        people, callers = everything.one("Ingress", "")["spec"], everything.one("Ingress", "grpc")
        assert (callers["spec"]["tls"], callers["spec"]["ingressClassName"]) == (people["tls"], "nginx")
        for of_people, rule in zip(people["rules"], callers["spec"]["rules"], strict=True):
            (path,) = rule["http"]["paths"]
            assert (rule["host"], path["path"]) == (of_people["host"], GRPC)
            assert path["backend"]["service"] == {"name": "mlplace-edge", "port": {"name": "grpc"}}
        assert callers["metadata"]["annotations"]["nginx.ingress.kubernetes.io/backend-protocol"] == "GRPC"

    def test_the_port_of_grpc_says_that_it_speaks_http2(self, external: Rendered) -> None:
        ports = {port["name"]: port for port in external.one("Service", "edge")["spec"]["ports"]}
        assert (ports["grpc"]["port"], ports["grpc"]["appProtocol"]) == (8090, "kubernetes.io/h2c")

    @pytest.mark.parametrize(
        "values", [{"ingress": {"grpc": {"enabled": False}}}, {"publicUrl": "http://mlplace.example.org"}]
    )
    def test_there_is_no_ingress_for_grpc_without_tls_or_where_nobody_wants_it(
        self, render: Render, values: dict[str, Any]
    ) -> None:
        tls = [{"hosts": ["mlplace.example.org"], "secretName": "tls"}]
        ingress = {"ingress": {"enabled": True, "tls": tls}, "edge": {"trustedProxies": ["10.0.0.0/8"]}}
        rendered = render(merged(ingress, values))
        assert [each["metadata"]["name"] for each in rendered.of_kind("Ingress")] == ["mlplace"]

    def test_cookies_are_for_https_only_if_the_public_url_is(self, external: Rendered, evaluation: Rendered) -> None:
        assert external.environment("accountsadmin")["MLP_SECURE_COOKIES"] == "true"
        assert evaluation.environment("accountsadmin")["MLP_SECURE_COOKIES"] == "false"
