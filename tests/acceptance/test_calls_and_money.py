"""Steps of the main job: call the demo models with a key, and see the cost and the income."""

import base64
import json
import subprocess
import uuid

import httpx
import pytest

import mlplace
from tests.acceptance.conftest import PREDICT, Payer, Platform
from tests.acceptance.waiting import eventually

TEXT = "Иван Петров приехал из Казани в Москву"


def _curl(platform: Platform, path: str, body: object) -> tuple[int, dict[str, object]]:
    finished = subprocess.run(
        [
            "curl", "-s", "-w", "\n%{http_code}", platform.url + path,
            "-H", f"MLP-API-KEY: {platform.api_key}", "-H", "Content-Type: application/json", "-d", json.dumps(body),
        ],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    text, _, status = finished.stdout.rpartition("\n")
    return int(status), json.loads(text)


def _balance(client: httpx.Client, account_id: int) -> dict[str, float]:
    answer = client.get(f"/api/mlpbilling/account/{account_id}/balance/short")
    assert answer.status_code == 200, answer.text
    return answer.json()


class TestDemoServices:
    def test_curl_finds_real_entities(self, platform: Platform) -> None:
        status, answer = _curl(platform, PREDICT.format("ner-ru"), {"texts": [TEXT]})
        assert status == 200, answer
        entities = answer["entities_list"][0]["entities"]  # type: ignore[index]
        found = {(entity["entity_type"], entity["value"]) for entity in entities}  # type: ignore[index]
        kinds = {kind for kind, _ in found}
        assert {"PER", "LOC"} <= kinds, found

    def test_the_old_prefix_is_an_alias(self, platform: Platform) -> None:
        path = PREDICT.format("greeting").replace("mlpgateway", "mlpgate")
        status, answer = _curl(platform, path, {"name": "Анна"})
        assert status == 200
        assert "Анна" in str(answer)

    def test_close_words_have_close_vectors(self, platform: Platform) -> None:
        _, answer = _curl(platform, PREDICT.format("word-vectors"), {"texts": ["кошка", "кот", "договор"]})
        cat, tom, contract = (row["vector"] for row in answer["embedded_texts"])  # type: ignore[index]

        def cosine(a: list[float], b: list[float]) -> float:
            dot = sum(x * y for x, y in zip(a, b, strict=True))
            return dot / (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5

        assert cosine(cat, tom) > cosine(cat, contract) + 0.1

    def test_speech_is_audible(self, platform: Platform) -> None:
        _, answer = _curl(platform, PREDICT.format("speech"), {"text": "Добрый день"})
        audio = base64.b64decode(str(answer["audio_base64"]))
        assert len(audio) > 10_000
        assert len(set(audio)) > 50

    def test_a_handshake_where_there_are_no_websockets_is_no_call(self, platform: Platform) -> None:
        asks = {
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "MLP-API-KEY": platform.api_key,
        }  # fmt: skip
        with platform.client(**asks) as client:
            for path in (PREDICT.format("speech").replace("predict", "tts?text=hi"), "/api/adapters/openai/models"):
                answer = client.get(path)
                body = answer.json()
                assert (answer.status_code, body.get("error", body)["code"]) == (404, "mlp.core.route_not_found"), path

    async def test_the_sdk_calls_over_http_and_over_the_gate(self, platform: Platform) -> None:
        with mlplace.Client(platform.url, platform.api_key) as client:
            assert "Анна" in str(client.predict("acme", "greeting", {"name": "Анна"}))
        async with mlplace.GrpcClient(platform.gate, platform.api_key, secure=False) as client:
            assert "Анна" in str(await client.predict("acme", "greeting", {"name": "Анна"}))


class TestMoney:
    def test_a_call_costs_the_caller_what_it_earns_the_owner(
        self, platform: Platform, payer: Payer, owner: httpx.Client, admin: httpx.Client
    ) -> None:
        refill = {"amountCurrency": 3, "currency": "RUBLE", "comment": "a test", "idempotencyKey": payer.key[:20]}
        admin.post(f"/api/mlpbilling/admin/account/{payer.account_id}/refill", json=refill).raise_for_status()
        body = {"texts": [TEXT]}
        # A gate learns of money by an event. Refused calls are free.
        eventually(lambda: payer.predict(platform, "ner-ru", body).status_code, until=lambda status: status == 200)
        assert [payer.predict(platform, "ner-ru", body).status_code for _ in range(3)] == [200] * 3

        def left() -> float:
            return _balance(payer.client, payer.account_id)["overallBalanceCurrency"]

        def earned() -> tuple[int, float]:
            report = owner.get(f"/api/mlpbilling/account/{platform.account_of(owner)}/report/income/payers")
            rows = [row for row in report.raise_for_status().json() if row["accountId"] == payer.account_id]
            return sum(row["callsCount"] for row in rows), sum(row["amountCurrency"] for row in rows)

        assert abs(eventually(left, until=lambda now: now < 2 + 1e-6) - 2) < 1e-6
        assert eventually(earned, until=lambda now: now[0] >= 4) == (4, pytest.approx(1))
        path = f"/api/mlpbilling/account/{payer.account_id}/details/spending"
        spending = payer.client.get(path, params={"period": "DAY"}).json()
        assert [(item["name"], item["callsCount"]) for item in spending["items"]] == [("ner-ru", 4)]
        check = admin.get("/api/mlpbilling/admin/ledger/verification").raise_for_status().json()
        assert check["sound"] is True, check
        assert set(check["sums"].values()) <= {0}, check

    def test_a_revoked_key_is_refused(self, platform: Platform, caller: httpx.Client) -> None:
        account = platform.account_of(caller)
        made = caller.post(f"/api/mlpcore/account/{account}/token", json={"name": f"short-lived {uuid.uuid4()}"})
        key = made.raise_for_status().json()["token"]
        with platform.client(**{"MLP-API-KEY": key}) as client:

            def call() -> int:
                return client.post(PREDICT.format("greeting"), json={"name": "x"}).status_code

            assert eventually(call, until=lambda status: status == 200) == 200
            caller.delete(f"/api/mlpcore/account/{account}/token/{key.split('.')[1]}").raise_for_status()
            # Without the event, a cache would let it in for half a minute: the deadline has to be shorter.
            eventually(call, until=lambda status: status == 401, seconds=20)

    def test_a_call_without_money_is_refused(self, platform: Platform, payer: Payer) -> None:
        answer = payer.predict(platform, "ner-ru", {"texts": [TEXT]})
        assert answer.status_code == 402, answer.text
        assert answer.json()["code"] == "mlp.billing.insufficient_funds"
