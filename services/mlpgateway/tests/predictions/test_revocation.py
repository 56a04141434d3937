"""Events of predictions whose caller loses the right to see them."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from datetime import timedelta
from typing import Any

import httpx
import orjson
import pytest

from mlpgateway.features.predictions import service
from mlpgateway.policy.access import confirmation
from mlplace_contracts.events import SessionRevoked
from mlplace_kit.errors import Unavailable
from mlplace_testing.waiting import eventually

HOUR = timedelta(hours=1)


async def followed(world: Any, headers: Mapping[str, str], maker: Mapping[str, str]) -> asyncio.Task[httpx.Response]:
    """Begins a prediction that nobody serves, and a stream of its events. Returns the reader of the stream."""
    made = await world.predict({**maker, "Prefer": "respond-async"})
    assert made.status_code == 202, made.text
    reading = asyncio.create_task(world.client.get(made.json()["urls"]["events"], headers=headers, timeout=60))
    streams = world.components.entry_points.predictions._streams

    async def used() -> int:
        return int(streams.used)

    await eventually(used, until=lambda number: number == 1, seconds=60)
    return reading


def last_event(answer: httpx.Response) -> tuple[str, str]:
    """Returns the name and the error's code."""
    name, _, data = answer.text.rstrip().split("\n\n")[-1].partition("\ndata: ")
    return name, orjson.loads(data)["code"]


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("key deleted", "mlp.gate.unauthorized"),
        ("key expired", "mlp.gate.unauthorized"),
        ("key may call no model", "mlp.gate.access_denied"),
        ("account blocked", "mlp.gate.unauthorized"),
    ],
)
async def test_stream_of_a_key_ends(world, kit, clock, how, code) -> None:
    event, secret = world.key_event(permissions=("predict", "read"), expires_at=clock.now() + HOUR)
    world.know(event)
    key = {"MLP-API-KEY": secret}
    reading = await followed(world, key, key)
    match how:
        case "key deleted":
            world.know(event.model_copy(update={"version": 2, "active": False}))
        case "key expired":
            clock.advance(HOUR)
        case "key may call no model":
            world.know(event.model_copy(update={"version": 2, "permissions": ("read",)}))
        case _:
            world.know(kit.account_changed(kit.DEMO, "demo", active=False))
    assert last_event(await reading) == ("event: error", code)
    assert world.components.entry_points.predictions._streams.used == 0


async def test_stream_of_a_person_who_is_signed_out_ends(world, kit, clock) -> None:
    """The gate remembers the session for 30 seconds of a clock that stands still: only the event ends it."""
    person = world.people.user(world.people.account(kit.DEMO, "demo"))
    ((secret, session),) = world.people._sessions.items()
    reading = await followed(world, person, world.key())
    del world.people._sessions[secret]
    await world.publish(
        SessionRevoked(session_hash=session.session_hash, user_id=session.user_id, revoked_at=clock.now())
    )
    assert last_event(await reading) == ("event: error", "mlp.gate.unauthorized")
    assert world.components.entry_points.predictions._streams.used == 0


async def is_away() -> None:
    raise Unavailable


async def is_silent() -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("check", [is_away, is_silent])
async def test_stream_goes_on_for_a_while_when_nobody_answers_about_its_reader(
    world, kit, monkeypatch, check: Callable[[], Awaitable[None]]
) -> None:
    monkeypatch.setattr(service, "CHECK_SECONDS", 0.01)
    made = (await world.predict({**world.key(), "Prefer": "respond-async"})).json()
    follow, seen = world.components.entry_points.predictions.follow, []
    async with aclosing(follow(kit.DEMO, uuid.UUID(made["id"]), key_id=None, check=check)) as states:
        seen.append((await anext(states)).status)
        monkeypatch.setattr(confirmation, "UNCONFIRMED_SECONDS", 0.0)
        with pytest.raises(Unavailable):
            await anext(states)
    assert seen == ["queued"]
