"""Webhooks: what is sent, how it is signed, how often it is tried, and where it may go."""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from functools import partial

import orjson
import pytest
import sqlalchemy as sa

from mlpgateway.features.predictions.tables import WebhookDelivery, WebhookSecret
from mlpgateway.features.predictions.webhooks import PAUSES, signature
from mlplace_kit.errors import HeaderNotServed
from mlplace_testing.waiting import eventually


class Receiver:
    """Accepts what is posted to it, runs `meanwhile`, and answers with `status`."""

    def __init__(self) -> None:
        self.status = 204
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.url = ""
        self.meanwhile: Callable[[], Awaitable[None]] | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[1:]
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head if line)}
        self.got.append((headers, await reader.readexactly(int(headers["content-length"]))))
        if self.meanwhile is not None:
            await self.meanwhile()
        writer.write(f"HTTP/1.1 {self.status} X\r\nContent-Length: 0\r\n\r\n".encode())
        writer.close()


@pytest.fixture
async def receiver() -> AsyncGenerator[Receiver]:
    made = Receiver()
    async with await asyncio.start_server(made.serve, "127.0.0.1", 0) as server:
        made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook?a=b"
        yield made


@pytest.fixture
async def near(open_world, kit) -> AsyncGenerator[object]:
    """A world that may call this host, with a runner."""
    async with open_world(egress_allowed_networks="127.0.0.1/32") as world:
        world.know(kit.model_changed(billing=kit.CALLS))
        task = asyncio.create_task(world.components.entry_points.runner.run())
        yield world
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def predicted(world, key, url, *events) -> dict:
    """Returns a finished prediction. `events` are the lines of the header."""
    told = [("MLP-Webhook-Events", line) for line in events]
    headers = [*key.items(), ("Prefer", "respond-async"), ("MLP-Webhook", url), *told]
    made = (await world.predict(headers)).json()

    async def read() -> dict:
        return (await world.client.get(made["urls"]["get"], headers=key)).json()

    return await eventually(read, until=lambda shown: shown["completedAt"] is not None, seconds=60)


async def deliveries(world, key, done) -> list[dict]:
    return (await world.client.get(done["urls"]["deliveries"], headers=key)).json()


async def make_due(world) -> None:
    async with world.components.database.transaction() as session:
        await session.execute(sa.update(WebhookDelivery).values(next_at=sa.func.now()))


