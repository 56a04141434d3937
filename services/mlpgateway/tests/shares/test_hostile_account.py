"""One account takes all that it can get, in every way; calls of another account are served meanwhile."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from mlpgateway.call.call import Answer, Payload
from mlplace_contracts.events import ModelPriorityQueue
from mlplace_testing.waiting import eventually

OTHER_MODEL = 501
STREAM = "predict-with-config-v2-stream"


class Silent:
    """An instance that answers only when a test lets it."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.served: list[str] = []

    async def script(self, request):
        await self.go.wait()
        self.served.append(request.headers["Z-callerAccountId"])
        yield Answer(request.data or Payload(), {})


async def true_when(check) -> None:
    async def look() -> bool:
        return bool(check())

    await eventually(look)


@asynccontextmanager
async def attacked(open_world, kit, **settings):
    """A world with a silent instance, an answering one of another owner, and callers of three accounts."""
    async with open_world(**settings) as world:
        silent = Silent()
        world.instance(silent.script)
        world.know(kit.model_changed(OTHER_MODEL, "fine", account_id=kit.OTHER, account_name="other"))
        world.know(kit.limits_changed(kit.OTHER))
        world.instance(model_id=OTHER_MODEL)
        yield world, silent
        silent.go.set()


def calls_of(world, key, number: int, call: str = "predict", body: str = '"x"') -> list[asyncio.Task]:
    return [asyncio.create_task(world.predict(key, body, call)) for _ in range(number)]


def all_of(world):
    shares, admission = world.components.pipeline._stages.shares, world.components.admission
    rooms = tuple(queues._admission.room for queues in (world.components.queues.streams, world.components.queues.http))
    return [
        shares.owners.used, shares.streams.used, shares.sockets.used, admission.running, admission.held,
        *(room.calls for room in rooms), *(room._size.used for room in rooms),
    ]  # fmt: skip


class TestCalls:
    async def test_caller_above_its_share_is_told_the_limit_and_others_are_served(self, open_world, kit) -> None:
        async with attacked(open_world, kit, most_calls=64) as (world, silent):
            hostile = calls_of(world, world.key(), 40)
            await true_when(lambda: sum(task.done() for task in hostile) == 24)
            refused = next(task.result() for task in hostile if task.done())
            assert (refused.status_code, refused.json()["code"]) == (429, "mlp.gate.share_exceeded")
            assert refused.json()["args"] == {"holder": "account", "limit": "16", "resource": "calls"}
            assert refused.headers["retry-after"] == "1"
            for _ in range(5):
                path = "/api/mlpgateway/account/other/model/fine/predict"
                answer = await world.client.post(path, content='"hi"', headers=world.key(kit.ACME))
                assert (answer.status_code, answer.json()) == (200, "hi")
            silent.go.set()
            answers = await asyncio.gather(*hostile)
            assert sorted(answer.status_code for answer in answers) == [200] * 16 + [429] * 24
            assert not any(all_of(world))

    async def test_calls_to_one_owner_leave_room_for_others_whoever_calls(self, open_world, kit) -> None:
        async with attacked(open_world, kit, most_calls=64, account_share=0.4, owner_share=0.5) as (world, silent):
            hostile = [*calls_of(world, world.key(kit.DEMO), 20), *calls_of(world, world.key(kit.ACME), 20)]
            await true_when(lambda: sum(task.done() for task in hostile) == 8)
            refused = next(task.result() for task in hostile if task.done())
            assert refused.json()["args"] == {"holder": "owner", "limit": "32", "resource": "calls"}
            path = "/api/mlpgateway/account/other/model/fine/predict"
            answer = await world.client.post(path, content='"hi"', headers=world.key(kit.OTHER))
            assert answer.status_code == 200
            silent.go.set()
            await asyncio.gather(*hostile)
            assert not any(all_of(world))


class TestStreams:
    async def test_streams_above_the_share_are_refused_and_others_are_served(self, open_world, kit) -> None:
        async with attacked(open_world, kit, most_streams=16) as (world, silent):
            hostile = calls_of(world, world.key(), 6, STREAM, '{"data": "1"}')
            await true_when(lambda: sum(task.done() for task in hostile) == 2)
            refused = next(task.result() for task in hostile if task.done())
            assert refused.json()["args"] == {"holder": "account", "limit": "4", "resource": "streams"}
            path = f"/api/mlpgateway/account/other/model/fine/{STREAM}"
            answer = await world.client.post(path, content='{"data": "1"}', headers=world.key(kit.ACME))
            assert answer.status_code == 200
            silent.go.set()
            await asyncio.gather(*hostile)
            assert not any(all_of(world))


class TestQueue:
    async def test_queue_of_a_model_keeps_room_for_others_and_serves_in_turn(self, open_world, kit) -> None:
        async with attacked(open_world, kit, waiting_calls_per_model=64) as (world, silent):
            world.know(kit.model_changed(priority_queue=ModelPriorityQueue(enabled=True, concurrency=1)))
            hostile = calls_of(world, {**world.key(), "Z-Priority": "2147483647"}, 40)
            await true_when(lambda: sum(task.done() for task in hostile) == 23)  # one is running, 16 wait
            refused = next(task.result() for task in hostile if task.done())
            assert refused.json()["args"] == {"holder": "account", "limit": "16", "resource": "model_waiting_calls"}
            bystander = calls_of(world, world.key(kit.ACME), 1)
            await true_when(lambda: world.components.queues.streams.waiting == 17)
            silent.go.set()
            assert (await bystander[0]).status_code == 200
            await asyncio.gather(*hostile)
            assert silent.served.index(str(kit.ACME)) <= 2
            assert not any(all_of(world))


class TestEndings:
    """Whatever ends a call, everything that it used is given back."""

    @pytest.mark.parametrize("call", ["predict", STREAM])
    @pytest.mark.parametrize("ending", ["leaves", "fails", "waits", "broke", "unknown"])
    async def test_every_ending_gives_everything_back(self, world, kit, raw, call: str, ending: str) -> None:
        silent = Silent()
        match ending:
            case "leaves":
                world.instance(silent.script)
            case "fails":
                world.instance(kit.fails(kit.Failing, "1"))
            case "waits":
                world.instance(silent.script)
                world.know(kit.model_changed(priority_queue=ModelPriorityQueue(enabled=True, concurrency=1)))
            case "broke":
                world.know(kit.model_changed(billing=kit.CALLS))
                world.billing.money[kit.DEMO] = 0
        path, key = f"/api/mlpgateway/account/acme/model/ner/{call}", world.key()
        if ending == "unknown":
            path = path.replace("/ner/", "/missing/")
        requests = [raw(world.app, path, key) for _ in range(3)]
        if ending in {"leaves", "waits"}:
            await true_when(lambda: world.components.pipeline._stages.shares.owners.used == 3)
            for request in requests:
                request.hang_up()
        await asyncio.gather(*(request.task for request in requests), return_exceptions=True)
        await true_when(lambda: not any(all_of(world)))
