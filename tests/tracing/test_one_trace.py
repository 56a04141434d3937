"""One trace covers the edge, the gateway, the instance and mlpbilling."""

import asyncio
import json
import secrets

import httpx
import pytest

import mlplace
from mlplace.context import Context, enter_context
from tests.acceptance.waiting import eventually
from tests.tracing.collector import Collector, SpanSeen
from tests.tracing.conftest import OWNER, Edge, Served, Way

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

CHAIN = ("call predict", "answer predict", "mlpbilling.usage handle")
"""Spans in the gateway, in the instance, in mlpbilling."""


def _chain(collector: Collector, trace: str) -> dict[str, SpanSeen]:
    return {span.name: span for span in collector.of_trace(trace) if span.name in CHAIN}


def _complete(collector: Collector, trace: str) -> dict[str, SpanSeen]:
    return eventually(lambda: _chain(collector, trace), until=lambda chain: len(chain) == len(CHAIN))


def _predict(way: Way, served: Served, **headers: str) -> httpx.Response:
    url = f"{way.url}/api/mlpgateway/account/{served.account}/model/{served.model}/predict"
    return httpx.post(url, json={"name": "Ann"}, headers={"MLP-API-KEY": served.key, **headers}, timeout=60)


class TestOverHttp:
    def test_a_call_without_a_trace_gets_one_at_the_edge(
        self, edge: Edge, served: Served, collector: Collector
    ) -> None:
        request_id = f"trace-{secrets.token_hex(8)}"
        assert _predict(edge, served, **{"Z-requestId": request_id}).status_code == 200
        trace = _traced_by_edge(edge, request_id)
        chain = _complete(collector, trace)
        spans = {span.span: span for span in collector.of_trace(trace)}
        gateway = spans[chain["call predict"].parent]
        assert gateway.name == "POST mlpgateway"
        # The edge exports no span; its span id is the parent of the first exported span.
        assert gateway.parent
        assert gateway.parent not in spans
        assert chain["answer predict"].parent == chain["call predict"].span
        assert chain["mlpbilling.usage handle"].parent == chain["call predict"].span

    def test_a_call_of_the_web_interface_is_one_trace_in_an_opentelemetry_collector(
        self, edge: Edge, served: Served, collector: Collector, otelcol: str | None
    ) -> None:
        if otelcol is None:
            pytest.skip("no OpenTelemetry collector: tools/otelcol")
        request_id = f"trace-{secrets.token_hex(8)}"
        with httpx.Client(base_url=edge.url, timeout=60, headers={"Origin": edge.url}) as browser:
            browser.post("/api/accountsadmin/c/authorization/login", json=OWNER).raise_for_status()
            path = f"/api/mlpgateway/account/{served.account}/model/{served.model}/predict"
            browser.post(path, json={"name": "Ann"}, headers={"Z-requestId": request_id}).raise_for_status()
        trace = _traced_by_edge(edge, request_id)
        chain = _complete(collector, trace)
        spans = {span.span: span for span in collector.of_trace(trace)}
        assert {span.sender.partition("/")[0] for span in spans.values()} == {"OpenTelemetry Collector"}
        assert spans[chain["call predict"].parent].name == "POST mlpgateway"
        assert [chain[name].parent for name in CHAIN[1:]] == [chain["call predict"].span] * 2

    def test_a_callers_trace_goes_on(self, way: Way, served: Served, collector: Collector) -> None:
        trace, own = secrets.token_hex(16), secrets.token_hex(8)
        assert _predict(way, served, traceparent=f"00-{trace}-{own}-01").status_code == 200
        _complete(collector, trace)
        gateway = next(span for span in collector.of_trace(trace) if span.name == "POST mlpgateway")
        assert gateway.parent == own

    def test_nor_does_it_end_with_the_answer_to_a_call_that_nobody_waits_for(
        self, way: Way, served: Served, collector: Collector
    ) -> None:
        trace, own = secrets.token_hex(16), secrets.token_hex(8)
        headers = {"traceparent": f"00-{trace}-{own}-01", "Prefer": "respond-async"}
        assert _predict(way, served, **headers).status_code == 202
        chain = _complete(collector, trace)
        assert chain["answer predict"].parent == chain["call predict"].span
        assert chain["mlpbilling.usage handle"].parent == chain["call predict"].span

    def test_what_a_caller_does_not_want_traced_is_not(self, way: Way, served: Served, collector: Collector) -> None:
        silent, loud = secrets.token_hex(16), secrets.token_hex(16)
        for trace, flag in ((silent, "00"), (loud, "01")):
            assert _predict(way, served, traceparent=f"00-{trace}-{'a' * 16}-{flag}").status_code == 200
        _complete(collector, loud)
        assert collector.of_trace(silent) == []


class TestOverGrpc:
    async def test_the_callers_trace_goes_on(self, way: Way, served: Served, collector: Collector) -> None:
        trace, own = secrets.token_hex(16), secrets.token_hex(8)
        settings = mlplace.Settings.from_environment(
            {"MLP_GRPC_HOST": way.grpc_address, "MLP_GRPC_SECURE": "false", "MLP_CLIENT_TOKEN": served.key}
        )

        async def nested_call() -> None:
            enter_context(Context("nested", {"traceparent": f"00-{trace}-{own}-01"}))
            client = mlplace.GrpcClient.from_environment(settings)
            await client.predict(served.account, served.model, {"name": "Ann"})
            await client.close()

        await asyncio.create_task(nested_call())  # in its own context, like each call that a model answers
        chain = await asyncio.to_thread(_complete, collector, trace)
        assert chain["call predict"].parent == own


def _traced_by_edge(edge: Edge, request_id: str) -> str:
    """The trace id that nginx logged for the request."""
    lines = eventually(lambda: [line for line in edge.nginx.log.splitlines() if f'"{request_id}"' in line])
    return str(json.loads(lines[0])["traceId"])
