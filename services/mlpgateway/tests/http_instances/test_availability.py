"""Which instances get calls: known and healthy ones."""

import asyncio

import pytest

from mlplace_contracts.events import InstanceConnected, InstanceLost, ModelPriorityQueue
from mlplace_testing.events import published
from mlplace_testing.waiting import eventually

BASE = "/api/mlpgateway/account/acme/model/ner/http"


@pytest.fixture
async def second(tools):
    made = tools.Instance()
    await made.start()
    yield made
    await made.runner.cleanup()


class TestHealth:
    async def test_instance_with_a_failing_page_gets_no_calls_until_it_recovers(
        self, open_world, kit, instance, tools
    ) -> None:
        instance.status = 503
        async with open_world(instance_networks="127.0.0.0/8") as world:
            world.know(kit.model_changed(http=tools.HTTP), tools.told_of(7, instance.port))
            world.components.http_instances.open("127.0.0.1:1")
            await tools.until(lambda: instance.asked > 1)
            refused = await world.client.get(f"{BASE}/x", headers=world.key())
            assert (refused.status_code, refused.json()["code"]) == (503, "mlp.gate.no_active_instances")
            instance.status = 200
            await tools.reached(world)
            assert (await world.client.get(f"{BASE}/x", headers=world.key())).status_code == 200
            await world.components.http_instances.close()

    async def test_closed_instance_is_noticed_by_its_calls(self, hosted, instance, tools) -> None:
        await instance.runner.cleanup()
        refused = await hosted.client.post(f"{BASE}/x", content=b"x", headers=hosted.key())
        assert refused.status_code == 503
        await tools.reached(hosted, number=0)

    async def test_calls_go_to_an_instance_that_listens(self, hosted, instance, second, tools) -> None:
        hosted.know(tools.told_of(8, second.port))
        await tools.reached(hosted, number=2)
        await instance.runner.cleanup()
        for _ in range(4):
            answer = await hosted.client.post(f"{BASE}/x", content=b"x", headers=hosted.key())
            assert answer.status_code == 200
        assert len(second.seen) == 4

    async def test_instance_comes_back_when_it_listens_again(self, hosted, instance, tools) -> None:
        port = instance.port
        await instance.runner.cleanup()
        await hosted.client.get(f"{BASE}/x", headers=hosted.key())
        await tools.reached(hosted, number=0)
        again = tools.Instance()
        again.port = port
        await again.start()
        await tools.reached(hosted)
        await again.runner.cleanup()


