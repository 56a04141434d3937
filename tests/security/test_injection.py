"""Text from callers and instances cannot create headers, log lines or fields."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import httpx
import pytest

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto import gate_pb2_grpc
from tests.security.platform import Platform
from tests.security.tenants import PASSWORD, SIGN_IN, Recipe, Tenant

pytestmark = pytest.mark.timeout(300)
SPLIT = "a\r\nSet-Cookie: evil=1\r\n\r\nevil"
FORGED = '\n{"event": "forged", "level": "critical"}\r{"event": "forged"}\x1b[2J\u2028{"event": "forged"}\x00'


@asynccontextmanager
async def answering(platform: Platform, tenant: Tenant, **answer: object) -> AsyncGenerator[None]:
    """An instance of the tenant's first model whose answers have these headers or this error."""
    async with grpc.aio.insecure_channel(platform.gate_address) as channel:
        stream = gate_pb2_grpc.GateStub(channel).processAsync()  # type: ignore[call-arg]  # messages are written
        start = pb.StartServingProto(connectionToken=tenant.connection_token)
        await stream.write(pb.ServiceToGateProto(startServing=start))
        assert await stream.read() is not grpc.aio.EOF

        async def serve() -> None:
            while isinstance(message := await stream.read(), pb.GateToServiceProto):
                if message.HasField("predict"):
                    await stream.write(pb.ServiceToGateProto(requestId=message.requestId, **answer))  # type: ignore[arg-type]
                elif message.HasField("heartBeat"):
                    await stream.write(pb.ServiceToGateProto(heartBeat=message.heartBeat))

        serving = asyncio.create_task(serve())
        yield
        serving.cancel()
        stream.cancel()


def clean(answer: httpx.Response) -> bool:
    """No header came from the injected text."""
    raw = [text for name, value in answer.headers.raw for text in (name, value)]
    return "set-cookie" not in answer.headers and not any(b"\r" in t or b"\n" in t or b"evil" in t for t in raw)


class TestHeaderInjection:
    @pytest.mark.parametrize(
        "path",
        [
            "/api/mlpcore/account/%0d%0aSet-Cookie:%20evil=1/model/x",
            "/api/mlpcore/%0d%0aSet-Cookie:%20evil=1",
            "/p/%0d%0aSet-Cookie:%20evil=1/x",
            "/api/mlpcore/models?accountField=%0d%0aSet-Cookie:%20evil=1",
        ],
    )
    async def test_line_breaks_in_an_address_start_no_header(
        self, platform: Platform, tenant: Tenant, path: str
    ) -> None:
        async with platform.client(tenant.owner.headers) as client:
            assert clean(await client.get(path))

    @pytest.mark.parametrize("value", ["a b", "a;b", "<script>", "a" * 129, "x\ty"])
    async def test_an_invalid_request_id_is_not_returned(self, platform: Platform, tenant: Tenant, value: str) -> None:
        path = f"/api/mlpgateway/account/{tenant.name}/model/{tenant.model_name}/predict"
        async with platform.client({**tenant.owner.headers, "Z-requestId": value}) as client:
            for answer in (await client.get("/api/mlpcore/account"), await client.post(path, json=1)):
                assert answer.headers["z-requestid"] != value
                assert value not in answer.text

    async def test_line_breaks_in_headers_of_a_grpc_call_start_no_header(
        self, platform: Platform, tenant: Tenant
    ) -> None:
        headers = {"Z-requestId": SPLIT, "Content-Hidden": SPLIT, "Z-evil\r\nSet-Cookie": "x", "traceparent": SPLIT}
        request = pb.ClientRequestProto(
            account=tenant.name, model=tenant.model_name, authToken=tenant.key["MLP-API-KEY"], headers=headers,
            predict=pb.PredictRequestProto(data=pb.PayloadProto(json="1")),
        )  # fmt: skip
        async with (
            answering(platform, tenant, predict=pb.PredictResponseProto(data=pb.PayloadProto(json="1"))),
            grpc.aio.insecure_channel(platform.gate_address) as channel,
        ):
            answer = await gate_pb2_grpc.GateStub(channel).process(request, timeout=60)
        assert not [value for value in answer.headers.values() if "\n" in value or "\r" in value]

    async def test_line_breaks_in_headers_of_an_instance_start_no_header(
        self, platform: Platform, tenant: Tenant
    ) -> None:
        headers = {
            "Z-split": SPLIT, "Z-evil\r\nSet-Cookie": "x", "Set-Cookie": "evil=1", "Location": "https://evil.example",
            "Z-requestId": SPLIT, "Content-Type": "text/html", "Access-Control-Allow-Origin": "*", "Z-fine": "fine",
        }  # fmt: skip
        path = f"/api/mlpgateway/account/{tenant.name}/model/{tenant.model_name}/predict"
        payload = pb.PredictResponseProto(data=pb.PayloadProto(json='"<script>"'))
        async with (
            answering(platform, tenant, predict=payload, headers=headers),
            platform.client(tenant.key) as client,
        ):
            answer = await client.post(path, json=1)
        assert answer.status_code == 200
        assert clean(answer)
        assert not {"location", "access-control-allow-origin"} & set(answer.headers)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["z-fine"] == "fine"

    async def test_line_breaks_in_an_error_of_an_instance_start_no_header(
        self, platform: Platform, tenant: Tenant
    ) -> None:
        error = pb.ApiErrorProto(code=SPLIT, message=SPLIT, args={SPLIT: SPLIT})
        path = f"/api/mlpgateway/account/{tenant.name}/model/{tenant.model_name}/predict"
        async with (
            answering(platform, tenant, error=error, headers={"Z-split": SPLIT}),
            platform.client(tenant.key) as client,
        ):
            answer = await client.post(path, json=1)
        assert answer.status_code == 500
        assert clean(answer)


