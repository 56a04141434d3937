"""The same routes as in the in-process edge: a path leads to the same service with the same path in both shapes."""

from collections.abc import AsyncIterator
from itertools import product

import httpx
import pytest
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from upstream_twins import Service
from wire import request

from mlplace_testing.servers.nginx import Nginx
from standalone.edge import Edge, canonical
from standalone.pages import Pages

ALIASED_CALLS = (
    "predict", "predict-with-config", "predict-with-config-v2", "predict-with-config-v2-stream", "ext", "tts",
)  # fmt: skip
ALIASED_REST = (
    "predict-config", "predict2", "Predict", "predict%20", "ext.json", "fit", "predict/", "predict/x",
    "predict-with-config-v3", "xpredict",
)  # fmt: skip
NAMES = ("a", "acme-1", "ner.ru", "%D1%8F", "x%20y", "a+b", "%2B", "50%25", "why%3F", "me@x:1", "~", "a;b", "%252f")
PATHS = (
    "/api/mlpcore/models",
    "/api/mlpcore",
    "/api/mlpcore/",
    "/api/mlpcore/account/1/model/2?expand=a%2Fb&x=1",
    "/api/mlpcorex/models",
    "/api/mlpgateway/account/a/model/m/predict",
    "/api/mlpgateway/account/a/model/m/predict?configId=5",
    "/api/mlpbilling/account/1/balance",
    "/api/accountsadmin/public/options",
    "/api/accountsadmin/c/authorization/logout",
    "/api/mlpgate",
    "/api/mlpgate/",
    "/api/mlpgate/models?page=2",
    "/api/mlpgate/account/a/model/predict",
    "/api/mlpgate/account/a/models/m/predict",
    "/api/mlpgate/accounts/a/model/m/predict",
    "/api/mlpgate/x/account/a/model/m/predict",
    "/api/mlpgate/account/a/model/m/predict?a=1&b=%20",
    "/api/mlpgatex/account/a/model/m/predict",
    "/s3-bucket-1-a2b3c4d5e6",
    "/s3-bucket-1-a2b3c4d5e6/",
    "/s3-bucket-1-a2b3c4d5e6/%D1%8F/x%20y+z?list-type=2&prefix=a%2Fb",
    "/s3-bucket-1",
    "/s3-bucket-x-1/key",
    "/x/s3-bucket-1-a/key",
    "/specs/mlp-data-gpt.yml",
    "/specs/",
    "/specs/a/b",
    "/p/acme/ner-ru",
    "/p/acme/ner-ru?x=1",
    "/p/%D1%8F/x%20y",
    "/p/",
    "/p",
    "/px/a",
    "/api",
    "/api/",
    "/api/nothing/x",
    "/apix/mlpcore/models",
    "/API/mlpcore/models",
    "/",
    "/index.html",
    "/catalog/acme/ner-ru",
    "/c/login",
    "/c/",
    "/c",
    "/assets/none.js",
    "/internal",
    "/internal/mlpcore/x",
    "/metrics",
    "/health",
    *(f"/api/mlpgate/account/{name}/model/{name}/predict" for name in NAMES),
    *(f"/api/mlpgateway/account/{name}/model/m/predict" for name in NAMES),
    *(f"/api/mlpgate/account/a/model/m/{call}" for call in (*ALIASED_CALLS, *ALIASED_REST)),
)


def _echo(name: str) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        told = {"service": name, "path": scope["path"], "query": scope["query_string"].decode()}
        await JSONResponse(told)(scope, receive, send)

    return app


@pytest.fixture
async def in_process(edge: Nginx) -> AsyncIterator[httpx.AsyncClient]:
    async def missing() -> dict[str, str]:
        return {}

    names = ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling")
    app = Edge({name: _echo(name) for name in names}, version={}, missing=missing, pages=Pages(edge.pages))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://edge") as client:
        yield client


class TestRouting:
    @pytest.mark.parametrize(
        ("method", "path"), [*product(("GET", "POST"), PATHS), ("PUT", "/p/a/b"), ("OPTIONS", "/p/a/b")]
    )
    async def test_agrees_with_the_edge_of_the_single_process(
        self, edge: Nginx, in_process: httpx.AsyncClient, method: str, path: str
    ) -> None:
        expected = await in_process.request(method, path)
        answer = await request(edge.http_port, path, method)
        assert answer.status == expected.status_code
        if expected.headers["content-type"].startswith("text/html"):
            assert answer.body.decode() == expected.text
        elif answer.status == 200:
            told = answer.json()
            assert {name: told[name] for name in ("service", "path", "query")} == expected.json()
        else:
            assert answer.json()["code"] == expected.json()["code"]
            assert answer.json()["code"] in {"mlp.core.route_not_found", "mlp.core.method_not_allowed"}
            assert answer.headers.get("allow") == expected.headers.get("allow")

    async def test_a_signed_request_for_the_first_page_wants_the_list_of_buckets(
        self, edge: Nginx, in_process: httpx.AsyncClient
    ) -> None:
        signature = "AWS4-HMAC-SHA256 Credential=a"
        assert (await in_process.get("/", headers={"Authorization": signature})).json()["service"] == "mlpcore"
        told = (await request(edge.http_port, "/", headers=f"Authorization: {signature}\r\n")).json()
        assert (told["service"], told["path"]) == ("mlpcore", "/")

    async def test_a_signed_request_reaches_the_service_as_it_was_signed(
        self, edge: Nginx, services: dict[str, Service]
    ) -> None:
        path = "/s3-bucket-1-a2b3c4d5e6/%D1%8F/x%20y+z%2Bw"
        await request(edge.http_port, f"{path}?prefix=a%2Fb", "PUT", body=b"x")
        seen = services["mlpcore"].last
        assert (seen.method, seen.raw_path, seen.query) == ("PUT", path, "prefix=a%2Fb")
        assert seen.header("host") == ["edge.test"]

    @pytest.mark.parametrize("call", [*ALIASED_CALLS, "predict-config", "predict2", "PREDICT"])
    async def test_an_old_name_becomes_the_canonical_one(self, edge: Nginx, call: str) -> None:
        path = f"/api/mlpgate/account/a/model/m/{call}"
        assert (await request(edge.http_port, path, "POST")).json()["path"] == canonical(path)

    @pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS"])
    async def test_every_method_reaches_the_service(self, edge: Nginx, method: str) -> None:
        told = (await request(edge.http_port, "/api/mlpbilling/x", method)).json()
        assert (told["service"], told["method"]) == ("mlpbilling", method)

    @pytest.mark.parametrize("path", ["/api/adapters/openai/v1/chat/completions", "/api/adapters/tts?model=a/b"])
    async def test_adapters_go_to_the_gateway(self, edge: Nginx, path: str) -> None:
        told = (await request(edge.http_port, path, "POST", body=b"{}")).json()
        assert (told["service"], told["path"], told["body"]) == ("mlpgateway", path.partition("?")[0], "{}")

    @pytest.mark.parametrize("prefix", ["/api/adapters/openai", "/api/adapters/openai/v1"])
    async def test_a_client_of_openai_may_encode_the_name_of_a_model(
        self, edge: Nginx, services: dict[str, Service], prefix: str
    ) -> None:
        path = f"{prefix}/models/acme-1%2Fner.ru?x=%2F"
        assert (await request(edge.http_port, path)).status == 200
        seen = services["mlpgateway"].last
        assert (seen.raw_path, seen.query) == (path.partition("?")[0], "x=%2F")
