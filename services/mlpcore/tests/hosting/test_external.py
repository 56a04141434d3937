import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa
import yaml

from mlpcore.state import CoreState
from mlplace_contracts.environment import PLATFORM_NAMES
from mlplace_contracts.events import GateMembersChanged, GateStarted, InstanceChanged
from mlplace_kit.credentials import parse_credential
from mlplace_runtime.db.database import Database
from mlplace_testing.agents import GateTwin
from mlplace_testing.events import published
from mlplace_testing.world import World

MODEL = "/api/mlpcore/account/acme/model/greeting"
EXTERNAL = f"{MODEL}/external"
NAMES = [
    "MLP_ACCOUNT_ID",
    "MLP_MODEL_ID",
    "MLP_INSTANCE_ID",
    "MLP_MODEL_NAME",
    "HOSTNAME",
    "MLP_SERVICE_TOKEN",
    "MLP_REST_URL",
    "MLP_GRPC_HOST",
    "MLP_GRPC_HOSTS",
    "MLP_GRPC_SECURE",
    "SERVICE_CONFIG",
    "MLP_STORAGE_TYPE",
    "MLP_S3_ENDPOINT",
    "MLP_S3_BUCKET",
    "MLP_S3_ACCESS_KEY",
    "MLP_S3_SECRET_KEY",
    "MLP_STORAGE_DIR",
    "MLP_S3_REGION",
]
Told = Callable[..., Awaitable[None]]


class TestCreate:
    async def test_response_lists_the_environment_in_protocol_order(
        self, client: httpx.AsyncClient, publisher: World, model_id: int
    ) -> None:
        made = (await client.post(EXTERNAL, headers=publisher.owner)).json()
        env = made["envVariables"]
        assert list(env) == [*NAMES, "GREETING", "API_SECRET"]
        account = publisher.acme.account_id
        assert made["id"] == {"accountId": account, "modelId": model_id, "instanceId": int(env["MLP_INSTANCE_ID"])}
        token = parse_credential(env["MLP_SERVICE_TOKEN"])
        assert token is not None
        assert (token.account_id, token.object_id) == (account, model_id)
        assert (env["MLP_GRPC_HOST"], env["MLP_GRPC_SECURE"]) == ("localhost:10601", "false")
        storage = (env["MLP_STORAGE_TYPE"], env["MLP_S3_ENDPOINT"], env["MLP_STORAGE_DIR"], env["MLP_S3_REGION"])
        assert storage == ("s3", "http://localhost:8080", f"models/{account}/{model_id}/0", "us-east-1")
        assert env["MLP_S3_BUCKET"].startswith(f"s3-bucket-{account}-")
        assert env["MLP_S3_ACCESS_KEY"].startswith(f"s3-instance-{env['MLP_INSTANCE_ID']}-")
        assert len(env["MLP_S3_SECRET_KEY"]) == 40
        assert set(NAMES) <= PLATFORM_NAMES
        assert (env["HOSTNAME"], env["SERVICE_CONFIG"], env["GREETING"]) == ("$(hostname)", '{"a": 1}', "it's $HOME")
        assert (env["API_SECRET"], made["withheldVariables"]) == ("********", ["API_SECRET"])
        assert made["connected"] is False

    async def test_command_and_compose_file_have_the_same_environment(
        self, client: httpx.AsyncClient, publisher: World, model_id: int
    ) -> None:
        made = (await client.post(EXTERNAL, headers=publisher.owner)).json()
        command = made["dockerRunCommand"]
        assert command.startswith("docker run -d --restart always $(test ")
        assert " -e MLP_GRPC_HOST=host.docker.internal:10601 " in command
        assert " -e MLP_S3_ENDPOINT=http://host.docker.internal:8080 " in command
        assert command.endswith(" acme/greeting:1")
        assert '-e "HOSTNAME=$(hostname)"' in command
        service = yaml.safe_load(made["dockerComposeContent"])["services"]["greeting"]
        assert service["image"] == "acme/greeting:1"
        assert service["environment"]["GREETING"] == "it's $$HOME"
        assert "HOSTNAME" not in service["environment"]
        assert " -e API_SECRET " in command
        assert service["environment"]["API_SECRET"] is None

    async def test_event_and_database_contain_no_plain_token(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, database: Database, state: CoreState
    ) -> None:
        made = (await client.post(EXTERNAL, headers=publisher.owner)).json()
        (event,) = await published(database, InstanceChanged)
        assert event.token_hash == state.hasher.digest(made["envVariables"]["MLP_SERVICE_TOKEN"])
        assert (event.instance_id, event.accepts_connections) == (made["id"]["instanceId"], True)
        async with database.transaction() as session:
            sealed = await session.scalar(sa.text("SELECT token_sealed FROM instance"))
        assert made["envVariables"]["MLP_SERVICE_TOKEN"].encode() not in sealed

    @pytest.mark.parametrize("query", ["httpPort=0", "httpPort=70000", "httpHost=a%00b", "httpHost=a%20b"])
    async def test_invalid_address_is_refused(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, query: str
    ) -> None:
        assert (await client.post(f"{EXTERNAL}?{query}", headers=publisher.owner)).status_code == 400

    @pytest.mark.parametrize(
        "host",
        [
            "ml.example.org:443",
            "http://ml.example.org",
            "a:b:c",
            "300.1.1.1",
            "10.0.0",
            "[::1]",
            "a..b",
            "-a",
            "fe80::1%eth0",
            "a" * 64,
        ],
    )
    async def test_what_is_no_host_is_refused_with_what_to_name(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, host: str
    ) -> None:
        refused = await client.post(EXTERNAL, params={"httpHost": host}, headers=publisher.owner)
        assert refused.json()["args"] == {"httpHost": "must be a host name without scheme and port"}

    async def test_concurrent_creations_do_not_exceed_the_accounts_limit(
        self, client: httpx.AsyncClient, publisher: World, model_id: int
    ) -> None:
        answers = await asyncio.gather(*(client.post(EXTERNAL, headers=publisher.owner) for _ in range(9)))
        assert sorted(answer.status_code for answer in answers) == [200] * 5 + [403] * 4
        assert {a.json()["code"] for a in answers if a.status_code == 403} == {"mlp.core.limit_exceeded"}
        assert len((await client.get(EXTERNAL, headers=publisher.owner)).json()) == 5


