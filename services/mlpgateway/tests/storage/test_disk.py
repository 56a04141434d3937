"""A disk that fills up: the archive stops first, then other storage, calls last; all of it recovers by itself."""

import pytest

from mlpgateway.features.archive.metrics import ARCHIVE_DROPPED
from mlplace_contracts.events import ModelArchive
from mlplace_runtime.space import DiskSpace, Space
from mlplace_testing.waiting import eventually

ASYNC = {"Prefer": "respond-async"}
TOTAL = 10**12


class Disk:
    """The platform's disk with a settable free space."""

    def __init__(self, watch) -> None:
        self._watch = watch
        self._free = TOTAL
        watch._soft, watch._hard, watch._read = 400, 100, lambda _: DiskSpace(self._free, TOTAL)

    async def has(self, level: Space) -> None:
        self._free = {Space.SHORT: 399, Space.LOW: 299, Space.SCARCE: 199, Space.FULL: 99}.get(level, TOTAL)
        await self._watch.look()
        assert self._watch.level is level


@pytest.fixture
def disk(world) -> Disk:
    return Disk(world.components.spool.space)


async def archived(world, kit) -> int:
    owner = world.key(kit.ACME, permissions=("read",))
    answer = await world.client.get("/api/mlpgateway/account/acme/model/ner/archive", headers=owner)
    return answer.json()["paging"]["totalElements"]


class TestOrder:
    async def test_each_level_stops_further_features(self, world, kit, caller, disk) -> None:
        world.know(kit.model_changed(billing=kit.CALLS, archive=ModelArchive(most=100)))
        world.instance(kit.says('"a"'))
        kept = 0
        for turn, level in enumerate((*Space, *reversed(Space))):
            await disk.has(level)
            before = ARCHIVE_DROPPED.labels("disk")._value.get()
            call = await world.predict(caller)
            later = await world.predict({**caller, **ASYNC})
            once = await world.predict({**caller, "Idempotency-Key": f"{turn}"})
            again = 200 if level < Space.LOW else 507
            assert (call.status_code, later.status_code, once.status_code) == {
                Space.FULL: (503, 507, 507),
            }.get(level, (200, 202 if level < Space.LOW else 507, again)), level
            if level is Space.FULL:
                assert call.json()["code"] == "mlp.gate.disk_full"
                assert call.headers["retry-after"] == "5"
            if level >= Space.LOW:
                assert later.json()["code"] == "mlp.gate.disk_low"
            kept += 2 if level is Space.ROOMY else 0
            dropped = ARCHIVE_DROPPED.labels("disk")._value.get() - before
            assert dropped == (0 if level in {Space.ROOMY, Space.FULL} else 2 if level is Space.SHORT else 1)

        async def number() -> int:
            return await archived(world, kit)

        assert await eventually(number, until=lambda found: found >= kept - 1, seconds=60) <= kept

    async def test_health_tells_the_reason(self, world, disk) -> None:
        async def health() -> tuple[int, str, dict[str, str]]:
            answer = await world.client.get("/internal/mlpgateway/health/ready")
            return answer.status_code, answer.json()["status"], answer.json()["missing"]

        assert (await health())[:2] == (200, "ok")
        await disk.has(Space.LOW)
        code, status, missing = await health()
        assert (code, status) == (200, "degraded")
        assert missing["disk"].endswith("requests are not archived, predictions and repeatable calls are refused")
        await disk.has(Space.FULL)
        assert (await health())[:2] == (200, "degraded")
        await disk.has(Space.ROOMY)
        assert await health() == (200, "ok", {})

    async def test_refused_call_costs_nothing_and_reaches_no_instance(self, world, kit, caller, disk) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        twin = world.instance(kit.says('"a"'))
        await disk.has(Space.FULL)
        assert (await world.predict(caller)).status_code == 503
        assert not twin.requests
        assert not await world.usage()

    @pytest.mark.parametrize("asked", [ASYNC, {"Idempotency-Key": "once"}], ids=["prediction", "idempotency key"])
    async def test_call_that_needs_storage_holds_no_money_and_reaches_no_instance(
        self, world, kit, caller, disk, asked
    ) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        twin = world.instance(kit.says('"a"'))
        await disk.has(Space.LOW)
        refused = await world.predict({**caller, **asked})
        assert (refused.status_code, refused.json()["code"]) == (507, "mlp.gate.disk_low")
        assert refused.headers["retry-after"] == "30"
        await world.components.entry_points.runner.look()
        assert (twin.requests, world.billing.asked, await world.usage()) == ([], 0, [])

    async def test_kept_answer_costs_nothing_on_a_disk_low_on_space(self, world, kit, caller, disk) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        twin = world.instance(kit.says('"a"'))
        once = {**caller, "Idempotency-Key": "once"}
        assert (await world.predict(once)).status_code == 200
        await disk.has(Space.LOW)
        again = await world.predict(once)
        assert (again.status_code, again.headers["z-idempotent-replayed"]) == (200, "true")
        assert [usage.amount_nano for usage in await world.usage()] == [10]
        assert len(twin.requests) == 1

    async def test_deleting_works_at_every_level(self, world, kit, caller, served, disk, storage) -> None:
        world.instance(kit.says('"a"'))
        made = (await world.predict({**caller, **ASYNC})).json()

        async def state() -> str:
            return (await world.client.get(made["urls"]["get"], headers=caller)).json()["status"]

        await eventually(state, until=lambda found: found == "succeeded", seconds=60)
        await disk.has(Space.FULL)
        assert (await world.client.delete(made["urls"]["get"], headers=caller)).status_code == 204
        await eventually(storage, until=lambda use: use["usedBytes"] == 0, seconds=60)

    async def test_predictions_wait_until_there_is_room_again(self, world, kit, caller, disk) -> None:
        twin, runner = world.instance(kit.says('"a"')), world.components.entry_points.runner
        made = (await world.predict({**caller, **ASYNC})).json()
        await disk.has(Space.LOW)
        await runner.look()
        assert not runner._running
        await disk.has(Space.SHORT)
        await runner.look()

        async def state() -> str:
            return (await world.client.get(made["urls"]["get"], headers=caller)).json()["status"]

        await eventually(state, until=lambda found: found == "succeeded", seconds=60)
        assert len(twin.requests) == 1
