"""The owner of a model, and what the platform does by itself."""

from typing import Any

import httpx
import sqlalchemy as sa

from mlpcore import registry
from mlpcore.features.instances.dependencies import lifecycle_of
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.instances.repository import InstanceRepository
from mlpcore.features.placement.tables import Allocation
from mlpcore.state import CoreState
from mlplace_contracts.events import Event
from mlplace_testing.agents import GateTwin
from mlplace_testing.world import World

ACCOUNT = "/api/mlpcore/account/acme"
MODEL = f"{ACCOUNT}/model/greeting"


class Owner:
    def __init__(self, client: httpx.AsyncClient, world: World, state: CoreState, model_id: int) -> None:
        self._client, self._world, self._state = client, world, state
        self.gate = GateTwin(account_id=world.acme.account_id, model_id=model_id, clock=state.clock)

    @classmethod
    async def of_greeting(cls, client: httpx.AsyncClient, world: World, state: CoreState) -> "Owner":
        owner = cls(client, world, state, 0)
        image = await owner.post(f"{ACCOUNT}/image", {"name": "greeting", "image": "acme/greeting:1"})
        body = {
            "modelName": "greeting",
            "imageId": image["id"]["imageId"],
            "imageAccountId": image["id"]["accountId"],
            "hostingType": "INTERNAL",
            "env": '{"GREETING": "hello"}',
            "resourceLimits": {"cpuRequest": "100m", "memoryLimit": "1000Mi", "ephemeralDiskLimit": "100Mi"},
        }
        model = await owner.post(f"{ACCOUNT}/model", body)
        return cls(client, world, state, model["id"]["modelId"])

    async def post(self, path: str, body: object) -> Any:
        answer = await self._client.post(path, json=body, headers=self._world.owner)
        assert answer.status_code == 200, answer.text
        return answer.json() if answer.content else None

    async def read(self, path: str) -> Any:
        answer = await self._client.get(path, headers=self._world.owner)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def scale(self, count: int) -> list[int]:
        """Returns the ids of the instances that there are then."""
        await self.post(f"{MODEL}/instances", count)
        return [each["id"] for each in await self.instances()]

    async def instances(self) -> list[dict[str, Any]]:
        return (await self.read(f"{MODEL}/instance"))["instances"]

    async def last_state(self, instance_id: int) -> dict[str, Any]:
        return await self.read(f"{MODEL}/instance/{instance_id}/laststate")

    async def mount_data_image(self) -> None:
        body = {"name": "weights", "image": "acme/weights:1", "sourcePath": "/w"}
        made = (await self.post(f"{ACCOUNT}/data-image", body))["id"]
        mount = {"dataImageAccountId": made["accountId"], "dataImageId": made["imageId"], "targetPath": "/data"}
        await self.post(MODEL, {"modelName": "greeting", "dataImageMounts": [mount]})

    async def reconcile(self) -> None:
        await Reconciler(self._state).turn()

    async def leave_server(self, instance_id: int) -> None:
        async with self._state.database.transaction() as session:
            found = await InstanceRepository(session).lock_many([instance_id])
            lifecycle = lifecycle_of(session, self._state.clock)
            await lifecycle.leave_server(found[instance_id], reason="Test", message="It leaves")

    async def connect(self, instance_id: int) -> None:
        """A gate tells that the instance has connected to it."""
        await self._tell(self.gate.connected(instance_id))

    async def _tell(self, *events: Event) -> None:
        consumers = [make(self._state) for make in registry.CONSUMERS]
        consumer = next(each for each in consumers if each.name == "mlpcore.connections")
        async with self._state.database.transaction() as session:
            await consumer.handle(session, events)

    async def allocated(self) -> int:
        """Returns how many instances hold room."""
        async with self._state.database.transaction() as session:
            return await session.scalar(sa.select(sa.func.count()).select_from(Allocation)) or 0
