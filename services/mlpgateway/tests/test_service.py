"""The whole service: opened as in production, with an instance over gRPC and calls over HTTP and gRPC."""

import asyncio
from pathlib import Path
from typing import TypeVar

import grpc
import httpx
import pytest

from mlpgateway.main import MIGRATIONS, open_service
from mlpgateway.settings import MlpgatewaySettings
from mlplace_contracts.events import InstanceChanged, InstanceConnected, InstanceLost, UsageRecorded, decode
from mlplace_contracts.topics import CONNECTIONS, USAGE
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub
from mlplace_kit.clock import SystemClock
from mlplace_kit.credentials import new_credential
from mlplace_runtime.auth.authenticator import CookieNames
from mlplace_runtime.service import Shared
from mlplace_testing.identities import INTERNAL_TOKEN
from mlplace_testing.web import internal_client_to

_Event = TypeVar("_Event")


class Echo:
    """An instance that answers each request with its data."""

    def __init__(self, stub: GateStub, token: str) -> None:
        self._call = stub.processAsync()  # pyright: ignore[reportCallIssue]  messages are written one by one
        self._token = token
        self.serving = asyncio.Event()

    async def run(self) -> None:
        await self._call.write(pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken=self._token)))
        while (message := await self._call.read()) is not grpc.aio.EOF:
            self.serving.set()
            match message.WhichOneof("body"):
                case "predict":
                    answer = pb.PredictResponseProto(data=message.predict.data)
                    await self._call.write(pb.ServiceToGateProto(requestId=message.requestId, predict=answer))
                case "stopServing":
                    await self._call.done_writing()
                case _:
                    pass


class TestOpenService:
    async def test_call_passes_through_is_recorded_and_charged_and_everything_ends_cleanly(
        self, database_factory, bus, hasher, kit, tmp_path: Path
    ) -> None:
        clock = SystemClock()
        billing = kit.BillingTwin(clock)
        nobody = kit.FastAPI()
        shared = Shared(
            bus=bus, clock=clock, hasher=hasher, envelope_key=b"0" * 32, internal_token=INTERNAL_TOKEN,
            internal=internal_client_to(mlpbilling=billing.app, mlpcore=nobody, accountsadmin=nobody),
            cookies=CookieNames(secure=False), data_dir=tmp_path,
        )  # fmt: skip
        key = new_credential(account_id=kit.DEMO, object_id=1).text
        token = new_credential(account_id=kit.ACME, object_id=kit.MODEL).text
        events = [
            kit.account_changed(kit.ACME, "acme"), kit.account_changed(kit.DEMO, "demo"), kit.limits_changed(kit.DEMO),
            kit.model_changed(billing=kit.CALLS),
            kit.ApiKeyChanged(
                version=1, key_id=1, account_id=kit.DEMO, name="k", key_hash=hasher.digest(key),
                permissions=("predict",), allowed_models=None, expires_at=None, active=True,
            ),
            instance_changed(hasher.digest(token), kit, version=1),
        ]  # fmt: skip
        await bus.publish(kit.records_of(*events))
        urls = await database_factory("mlpgateway", MIGRATIONS)
        settings = MlpgatewaySettings(database_url=urls.service_url, usage_spool_dir=tmp_path / "usage", grpc_port=0)
        async with open_service(settings, shared) as app:
            client = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://gateway")
            ready = await client.get("/internal/mlpgateway/health/ready")
            gates = await client.get("/internal/mlpgateway/gates", headers={"MLP-INTERNAL-TOKEN": INTERNAL_TOKEN})
            address = gates.json()["own"]
            assert (ready.status_code, gates.json()["active"]) == (200, [address])
            async with grpc.aio.insecure_channel(address) as channel:
                stub = GateStub(channel)
                instance = Echo(stub, token)
                running = asyncio.create_task(instance.run())
                await asyncio.wait_for(instance.serving.wait(), 60)
                over_http = await client.post("/p/acme/ner", content='{"x":1}', headers={"MLP-API-KEY": key})
                assert over_http.text == '{"x":1}'
                request = pb.ClientRequestProto(account="acme", model="ner", authToken=key)
                request.predict.data.json = "5"
                over_grpc = await stub.process(request)
                assert over_grpc.predict.data.json == "5"
                removed = instance_changed(hasher.digest(token), kit, version=2, accepts=False)
                await bus.publish(kit.records_of(removed))
                await asyncio.wait_for(running, 60)
                gone = await client.post("/p/acme/ner", content="{}", headers={"MLP-API-KEY": key})
                assert gone.json()["code"] == "mlp.gate.no_active_instances"
            usages = await told(bus, USAGE, UsageRecorded, count=2)
            assert len(await told(bus, CONNECTIONS, InstanceConnected, count=1)) == 1
            assert len(await told(bus, CONNECTIONS, InstanceLost, count=1)) == 1
            await client.aclose()
        assert [usage.amount_nano for usage in usages] == [10, 10]
        assert billing.available(kit.DEMO) == billing.money[kit.DEMO] - 20


def instance_changed(token_hash: str, kit, *, version: int, accepts: bool = True) -> InstanceChanged:
    return InstanceChanged(
        version=version, instance_id=9, model_id=kit.MODEL, account_id=kit.ACME, token_hash=token_hash,
        accepts_connections=accepts,
    )  # fmt: skip


async def told(bus, topic, kind: type[_Event], *, count: int) -> list[_Event]:
    """Waits for at least `count` events of the kind, from the beginning of the topic."""
    subscription = await bus.subscribe([topic], group=None)
    found: list[_Event] = []
    async with asyncio.timeout(60):
        while len(found) < count:
            events = [decode(d.record.value)[1] for d in await subscription.poll(max_records=100, timeout_seconds=1)]
            found += [event for event in events if isinstance(event, kind)]
    await subscription.close()
    return found


class TestSettings:
    def test_certificate_without_its_key_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="MLP_MLPGATEWAY_GRPC_TLS_KEY are given together"):
            MlpgatewaySettings(
                database_url="postgresql+asyncpg://h/d",
                usage_spool_dir=tmp_path,
                grpc_tls_certificate=tmp_path / "c.pem",
            )
