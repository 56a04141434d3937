"""An account with many predictions, or an address that never answers, delays no other account."""

import asyncio
import uuid

from mlpgateway.call.call import Answer, Payload
from mlpgateway.features.predictions.tables import Prediction, WebhookDelivery
from mlplace_testing.waiting import eventually

ASYNC = {"Prefer": "respond-async"}


async def true_when(check) -> None:
    async def look() -> bool:
        return bool(check())

    await eventually(look)


async def begin(world, key, model: str = "acme/model/ner") -> dict:
    path = f"/api/mlpgateway/account/{model}/predict"
    answer = await world.client.post(path, content='"hi"', headers={**key, **ASYNC})
    assert answer.status_code == 202, answer.text
    return answer.json()


async def status_of(world, key, made) -> str:
    return (await world.client.get(made["urls"]["get"], headers=key)).json()["status"]


async def silent(_request):
    await asyncio.Event().wait()
    yield Answer(Payload(), {})


class TestRunner:
    async def test_account_is_served_while_another_uses_its_whole_share(self, open_world, kit) -> None:
        async with open_world(predictions_at_once=8) as world:
            world.know(kit.model_changed(501, "fine"))
            world.instance(silent)
            world.instance(model_id=501)
            runner, hostile, other = world.components.entry_points.runner, world.key(), world.key(kit.ACME)
            for _ in range(12):
                await begin(world, hostile)
            pause = await runner.look()
            assert (len(runner._running), runner._share.of(kit.DEMO)) == (6, 6)
            assert pause > 1, "what cannot be served here is not looked for all the time"
            for _ in range(2):
                made = await begin(world, other, "acme/model/fine")
                await runner.look()
                await true_when(lambda: len(runner._running) == 6)
                assert await status_of(world, other, made) == "succeeded"
            for task in runner._running.values():
                task.cancel()
            await true_when(lambda: not runner._running)
            assert runner._share.used == 0

    async def test_accounts_take_turns(self, open_world, kit) -> None:
        async with open_world(predictions_at_once=4) as world:
            world.instance(silent)
            runner = world.components.entry_points.runner
            for _ in range(5):
                await begin(world, world.key())
            await begin(world, world.key(kit.ACME))
            await runner.look()
            assert (runner._share.of(kit.DEMO), runner._share.of(kit.ACME)) == (3, 1)
            for task in runner._running.values():
                task.cancel()
            await true_when(lambda: not runner._running)

    async def test_share_is_given_back_when_the_claim_fails(self, world, kit, monkeypatch) -> None:
        runner = world.components.entry_points.runner
        await begin(world, world.key())

        async def away(*_: object) -> None:
            raise OSError

        monkeypatch.setattr(runner._changes, "announce", away)
        pause = await runner._look_if_ready()
        assert pause > 0
        assert (runner._share.used, runner._running) == (0, {})


class TestWebhooks:
    async def test_silent_address_delays_no_other_account(self, open_world, kit) -> None:
        got = asyncio.Event()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 204 X\r\nContent-Length: 0\r\n\r\n")
            writer.close()
            got.set()

        async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        async with (
            open_world(egress_allowed_networks="127.0.0.1/32") as world,
            await asyncio.start_server(answer, "127.0.0.1", 0) as good,
            await asyncio.start_server(hang, "127.0.0.1", 0) as bad,
        ):
            sender = world.components.entry_points.sender
            for account, server, number in ((kit.DEMO, bad, 40), (kit.ACME, good, 1)):
                port = server.sockets[0].getsockname()[1]
                await deliver(world, account, f"http://127.0.0.1:{port}/", number)
            sending = asyncio.create_task(sender.run())
            await asyncio.wait_for(got.wait(), 60)
            assert sender._share.of(kit.DEMO) == 15
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            assert sender._share.used == 0


async def deliver(world, account_id: int, url: str, number: int) -> None:
    """Adds due webhook deliveries of a prediction that does not exist."""
    made = await begin(world, world.key(account_id))
    async with world.components.database.transaction() as session:
        row = await session.get(Prediction, made["id"])
        session.add_all(
            WebhookDelivery(
                account_id=account_id, prediction_id=row.id, event="prediction.completed", url=url, body=b"{}",
                id=uuid.uuid4(), next_at=row.created_at,
            )
            for _ in range(number)
        )  # fmt: skip


class TestFollowing:
    async def test_following_uses_the_accounts_share_of_streams(self, open_world, kit) -> None:
        async with open_world(most_streams=16) as world:
            streams, key = world.components.pipeline._stages.shares.streams, world.key()
            made = await begin(world, key)
            streams.take(kit.DEMO, streams.most(kit.DEMO))
            path = f"/api/mlpgateway/account/{kit.DEMO}/predictions/{made['id']}/events"
            refused = await world.client.get(path, headers=key)
            assert (refused.status_code, refused.json()["args"]["resource"]) == (429, "streams")
            streams.give_back(kit.DEMO, streams.most(kit.DEMO))
            canceled = await world.client.post(path.replace("/events", "/cancel"), headers=key)
            assert canceled.status_code == 200
            assert (await world.client.get(path, headers=key)).status_code == 200
            assert streams.used == 0
