"""The whole surface: every route is documented and declares a policy."""

import re
from datetime import timedelta

import pytest

from mlpgateway.entry.adapters.routes import ADAPTER_ROUTES
from mlpgateway.entry.http.routes import RAW_ROUTES
from mlpgateway.entry.http.visitors import VISITOR_ROUTE
from mlpgateway.main import build_app
from mlplace_contracts.events import ModelHttp
from mlplace_runtime.web.policy import Policy
from mlplace_testing.web import operation_names_used_twice, routes_without_policy


class TestPolicies:
    def test_every_route_declares_a_policy(self) -> None:
        assert routes_without_policy(build_app()) == []
        assert [
            route.name
            for route in (*RAW_ROUTES, VISITOR_ROUTE, *ADAPTER_ROUTES)
            if not isinstance(route.policy, Policy)
        ] == []

    def test_operation_names_are_unique(self) -> None:
        app = build_app()
        assert operation_names_used_twice(app) == []
        names = [operation["operationId"] for path in app.openapi()["paths"].values() for operation in path.values()]
        assert len(names) == len(set(names))

    @pytest.mark.parametrize("route", RAW_ROUTES, ids=lambda route: route.name)
    async def test_anonymous_callers_are_refused_everywhere(self, world, route) -> None:
        answer = await world.client.post(
            route.path.format(account="acme", model="ner"), content='{"data":"1","methodName":"m"}'
        )
        assert answer.status_code in {400, 401}
        body = {
            "PredictRequestData": '{"data":1}',
            "Predict2RequestData": '{"data":"1"}',
            "ExtendedRequestData": '{"methodName":"m"}',
        }
        answer = await world.client.post(
            route.path.format(account="acme", model="ner"), content=body.get(route.body, "{}")
        )
        assert (answer.status_code, answer.json()["code"]) == (401, "mlp.gate.unauthorized")


class TestDocument:
    async def test_all_raw_routes_and_only_existing_ones_are_documented(self, world, kit) -> None:
        world.know(kit.model_changed(http=ModelHttp(port=80, page="/", only=False)))
        document = build_app().openapi()
        assert {route.path for route in (*RAW_ROUTES, VISITOR_ROUTE, *ADAPTER_ROUTES)} <= set(document["paths"])
        for path, operations in document["paths"].items():
            for method in operations:
                one = "00000000-0000-0000-0000-000000000001"
                filled = path.format(
                    account="acme", model="ner", predictionId=one, deliveryId=one, recordId="1", path="x"
                )
                answer = await world.client.request(method.upper(), filled, content="{", headers=world.key())
                assert answer.status_code not in {404, 405}, path

    def test_every_reference_resolves(self) -> None:
        document = build_app().openapi()
        known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
        assert set(_references(document)) <= known

    async def test_document_is_served(self, world) -> None:
        answer = await world.client.get("/api/mlpgateway/openapi.json")
        assert "/p/{account}/{model}" in answer.json()["paths"]


def _references(node: object):
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


class TestVersion:
    async def test_version_is_public(self, world) -> None:
        answer = await world.client.get("/api/mlpgateway/version")
        assert set(answer.json()) == {"buildNumber", "buildDate", "buildBranch"}


class TestDiagnosis:
    async def test_gates_and_instances_are_shown_only_to_other_services(self, world) -> None:
        twin = world.instance()
        for path in ("/internal/mlpgateway/gates", "/internal/mlpgateway/instances"):
            assert (await world.client.get(path, headers=world.key())).status_code == 401
        internal = world.people.internal
        gates = await world.client.get("/internal/mlpgateway/gates", headers=internal)
        assert gates.json() == {"own": "127.0.0.1:1", "active": [], "retiring": []}
        instances = await world.client.get("/internal/mlpgateway/instances", headers=internal)
        assert instances.json() == [
            {"instanceId": twin.instance_id, "modelId": 500, "activeRequests": 0, "acceptsRequests": True}
        ]

    async def test_detailed_metrics_name_models_for_those_with_the_token_for_them(self, world, kit, clock) -> None:
        world.instance()
        scraper = {"Authorization": f"Bearer {kit.METRICS_TOKEN}"}
        for _ in range(2):  # a new counter is shown after a minute
            await world.predict(world.key())
            clock.advance(timedelta(seconds=61))
            await world.components.samples.end_interval()
        for path in ("/metrics/detailed", "/internal/mlpgateway/metrics/detailed"):
            for headers in (world.key(), {"Authorization": "Bearer " + "n" * 32}, {}):
                assert (await world.client.get(path, headers=headers)).status_code == 401
            for headers in (scraper, world.people.internal):
                text = (await world.client.get(path, headers=headers)).text
                assert re.search(
                    r'mlp_model_calls_total{account="acme",model="ner",instance_id="\d+",outcome="answered"} 2\n', text
                )
        assert (await world.client.get("/internal/mlpgateway/gates", headers=scraper)).status_code == 401

    async def test_readiness_and_metrics_are_served(self, world) -> None:
        world.instance()
        await world.predict(world.key())
        ready = await world.client.get("/internal/mlpgateway/health/ready")
        assert ready.status_code == 200
        metrics = (await world.client.get("/internal/mlpgateway/metrics")).text
        assert 'mlp_gateway_own_seconds_count{stages="let_in"}' in metrics


class TestReadiness:
    async def test_calls_are_refused_until_the_read_models_are_complete(self, world, kit) -> None:
        world.instance()
        world.components.read_models_projection.ready.clear()
        answer = await world.predict(world.key())
        assert (answer.status_code, answer.json()["code"]) == (503, "mlp.core.unavailable")

    async def test_leaving_gate_takes_no_new_calls(self, world) -> None:
        world.instance()
        world.components.admission.close()
        answer = await world.predict(world.key())
        assert (answer.status_code, answer.json()["code"]) == (503, "mlp.gate.gate_is_shut_down")
