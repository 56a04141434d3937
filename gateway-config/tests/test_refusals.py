import asyncio
import json
from collections.abc import Callable
from contextlib import AsyncExitStack

import httpx
import pytest
from upstream_twins import Service
from wire import Answer, parse, request, say

from mlpgateway.entry.adapters.openai.refusals import error_body
from mlplace_kit.errors import (
    AddressTooLong,
    DomainError,
    HeadersTooLarge,
    MethodNotAllowed,
    PayloadTooLarge,
    RequestTooSlow,
    RouteNotFound,
    TooManyConnections,
    Unavailable,
)
from mlplace_runtime.web.errors import ErrorBody
from mlplace_testing.ports import free_port
from mlplace_testing.raw_http import served
from mlplace_testing.servers.nginx import Nginx
from mlplace_testing.waiting import eventually

TOO_LARGE = 100 * 1024 * 1024 + 1


def assert_refused(answer: Answer, status: int, code: str) -> None:
    """The error format of the services."""
    assert answer.status == status
    assert answer.headers["content-type"] == "application/json"
    body = ErrorBody.model_validate(answer.json())
    assert set(answer.json()) == {"code", "message", "status", "args", "requestId"}
    assert (body.status, body.code) == (status, code)
    assert body.request_id == answer.headers["z-requestid"]
    assert answer.headers["x-content-type-options"] == "nosniff"


class TestSize:
    async def test_a_declared_length_beyond_the_limit_is_refused_unread(
        self, edge: Nginx, seen: Callable[[], int]
    ) -> None:
        before = seen()
        path = "/api/mlpgateway/account/a/model/m/predict"
        answer = await request(edge.http_port, path, "POST", f"Content-Length: {TOO_LARGE}\r\n")
        assert_refused(answer, 413, PayloadTooLarge.code)
        assert answer.json()["args"] == {"limit": str(TOO_LARGE - 1)}
        assert answer.json()["message"] == PayloadTooLarge(limit=str(TOO_LARGE - 1)).text
        assert seen() == before

    async def test_a_chunk_beyond_the_limit_is_refused(self, edge: Nginx) -> None:
        head = b"POST /api/mlpgateway/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        answer = parse(await say(edge.http_port, head + b"%x\r\nabc" % TOO_LARGE))
        assert_refused(answer, 413, PayloadTooLarge.code)

    async def test_headers_beyond_their_limit_are_refused(self, edge: Nginx, seen: Callable[[], int]) -> None:
        before = seen()
        answer = await request(edge.http_port, "/api/mlpcore/x", headers=f"A: {'x' * 20_000}\r\n")
        assert_refused(answer, HeadersTooLarge.status, HeadersTooLarge.code)
        assert answer.json()["message"] == HeadersTooLarge(limit="16384").text
        assert seen() == before

    async def test_an_address_beyond_its_limit_is_refused(self, edge: Nginx, seen: Callable[[], int]) -> None:
        before = seen()
        answer = await request(edge.http_port, f"/api/mlpcore/{'x' * 20_000}")
        assert_refused(answer, AddressTooLong.status, AddressTooLong.code)
        assert answer.json()["message"] == AddressTooLong(limit="16384").text
        assert seen() == before


