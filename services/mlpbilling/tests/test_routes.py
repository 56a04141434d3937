"""Tests access to every route, and the responses of small routes."""

from collections.abc import Mapping

import httpx
import pytest
from fastapi import FastAPI

from mlplace_contracts.enums import Feature, KeyPermission, Role
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import NANO
from mlplace_testing.identities import Identities
from mlplace_testing.web import (
    operation_names_used_twice,
    routes_of,
    routes_that_read_json_otherwise,
    routes_without_policy,
)

from .conftest import Harness, usage_of
from .test_refills import MANUAL
from .test_reports import account

BASE = "/api/mlpbilling/account/2"
READS = (
    "blocked",
    "balance",
    "balance/short",
    "details/income",
    "details/spending",
    "report/income/models",
    "report/income/payers",
    "refill/history",
    "statement",
    "statement/calls",
    "statement/rents",
    "balance/forecast",
    "call-origins",
)


@pytest.fixture
def callers(identities: Identities) -> Mapping[str, dict[str, str]]:
    """Users get their ids in this order: the owner is user 1, the superadmin user 5."""
    acme, other = identities.account(2, "acme"), identities.account(3, "other")
    return {
        "anonymous": {},
        "owner": identities.user(acme, features=[Feature.PUBLIC_MODEL_ADMIN]),
        "developer": identities.user(acme, role=Role.DEVELOPER),
        "user": identities.user(acme, role=Role.USER),
        "stranger": identities.user(other),
        "superadmin": identities.user(superadmin=True),
        "key": identities.api_key(acme),
        "predict key": identities.api_key(acme, permissions=[KeyPermission.PREDICT]),
        "service": identities.internal,
    }


async def statuses(
    client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]], method: str, path: str, body: object = None
) -> str:
    answers = [await client.request(method, path, json=body, headers=headers) for headers in callers.values()]
    return " ".join(str(answer.status_code) for answer in answers)


class TestAccess:
    @pytest.mark.parametrize("path", READS)
    async def test_members_and_keys_with_read_permission_may_read(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]], path: str
    ) -> None:
        assert await statuses(client, callers, "GET", f"{BASE}/{path}") == "401 200 200 200 403 200 200 403 401"

    async def test_only_an_owner_may_take_the_bonus_for_themselves(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]]
    ) -> None:
        for_owner = await statuses(client, callers, "POST", f"{BASE}/user/1/refill/welcome-bonus")
        assert for_owner == "401 200 403 403 403 403 403 403 401"
        for_admin = await statuses(client, callers, "POST", f"{BASE}/user/5/refill/welcome-bonus")
        assert for_admin == "401 403 403 403 403 403 403 403 401"

    async def test_only_an_owner_may_ask_for_their_offer_of_a_bonus(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]]
    ) -> None:
        for_owner = await statuses(client, callers, "GET", f"{BASE}/user/1/refill/welcome-bonus")
        assert for_owner == "401 200 403 403 403 403 403 403 401"
        for_developer = await statuses(client, callers, "GET", f"{BASE}/user/2/refill/welcome-bonus")
        assert for_developer == "401 403 403 403 403 403 403 403 401"

    async def test_only_an_owner_may_move_income(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]], harness: Harness, clock: ManualClock
    ) -> None:
        await harness.earn(2, 5 * NANO)
        body = {"accountId": 2, "amountCurrency": 1}
        found = await statuses(client, callers, "POST", f"{BASE}/user/1/refill/income", body)
        assert found == "401 200 403 403 403 403 403 403 401"

    async def test_income_can_be_moved_only_with_its_feature(
        self, client: httpx.AsyncClient, identities: Identities
    ) -> None:
        owner = identities.user(identities.account(2, "acme"))
        body = {"accountId": 2, "amountCurrency": 1}
        answer = await client.post(f"{BASE}/user/1/refill/income", json=body, headers=owner)
        assert (answer.status_code, answer.json()["args"]) == (403, {"feature": "mlp.public_model_admin"})

    async def test_only_a_superadmin_may_refill_manually(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]], harness: Harness
    ) -> None:
        await harness.know(account(2, "acme"))
        found = await statuses(client, callers, "POST", "/api/mlpbilling/admin/account/2/refill", MANUAL)
        assert found == "401 403 403 403 403 200 403 403 401"

    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("POST", "/internal/mlpbilling/reservations"),
            ("POST", "/internal/mlpbilling/reservations/0190b6a0-0000-7000-8000-000000000000/release"),
            ("POST", "/internal/mlpbilling/bootstrap/refill"),
            ("GET", "/internal/mlpbilling/ledger/verification"),
            ("POST", "/internal/mlpbilling/usage/key-spending"),
        ],
    )
    async def test_only_services_may_call_internal_routes(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]], method: str, path: str
    ) -> None:
        found = await statuses(client, callers, method, path)
        assert found.split()[:-1] == ["401"] * 8
        assert not found.endswith("401")

    @pytest.mark.parametrize("path", READS)
    async def test_a_foreign_account_looks_like_a_missing_one(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]], path: str
    ) -> None:
        headers = callers["stranger"] | {"Z-requestId": "same"}
        foreign = await client.get(f"/api/mlpbilling/account/2/{path}", headers=headers)
        missing = await client.get(f"/api/mlpbilling/account/999/{path}", headers=headers)
        assert (foreign.status_code, foreign.content) == (403, missing.content)

    @pytest.mark.parametrize("account_id", ["acme", "0", "-1", str(2**63)])
    async def test_an_impossible_account_id_is_invalid(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]], account_id: str
    ) -> None:
        answer = await client.get(f"/api/mlpbilling/account/{account_id}/balance", headers=callers["owner"])
        assert (answer.status_code, set(answer.json()["args"])) == (400, {"accountId"})

    @pytest.mark.parametrize("query", ["period=WEEK", "date=tomorrow", "date=%00", "date=" + "1" * 100])
    async def test_an_invalid_span_is_refused(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]], query: str
    ) -> None:
        answer = await client.get(f"{BASE}/details/income?{query}", headers=callers["owner"])
        assert (answer.status_code, set(answer.json()["args"])) == (400, {query.split("=", maxsplit=1)[0]})

    async def test_every_route_has_a_policy_and_a_unique_name(self, app: FastAPI) -> None:
        assert routes_without_policy(app) == []
        assert operation_names_used_twice(app) == []
        no_api = {"docs", "payment-callback/{provider}", "sandbox-payment/{paymentId}"}
        assert app.openapi()["paths"].keys() | {f"/api/mlpbilling/{path}" for path in no_api} == {
            route.path for route in routes_of(app) if route.path.startswith("/api/")
        }


