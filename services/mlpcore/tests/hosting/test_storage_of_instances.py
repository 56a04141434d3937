"""Instances get the bucket of their account: a credential of their own, from their start to their end."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from mlpcore.features.buckets.sweeping import sweep
from mlpcore.features.buckets.tables import Bucket, InstanceCredential
from mlpcore.features.instances.dependencies import lifecycle_of
from mlpcore.features.instances.loops.comparing import Comparison
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.instances.repository import InstanceRepository
from mlpcore.features.instances.tables import Instance
from mlpcore.main import SERVICE
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import DesiredInstance
from mlplace_contracts.internal.hosting import ReportedPhase as P
from mlplace_kit.clock import ManualClock, SystemClock
from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer
from mlplace_testing.agents import AgentTwin, report
from mlplace_testing.ports import free_port
from mlplace_testing.statements import Statements
from mlplace_testing.waiting import eventually
from mlplace_testing.world import World

from .test_with_agent import working

ACCOUNT = "/api/mlpcore/account/acme"
MODEL = f"{ACCOUNT}/model/greeting"
SECRETS = ("MLP_S3_ACCESS_KEY", "MLP_S3_SECRET_KEY")


def storage(wanted: DesiredInstance) -> dict[str, str]:
    return {name: value for name, value in wanted.platform_env.items() if name.startswith(("MLP_S3", "MLP_STORAGE"))}


def key(wanted: DesiredInstance) -> str:
    return wanted.platform_env["MLP_S3_ACCESS_KEY"]


class Service:
    """The service `acme/greeting` and the credentials of its instances."""

    def __init__(self, client: httpx.AsyncClient, world: World, state: CoreState) -> None:
        self._client, self._world, self._state = client, world, state

    async def scale(self, count: int) -> None:
        answer = await self._client.post(f"{MODEL}/instances", json=count, headers=self._world.owner)
        assert answer.status_code == 200, answer.text

    async def credentials(self) -> list[InstanceCredential]:
        async with self._state.database.transaction() as session:
            statement = sa.select(InstanceCredential).order_by(InstanceCredential.credential_id)
            return list((await session.scalars(statement)).all())

    async def live(self) -> list[str]:
        return [each.access_key for each in await self.credentials() if each.ended_at is None]

    async def leave_server(self, instance_id: int) -> None:
        async with self._state.database.transaction() as session:
            found = await InstanceRepository(session).lock_many([instance_id])
            lifecycle = lifecycle_of(session, self._state.clock)
            await lifecycle.leave_server(found[instance_id], reason="Test", message="It leaves")

    async def write(self, **columns: object) -> None:
        """Writes columns of all instances, as another process does."""
        async with self._state.database.transaction() as session:
            await session.execute(sa.update(Instance).values(**columns))


@pytest.fixture
def service(client: httpx.AsyncClient, publisher: World, state: CoreState, model_id: int) -> Service:
    assert model_id
    return Service(client, publisher, state)


class TestStart:
    async def test_fresh_order_has_the_variables_and_a_later_one_none(
        self, service: Service, agent: AgentTwin, world: World, model_id: int
    ) -> None:
        await service.scale(1)
        ((number, wanted),) = (await agent.beat()).items()
        found, account = storage(wanted), world.acme.account_id
        assert found.pop("MLP_S3_BUCKET").startswith(f"s3-bucket-{account}-")
        assert found.pop("MLP_S3_ACCESS_KEY").startswith(f"s3-instance-{number}-")
        assert len(found.pop("MLP_S3_SECRET_KEY")) == 40
        assert found == {
            "MLP_STORAGE_TYPE": "s3",
            "MLP_S3_ENDPOINT": "http://localhost:8080",
            "MLP_S3_REGION": "us-east-1",
            "MLP_STORAGE_DIR": f"models/{account}/{model_id}/0",
        }
        (again,) = (await agent.beat()).values()  # the first answer counts as lost
        assert storage(again) == storage(wanted)
        (told,) = (await agent.beat(report(number, P.STARTING))).values()
        assert not set(SECRETS) & told.platform_env.keys()

    async def test_each_instance_has_its_own_key_below_the_prefix_of_the_service(
        self, service: Service, agent: AgentTwin, model_id: int, world: World
    ) -> None:
        await service.scale(2)
        first, second = (await agent.beat()).values()
        assert all(first.platform_env[name] != second.platform_env[name] for name in SECRETS)
        assert first.platform_env["MLP_STORAGE_DIR"] == second.platform_env["MLP_STORAGE_DIR"]
        prefix = f"models/{world.acme.account_id}/{model_id}/"
        assert {each.prefix for each in await service.credentials()} == {prefix}
        assert first.platform_env["MLP_STORAGE_DIR"].startswith(prefix)

    async def test_statements_do_not_depend_on_the_number_of_starts_and_heartbeats_without_one_have_none(
        self, service: Service, agent: AgentTwin, statements: Statements
    ) -> None:
        def about_storage() -> list[str]:
            found = [each for each in statements.seen if "instance_credential" in each or "bucket" in each]
            statements.clear()
            return [" ".join(each.split()[:3]) for each in found]

        await service.scale(1)
        (first,) = await agent.beat()
        about_storage()
        await service.scale(4)
        about_storage()
        wanted = await agent.beat(report(first, P.RUNNING))
        assert len(wanted) == 4
        once = about_storage()
        assert len(once) == 3, once
        await agent.beat(report(first, P.RUNNING))  # the answer about three of them counts as lost
        assert len(about_storage()) == 1
        running = [report(number, P.RUNNING) for number in wanted]
        await agent.beat(*running)
        await agent.state(*running)
        assert about_storage() == []

    async def test_credential_that_cannot_be_read_leaves_a_folder_and_stops_nobody(
        self, service: Service, agent: AgentTwin, state: CoreState
    ) -> None:
        await service.scale(2)
        first, _ = (await agent.beat()).values()
        async with state.database.transaction() as session:
            chosen = sa.update(InstanceCredential).where(InstanceCredential.access_key == key(first))
            await session.execute(chosen.values(secret_sealed=b"unreadable"))
        again = await agent.beat()
        assert len(again) == 2
        assert storage(again.pop(first.instance_id)) == {
            "MLP_STORAGE_TYPE": "local",
            "MLP_S3_BUCKET": "",
            "MLP_STORAGE_DIR": first.platform_env["MLP_STORAGE_DIR"],
        }
        assert {each.platform_env["MLP_STORAGE_TYPE"] for each in again.values()} == {"s3"}


class TestEnd:
    async def test_credential_ends_when_the_server_has_ended_the_instance(
        self, service: Service, agent: AgentTwin, state: CoreState
    ) -> None:
        await service.scale(1)
        ((number, wanted),) = (await agent.beat()).items()
        await agent.beat(report(number, P.RUNNING))
        await service.scale(0)
        await agent.beat(report(number, P.RUNNING))
        assert await service.live() == [key(wanted)], "it may finish its calls"
        await agent.beat(report(number, P.EXITED))
        (row,) = await service.credentials()
        assert (row.ended_at, row.secret_sealed) == (state.clock.now(), None)

    async def test_instance_that_gets_another_server_gets_another_key(
        self, service: Service, agent: AgentTwin, reconciler: Reconciler
    ) -> None:
        await service.scale(1)
        ((number, before),) = (await agent.beat()).items()
        await service.leave_server(number)
        assert await service.live() == []
        await reconciler.turn()
        (after,) = (await agent.beat()).values()
        assert (after.instance_id, after.generation) == (number, before.generation + 1)
        assert all(after.platform_env[name] != before.platform_env[name] for name in SECRETS)
        assert after.platform_env["MLP_S3_BUCKET"] == before.platform_env["MLP_S3_BUCKET"]
        assert await service.live() == [key(after)]

    async def test_key_of_an_earlier_generation_that_another_release_left_ends_with_the_start(
        self, service: Service, agent: AgentTwin
    ) -> None:
        await service.scale(1)
        (before,) = (await agent.beat()).values()
        await service.write(generation=before.generation + 1)
        (after,) = (await agent.beat()).values()
        assert key(after) != key(before)
        assert await service.live() == [key(after)]

    @pytest.mark.parametrize("columns", [{"state": "DELETED"}, {"server_id": None, "state": "IDLE"}])
    async def test_what_another_release_left_ends_with_the_comparison(
        self, service: Service, agent: AgentTwin, state: CoreState, columns: dict[str, object]
    ) -> None:
        await service.scale(1)
        (wanted,) = (await agent.beat()).values()
        await Comparison(state).turn()
        assert await service.live() == [key(wanted)]
        await service.write(**columns)
        await Comparison(state).turn()
        assert await service.live() == []

    async def test_ended_credentials_are_forgotten_after_a_month(
        self, service: Service, agent: AgentTwin, state: CoreState, clock: ManualClock
    ) -> None:
        await service.scale(2)
        number, other = await agent.beat()
        await service.leave_server(number)
        clock.advance(timedelta(days=29))
        await sweep(state)
        assert len(await service.credentials()) == 2
        clock.advance(timedelta(days=2))
        await sweep(state)
        assert [each.instance_id for each in await service.credentials()] == [other]


class TestExternal:
    async def test_instance_keeps_its_key_until_it_is_deleted(
        self, service: Service, client: httpx.AsyncClient, publisher: World
    ) -> None:
        made = (await client.post(f"{MODEL}/external", headers=publisher.owner)).json()
        given = {name: made["envVariables"][name] for name in SECRETS}
        (listed,) = (await client.get(f"{MODEL}/external", headers=publisher.owner)).json()
        assert {name: listed["envVariables"][name] for name in SECRETS} == given
        assert await service.live() == [given["MLP_S3_ACCESS_KEY"]]
        path = f"{MODEL}/external/{made['id']['instanceId']}"
        assert (await client.delete(path, headers=publisher.owner)).status_code == 200
        assert await service.live() == []

    async def test_instance_of_an_earlier_release_keeps_its_folder(
        self, service: Service, client: httpx.AsyncClient, publisher: World, state: CoreState
    ) -> None:
        await client.post(f"{MODEL}/external", headers=publisher.owner)
        async with state.database.transaction() as session:
            await session.execute(sa.delete(InstanceCredential))
        (listed,) = (await client.get(f"{MODEL}/external", headers=publisher.owner)).json()
        assert (listed["envVariables"]["MLP_STORAGE_TYPE"], listed["envVariables"]["MLP_S3_BUCKET"]) == ("local", "")
        assert await service.live() == []


class TestSecrecy:
    async def test_keys_are_shown_to_nobody_nor_logged(
        self, service: Service, client: httpx.AsyncClient, publisher: World, agent: AgentTwin,
        capsys: pytest.CaptureFixture[str], state: CoreState,
    ) -> None:  # fmt: skip
        await service.scale(1)
        ((number, wanted),) = (await agent.beat()).items()
        await agent.beat(report(number, P.RUNNING))
        path = f"{MODEL}/instance/{number}/environment"
        shown = (await client.get(path, headers=publisher.owner)).json()["environment"]
        assert (shown["MLP_S3_ACCESS_KEY"], shown["MLP_S3_SECRET_KEY"]) == ("********", "********")
        assert (shown["MLP_STORAGE_TYPE"], shown["MLP_S3_BUCKET"]) == ("s3", wanted.platform_env["MLP_S3_BUCKET"])
        texts = list[str]()
        for place in ("environment", "events", "laststate", "timing", "file/logs"):
            texts.append((await client.get(f"{MODEL}/instance/{number}/{place}", headers=publisher.owner)).text)
        for path in (MODEL, f"{MODEL}/instance", f"{MODEL}/status", f"{MODEL}/logs", f"{MODEL}/external"):
            texts.append((await client.get(path, headers=publisher.owner)).text)
        await service.scale(0)
        texts.append("".join(capsys.readouterr()))
        async with state.database.transaction() as session:
            rows = await session.execute(sa.text("SELECT outbox::text FROM outbox"))
            texts += [str(row[0]) for row in rows]
            sealed = await session.scalar(sa.text("SELECT secret_sealed FROM instance_credential"))
        whole = "".join(texts)
        assert len(whole) > 1000
        assert not [name for name in SECRETS if wanted.platform_env[name] in whole]
        assert wanted.platform_env["MLP_S3_SECRET_KEY"].encode() not in sealed


class TestBucket:
    async def test_bucket_of_an_instance_is_kept_while_it_lives(
        self, service: Service, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, state: CoreState
    ) -> None:
        path = "/api/mlpcore/admin/minio/delete-empty-users?count=10&dryRun=false"

        async def delete_empty() -> int:
            assert (await client.post(path, headers=publisher.admin)).status_code == 200
            async with state.database.transaction() as session:
                return await session.scalar(sa.select(sa.func.count()).select_from(Bucket)) or 0

        await service.scale(1)
        (number,) = await agent.beat()
        assert await delete_empty() == 1
        await service.leave_server(number)
        assert await delete_empty() == 0


STORES = """
import os, time
import boto3
from botocore.exceptions import ClientError
said = os.environ
s3 = boto3.client(
    "s3", endpoint_url=said["MLP_S3_ENDPOINT"], region_name=said["MLP_S3_REGION"],
    aws_access_key_id=said["MLP_S3_ACCESS_KEY"], aws_secret_access_key=said["MLP_S3_SECRET_KEY"],
)
bucket, key = said["MLP_S3_BUCKET"], said["MLP_STORAGE_DIR"] + "/state"
try:
    found = s3.get_object(Bucket=bucket, Key=key)["Body"].read().decode()
