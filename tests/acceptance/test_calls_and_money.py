"""Steps of the main job: call the demo models with a key, and see the cost and the income."""

import base64
import json
import subprocess
import time
import uuid

import httpx

import mlplace
from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually

TEXT = "Иван Петров приехал из Казани в Москву"
PREDICT = "/api/mlpgateway/account/acme/model/{}/predict"


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

    async def test_the_sdk_calls_over_http_and_over_the_gate(self, platform: Platform) -> None:
        with mlplace.Client(platform.url, platform.api_key) as client:
            assert "Анна" in str(client.predict("acme", "greeting", {"name": "Анна"}))
        gate = "localhost:" + str(httpx.URL(platform.url).port + 10)  # type: ignore[operator]
        async with mlplace.GrpcClient(gate, platform.api_key, secure=False) as client:
            assert "Анна" in str(await client.predict("acme", "greeting", {"name": "Анна"}))


class TestMoney:
    def test_a_call_costs_the_caller_what_it_earns_the_owner(
        self, platform: Platform, caller: httpx.Client, owner: httpx.Client, admin: httpx.Client
    ) -> None:
        caller_id, owner_id = platform.account_of(caller), platform.account_of(owner)
        time.sleep(1)  # wait for charges of earlier calls
        paid = _balance(caller, caller_id)["overallBalanceCurrency"]
        earned = _balance(owner, owner_id)["incomeBalanceCurrency"]
        for _ in range(4):
            status, _ = _curl(platform, PREDICT.format("ner-ru"), {"texts": [TEXT]})
            assert status == 200
        eventually(
            lambda: _balance(caller, caller_id)["overallBalanceCurrency"], until=lambda now: abs(paid - now - 1) < 1e-6
        )
        eventually(
            lambda: _balance(owner, owner_id)["incomeBalanceCurrency"], until=lambda now: abs(now - earned - 1) < 1e-6
        )
        spending = caller.get(f"/api/mlpbilling/account/{caller_id}/details/spending", params={"period": "DAY"}).json()
        assert any(item["name"] == "ner-ru" and item["callsCount"] >= 4 for item in spending["items"]), spending
        check = admin.get("/api/mlpbilling/admin/ledger/verification").raise_for_status().json()
        assert check["sound"] is True, check
        assert set(check["sums"].values()) <= {0}, check

    def test_a_revoked_key_is_refused_within_two_seconds(self, platform: Platform, caller: httpx.Client) -> None:
        account = platform.account_of(caller)
        made = caller.post(f"/api/mlpcore/account/{account}/token", json={"name": f"short-lived {uuid.uuid4()}"})
        key = made.raise_for_status().json()["token"]
        with platform.client(**{"MLP-API-KEY": key}) as client:

            def call() -> int:
                return client.post(PREDICT.format("greeting"), json={"name": "x"}).status_code

            assert eventually(call, until=lambda status: status == 200, seconds=5) == 200
            caller.delete(f"/api/mlpcore/account/{account}/token/{key.split('.')[1]}").raise_for_status()
            eventually(call, until=lambda status: status == 401, seconds=2)

    def test_a_call_without_money_is_refused(self, platform: Platform) -> None:
        login = f"poor-{uuid.uuid4().hex[:8]}@example.org"
        with platform.client() as client:
            body = {"login": login, "password": f"pass-{uuid.uuid4()}"}
            client.post("/api/accountsadmin/c/authorization/register", json=body).raise_for_status()
            account = eventually(lambda: client.get("/api/mlpcore/account"), until=lambda a: a.status_code == 200)
            account_id = account.json()["accountId"]
            made = client.post(f"/api/mlpcore/account/{account_id}/token", json={"name": "k"}).raise_for_status()
            headers = {"MLP-API-KEY": made.json()["token"]}
            answer = client.post(PREDICT.format("ner-ru"), json={"texts": [TEXT]}, headers=headers)
            assert answer.status_code == 402, answer.text
            assert answer.json()["code"] == "mlp.billing.insufficient_funds"