class TestAccess:
    @pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", ""), ("DELETE", "/1")])
    async def test_only_developers_of_the_account_have_access(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, method: str, path: str
    ) -> None:
        async def status(headers: dict[str, str]) -> int:
            return (await client.request(method, EXTERNAL + path, headers=headers)).status_code

        assert (await status({}), await status(publisher.user), await status(publisher.stranger)) == (401, 403, 403)

    async def test_instance_of_another_account_looks_missing(
        self, client: httpx.AsyncClient, publisher: World, model_id: int
    ) -> None:
        made = (await client.post(EXTERNAL, headers=publisher.owner)).json()
        theirs = {"modelName": "theirs"}
        await client.post("/api/mlpcore/account/globex/model", json=theirs, headers=publisher.stranger)
        base = "/api/mlpcore/account/globex/model/theirs"
        for number in (made["id"]["instanceId"], 999_999):
            path = f"{base}/external/{number}"
            assert (await client.delete(path, headers=publisher.stranger)).status_code == 404
            path = f"{base}/instance/{number}/environment"
            assert (await client.get(path, headers=publisher.stranger)).status_code == 404


class TestConnection:
    async def test_connected_instance_is_shown_as_running_until_its_stream_is_lost(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, gate: GateTwin, told: Told
    ) -> None:
        number = (await client.post(EXTERNAL, headers=publisher.owner)).json()["id"]["instanceId"]
        stream = gate.connected(number)
        await told(stream)
        (shown,) = (await client.get(EXTERNAL, headers=publisher.owner)).json()
        assert (shown["connected"], shown["hostname"], shown["version"]) == (True, "pod-1", 2)
        (row,) = (await client.get(f"{MODEL}/instance", headers=publisher.owner)).json()["instances"]
        assert (row["statusInfo"]["totalStatus"], row["instanceHostingType"]) == ("RUNNING", "external")
        status = (await client.get(f"{MODEL}/status", headers=publisher.owner)).json()
        assert (status["state"], status["instances"]["externalRequested"]) == ("RUNNING", 1)
        assert (await client.get(MODEL, headers=publisher.owner)).json()["state"] == "RUNNING"
        await told(gate.lost(stream))
        assert (await client.get(f"{MODEL}/status", headers=publisher.owner)).json()["state"] == "STARTING"
        codes = [entry["code"] for entry in (await client.get(f"{MODEL}/logs", headers=publisher.owner)).json()]
        assert codes == ["INSTANCE_LOST", "INSTANCE_CONNECTED", "INSTANCE_CREATED"]

    async def test_late_loss_of_an_older_stream_is_ignored(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, gate: GateTwin, told: Told
    ) -> None:
        number = (await client.post(EXTERNAL, headers=publisher.owner)).json()["id"]["instanceId"]
        old, new = gate.connected(number), gate.connected(number)
        await told(old, new, gate.lost(old))
        (shown,) = (await client.get(EXTERNAL, headers=publisher.owner)).json()
        assert shown["connected"] is True
        await told(gate.lost(new), new)
        (shown,) = (await client.get(EXTERNAL, headers=publisher.owner)).json()
        assert shown["connected"] is False

    async def test_stream_of_another_model_is_ignored(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, gate: GateTwin, told: Told
    ) -> None:
        number = (await client.post(EXTERNAL, headers=publisher.owner)).json()["id"]["instanceId"]
        await told(gate.connected(number, model_id=model_id + 1), gate.connected(number + 1))
        (shown,) = (await client.get(EXTERNAL, headers=publisher.owner)).json()
        assert shown["connected"] is False