class TestLogInjection:
    async def test_input_cannot_start_lines_or_forge_fields(
        self, platform: Platform, tenant: Tenant, log_file: Path
    ) -> None:
        begun = len(await asyncio.to_thread(log_file.read_bytes))
        error = pb.ApiErrorProto(code=FORGED, message=FORGED, args={"event": FORGED})
        forged = {"User-Agent": "x\x1b[2J", "Z-requestId": '"} {"event":"forged"', "X-Forwarded-For": "1.2.3.4\x7f"}
        path = f"/api/mlpgateway/account/{tenant.name}/model/{tenant.model_name}/predict"
        escaped = "%0a%7b%22event%22:%22forged%22%7d%1b%5b2J%00"
        async with platform.client(forged) as client, answering(platform, tenant, error=error):
            await client.post(SIGN_IN, json={"login": FORGED, "password": FORGED})
            await client.post(SIGN_IN, json={"login": f"x{FORGED[:-1]}@example.org", "password": PASSWORD})
            await client.get(f"/api/mlpcore/{escaped}")
            await client.get(f"/api/mlpcore/account/{escaped}/model/{escaped}", headers=tenant.owner.headers)
            await client.post(path, json=FORGED, headers=tenant.key)
            await client.post(path, content=b"\xff", headers={**tenant.key, "Content-Type": "application/json"})
            await self._hostile_instance(platform, tenant)
        text = (await asyncio.to_thread(log_file.read_bytes))[begun:].decode()
        lines = [json.loads(line) for line in text.split("\n") if line]
        assert lines, "nothing was logged: the test sees nothing"
        assert not [line for line in lines if line.get("event") == "forged" or line.get("level") == "critical"]
        assert not [character for character in text if ord(character) < 0x20 and character != "\n"]

    @staticmethod
    async def _hostile_instance(platform: Platform, tenant: Tenant) -> None:
        start = pb.StartServingProto(connectionToken=tenant.connection_token, hostname=FORGED, image=FORGED)
        async with grpc.aio.insecure_channel(platform.gate_address) as channel:
            stream = gate_pb2_grpc.GateStub(channel).processAsync()  # type: ignore[call-arg]  # messages are written
            await stream.write(pb.ServiceToGateProto(startServing=start))
            assert await stream.read() is not grpc.aio.EOF
            await stream.write(pb.ServiceToGateProto(stopServing=pb.StopServingProto(reason=FORGED)))
            while await stream.read() is not grpc.aio.EOF:
                pass


