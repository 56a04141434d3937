import asyncio
from typing import Any

import httpx
import pytest

from mlplace_contracts.enums import Feature
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import NANO, Currency
from mlplace_testing.identities import Identities

from .conftest import RUBLE, TOKEN, Harness
from .test_reports import account

BASE = "/api/mlpbilling/account"
MANUAL = {"amountCurrency": 12.34, "currency": "RUBLE", "comment": "contract 7", "idempotencyKey": "k1"}


class TestRefillFromIncome:
    async def _post(
        self, client: httpx.AsyncClient, identities: Identities, body: dict[str, Any], key: str | None = None
    ) -> httpx.Response:
        self.headers = getattr(self, "headers", None) or identities.user(
            identities.account(2, "acme"), features=[Feature.PUBLIC_MODEL_ADMIN]
        )
        extra = {"Idempotency-Key": key} if key else {}
        return await client.post(f"{BASE}/2/user/1/refill/income", json=body, headers=self.headers | extra)

    async def test_income_is_moved_in_whole_cents(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.earn(2, 5 * NANO)
        answer = await self._post(client, identities, {"accountId": 2, "amountCurrency": 1.239})
        assert (answer.status_code, answer.content) == (200, b"")
        assert await harness.money(2) == (1_230_000_000, 3_770_000_000, 0)
        assert (await harness.verify()).sound

    async def test_a_repeated_request_with_a_key_moves_nothing(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.earn(2, 5 * NANO)
        body = {"accountId": 2, "amountCurrency": 2}
        await self._post(client, identities, body, "k")
        answers = await asyncio.gather(*(self._post(client, identities, body, "k") for _ in range(10)))
        assert {(answer.status_code, answer.content) for answer in answers} == {(200, b"")}
        assert await harness.money(2) == (2 * NANO, 3 * NANO, 0)
        changed = await self._post(client, identities, {"accountId": 2, "amountCurrency": 3}, "k")
        assert (changed.status_code, changed.json()["code"]) == (409, "mlp.billing.idempotency_key_reused")

    async def test_concurrent_refills_cannot_exceed_the_income(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.earn(2, 5 * NANO)
        body = {"accountId": 2, "amountCurrency": 2}
        answers = await asyncio.gather(*(self._post(client, identities, body) for _ in range(6)))
        assert sorted(answer.status_code for answer in answers) == [200, 200, 400, 400, 400, 400]
        assert await harness.money(2) == (4 * NANO, NANO, 0)

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"accountId": 2, "amountCurrency": 5.01}, "amountCurrency"),
            ({"accountId": 2, "amountCurrency": 0.009}, "amountCurrency"),
            ({"accountId": 2, "amountCurrency": -1}, "amountCurrency"),
            ({"accountId": 2, "amountCurrency": 1e308}, "amountCurrency"),
            ({"accountId": 2, "amountCurrency": "NaN"}, "amountCurrency"),
            ({"accountId": 2, "amountCurrency": "1" * 5000}, "amountCurrency"),
            ({"accountId": 3, "amountCurrency": 1}, "accountId"),
            ({"accountId": 2, "amountCurrency": 1, "extra": 1}, "extra"),
            ({"accountId": 2}, "amountCurrency"),
        ],
    )
    async def test_invalid_input_names_its_field(
        self,
        client: httpx.AsyncClient,
        identities: Identities,
        harness: Harness,
        clock: ManualClock,
        body: dict[str, object],
        field: str,
    ) -> None:
        await harness.earn(2, 5 * NANO)
        answer = await self._post(client, identities, body)
        assert answer.status_code == 400, answer.text
        assert set(answer.json()["args"]) == {field}
        assert await harness.money(2) == (0, 5 * NANO, 0)