class TestEvents:
    async def test_removed_instance_gets_no_more_calls(self, hosted, instance, tools) -> None:
        hosted.know(tools.told_of(7, instance.port, version=2, accepts=False))
        assert hosted.components.http_instances.of_model(500) == []

    async def test_moved_instance_is_called_at_its_new_address(self, hosted, instance, second, tools) -> None:
        hosted.know(tools.told_of(7, second.port, version=2))
        await tools.reached(hosted)
        await hosted.client.get(f"{BASE}/x", headers=hosted.key())
        assert (len(instance.seen), len(second.seen)) == (0, 1)

    async def test_model_without_http_any_more_has_no_instances(self, hosted, kit) -> None:
        hosted.know(kit.model_changed())
        assert hosted.components.http_instances.of_model(500) == []

    async def test_connection_of_an_http_only_instance_is_reported_to_mlpcore(self, hosted, instance, tools) -> None:
        recording = asyncio.create_task(hosted.components.connections.run())
        await hosted.components.connections.flush(30)
        (found,) = await published(hosted.components.database, InstanceConnected)
        assert (found.instance_id, found.gate) == (7, "127.0.0.1:1")
        hosted.know(tools.told_of(7, instance.port, version=2, accepts=False))
        await hosted.components.connections.flush(30)
        (lost,) = await published(hosted.components.database, InstanceLost)
        assert lost.stream_id == found.stream_id
        recording.cancel()

    async def test_instance_that_does_not_serve_is_reported_and_gets_no_calls(
        self, open_world, kit, instance, second, tools
    ) -> None:
        async with open_world(instance_networks="127.0.0.0/8") as world:
            world.know(kit.model_changed(http=tools.HTTP), tools.told_of(7, instance.port, purpose="fit"))
            http_instances, log = world.components.http_instances, world.components.connections
            recording = asyncio.create_task(log.run())
            http_instances.open("127.0.0.1:1")
            (found,) = await eventually(lambda: published(world.components.database, InstanceConnected))
            assert (found.instance_id, http_instances.of_model(500)) == (7, [])
            refused = await world.client.get(f"{BASE}/x", headers=world.key())
            assert (refused.status_code, refused.json()["code"]) == (503, "mlp.gate.no_active_instances")
            world.know(tools.told_of(8, second.port))
            await tools.reached(world)
            for _ in range(4):
                assert (await world.client.get(f"{BASE}/x", headers=world.key())).status_code == 200
            assert (len(instance.seen), len(second.seen)) == (0, 4)
            world.know(tools.told_of(7, instance.port, purpose="fit", version=2, accepts=False))
            (lost,) = await eventually(lambda: published(world.components.database, InstanceLost))
            assert (lost.stream_id, len(http_instances.of_model(500))) == (found.stream_id, 1)
            recording.cancel()
            await http_instances.close()

    async def test_connection_of_an_instance_with_a_stream_is_reported_by_the_stream(
        self, open_world, kit, instance, tools
    ) -> None:
        async with open_world(instance_networks="127.0.0.0/8") as world:
            both = tools.HTTP.model_copy(update={"only": False})
            world.know(kit.model_changed(http=both), tools.told_of(7, instance.port))
            world.components.http_instances.open("127.0.0.1:1")
            await tools.reached(world)
            twin = world.instance()
            assert (await world.predict(world.key())).status_code == 200
            assert (await world.client.get(f"{BASE}/x", headers=world.key())).status_code == 200
            assert (len(twin.requests), len(instance.seen)) == (1, 1)
            await world.components.connections.flush(0.1)
            assert await published(world.components.database, InstanceConnected) == []
            await world.components.http_instances.close()


class TestWaiting:
    async def test_call_waits_for_a_starting_instance(self, open_world, kit, instance, tools) -> None:
        async with open_world(instance_networks="127.0.0.0/8") as world:
            world.know(kit.model_changed(http=tools.HTTP, reject_if_inactive=False, hosting_type="HOSTING_SERVER"))
            world.components.http_instances.open("127.0.0.1:1")
            calling = asyncio.create_task(world.client.post(f"{BASE}/x", content=b"x", headers=world.key()))
            await tools.until(lambda: world.components.queues.http.waiting == 1)
            world.know(tools.told_of(7, instance.port))
            answer = await calling
            assert (answer.status_code, answer.headers["z-wait-phase"]) == (200, "start")
            await world.components.http_instances.close()

    async def test_queue_limits_the_calls_of_an_instance(self, hosted, instance, kit, tools) -> None:
        queue = ModelPriorityQueue(enabled=True, concurrency=1)
        hosted.know(kit.model_changed(http=tools.HTTP, priority_queue=queue))
        key = hosted.key()
        calls = [asyncio.create_task(hosted.client.get(f"{BASE}/held", headers=key)) for _ in range(3)]
        await tools.until(lambda: instance.holding == 1)
        for _ in range(3):
            await tools.until(lambda: instance.holding == 1)
            instance.go_on.set()
            await tools.until(lambda: not instance.go_on.is_set())
        assert [(await call).status_code for call in calls] == [200, 200, 200]
        assert instance.most_held == 1

    async def test_stalled_body_ends_in_a_timeout(self, over_wire, kit, tools) -> None:
        timeouts = kit.ModelTimeouts(pod_start=120, predict=1, fit=600)
        over_wire.world.know(kit.model_changed(http=tools.HTTP, timeouts=timeouts))
        stopped = asyncio.Event()

        async def body():
            yield b"a" * 70_000
            await stopped.wait()

        url = f"{over_wire.base}/count"
        async with over_wire.client.post(url, data=body(), headers=over_wire.world.key()) as answer:
            assert (answer.status, (await answer.json())["code"]) == (504, "mlp.gate.predict_timeout")
        stopped.set()
        (link,) = over_wire.world.components.http_instances.of_model(500)
        await tools.until(lambda: link.active_requests == 0)
