"""What an account stores is counted at once, and bounded by its limit."""

import asyncio

import pytest
import sqlalchemy as sa

from mlpgateway.features.predictions.tables import Prediction
from mlpgateway.features.storage.counting import ROW_BYTES
from mlplace_testing.waiting import eventually

ASYNC = {"Prefer": "respond-async"}
LARGE = 300 * 1024


class TestPredictions:
    async def test_request_and_answer_count_until_they_are_deleted(
        self, world, kit, caller, served, storage, begun, over
    ) -> None:
        world.instance(kit.says('"' + "x" * 5000 + '"'))
        made = await begun('{"text":"' + "y" * 3000 + '"}')
        await over(made)
        size, items = (await storage())["kinds"]["predictions"]
        assert items == 1
        assert ROW_BYTES + 8000 < size < ROW_BYTES + 10_000
        assert (await storage())["usedBytes"] == size
        gone = await world.client.delete(made["urls"]["get"], headers=caller)
        assert gone.status_code == 204, gone.text
        assert (await world.client.get(made["urls"]["get"], headers=caller)).status_code == 404
        await eventually(storage, until=lambda use: use["usedBytes"] == 0, seconds=60)

    async def test_refusal_at_the_limit_reports_use_and_limit(
        self, world, kit, caller, limited, storage, begun
    ) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        await begun("{}")
        used = (await storage())["usedBytes"]
        limited(used + 100)
        refused = await world.predict({**caller, **ASYNC}, "{}")
        assert refused.status_code == 413, refused.text
        assert refused.json()["code"] == "mlp.gate.storage_limit_exceeded"
        assert refused.json()["args"] == {"used": str(used), "limit": str(used + 100), "size": str(used)}
        assert (await storage())["usedBytes"] == used
        assert (await storage())["limitBytes"] == used + 100
        bystander = world.key(kit.OTHER)
        assert (await world.predict({**bystander, **ASYNC}, "{}")).status_code == 202

    async def test_existing_prediction_is_returned_at_the_limit(self, limited, begun) -> None:
        first = await begun("{}", **{"Idempotency-Key": "one"})
        limited(1)
        assert (await begun("{}", **{"Idempotency-Key": "one"}))["id"] == first["id"]

    @pytest.mark.parametrize("size", [5000, LARGE], ids=["in the row", "in the object store"])
    async def test_answer_that_does_not_fit_fails_with_the_reason_and_costs_nothing(
        self, world, kit, caller, served, limited, storage, begun, over, size
    ) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance(kit.says('"' + "x" * size + '"'))
        limited(size)
        failed = await over(await begun("{}"))
        assert (failed["status"], failed["error"]["code"]) == ("failed", "mlp.gate.storage_limit_exceeded")
        assert not await world.usage()
        assert (await storage())["usedBytes"] < 2 * ROW_BYTES + 1000
        assert not [each async for each in world.components.storage.maintenance._objects.entries("")]

    async def test_concurrent_predictions_stop_exactly_at_the_limit(
        self, world, kit, caller, limited, storage, begun
    ) -> None:
        await begun("{}")
        one = (await storage())["usedBytes"]
        limited(one * 6 + one // 2)
        answers = await asyncio.gather(*(world.predict({**caller, **ASYNC}, "{}") for _ in range(20)))
        codes = sorted(answer.status_code for answer in answers)
        assert codes == [202] * 5 + [413] * 15
        assert (await storage())["usedBytes"] == one * 6

    async def test_open_prediction_cannot_be_deleted(self, world, caller, begun) -> None:
        made = await begun()
        refused = await world.client.delete(made["urls"]["get"], headers=caller)
        assert (refused.status_code, refused.json()["code"]) == (409, "mlp.gate.prediction_not_ended")
        assert refused.json()["message"] == "the prediction is queued; cancel it before you delete it"
        await world.client.post(made["urls"]["cancel"], headers=caller)
        assert (await world.client.delete(made["urls"]["get"], headers=caller)).status_code == 204
        assert (await world.client.delete(made["urls"]["get"], headers=caller)).status_code == 404

    async def test_all_finished_predictions_of_the_account_are_deleted_at_once(
        self, world, kit, caller, served, storage, begun, over
    ) -> None:
        world.instance(kit.says('"a"'))
        for _ in range(3):
            await over(await begun())
        all_of = "/api/mlpgateway/account/demo/predictions"
        other = world.key(kit.OTHER, permissions=("predict", "read", "write"))
        assert (await world.client.delete(all_of, headers=other)).status_code in {403, 404}
        other_key = world.key(permissions=("predict",))
        assert (await world.client.delete(all_of, headers=other_key)).json() == {"deleted": 0}
        assert (await world.client.delete(all_of, headers=caller)).json() == {"deleted": 3}
        assert (await world.client.get(all_of, headers=caller)).json() == []
        await eventually(storage, until=lambda use: use["usedBytes"] == 0, seconds=60)

    async def test_webhook_deliveries_count(self, world, kit, caller, served, storage, begun, over) -> None:
        world.instance(kit.says('"' + "x" * 5000 + '"'))
        await over(await begun("{}"))
        plain = (await storage())["usedBytes"]
        await over(await begun("{}", **{"MLP-Webhook": "https://example.org/hook"}))
        assert (await storage())["usedBytes"] > 2 * plain + 5000

    async def test_calls_that_store_nothing_are_served_as_usual(self, world, kit, caller, limited) -> None:
        limited(0)
        world.instance(kit.says('"a"'))
        assert (await world.predict(caller)).status_code == 200


class TestIdempotentCalls:
    async def test_answers_count(self, world, kit, caller, storage) -> None:
        world.instance(kit.says('"' + "x" * 5000 + '"'))
        assert (await world.predict({**caller, "Idempotency-Key": "a"})).status_code == 200
        assert (await storage())["kinds"]["answers"] == (ROW_BYTES + 5002, 1)

    async def test_call_is_refused_at_the_limit_before_it_is_served(self, world, kit, caller, limited, storage) -> None:
        limited(ROW_BYTES - 1)
        twin = world.instance(kit.says('"x"'))
        refused = await world.predict({**caller, "Idempotency-Key": "a"})
        assert (refused.status_code, refused.json()["code"]) == (413, "mlp.gate.storage_limit_exceeded")
        assert not twin.requests
        limited(ROW_BYTES + 3)
        assert (await world.predict({**caller, "Idempotency-Key": "a"})).status_code == 200
        limited(0)
        again = await world.predict({**caller, "Idempotency-Key": "a"})
        assert (again.status_code, again.headers["z-idempotent-replayed"]) == (200, "true")

    async def test_answer_that_does_not_fit_costs_nothing(self, world, kit, caller, limited, storage) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        limited(ROW_BYTES + 100)
        world.instance(kit.says('"' + "x" * 5000 + '"'))
        refused = await world.predict({**caller, "Idempotency-Key": "a"})
        assert (refused.status_code, refused.json()["code"]) == (413, "mlp.gate.storage_limit_exceeded")
        assert not await world.usage()
        assert (await storage())["usedBytes"] == 0


class TestSettings:
    URL = "/api/mlpgateway/account/demo/storage"

    async def test_platforms_defaults_apply_until_the_account_sets_its_own(self, world, caller, storage) -> None:
        shown = await storage()
        assert shown["kept"] == {"predictionHours": 24.0, "answerHours": 24.0, "archiveHours": None}
        assert shown["setting"] == {"predictionHours": None, "answerHours": None, "archiveHours": None}
        assert shown["limitBytes"] == 10 * 2**30
        wanted = {"predictionHours": 2, "answerHours": 100, "archiveHours": 5}
        answer = await world.client.put(self.URL, json=wanted, headers=caller)
        assert answer.json()["setting"] == wanted
        assert (await storage())["kept"] == {"predictionHours": 2.0, "answerHours": 24.0, "archiveHours": 5.0}

    async def test_request_without_permission_or_with_invalid_hours_is_refused(self, world, kit, caller) -> None:
        wanted = {"predictionHours": 2, "answerHours": None, "archiveHours": None}
        assert (await world.client.get(self.URL)).status_code == 401
        for key in (world.key(permissions=("predict",)), world.key(kit.OTHER, permissions=("read", "write"))):
            assert (await world.client.get(self.URL, headers=key)).status_code == 403
        reader = world.key(permissions=("read",))
        assert (await world.client.put(self.URL, json=wanted, headers=reader)).status_code == 403
        for bad in ({**wanted, "predictionHours": 0}, {"predictionHours": 1}, {**wanted, "more": 1}):
            assert (await world.client.put(self.URL, json=bad, headers=caller)).status_code == 400

    async def test_shorter_time_applies_to_existing_data(
        self, world, kit, caller, served, storage, begun, over
    ) -> None:
        world.instance(kit.says('"a"'))
        old, young = await over(await begun()), await over(await begun())
        async with world.components.database.transaction() as session:
            two_hours_ago = Prediction.completed_at - sa.text("interval '2 hours'")
            statement = sa.update(Prediction).where(Prediction.id == old["id"]).values(completed_at=two_hours_ago)
            await session.execute(statement)
        await world.components.entry_points.cleanup.clean_up()
        assert (await storage())["kinds"]["predictions"][1] == 2
        wanted = {"predictionHours": 1, "answerHours": None, "archiveHours": None}
        await world.client.put(self.URL, json=wanted, headers=caller)
        await world.components.entry_points.cleanup.clean_up()
        left = (await world.client.get("/api/mlpgateway/account/demo/predictions", headers=caller)).json()
        assert [each["id"] for each in left] == [young["id"]]
        assert (await storage())["kinds"]["predictions"][1] == 1