class TestManualRefill:
    async def test_a_superadmin_refills_any_known_account_once_per_key(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness
    ) -> None:
        await harness.know(account(5, "five"))
        headers = identities.user(superadmin=True)
        path = "/api/mlpbilling/admin/account/5/refill"
        answers = await asyncio.gather(*(client.post(path, json=MANUAL, headers=headers) for _ in range(10)))
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.content for answer in answers}) == 1
        assert answers[0].json() | {"createdAt": ""} == {
            "id": 1,
            "createdAt": "",
            "source": "REQUEST_FROM_AA",
            "currency": "RUBLE",
            "amountCurrency": 12.34,
            "status": "DONE",
            "userId": 1,
        }
        assert await harness.money(5) == (12_340_000_000, 0, 0)
        assert await harness.query("SELECT user_id, comment FROM refill") == [(1, "contract 7")]
        other = await client.post(path, json=MANUAL | {"amountCurrency": 13}, headers=headers)
        assert (other.status_code, other.json()["code"]) == (409, "mlp.billing.idempotency_key_reused")

    @pytest.mark.parametrize(
        "change",
        [
            {"amountCurrency": 0},
            {"amountCurrency": -5},
            {"amountCurrency": 1e12},
            {"amountCurrency": "0.12345678901"},
            {"currency": "EURO"},
            {"comment": ""},
            {"comment": "a\x00b"},
            {"idempotencyKey": ""},
            {"idempotencyKey": "x" * 256},
            {"surprise": 1},
        ],
    )
    async def test_invalid_input_is_refused(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, change: dict[str, object]
    ) -> None:
        await harness.know(account(5, "five"))
        answer = await client.post(
            "/api/mlpbilling/admin/account/5/refill", json=MANUAL | change, headers=identities.user(superadmin=True)
        )
        assert (answer.status_code, set(answer.json()["args"])) == (400, set(change))

    async def test_an_unknown_account_is_not_found(self, client: httpx.AsyncClient, identities: Identities) -> None:
        answer = await client.post(
            "/api/mlpbilling/admin/account/5/refill", json=MANUAL, headers=identities.user(superadmin=True)
        )
        assert (answer.status_code, answer.json()["code"]) == (404, "mlp.gate.account_not_found")

    async def test_a_refill_that_would_exceed_63_bits_is_refused(
        self, harness: Harness, client: httpx.AsyncClient, identities: Identities
    ) -> None:
        await harness.know(account(5, "five"))
        await harness.refill(5, 2**63 - 2)
        answer = await client.post(
            "/api/mlpbilling/admin/account/5/refill", json=MANUAL, headers=identities.user(superadmin=True)
        )
        assert (answer.status_code, answer.json()["code"]) == (409, "mlp.billing.balance_too_large")


class TestBootstrap:
    async def test_the_installation_refills_once_per_key(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness
    ) -> None:
        body = {"accountId": 5, "amountNano": 7, "currency": "TOKEN", "idempotencyKey": "demo"}
        for _ in range(2):
            answer = await client.post("/internal/mlpbilling/bootstrap/refill", json=body, headers=identities.internal)
            assert answer.status_code == 200
        assert await harness.money(5, TOKEN) == (7, 0, 0)
        assert await harness.money(5, RUBLE) == (0, 0, 0)


class TestHistory:
    async def test_the_history_lists_every_source_newest_first(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(2, NANO, Currency.TOKEN)
        await harness.earn(2, 5 * NANO)
        headers = identities.user(identities.account(2, "acme"), features=[Feature.PUBLIC_MODEL_ADMIN])
        await client.post(f"{BASE}/2/user/1/refill/welcome-bonus", headers=headers)
        body = {"accountId": 2, "amountCurrency": 1}
        await client.post(f"{BASE}/2/user/1/refill/income", json=body, headers=headers)
        rows = (await client.get(f"{BASE}/2/refill/history", headers=headers)).json()
        assert [(row["source"], row["amountCurrency"], row["currency"], row["userId"]) for row in rows] == [
            ("REFILL_FROM_INCOME", 1.0, "RUBLE", 1),
            ("WELCOME_BONUS", 12.5, "RUBLE", 1),
            ("REQUEST_FROM_AA", 1.0, "TOKEN", None),
        ]