class TestConnections:
    async def test_requests_in_progress_are_limited_per_address(
        self, another_edge: Callable[..., Nginx], seen: Callable[[], int]
    ) -> None:
        edge, before = another_edge(EDGE_CONNECTIONS_PER_ADDRESS="3"), seen()
        head = b"POST /api/mlpgateway/x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
        async with AsyncExitStack() as stack:
            for _ in range(3):
                _, writer = await asyncio.open_connection("127.0.0.1", edge.http_port)
                stack.callback(writer.close)
                writer.write(head)

            async def arrived() -> int:
                return seen() - before

            await eventually(arrived, until=lambda count: count == 3)  # a request below must not take the place of one

            async def refused() -> bool:
                answer = await request(edge.http_port, "/api/mlpcore/x")
                if answer.status == 200:
                    return False
                assert_refused(answer, TooManyConnections.status, TooManyConnections.code)
                assert answer.json()["message"] == TooManyConnections().text
                return True

            await eventually(refused)
            reader, writer = await asyncio.open_connection("127.0.0.1", edge.http_port, local_addr=("127.0.0.2", 0))
            stack.callback(writer.close)
            writer.write(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await reader.readline()).split()[1] == b"200"

    async def test_the_services_refusal_of_a_stalled_body_reaches_the_caller(
        self, another_edge: Callable[..., Nginx]
    ) -> None:
        async with served(trusted_proxies="127.0.0.1") as service:
            edge = another_edge(EDGE_MLPGATEWAY=f"127.0.0.1:{service.port}")
            reader, writer = await asyncio.open_connection("127.0.0.1", edge.http_port)
            writer.write(b"POST /api/mlpgateway/x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n1234")
            async with asyncio.timeout(60):
                await service.app.started.wait()
                await service.passes(60)
                heard = await reader.read()
            writer.close()
        assert parse(heard).status == RequestTooSlow.status
        assert parse(heard).json()["code"] == RequestTooSlow.code


class TestAbsence:
    async def test_a_method_that_no_address_has_is_refused_with_those_that_exist(
        self, edge: Nginx, seen: Callable[[], int]
    ) -> None:
        before = seen()
        answer = await request(edge.http_port, "/api/mlpcore/x", "TRACE")
        assert_refused(answer, MethodNotAllowed.status, MethodNotAllowed.code)
        assert answer.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"
        assert seen() == before

    @pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
    @pytest.mark.parametrize(
        "path", ["/", "/catalog", "/c/login", "/assets/app-1a2b.js", "/assets/app-1a2b.css", "/assets/font-1a2b.woff2",
                 "/version", "/health/live", "/health/ready"],
    )  # fmt: skip
    async def test_pages_files_and_own_answers_are_only_read(self, edge: Nginx, path: str, method: str) -> None:
        answer = await request(edge.http_port, path, method)
        assert_refused(answer, MethodNotAllowed.status, MethodNotAllowed.code)
        assert answer.headers["allow"] == "GET, HEAD"
        assert answer.json()["message"] == MethodNotAllowed([]).text
        assert (await request(edge.http_port, path, "HEAD")).status == 200

    @pytest.mark.parametrize("method", ["GET", "POST"])
    async def test_an_unknown_path_gets_the_common_error(self, edge: Nginx, method: str) -> None:
        answer = await request(edge.http_port, "/api/nowhere", method)
        assert_refused(answer, 404, RouteNotFound.code)
        assert answer.json()["message"] == RouteNotFound().text

    @pytest.mark.parametrize("path", ["/api/mlpgateway/x", "/p/a/b", "/api/mlpgate/account/a/model/m/predict"])
    async def test_a_service_that_is_down_gives_a_retryable_error(
        self, another_edge: Callable[..., Nginx], path: str
    ) -> None:
        edge = another_edge(EDGE_MLPGATEWAY=f"127.0.0.1:{free_port()}")
        answer = await request(edge.http_port, path, "POST", body=b"{}")
        assert_refused(answer, 502, Unavailable.code)
        assert answer.json()["message"] == Unavailable().text
        assert answer.headers["retry-after"] == "1"

    async def test_the_edge_starts_without_its_services_names(self, another_edge: Callable[..., Nginx]) -> None:
        edge = another_edge(EDGE_MLPCORE="no.such.name.test:80")
        assert_refused(await request(edge.http_port, "/api/mlpcore/x"), 502, Unavailable.code)
        assert (await request(edge.http_port, "/api/mlpbilling/x")).status == 200

    async def test_a_closed_connection_of_a_service_gives_a_json_error(
        self, another_edge: Callable[..., Nginx]
    ) -> None:
        async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            calls.append(1)
            writer.close()

        calls: list[int] = []
        rude = await asyncio.start_server(hang_up, "127.0.0.1", 0)
        edge = another_edge(EDGE_MLPGATEWAY=f"127.0.0.1:{rude.sockets[0].getsockname()[1]}")
        answer = await request(edge.http_port, "/api/mlpgateway/x", "POST", body=b"{}")
        rude.close()
        assert_refused(answer, 502, Unavailable.code)
        assert len(calls) == 1, "what may have had an effect is not sent again"

    async def test_errors_of_services_pass_unchanged(self, client: httpx.AsyncClient) -> None:
        answer = await client.get("/api/mlpcore/x?twin=refuse")
        assert (answer.status_code, answer.json()) == (503, {"code": "of.the.service"})


