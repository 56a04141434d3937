"""Each wrong value is refused with one sentence before anything is created."""

import subprocess

import pytest

from tests.chart.conftest import CHART, EXTERNAL, RefusedError, Render

_PROXIES = {"edge": {"trustedProxies": ["10.0.0.0/8"]}}
_GATEWAY = {"gatewayApi": {"enabled": True, "parentRefs": [{"name": "public"}]}}
_BEHIND_INGRESS = {"host": "gate-{index}.example.org", "tlsSecret": "gates"}


def stores(**changed: object) -> dict[str, object]:
    return {"stores": changed}


class TestRefusedValues:
    @pytest.mark.parametrize(
        ("values", "sentence"),
        [
            ({"publicUrl": ""}, "publicUrl is empty"),
            (stores(postgresql={"existingSecret": ""}), "stores.postgresql.existingSecret is empty"),
            (stores(kafka={"brokers": []}), "stores.kafka.brokers is empty"),
            (stores(s3={"endpoint": ""}), "stores.s3.endpoint and stores.s3.existingSecret are needed"),
            (stores(kafka={"sasl": {"mechanism": "PLAIN"}}), "SASL needs a Secret"),
            (stores(kafka={"replicationFactor": 1}), "no event could ever be published"),
            (stores(kafka={"existingSecret": "kafka"}), "nobody would sign in to Kafka"),
            (stores(kafka={"tls": {"existingSecret": "kafka"}}), "connections would not be encrypted"),
            (
                stores(kafka={"tls": {"enabled": True, "clientCertificate": True}}),
                "a client certificate needs a Secret",
            ),
            ({"mail": {"existingSecret": "mail"}}, "mail.host is empty"),
            ({"mail": {"host": "smtp", "user": "ml"}}, "mail.user and mail.existingSecret belong together"),
            ({"agent": {"enabled": True}}, "agent.tokens.existingSecret is empty"),
            ({"monitoring": {"serviceMonitor": {"enabled": True}}}, "networkPolicy.metricsFrom is empty"),
            ({"migrations": {"timeoutSeconds": 300}}, "before it says which store is missing"),
            (
                {"publicUrl": "https://a..example"},
                "a..example in publicUrl or whiteLabelHosts is not the name of a host",
            ),
            ({"publicUrl": "https://example.org:65536"}, "publicUrl has a port above 65535"),
            ({**_GATEWAY, **_PROXIES, "publicUrl": "http://192.0.2.1"}, "neither an Ingress nor a route can serve it"),
            (_GATEWAY, "limits per address would count all callers as one"),
            (
                {"edge": {"trustedProxies": ["::ffff:10.0.0.0/104"]}},
                "nginx knows callers over IPv4 by their IPv4 address",
            ),
            ({"edge": {"trustedProxies": ["0:0:0:0:0:FFFF:a00:1"]}}, "nginx knows callers over IPv4"),
            ({"edge": {"service": {"httpPort": 8090}}}, "the port of gRPC: choose another one"),
            ({"edge": {"service": {"httpNodePort": 30080}}}, "need edge.service.type NodePort or LoadBalancer"),
            ({"commonLabels": {"app.kubernetes.io/instance": "a"}}, "commonLabels sets app.kubernetes.io/instance"),
            ({"edge": {"podLabels": {"helm.sh/chart": "a"}}}, "edge.podLabels sets helm.sh/chart"),
            ({"evaluation": True}, "evaluation brings its own"),
            (
                {"ingress": {"enabled": True}, "gatewayApi": {"enabled": True}},
                "ingress.enabled and gatewayApi.enabled are both true",
            ),
            ({"gatewayApi": {"enabled": True}}, "gatewayApi.parentRefs is empty"),
            ({"ingress": {"enabled": True}}, "ingress.tls is empty"),
            (
                {"ingress": {"enabled": True, "tls": [{"secretName": "tls"}]}},
                "limits per address would count all callers as one",
            ),
            (
                {
                    "whiteLabelHosts": ["a.models.customer.example"],
                    "ingress": {
                        "enabled": True,
                        "tls": [{"hosts": ["mlplace.example.org", "*.customer.example"], "secretName": "tls"}],
                    },
                    "edge": {"trustedProxies": ["10.0.0.0/8"]},
                },
                "ingress.tls has no entry for a.models.customer.example",
            ),
            ({"whiteLabelHosts": ["mlplace.example.org"]}, "whiteLabelHosts contains the host of publicUrl"),
            (
                {"mlpgateway": {"outside": {"mode": "ingress", "ingress": {"host": "gate.example.org"}}}},
                "each gate needs a host of its own",
            ),
            (
                {"mlpgateway": {"outside": {"mode": "ingress", "ingress": {"host": "gate-{index}.example.org"}}}},
                "gRPC through an ingress needs a certificate",
            ),
            (
                {"mlpgateway": {"outside": {"mode": "ingress", "ingress": _BEHIND_INGRESS}}},
                "limits per address would count all instances as one",
            ),
            (
                {
                    "mlpgateway": {
                        "outside": {"mode": "loadBalancer", "loadBalancer": {"host": "gates", "firstPort": 65000}},
                        "replicas": 537,
                    }
                },
                "firstPort is too high",
            ),
            ({"mlpgateway": {"usage": {"size": "100Mi"}}}, "the disk would be full before the spool"),
            ({"mlpgateway": {"outside": {"mode": "loadBalancer"}}}, "loadBalancer.host is empty"),
            (
                {"mlpgateway": {"autoscaling": {"enabled": True, "minReplicas": 9}}},
                "minReplicas is larger than maxReplicas",
            ),
            (
                {"mlpcore": {"temporaryStorage": "127.9Gi"}},
                "mlpcore.temporaryStorage 127.9Gi is smaller than 137438953472",
            ),
            ({"mlpcore": {"temporaryStorage": "137G"}}, "64 datasets of MLP_MLPCORE_DATASET_BYTES"),
            (
                {"mlpcore": {"settings": {"MLP_MLPCORE_DATASET_BYTES": "2147483649"}}},
                "mlpcore.temporaryStorage 128Gi is smaller than 137438953536",
            ),
            (
                {"mlpcore": {"settings": {"MLP_MLPCORE_DATASET_BYTE": 5}}},
                "mlpcore.settings.MLP_MLPCORE_DATASET_BYTE is no",
            ),
            ({"settings": {"MLP_LOG_LEVEL": "DEBUG"}}, "MLP_LOG_LEVEL is set twice for"),
            (
                {"mlpgateway": {"settings": {"MLP_MLPGATEWAY_DRAIN_SECONDS": 5}}},
                "MLP_MLPGATEWAY_DRAIN_SECONDS is set twice for mlpgateway",
            ),
            (
                {"mlpgateway": {"extraEnv": [{"name": "MLP_MLPGATEWAY_GRPC_ADVERTISED_ADDRESS", "value": "a:1"}]}},
                "MLP_MLPGATEWAY_GRPC_ADVERTISED_ADDRESS is set twice for mlpgateway",
            ),
            ({"edge": {"extraEnv": [{"name": "EDGE_GATE", "value": "a:1"}]}}, "EDGE_GATE is set twice for edge"),
            ({"tools": {"extraEnv": [{"name": "MLP_BUS", "value": "a"}]}}, "MLP_BUS is set twice for tools"),
        ],
    )
    def test_contradictions_are_refused_with_one_sentence(self, render: Render, values: dict, sentence: str) -> None:
        with pytest.raises(RefusedError) as refused:
            render(values)
        assert sentence in str(refused.value)
        assert len(str(refused.value).split("Use --debug")[0].strip().splitlines()) == 1

    @pytest.mark.parametrize(
        ("values", "words"),
        [
            ({"replicaCount": 3}, "replicaCount"),
            ({"mlpcore": {"replicaz": 3}}, "replicaz"),
            ({"publicUrl": "mlplace.example.org"}, "publicUrl"),
            ({"publicUrl": "https://mlplace.example.org/path"}, "publicUrl"),
            (stores(s3={"endpoint": "s3.example.org"}), "endpoint"),
            ({"telemetry": {"otlpEndpoint": "collector:4318"}}, "otlpEndpoint"),
            (stores(kafka={"brokers": ["kafka"]}), "brokers"),
            ({"currency": "EUR"}, "currency"),
            ({"mlpcore": {"replicas": 0}}, "replicas"),
            ({"settings": {"LOG_LEVEL": "DEBUG"}}, "LOG_LEVEL"),
            ({"mlpgateway": {"outside": {"mode": "magic"}}}, "mode"),
            ({"mlpcore": {"image": {"digest": "sha256:1"}}}, "digest"),
            ({"image": {"registry": "https://registry.example.org"}}, "registry"),
            ({"image": {"tag": "1 2"}}, "tag"),
            ({"image": {"pullSecrets": [""]}}, "pullSecrets"),
            ({"publicUrl": "https://MLPlace.example.org"}, "publicUrl"),
            ({"whiteLabelHosts": ["a b.example"]}, "whiteLabelHosts"),
            ({"whiteLabelHosts": ["a.example", "a.example"]}, "whiteLabelHosts"),
            ({"fullnameOverride": "a.b"}, "fullnameOverride"),
            ({"ingress": {"enabled": True, "tls": [{"host": ["mlplace.example.org"]}]}}, "host"),
            ({"gatewayApi": {"parentRefs": [{"namespace": "a"}]}}, "name"),
            ({"mlpgateway": {"outside": {"ingress": {"host": "gate {index}.example.org"}}}}, "host"),
            ({"mlpgateway": {"outside": {"loadBalancer": {"host": "$(id)"}}}}, "host"),
            ({"edge": {"trustedProxies": ["the ingress"]}}, "trustedProxies"),
            ({"edge": {"service": {"loadBalancerSourceRanges": ["office"]}}}, "loadBalancerSourceRanges"),
            ({"mlpcore": {"disruptionBudget": {"maxUnavailable": 0}}}, "maxUnavailable"),
            ({"mlpcore": {"disruptionBudget": {"maxUnavailable": "some"}}}, "maxUnavailable"),
            ({"mlpcore": {"resources": {"limits": {"memory": "1 GB"}}}}, "memory"),
            ({"mlpcore": {"resources": {"limit": {"memory": "1Gi"}}}}, "limit"),
            ({"mlpcore": {"extraEnv": [{"nam": "A"}]}}, "name"),
            ({"mlpcore": {"extraEnv": [{"name": "A", "value": 5}]}}, "value"),
            ({"nodeSelector": {"gpu": True}}, "gpu"),
            ({"commonLabels": {"team": "a b"}}, "team"),
            ({"edge": {"podAnnotations": {"a": 1}}}, "podAnnotations"),
            ({"settings": {"EDGE_SIGN_INS_PER_MINUTE": 5}}, "EDGE_SIGN_INS_PER_MINUTE"),
            (stores(s3={"bucket": "My bucket"}), "bucket"),
            ({"monitoring": {"serviceMonitor": {"interval": "often"}}}, "interval"),
            ({"monitoring": {"serviceMonitor": {"detailed": {"interval": "60s"}}}}, "interval"),
        ],
    )
    def test_the_schema_refuses_unknown_keys_and_wrong_forms_with_one_sentence(
        self, render: Render, values: dict, words: str
    ) -> None:
        with pytest.raises(RefusedError, match="of the schema") as refused:
            render(values)
        (problem,) = [line for line in str(refused.value).splitlines() if line.startswith("- at")]
        assert words in problem

    def test_a_name_that_no_service_can_have_is_refused(self, helm: str) -> None:
        command = [helm, "template", "1st", str(CHART), "--set", "evaluation=true"]
        refused = subprocess.run(command, capture_output=True, check=False, text=True)
        assert "The name 1st-mlplace cannot be that of a Service" in refused.stderr

    def test_the_fewest_values_are_accepted(self, render: Render) -> None:
        assert render(EXTERNAL).objects