except ClientError as error:
    found = error.response["Error"]["Code"]
s3.put_object(Bucket=bucket, Key=key, Body=b"kept")
try:
    other = s3.get_object(Bucket=bucket, Key="private")["Body"].read().decode()
except ClientError as error:
    other = error.response["Error"]["Code"]
print(f"state: {found}, other: {other}", flush=True)
time.sleep(300)
"""


class TestProgram:
    """A real process of the real agent, which signs its requests with the Python client."""

    @pytest.fixture
    def clock(self) -> ManualClock:
        """Begins at the time of the machine: the program signs requests with it."""
        return ManualClock(SystemClock().now())

    @pytest.fixture
    def port(self) -> int:
        return free_port()

    @pytest.fixture
    def state(self, state: CoreState, port: int) -> CoreState:
        settings = state.settings.model_copy(update={"public_rest_url": f"http://127.0.0.1:{port}"})
        return replace(state, settings=settings)

    @pytest.fixture
    async def _endpoint(self, app: FastAPI, state: CoreState, port: int) -> AsyncGenerator[None]:
        server = HttpServer(SERVICE.bounded(app, state.settings), listen("127.0.0.1", port))
        await server.start()
        yield
        await server.stop()

    @pytest.mark.usefixtures("_endpoint")
    async def test_finds_what_the_instance_before_it_stored(
        self, service: Service, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, tmp_path: Path
    ) -> None:
        async def output() -> str:
            rows = (await client.get(f"{MODEL}/instance", headers=publisher.owner)).json()["instances"]
            paths = [f"{MODEL}/instance/{row['id']}/file/logs" for row in rows]
            return "".join([(await client.get(path, headers=publisher.owner)).text for path in paths])

        async def live() -> list[str]:
            return await service.live()

        async with working(client, agent, tmp_path, STORES):
            await service.scale(1)
            said = await eventually(output, until=lambda text: "state: " in text)
            assert said == "state: NoSuchKey, other: AccessDenied\n"
            await service.scale(0)
            await eventually(live, until=lambda found: found == [])
            await service.scale(1)
            said = await eventually(output, until=lambda text: "state: " in text)
            assert said == "state: kept, other: AccessDenied\n"