MASS = {
    "/api/accountsadmin/account/{account}": {"accountId": 1, "ownerUserId": 1, "active": True, "features": ["x"]},
    "/api/accountsadmin/c/authorization/register": {
        "userId": 1, "permissions": ["ACCOUNTS_ADMIN_WRITE"], "internal": True, "roles": ["OWNER"], "accountId": 1,
        "active": True,
    },
    "/api/accountsadmin/account/{account}/invitation": {"accountId": 1, "status": "ACCEPTED", "userId": 1},
    "/api/mlpcore/account": {"features": ["mlp.model_admin"], "balance": 1, "ownerUserId": 1, "active": True},
    "/api/mlpcore/account/{account}/token": {"accountId": 1, "token": "x", "keyHash": "x", "createdBy": 1},
    "/api/mlpcore/account/{account}/image": {"imageAccountId": 1, "accountId": 1},
    "/api/mlpcore/account/{account}/data-image": {"imageAccountId": 1, "accountId": 1},
    "/api/mlpcore/account/{account}/model": {
        "accountId": 1, "id": {"accountId": 1, "modelId": 1}, "featured": True, "isPublic": True, "unitPriceNano": 1,
        "billingUnitPriceInCurrency": 1, "owner": 1, "derived": False,
    },
    "/api/mlpcore/account/{account}/model/{model}/billing": {"accountId": 1, "balance": 1, "unitPriceNano": 1},
    "/api/mlpcore/account/{account}/resource-groups": {"accountId": 1, "owner": 1, "groupId": 1},
    "/api/mlpcore/account/{account}/resource-groups/{group}/server": {"secret": "x", "secretHash": "x", "accountId": 1},
    "/api/mlpbilling/account/{account}/user/{user}/refill/income": {"currency": "TOKEN", "balance": 1, "userId": 1},
}  # fmt: skip
GOOD = {
    "/api/accountsadmin/account/{account}": {"displayName": "D"},
    "/api/accountsadmin/c/authorization/register": {"login": "mass@example.org", "password": PASSWORD},
    "/api/accountsadmin/account/{account}/invitation": {"email": "mass@example.org", "roles": ["MLP_USER"]},
    "/api/mlpcore/account": {"shortName": "daily"},
    "/api/mlpcore/account/{account}/token": {"name": "mass"},
    "/api/mlpcore/account/{account}/image": {"name": "mass", "image": "example.org/x:1", "accessMode": "private"},
    "/api/mlpcore/account/{account}/data-image": {"name": "mass", "image": "example.org/x:1", "sourcePath": "/x"},
    "/api/mlpcore/account/{account}/model": {"modelName": "mass", "taskType": "custom", "hostingType": "EXTERNAL"},
    "/api/mlpcore/account/{account}/model/{model}/billing": {"isBillingEnabled": False},
    "/api/mlpcore/account/{account}/resource-groups": {
        "name": "mass", "resourceGroupType": "HOSTING_SERVER", "access": "PRIVATE", "isDefault": False,
        "enabledEviction": False, "enabledAutoScaling": False,
    },
    "/api/mlpcore/account/{account}/resource-groups/{group}/server": {
        "serverName": "mass", "rawConfiguration": "provider: hosting_server\n"
    },
    "/api/mlpbilling/account/{account}/user/{user}/refill/income": {"amountCurrency": 1},
}  # fmt: skip


class TestMassAssignment:
    @pytest.mark.parametrize("path", MASS)
    async def test_fields_that_callers_may_not_set_are_refused(
        self, platform: Platform, tenant: Tenant, path: str
    ) -> None:
        good = dict(GOOD[path])
        if path in {"/api/mlpcore/account", "/api/mlpbilling/account/{account}/user/{user}/refill/income"}:
            good["accountId"] = tenant.account_id
        if path.endswith("/model"):
            good |= {"imageAccountId": tenant.account_id, "imageId": tenant.image_id}
        values = {"model": tenant.model_id, "group": tenant.resource_group, "user": tenant.owner.user_id}
        where = path.format(account=tenant.account_id, **values)
        async with platform.client(tenant.owner.headers) as client:
            for name, value in MASS[path].items():
                answer = await client.post(where, json={**good, name: value})
                assert (name, answer.status_code) == (name, 400)
                assert name in answer.text

    async def test_an_owner_without_the_feature_cannot_feature_a_model(
        self, platform: Platform, tenant: Tenant, recipe: Recipe
    ) -> None:
        await recipe.configure_account(tenant.account_id, features=False)
        path = f"/api/mlpcore/account/{tenant.account_id}/model/{tenant.model_id}/public-settings"
        async with platform.client(tenant.owner.headers) as client:
            answers = [await client.post(path, json=body) for body in ({"featured": True}, {"featuredListOrder": 1})]
            shown = (await client.get(path)).json()
        assert [answer.status_code for answer in answers] == [403, 403]
        assert not shown["featured"]


@pytest.fixture(scope="package")
async def tenant(recipe: Recipe) -> Tenant:
    return await recipe.tenant("daily")
