import httpx
import pytest
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from standalone.edge import Edge, canonical


def _echo(name: str) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        headers = {key.decode(): value.decode() for key, value in scope["headers"]}
        told = JSONResponse({"path": scope["path"], "headers": headers}, headers={"x-service": name})
        await told(scope, receive, send)

    return app


@pytest.fixture
def missing() -> dict[str, str]:
    return {}


@pytest.fixture
def client(missing: dict[str, str]) -> httpx.AsyncClient:
    async def ask() -> dict[str, str]:
        return missing

    names = ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling")
    edge = Edge({name: _echo(name) for name in names}, version={"buildNumber": "1"}, missing=ask)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=edge), base_url="http://edge")


class TestCanonical:
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("/api/mlpgate/account/a/model/m/predict", "/api/mlpgateway/account/a/model/m/predict"),
            ("/api/mlpgate/account/a/model/m/ext", "/api/mlpgateway/account/a/model/m/ext"),
            (
                "/api/mlpgate/account/a/model/m/predict-with-config-v2-stream",
                "/api/mlpgateway/account/a/model/m/predict-with-config-v2-stream",
            ),
            ("/api/mlpgate/account/a/model/m/predict-config", "/api/mlpcore/account/a/model/m/predict-config"),
            ("/api/mlpgate/account/a/model/predict", "/api/mlpcore/account/a/model/predict"),
            ("/api/mlpgate/models", "/api/mlpcore/models"),
        ],
    )
    def test_routes_calls_to_the_gateway_and_the_rest_to_mlpcore(self, old: str, new: str) -> None:
        assert canonical(old) == new


class TestEdge:
    @pytest.mark.parametrize(
        ("method", "path", "service"),
        [
            ("GET", "/api/mlpcore/models", "mlpcore"),
            ("POST", "/api/mlpgateway/account/a/model/m/predict", "mlpgateway"),
            ("GET", "/api/mlpbilling/account/1/balance", "mlpbilling"),
            ("GET", "/api/accountsadmin/public/options", "accountsadmin"),
            ("PUT", "/s3-bucket-1-abc/folder/key", "mlpcore"),
            ("GET", "/p/acme/ner-ru", "mlpcore"),
            ("POST", "/p/acme/ner-ru", "mlpgateway"),
            ("OPTIONS", "/p/acme/ner-ru", "mlpgateway"),
            ("HEAD", "/p/acme/ner-ru", "mlpcore"),
            ("PUT", "/p/acme/ner-ru", "mlpgateway"),
            ("GET", "/api/mlpgate/models", "mlpcore"),
        ],
    )
    async def test_routes_by_path(self, client: httpx.AsyncClient, method: str, path: str, service: str) -> None:
        assert (await client.request(method, path)).headers["x-service"] == service

    @pytest.mark.parametrize(
        "path",
        [
            "/internal/mlpcore/keys/resolve",
            "/api/internal/mlpcore",
            "/metrics",
            "/metrics/detailed",
            "/api",
            "/",
            "/api/nothing/x",
            "/apix",
        ],
    )
    async def test_nothing_else_is_reachable(self, client: httpx.AsyncClient, path: str) -> None:
        answer = await client.get(path)
        assert answer.status_code == 404
        assert answer.json()["code"] == "mlp.core.route_not_found"

    async def test_removes_headers_that_only_the_platform_may_set(self, client: httpx.AsyncClient) -> None:
        sent = {"MLP-INTERNAL-TOKEN": "guess", "X-Forwarded-For": "10.0.0.1", "Forwarded": "for=x", "Z-requestId": "r"}
        headers = (await client.get("/api/mlpcore/models", headers=sent)).json()["headers"]
        assert "z-requestid" in headers
        assert not {"mlp-internal-token", "x-forwarded-for", "forwarded"} & set(headers)

    async def test_returns_its_version(self, client: httpx.AsyncClient) -> None:
        assert (await client.get("/version")).json() == {"buildNumber": "1"}

    @pytest.mark.parametrize("path", ["/version", "/health/live", "/health/ready"])
    async def test_its_own_answers_are_only_read(self, client: httpx.AsyncClient, path: str) -> None:
        refused = await client.post(path)
        assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")
        assert refused.json()["code"] == "mlp.core.method_not_allowed"
        assert (await client.head(path)).status_code == 200

    async def test_is_ready_if_all_services_are(self, client: httpx.AsyncClient, missing: dict[str, str]) -> None:
        assert (await client.get("/health/ready")).status_code == 200
        missing["mlpgateway"] = "read models are loading"
        answer = await client.get("/health/ready")
        assert answer.status_code == 503
        assert answer.json()["missing"] == missing

    async def test_is_degraded_but_ready_if_a_service_lacks_something(self) -> None:
        async def nothing() -> dict[str, str]:
            return {}

        async def behind() -> dict[str, str]:
            return {"mlpgateway disk": "10 of 1000 MiB are free"}

        edge = Edge({}, version={}, missing=nothing, behind=behind)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=edge), base_url="http://testserver") as client:
            answer = await client.get("/health/ready")
        assert (answer.status_code, answer.json()) == (200, {"status": "degraded", "missing": await behind()})


class TestSockets:
    @pytest.fixture
    def seen(self) -> list[Scope]:
        return []

    async def opened(self, seen: list[Scope], path: str) -> str:
        """The first message to a client that opens a WebSocket there."""

        async def service(scope: Scope, receive: Receive, send: Send) -> None:
            seen.append(scope)
            await send({"type": "websocket.accept"})

        async def nothing_is_missing() -> dict[str, str]:
            return {}

        said: list[str] = []

        async def send(message: Message) -> None:
            said.append(message["type"])

        async def receive() -> Message:
            return {"type": "websocket.connect"}

        edge = Edge({"mlpcore": service, "mlpgateway": service}, version={}, missing=nothing_is_missing)
        headers = [(b"x-forwarded-for", b"10.0.0.1"), (b"origin", b"http://edge")]
        await edge({"type": "websocket", "path": path, "headers": headers, "subprotocols": []}, receive, send)
        return said[0]

    @pytest.mark.parametrize(
        "path",
        [
            "/api/mlpgateway/account/a/model/m/http/talk", "/api/mlpcore/console", "/api/mlpgate/console",
            "/api/adapters/openai/v1/realtime",
        ],
    )  # fmt: skip
    async def test_open_at_a_service(self, seen: list[Scope], path: str) -> None:
        assert await self.opened(seen, path) == "websocket.accept"
        assert seen[0]["headers"] == [(b"origin", b"http://edge")]

    @pytest.mark.parametrize("path", ["/", "/version", "/p/a/b", "/internal/mlpcore/x", "/api/adaptersx/a"])
    async def test_are_refused_elsewhere(self, seen: list[Scope], path: str) -> None:
        assert await self.opened(seen, path) == "websocket.http.response.start"
        assert seen == []
