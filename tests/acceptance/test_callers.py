"""Callers who repeat, who stream, who leave, and whose key is deleted, against services that run beside the platform."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

import mlplace
from tests.acceptance.conftest import Payer, Platform
from tests.acceptance.own_models import ROOT, connected, external_instance, new_model, predict_path, running
from tests.acceptance.waiting import eventually

COUNTING = ROOT / "tests" / "acceptance" / "counting.py"
EMBEDDINGS = "/api/adapters/openai/embeddings"
VECTORS = {"model": "acme/word-vectors", "input": ["кошка"]}


@dataclass(frozen=True)
class Counting:
    """A running service that counts. `left` has a line for each caller who has left it."""

    account: str
    name: str
    path: str
    left: Path

    def callers_left(self) -> int:
        return len(self.left.read_text().splitlines()) if self.left.exists() else 0


@pytest.fixture
def counting(platform: Platform, caller: httpx.Client, tmp_path: Path) -> Iterator[Counting]:
    model, left = new_model(platform, caller), tmp_path / "left"
    _, _, _, _, account, _, name = model.split("/")
    with (
        external_instance(caller, model) as environment,
        running(COUNTING, {**environment, "COUNTING_LEFT": str(left)}, tmp_path),
        platform.client(**{"MLP-API-KEY": platform.api_key}) as client,
    ):
        eventually(lambda: connected(caller, model), until=lambda rows: rows == [True])
        eventually(  # each gate learns of the model by an event
            lambda: [client.post(predict_path(model), json={"then": "raise"}).status_code for _ in range(10)],
            until=lambda statuses: set(statuses) == {409},
        )
        yield Counting(account, name, predict_path(model), left)


@asynccontextmanager
async def _client(kind: str, platform: Platform) -> AsyncIterator[Any]:
    match kind:
        case "Client":
            with mlplace.Client(platform.url, platform.api_key) as blocking:
                yield blocking
        case "AsyncClient":
            async with mlplace.AsyncClient(platform.url, platform.api_key) as client:
                yield client
        case _:
            async with mlplace.GrpcClient(platform.gate, platform.api_key, secure=False) as client:
                yield client


async def _read(stream: Any, into: list[int]) -> None:
    """Reads either kind of stream to its end."""
    if hasattr(stream, "__anext__"):
        async for part in stream:
            into.append(part)  # noqa: PERF401  what comes before an error counts
    else:
        for part in stream:
            into.append(part)  # noqa: PERF402  as above


CLIENTS = ("Client", "AsyncClient", "GrpcClient")


class TestStreams:
    @pytest.mark.parametrize("kind", CLIENTS)
    async def test_parts_arrive_before_the_error_that_follows(
        self, platform: Platform, counting: Counting, kind: str
    ) -> None:
        parts: list[int] = []
        async with _client(kind, platform) as client:
            with pytest.raises(mlplace.MlpError) as failed:
                await _read(client.stream(counting.account, counting.name, {"then": "raise"}), parts)
        assert (parts, failed.value.code, failed.value.status) == ([0, 1, 2], "counting.enough", 409)

    @pytest.mark.parametrize("kind", CLIENTS)
    async def test_the_service_learns_that_its_caller_has_left(
        self, platform: Platform, counting: Counting, kind: str
    ) -> None:
        async with _client(kind, platform) as client:
            stream = client.stream(counting.account, counting.name, {"then": "wait"})
            if kind == "Client":
                with closing(stream):
                    assert next(stream) == 0
            else:
                async with aclosing(stream):
                    assert await anext(stream) == 0
            await asyncio.to_thread(eventually, counting.callers_left, until=lambda left: left == 1)

    def test_a_stream_ends_when_its_key_is_deleted(
        self, platform: Platform, caller: httpx.Client, counting: Counting
    ) -> None:
        tokens = f"/api/mlpcore/account/{counting.account}/token"
        key = caller.post(tokens, json={"name": counting.name}).raise_for_status().json()["token"]
        with mlplace.Client(platform.url, key) as client:
            stream = client.stream(counting.account, counting.name, {"then": "wait"})
            with closing(stream):
                assert next(stream) == 0
                caller.delete(f"{tokens}/{key.split('.')[1]}").raise_for_status()
                with pytest.raises(mlplace.MlpError) as ended:
                    list(stream)
        assert (ended.value.status, ended.value.code) == (401, "mlp.gate.unauthorized")
        assert eventually(counting.callers_left, until=lambda left: left == 1) == 1


class TestAdapters:
    def test_a_repeated_key_is_charged_once(self, platform: Platform, payer: Payer, admin: httpx.Client) -> None:
        refill = {"amountCurrency": 3, "currency": "RUBLE", "comment": "a test", "idempotencyKey": payer.key[:20]}
        admin.post(f"/api/mlpbilling/admin/account/{payer.account_id}/refill", json=refill).raise_for_status()

        def calls() -> list[int]:
            path = f"/api/mlpbilling/account/{payer.account_id}/details/spending"
            answer = payer.client.get(path, params={"period": "DAY"}).raise_for_status()
            return [item["callsCount"] for item in answer.json()["items"]]

        with platform.client(**{"MLP-API-KEY": payer.key}) as client:

            def call(key: str) -> httpx.Response:
                return client.post(EMBEDDINGS, json=VECTORS, headers={"Idempotency-Key": key})

            first = eventually(lambda: call("one"), until=lambda answer: answer.status_code == 200)
            again = [call("one") for _ in range(4)]  # at each gate
            assert {answer.text for answer in again} == {first.text}
            assert {answer.headers.get("Z-idempotent-replayed") for answer in again} == {"true"}
            assert call("two").status_code == 200
        assert eventually(calls, until=lambda found: found not in ([], [1])) == [2]

    def test_what_is_not_served_is_refused_by_name(self, platform: Platform) -> None:
        with platform.client(**{"MLP-API-KEY": platform.api_key}) as client:
            later = client.post(EMBEDDINGS, json=VECTORS, headers={"Prefer": "respond-async"})
            packed = client.post(EMBEDDINGS, content=b"packed", headers={"Content-Encoding": "gzip"})
        assert (later.status_code, later.json()["error"]["code"]) == (400, "mlp.gate.header_not_served")
        assert (packed.status_code, packed.json()["error"]["code"]) == (415, "mlp.core.content_encoding_not_supported")


class TestPagesOfOtherSites:
    def test_only_a_key_that_lists_them_serves_them(self, platform: Platform, payer: Payer) -> None:
        page = {"Origin": "https://pages.example.org"}
        tokens = f"/api/mlpcore/account/{payer.account_id}/token"
        body = {"name": "pages", "allowedOrigins": [page["Origin"]]}
        listed = payer.client.post(tokens, json=body).raise_for_status().json()["token"]
        asks = {**page, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "mlp-api-key"}
        with platform.client() as client:

            def allowed(key: str) -> str | None:
                answer = client.post(EMBEDDINGS, json=VECTORS, headers={**page, "MLP-API-KEY": key})
                return answer.headers.get("Access-Control-Allow-Origin")

            assert eventually(lambda: allowed(listed)) == page["Origin"]
            assert allowed(payer.key) is None
            preflight = eventually(
                lambda: client.options(EMBEDDINGS, headers=asks), until=lambda answer: answer.status_code == 204
            )
            assert preflight.headers["Access-Control-Allow-Origin"] == page["Origin"]
