"""Webhooks to internal addresses, from the call that names them to the sender: nothing inside is connected to."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from ipaddress import ip_network

import pytest
import sqlalchemy as sa

from mlpgateway.egress.client import open_egress
from mlpgateway.egress.errors import AddressNotAllowed
from mlpgateway.egress.rules import EgressRules
from mlpgateway.features.predictions.tables import WebhookDelivery
from mlplace_testing.addresses import OF_CLOUDS, THIS_HOST
from mlplace_testing.sink import Sink, open_sink
from mlplace_testing.waiting import eventually

NOT_ALLOWED = "mlp.gate.address_not_allowed"


@pytest.fixture
async def inside() -> AsyncGenerator[Sink]:
    """A server on this host, at each of its addresses."""
    async with open_sink("0.0.0.0", "::1") as sink:
        yield sink


@pytest.fixture
async def served(world, kit) -> AsyncGenerator[object]:
    """A world that may call only public addresses, with an instance and a runner."""
    world.know(kit.model_changed(billing=kit.CALLS))
    world.instance()
    task = asyncio.create_task(world.components.entry_points.runner.run())
    yield world
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def deliveries(world) -> list[WebhookDelivery]:
    async with world.components.database.transaction() as session:
        return list((await session.execute(sa.select(WebhookDelivery))).scalars())


async def ask(world, key: dict[str, str], url: str) -> str | None:
    """Returns the code of the refusal, or None."""
    headers = {**key, "Prefer": "respond-async"}
    sent = {name.encode(): value.encode() for name, value in (headers | {"MLP-Webhook": url}).items()}
    answer = await world.predict(sent)
    return None if answer.is_success else answer.json()["code"]


async def sent(world, *, number: int) -> list[WebhookDelivery]:
    """Returns all deliveries after each was tried."""
    await eventually(lambda: deliveries(world), until=lambda rows: len(rows) >= number, seconds=90)
    while await world.components.entry_points.sender.send_due():
        pass
    return await deliveries(world)


class TestTheDeniedHost:
    async def test_webhook_is_refused_in_every_notation(self, served, inside: Sink) -> None:
        key, accepted = served.key(), 0
        for host in THIS_HOST:
            for url in (f"http://{host}:{inside.port}/", f"https://{host}:{inside.port}/a?b#c"):
                refusal = await ask(served, key, url)
                assert refusal in {None, NOT_ALLOWED}, url
                accepted += refusal is None
        tried = await sent(served, number=accepted)
        assert accepted, "names are judged when they are called"
        assert [row.url for row in tried if row.delivered_at or row.last_status] == []
        assert all(row.attempts for row in tried)
        assert inside.connections == 0

    async def test_metadata_address_of_clouds_is_refused(self, served) -> None:
        told = {host: await ask(served, served.key(), f"http://{host}/latest/meta-data/") for host in OF_CLOUDS}
        assert told == dict.fromkeys(OF_CLOUDS, NOT_ALLOWED)

    @pytest.mark.parametrize(
        "url",
        [
            "http://example.org@127.0.0.1:{port}/", "http://127.0.0.1:{port}@example.org/", "http://x:y@localhost:{port}/",
            "http://example.org#@127.0.0.1:{port}/", "http://example.org\\@127.0.0.1:{port}/", "///127.0.0.1:{port}/",
            "http:127.0.0.1:{port}/", "http:/127.0.0.1:{port}/", "http://127.0.0.1:{port}\\.example.org/",
            "gopher://127.0.0.1:{port}/_x", "file:///etc/passwd", "http://[::1]:{port}\\@example.org/",
        ],
    )  # fmt: skip
    async def test_url_that_parsers_read_differently_is_refused(self, served, inside: Sink, url: str) -> None:
        refusal = await ask(served, served.key(), url.format(port=inside.port))
        assert refusal in {None, NOT_ALLOWED}
        for row in await sent(served, number=int(refusal is None)):
            assert row.delivered_at is None
        assert inside.connections == 0


class Names:
    """A tenant's name server that gives a different answer each time."""

    def __init__(self, *answers: list[str]) -> None:
        self._answers = list(answers)

    async def __call__(self, _host: str, _port: int) -> list[str]:
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


class TestNames:
    @pytest.mark.parametrize(
        "answers",
        [
            (["127.0.0.1"],),
            (["::ffff:127.0.0.1"],),
            (["127.0.0.2"], ["127.0.0.1"]),
            (["127.0.0.2", "127.0.0.1"],),
        ],
    )
    async def test_names_that_lead_inside_now_or_later_reach_nobody(
        self, served, inside: Sink, answers: tuple[list[str], ...]
    ) -> None:
        """127.0.0.2 is allowed here, and 127.0.0.1 is not: a second look-up would lead there."""
        assert await ask(served, served.key(), f"http://tenant.example:{inside.port}/") is None
        await eventually(lambda: deliveries(served), seconds=90)
        (delivery,) = await deliveries(served)
        async with open_egress(EgressRules([ip_network("127.0.0.2/32")]), Names(*answers)) as egress:
            for _ in range(3):
                with suppress(AddressNotAllowed):
                    async with egress.post(delivery.url, data=delivery.body, headers={}, seconds=30):
                        pass
        assert set(inside.reached) <= {"127.0.0.2"}