class TestBalance:
    async def test_amounts_are_rounded_down(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]], harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(2, 1_239_999_999)
        await harness.earn(2, 19_999_999)
        short = {
            "overallBalanceCurrency": 1.23,
            "incomeBalanceCurrency": 0.01,
            "jaicpTariffBalanceCurrency": None,
            "nextRefillCurrency": None,
            "nextRefillDate": None,
        }
        assert (await client.get(f"{BASE}/balance/short", headers=callers["owner"])).json() == short
        assert (await client.get(f"{BASE}/balance", headers=callers["owner"])).json() == short | {
            "mainBalanceCurrency": 1.23,
            "blocked": False,
            "belowZeroSince": None,
            "balances": [
                {"currency": "RUBLE", "mainNano": 1_239_999_999, "incomeNano": 19_999_999, "heldNano": 0},
            ],
        }

    async def test_a_negative_balance_is_rounded_down_and_blocks(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]], harness: Harness, clock: ManualClock
    ) -> None:
        await harness.charge(usage_of(clock, 1, payer=2, owner=9))
        assert (await client.get(f"{BASE}/blocked", headers=callers["owner"])).content == b"true"
        found = (await client.get(f"{BASE}/balance", headers=callers["owner"])).json()
        assert (found["overallBalanceCurrency"], found["blocked"]) == (-0.01, True)
        assert found["belowZeroSince"] == clock.now().isoformat().replace("+00:00", "Z")

    async def test_an_account_that_never_had_money_is_empty(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]]
    ) -> None:
        assert (await client.get(f"{BASE}/blocked", headers=callers["owner"])).content == b"false"
        found = (await client.get(f"{BASE}/balance", headers=callers["owner"])).json()
        assert found["balances"] == [{"currency": "RUBLE", "mainNano": 0, "incomeNano": 0, "heldNano": 0}]


class TestSmallRoutes:
    async def test_the_version_is_public(self, client: httpx.AsyncClient) -> None:
        answer = await client.get("/api/mlpbilling/version")
        assert answer.json() == {"buildNumber": "0.1.0", "buildDate": "", "buildBranch": ""}

    async def test_services_read_the_verification(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness
    ) -> None:
        await harness.refill(1, NANO)
        answer = await client.get("/internal/mlpbilling/ledger/verification", headers=identities.internal)
        assert answer.json() == {
            "sound": True,
            "drifts": [],
            "unbalancedTransactions": 0,
            "sums": {"RUBLE": 0},
            "unexplained": {"usages": 0, "refills": 0, "payments": 0, "rents": 0, "debts": 0},
            "debts": {},
        }
        admin = identities.user(superadmin=True)
        shown = await client.get("/api/mlpbilling/admin/ledger/verification", headers=admin)
        assert shown.json() == answer.json()

    async def test_only_a_superadmin_may_verify_the_ledger(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]]
    ) -> None:
        found = await statuses(client, callers, "GET", "/api/mlpbilling/admin/ledger/verification")
        assert found == "401 403 403 403 403 200 403 403 401"


class TestJson:
    def test_every_route_reads_json_alike(self, app: FastAPI) -> None:
        assert routes_that_read_json_otherwise(app) == []

    @pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
    async def test_last_value_of_a_repeated_field_counts(
        self, client: httpx.AsyncClient, callers: Mapping[str, dict[str, str]], harness: Harness, mark: bytes
    ) -> None:
        await harness.earn(2, 5 * NANO)
        body = mark + b'{"accountId":3,"amountCurrency":4,"accountId":2,"amount\\u0043urrency":1}'
        headers = {**callers["owner"], "Content-Type": "application/json"}
        answer = await client.post(f"{BASE}/user/1/refill/income", content=body, headers=headers)
        assert answer.status_code == 200
        assert await harness.money(2) == (NANO, 4 * NANO, 0)