class TestSending:
    async def test_outcome_is_sent_and_signed_as_standard_webhooks_define(self, near, kit, receiver) -> None:
        near.instance(kit.says('{"a":1}'))
        key = near.key(permissions=("predict", "write"))
        done = await predicted(near, key, receiver.url)
        assert await near.components.entry_points.sender.send_due() == 1
        ((headers, body),) = receiver.got
        told = orjson.loads(body)
        assert (told["type"], told["data"]["id"], told["data"]["output"]) == (
            "prediction.completed",
            done["id"],
            {"a": 1},
        )
        secret = await near.client.get(f"/api/mlpgateway/account/{kit.DEMO}/webhook-secret", headers=key)
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        own = hmac.new(base64.b64decode(secret.json()["secret"].removeprefix("whsec_")), signed, hashlib.sha256)
        assert headers["webhook-signature"] == "v1," + base64.b64encode(own.digest()).decode()
        (delivery,) = await deliveries(near, key, done)
        assert (delivery["attempts"], delivery["lastStatus"], delivery["nextAt"]) == (1, 204, None)
        assert delivery["deliveredAt"] is not None

    async def test_signature_matches_the_published_example(self) -> None:
        secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # pragma: allowlist secret  the example of the specification
        body = b'{"test": 2432232314}'
        made = signature(secret, message_id="msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp=1614265330, body=body)
        assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    @pytest.mark.parametrize("events", [("started,completed",), ("started", "completed")])
    async def test_start_is_sent_on_request(self, near, receiver, events) -> None:
        """Several lines are one list (RFC 9110, section 5.3)."""
        near.instance()
        key = near.key()
        await predicted(near, key, receiver.url, *events)
        while await near.components.entry_points.sender.send_due():
            pass
        assert sorted(orjson.loads(body)["type"] for _, body in receiver.got) == [
            "prediction.completed", "prediction.started",
        ]  # fmt: skip

    async def test_failure_is_sent_too(self, near, kit, receiver) -> None:
        from mlpgateway.call.transport import InstanceError

        near.instance(kit.fails(InstanceError(code="own", message="no", status=400, details={}, headers={})))
        await predicted(near, near.key(), receiver.url)
        await near.components.entry_points.sender.send_due()
        told = orjson.loads(receiver.got[0][1])["data"]
        assert (told["status"], told["error"]["code"]) == ("failed", "own")


class TestRetries:
    async def test_webhook_is_repeated_with_longer_pauses_and_the_same_id(self, near, receiver) -> None:
        near.instance()
        key = near.key()
        receiver.status = 500
        done = await predicted(near, key, receiver.url)
        for _ in range(2):
            await make_due(near)
            await near.components.entry_points.sender.send_due()
        (delivery,) = await deliveries(near, key, done)
        assert (delivery["attempts"], delivery["lastStatus"], delivery["deliveredAt"]) == (2, 500, None)
        assert delivery["nextAt"] is not None
        receiver.status = 200
        await make_due(near)
        await near.components.entry_points.sender.send_due()
        assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 1
        assert len({body for _, body in receiver.got}) == 1
        assert (await deliveries(near, key, done))[0]["deliveredAt"] is not None

    async def test_retries_end(self, near, receiver) -> None:
        near.instance()
        key = near.key()
        receiver.status = 503
        done = await predicted(near, key, receiver.url)
        async with near.components.database.transaction() as session:
            await session.execute(sa.update(WebhookDelivery).values(attempts=len(PAUSES), next_at=sa.func.now()))
        await near.components.entry_points.sender.send_due()
        (delivery,) = await deliveries(near, key, done)
        assert (delivery["nextAt"], delivery["deliveredAt"]) == (None, None)

    @pytest.mark.parametrize("status", [410])
    async def test_gone_receiver_gets_no_retry(self, near, receiver, status) -> None:
        near.instance()
        key = near.key()
        receiver.status = status
        done = await predicted(near, key, receiver.url)
        await near.components.entry_points.sender.send_due()
        assert (await deliveries(near, key, done))[0]["nextAt"] is None

    async def test_owner_can_replay_a_delivery(self, near, receiver) -> None:
        near.instance()
        key = near.key()
        done = await predicted(near, key, receiver.url)
        await near.components.entry_points.sender.send_due()
        (delivery,) = await deliveries(near, key, done)
        path = f"{done['urls']['deliveries']}/{delivery['id']}/replay"
        assert (await near.client.post(path, headers=key)).json()["attempts"] == 0
        await near.components.entry_points.sender.send_due()
        assert len(receiver.got) == 2
        missing = f"{done['urls']['deliveries']}/{done['id']}/replay"
        assert (await near.client.post(missing, headers=key)).status_code == 404

    async def test_replay_during_a_delivery_is_not_lost(self, near, receiver) -> None:
        near.instance()
        await predicted(near, near.key(), receiver.url)
        sender = near.components.entry_points.sender
        receiver.meanwhile = partial(make_due, near)
        assert await sender.send_due() == 1
        receiver.meanwhile = None
        assert (await sender.send_due(), await sender.send_due()) == (1, 0)

    async def test_two_gates_send_it_once(self, near, receiver) -> None:
        near.instance()
        await predicted(near, near.key(), receiver.url)
        await asyncio.gather(*(near.components.entry_points.sender.send_due() for _ in range(5)))
        assert len(receiver.got) == 1


class TestAddresses:
    @pytest.mark.parametrize(
        "url", ["http://127.0.0.1/x", "http://[::1]/", "http://169.254.169.254/latest", "ftp://example.org/", "x", "http://a:b@example.org/"]
    )  # fmt: skip
    async def test_internal_address_is_refused_at_once(self, world, url) -> None:
        answer = await world.predict({**world.key(), "Prefer": "respond-async", "MLP-Webhook": url})
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.gate.address_not_allowed")

    async def test_name_of_an_internal_address_is_refused_on_sending(self, near, receiver) -> None:
        near.instance()
        key = near.key()
        done = await predicted(near, key, receiver.url)
        async with near.components.database.transaction() as session:
            await session.execute(sa.update(WebhookDelivery).values(url="http://127.0.0.2:8080/"))
        await near.components.entry_points.sender.send_due()
        (delivery,) = await deliveries(near, key, done)
        assert (delivery["nextAt"], delivery["lastStatus"], receiver.got) == (None, None, [])
        assert "not public" in delivery["lastError"]

    async def test_unknown_event_name_is_refused(self, world) -> None:
        headers = {**world.key(), "Prefer": "respond-async", "MLP-Webhook": "https://a.example/"}
        refused = await world.predict({**headers, "MLP-Webhook-Events": "everything"})
        assert (refused.status_code, list(refused.json()["args"])) == (400, ["MLP-Webhook-Events"])

    async def test_events_without_an_address_are_refused(self, world) -> None:
        refused = await world.predict({**world.key(), "Prefer": "respond-async", "MLP-Webhook-Events": "started"})
        assert (refused.status_code, refused.json()["code"]) == (400, HeaderNotServed.code)
        assert refused.json()["message"] == "MLP-Webhook-Events needs MLP-Webhook"

    async def test_several_addresses_are_refused(self, world) -> None:
        lines = [("MLP-Webhook", "https://a.example/"), ("MLP-Webhook", "https://b.example/")]
        refused = await world.predict([*world.key().items(), ("Prefer", "respond-async"), *lines])
        assert (refused.status_code, list(refused.json()["args"])) == (400, ["MLP-Webhook"])


class TestSecret:
    async def test_secret_is_encrypted_and_replaceable(self, world, kit) -> None:
        key = world.key(permissions=("predict", "write"))
        path = f"/api/mlpgateway/account/{kit.DEMO}/webhook-secret"
        first, same = [(await world.client.get(path, headers=key)).json()["secret"] for _ in range(2)]
        new = (await world.client.post(path, headers=key)).json()["secret"]
        assert first == same != new
        async with world.components.database.transaction() as session:
            sealed = (await session.execute(sa.select(WebhookSecret.sealed))).scalar_one()
        assert new.encode() not in sealed

    async def test_key_for_calls_cannot_read_the_secret(self, world, kit) -> None:
        path = f"/api/mlpgateway/account/{kit.DEMO}/webhook-secret"
        assert (await world.client.get(path, headers=world.key())).status_code == 403
        assert (await world.client.get(path, headers=world.key(kit.OTHER, permissions=("write",)))).status_code == 403