class TestAdapters:
    """The edge's own errors at the addresses of OpenAI's clients, in the form of the gateway's."""

    @pytest.mark.parametrize(
        ("path", "headers", "error"),
        [
            (
                "openai/v1/chat/completions",
                f"Content-Length: {TOO_LARGE}\r\n",
                PayloadTooLarge(limit=str(TOO_LARGE - 1)),
            ),
            ("openai/models/..%2f", "", RouteNotFound()),
            ("openai-direct/chat/completions", f"A: {'x' * 20_000}\r\n", HeadersTooLarge(limit="16384", unit="bytes")),
        ],
        ids=["body", "path", "headers"],
    )
    async def test_a_refusal(self, edge: Nginx, path: str, headers: str, error: DomainError) -> None:
        self._expect(await request(edge.http_port, f"/api/adapters/{path}", "POST", headers), error.status, error)

    async def test_a_service_that_is_down(self, another_edge: Callable[..., Nginx]) -> None:
        edge = another_edge(EDGE_MLPGATEWAY=f"127.0.0.1:{free_port()}")
        answer = await request(edge.http_port, "/api/adapters/openai/v1/models")
        self._expect(answer, 502, Unavailable())
        assert answer.headers["retry-after"] == "1"

    @staticmethod
    def _expect(answer: Answer, status: int, error: DomainError) -> None:
        ours = json.loads(error_body(error))["error"]
        told = answer.json()["error"]
        assert (answer.status, {name: told[name] for name in ours}) == (status, ours)
        assert told["requestId"] == answer.headers["x-request-id"] == answer.headers["z-requestid"]

    async def test_speech_has_the_form_of_the_platform(self, another_edge: Callable[..., Nginx]) -> None:
        edge = another_edge(EDGE_MLPGATEWAY=f"127.0.0.1:{free_port()}")
        answer = await request(edge.http_port, "/api/adapters/tts?model=a/b")
        assert_refused(answer, 502, Unavailable.code)
        assert "x-request-id" not in answer.headers


class TestSignInLimit:
    @pytest.mark.parametrize("action", ["login", "register"])
    async def test_a_flood_is_refused_without_effect_on_others(
        self, another_edge: Callable[..., Nginx], services: dict[str, Service], action: str
    ) -> None:
        edge = another_edge(EDGE_SIGN_INS_PER_MINUTE="1")
        path = f"/api/accountsadmin/c/authorization/{action}"
        before = len(services["accountsadmin"].seen)
        answers = [await request(edge.http_port, path, "POST", body=b"{}") for _ in range(25)]
        assert [answer.status for answer in answers] == [200] * 21 + [429] * 4
        assert len(services["accountsadmin"].seen) == before + 21
        assert_refused(answers[-1], 429, "accountsadmin.too_many_attempts")
        assert answers[-1].headers["retry-after"] == answers[-1].json()["args"]["seconds"]
        spelled = f"/api/accountsadmin/c/authorization/%{ord(action[0]):x}{action[1:]}"
        assert (await request(edge.http_port, spelled, "POST", body=b"{}")).status == 429
        assert (await request(edge.http_port, "/api/accountsadmin/c/authorization/logout", "POST")).status == 200


class TestMalformed:
    async def test_an_invalid_length_gives_a_json_error(self, edge: Nginx) -> None:
        answer = await request(edge.http_port, "/api/mlpcore/x", "POST", "Content-Length: x\r\n")
        assert_refused(answer, 400, "mlp.core.malformed_request")
