"""An owner's model reports more than its maximal price."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from decimal import Decimal

import httpx
import pytest

from mlplace_testing.waiting import eventually
from tests.attacks.bystander import serve
from tests.attacks.installation import Target
from tests.attacks.people import People, Tenant, post

_ABSURD = {"Z-custom-billing": "999999999999999999"}
_SERVICE = "greedy"


@pytest.fixture(scope="module")
async def greedy(target: Target, people: People, attacker: Tenant) -> AsyncGenerator[Tenant]:
    """A public model of the attacker whose instance reports absurd amounts."""
    async with people.signed_in(attacker.user) as owner:
        body = {"imageAccountId": attacker.account_id, "taskType": "custom", "hostingType": "EXTERNAL"}
        image = {"name": _SERVICE, "image": f"{_SERVICE}:1", "accessMode": "private"}
        made = await post(owner, f"{attacker.core}/image", image)
        model = {**body, "modelName": _SERVICE, "imageId": made["id"]["imageId"]}
        await post(owner, f"{attacker.core}/model", model)
        await post(owner, f"{attacker.core}/model/{_SERVICE}/public-settings", {"isPublic": True, "hidden": False})
        external = await post(owner, f"{attacker.core}/model/{_SERVICE}/external", None)
    token = str(external["envVariables"]["MLP_SERVICE_TOKEN"])
    instance = asyncio.create_task(serve(target.gate, token, seconds=0, headers=_ABSURD))
    yield Tenant(attacker.user, attacker.account_id, attacker.key, _SERVICE, token)
    instance.cancel()
    await asyncio.gather(instance, return_exceptions=True)


class TestAbsurdPrice:
    @pytest.mark.parametrize("unit", ["direct", "custom"])
    @pytest.mark.parametrize("most", [None, 2.0], ids=["without a published maximum", "with one"])
    async def test_absurd_price_is_capped_at_the_maximal_price(
        self, target: Target, people: People, greedy: Tenant, neighbour: Tenant, unit: str, most: float | None
    ) -> None:
        await _publish(people, greedy, unit, most)
        async with _payer(target, neighbour) as payer:
            before = await _balance(payer, neighbour)
            answer = await _answered(payer, greedy)
            assert answer.status_code == 200, answer.text
            after = await eventually(lambda: _balance(payer, neighbour), until=lambda now: now < before)
        assert before - after <= Decimal(str(most or 100)), "the platform's own bound holds where none is published"
        assert after > 0

    async def test_absurd_price_is_capped_at_the_callers_maximum(
        self, target: Target, people: People, greedy: Tenant, neighbour: Tenant
    ) -> None:
        await _publish(people, greedy, "direct", 2.0)
        async with _payer(target, neighbour) as payer:
            before = await _balance(payer, neighbour)
            answer = await payer.post(f"{greedy.path}/predict", json={}, headers={"MLP-Max-Price": "0.5"})
            assert answer.status_code in {200, 402}, answer.text
            if answer.status_code == 200:
                after = await eventually(lambda: _balance(payer, neighbour), until=lambda now: now < before)
                assert before - after <= Decimal("0.5")


async def _publish(people: People, service: Tenant, unit: str, most: float | None) -> None:
    price = {
        "isBillingEnabled": True, "billingUnit": unit, "billingUnitPriceInCurrency": 0.1, "freeUnitQuota": 0,
        "maxPriceInCurrency": most,
    }  # fmt: skip
    async with people.signed_in(service.user) as owner:
        await post(owner, f"{service.core}/model/{service.model}/billing", price)


@contextlib.asynccontextmanager
async def _payer(target: Target, tenant: Tenant) -> AsyncGenerator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=target.url, headers={"MLP-API-KEY": tenant.key}, timeout=60) as client:
        yield client


async def _answered(payer: httpx.AsyncClient, service: Tenant) -> httpx.Response:
    """Call until the gate knows the changed price."""
    await asyncio.sleep(0.5)
    return await payer.post(f"{service.path}/predict", json={})


async def _balance(payer: httpx.AsyncClient, tenant: Tenant) -> Decimal:
    answer = await payer.get(f"/api/mlpbilling/account/{tenant.account_id}/balance/short")
    return Decimal(str(answer.raise_for_status().json()["overallBalanceCurrency"]))
