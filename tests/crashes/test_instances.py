"""Running and queued calls survive the kill of an instance, and each is charged once."""

import asyncio

import httpx

from mlplace_contracts.events import ModelPriorityQueue, ModelRetries, ModelTimeouts
from mlplace_testing.waiting import eventually
from tests.crashes.callers import over_http, until_served
from tests.crashes.installation import PAYER, Gate, Installation, Size

_PRICE = 1_234_567
_MONEY = 10**15
_MILLISECONDS = 300
_PATIENT = ModelTimeouts(pod_start=600, predict=600, fit=600)


class TestKilledInstance:
    async def test_its_calls_are_retried_and_queued_calls_keep_their_order(
        self, installation: Installation, size: Size
    ) -> None:
        number = size.of(200, 24)
        billing, gate = installation.billing(), installation.gate()
        await billing.start()
        await installation.refill(PAYER, _MONEY)
        key = await installation.publish_model(
            price_nano=_PRICE,
            priority_queue=ModelPriorityQueue(enabled=True, concurrency=2),
            retries=ModelRetries(most=1, most_per_instance=1),
            timeouts=_PATIENT,
        )
        await gate.process.start()
        doomed = await installation.run_instance(gate, instance_id=7)
        await installation.run_instance(gate, instance_id=8)
        async with over_http(gate, key) as call, installation.billing_records() as billing_records:
            await until_served(call)
            await eventually(lambda: _metric(gate, "mlp_gate_connected_instances"), until=lambda n: n == 2, seconds=90)
            calls = [asyncio.create_task(_called(gate, key, f"c{place}")) for place in range(number)]
            waiting = number - 4
            await eventually(
                lambda: _metric(gate, "mlp_gateway_waiting_calls"), until=lambda found: found >= waiting - 4, seconds=90
            )
            doomed.kill()
            assert set(await asyncio.gather(*calls)) == {200}
            wanted = {f"c{place}" for place in range(number)}
            written = await eventually(billing_records.request_ids, until=lambda ids: wanted <= set(ids), seconds=90)
        assert [request_id for request_id, times in written.items() if times > 1] == []
        assert await _metric(gate, "mlp_gateway_waiting_calls") == 0
        assert (await installation.verification())["sound"] is True


async def _called(gate: Gate, key: str, request_id: str) -> int:
    headers = {"MLP-API-KEY": key, "Z-requestId": request_id}
    body = {"number": 1, "milliseconds": _MILLISECONDS}
    async with httpx.AsyncClient(timeout=600) as client:
        return (await client.post(gate.predict_url, json=body, headers=headers)).status_code


async def _metric(gate: Gate, name: str) -> float:
    async with httpx.AsyncClient(timeout=60) as client:
        text = (await client.get(f"{gate.process.url}/metrics")).text
    return sum(float(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name} "))