class TestGates:
    async def test_instances_get_the_addresses_of_member_gates_only(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, gate: GateTwin, told: Told, state: CoreState
    ) -> None:
        members = ("gate:1", "gate:2")
        await told(GateMembersChanged(members=members, occurred_at=state.clock.now()))
        made = (await client.post(EXTERNAL, headers=publisher.owner)).json()
        assert made["envVariables"]["MLP_GRPC_HOSTS"] == "gate:1,gate:2"
        number = made["id"]["instanceId"]

        async def everywhere() -> bool:
            listed = (await client.get(f"{MODEL}/instance", headers=publisher.owner)).json()
            return bool(listed["instances"][0]["statusInfo"]["isConnectedToAllGates"])

        await told(gate.connected(number))
        assert await everywhere() is False
        await told(gate.connected(number, gate="gate:2"))
        assert await everywhere() is True

        async def state_with(*gates: str) -> str:
            await told(GateMembersChanged(members=gates, occurred_at=state.clock.now()))
            status = await client.get(f"{MODEL}/status", headers=publisher.owner)
            return str(status.json()["state"])

        assert await state_with("gate:3") == "STARTING"
        assert await state_with() == "STARTING"
        assert await state_with("gate:2", "gate:3") == "RUNNING"
        (shown,) = (await client.get(EXTERNAL, headers=publisher.owner)).json()
        assert shown["connected"] is True

    async def test_restarted_gate_ends_its_earlier_streams(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, gate: GateTwin, told: Told, state: CoreState
    ) -> None:
        number = (await client.post(EXTERNAL, headers=publisher.owner)).json()["id"]["instanceId"]
        stream = gate.connected(number)
        await told(stream)

        async def connected() -> bool:
            (shown,) = (await client.get(EXTERNAL, headers=publisher.owner)).json()
            return bool(shown["connected"])

        assert await connected() is True
        await told(GateStarted(gate=stream.gate, occurred_at=stream.occurred_at - timedelta(seconds=1)))
        assert await connected() is True
        await told(GateStarted(gate=stream.gate, occurred_at=stream.occurred_at + timedelta(seconds=1)))
        assert await connected() is False
        await told(gate.connected(number, occurred_at=stream.occurred_at + timedelta(seconds=2)))
        assert await connected() is True


class TestDelete:
    async def test_deletion_returns_the_rest_and_closes_connections(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, database: Database
    ) -> None:
        first = (await client.post(EXTERNAL, headers=publisher.owner)).json()["id"]["instanceId"]
        second = (await client.post(EXTERNAL, headers=publisher.owner)).json()["id"]["instanceId"]
        answer = await client.delete(f"{EXTERNAL}/{first}", headers=publisher.owner)
        assert [entry["id"]["instanceId"] for entry in answer.json()] == [second]
        last = (await published(database, InstanceChanged))[-1]
        assert (last.instance_id, last.version, last.accepts_connections) == (first, 2, False)
        assert (await client.delete(f"{EXTERNAL}/{first}", headers=publisher.owner)).status_code == 404

    async def test_deletion_of_the_model_ends_its_instances(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, database: Database
    ) -> None:
        await client.post(EXTERNAL, headers=publisher.owner)
        assert (await client.delete(MODEL, headers=publisher.owner)).status_code == 200
        assert (await published(database, InstanceChanged))[-1].accepts_connections is False
