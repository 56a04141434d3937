"""Requests and WebSockets that are passed on, whose caller loses the right to call while they are open."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from mlpgateway.entry.call_options import SERVED
from mlplace_contracts.events import MembershipChanged, SessionRevoked, UserChanged
from mlplace_contracts.internal.identity import SessionIdentity
from mlplace_gateproto import headers as names
from mlplace_kit.passes import PagePass
from mlplace_testing.waiting import eventually
from services.mlpgateway.tests.revocations import ENDS, PUBLIC, REVOCATIONS, TIMEOUTS, End, Held, Revocation

BY_PERSON = [how for how, revocation in REVOCATIONS.items() if not revocation.of_key]
GATEWAY = "/api/mlpgateway"


@pytest.fixture
def held(over_wire, kit, clock, tools):
    """Returns a function that opens the model to a caller with a key."""

    def opened(revocation: Revocation) -> Held:
        about = {"http": tools.HTTP, "billing": kit.CALLS, "publicity": revocation.shown, "timeouts": TIMEOUTS}
        over_wire.world.know(kit.model_changed(**about))
        return Held(over_wire.world, kit, clock, about)

    return opened


@pytest.fixture
def page(over_wire, kit, clock, hasher):
    """Returns the address of the model's page for a person of the caller's account."""
    made = PagePass.until(clock.now(), account_id=kit.DEMO, owner_id=kit.ACME, model_id=kit.MODEL)
    return f"http://127.0.0.1:{over_wire.port}{GATEWAY}/application/{made.signed(hasher)}"


@pytest.fixture
def person(over_wire, kit):
    """Returns the headers of a person of the caller's account, as the browser sends them from the platform's pages."""
    people = over_wire.world.people
    session = people.user(people.account(kit.DEMO, "demo"))
    return {**session, "Origin": f"http://127.0.0.1:{over_wire.port}"}


class Streamed:
    """An answer that has begun."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self._answer = answer

    async def is_cut(self) -> None:
        async with asyncio.timeout(60):
            with pytest.raises(aiohttp.ClientPayloadError):
                await self._answer.content.read()


@pytest.fixture
def streamed(over_wire, instance):
    @asynccontextmanager
    async def opened(base: str, **headers: str) -> AsyncGenerator[Streamed]:
        instance.hangs, instance.says = True, ("text/plain", b"begun")
        async with over_wire.client.post(f"{base}/predict", data=b"{}", headers=headers) as answer:
            async with asyncio.timeout(60):
                assert await answer.content.readexactly(5) == b"begun"
            yield Streamed(answer)

    return opened


class Socket:
    """An open WebSocket."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    async def is_closed_with(self, code: str) -> None:
        message = await asyncio.wait_for(self._socket.receive(), 60)
        assert (message.type, message.data, message.extra) == (aiohttp.WSMsgType.CLOSE, 1008, code)


@pytest.fixture
def socket(over_wire):
    @asynccontextmanager
    async def opened(base: str, **headers: str) -> AsyncGenerator[Socket]:
        async with over_wire.client.ws_connect(f"{base}/talk", headers=headers) as made:
            await made.send_str("one")
            assert await asyncio.wait_for(made.receive_str(), 60) == "one"
            yield Socket(made)

    return opened


async def charged(held: Held) -> list[tuple[int, int]]:
    return [(usage.payer_account_id, usage.amount_nano) for usage in await held.world.usage()]


async def left(instance: Any) -> bool:
    return instance.cancelled.is_set() or bool(instance.closed)


async def revoke(caller: Held, how: str, instance: Any) -> None:
    """Ends the right of a caller whom the instance still answers."""
    await caller.look()
    assert not await left(instance)
    REVOCATIONS[how].revoke(caller)
    await caller.look()


class TestTable:
    def test_what_is_passed_on_is_cut(self) -> None:
        assert [ENDS[name] for name, served in SERVED.items() if served.passed_on] == [End.CUT]


class TestKeys:
    @pytest.mark.parametrize("how", REVOCATIONS)
    async def test_answer_ends_and_is_charged(self, held, over_wire, streamed, instance, how) -> None:
        caller = held(REVOCATIONS[how])
        async with streamed(over_wire.base, **caller.headers) as answer:
            await revoke(caller, how, instance)
            await answer.is_cut()
        await eventually(lambda: left(instance))
        assert await charged(caller) == [(caller.kit.DEMO, 10)]

    @pytest.mark.parametrize("how", REVOCATIONS)
    async def test_socket_is_closed_and_charged(self, held, over_wire, socket, instance, how) -> None:
        caller = held(REVOCATIONS[how])
        async with socket(over_wire.base, **caller.headers) as opened:
            await revoke(caller, how, instance)
            await opened.is_closed_with(REVOCATIONS[how].code)
        await eventually(lambda: left(instance))
        assert await charged(caller) == [(caller.kit.DEMO, 10)]


class TestPayingKeys:
    @pytest.mark.parametrize(
        ("change", "code"),
        [
            ({"active": False}, "mlp.gate.billing_key_not_valid"),
            ({"permissions": ("read",)}, "mlp.gate.billing_key_not_valid"),
            ({"allowed_models": (7,)}, "mlp.gate.access_denied"),
        ],
        ids=["deleted", "may call no model", "may pay for another model"],
    )
    async def test_socket_is_closed_when_its_paying_key_may_pay_no_more(
        self, held, over_wire, socket, kit, change, code
    ) -> None:
        caller = held(REVOCATIONS["key deleted"])
        over_wire.world.know(kit.limits_changed(kit.OTHER))
        over_wire.world.billing.money[kit.OTHER] = 10**15
        paying, secret = over_wire.world.key_event(kit.OTHER)
        over_wire.world.know(paying)
        async with socket(over_wire.base, **caller.headers, **{names.BILLING_KEY: secret}) as opened:
            await caller.look()
            over_wire.world.know(paying.model_copy(update={"version": 2, **change}))
            await caller.look()
            await opened.is_closed_with(code)
        assert await charged(caller) == [(kit.OTHER, 10)]


class TestPages:
    @pytest.mark.parametrize("how", BY_PERSON)
    async def test_answer_to_the_page_ends_and_is_charged(self, held, page, streamed, instance, how) -> None:
        caller = held(REVOCATIONS[how])
        async with streamed(page) as answer:
            await revoke(caller, how, instance)
            await answer.is_cut()
        await eventually(lambda: left(instance))
        assert await charged(caller) == [(caller.kit.DEMO, 10)]

    @pytest.mark.parametrize("how", BY_PERSON)
    async def test_socket_of_the_page_is_closed(self, held, page, socket, instance, how) -> None:
        caller = held(REVOCATIONS[how])
        async with socket(page, Origin="null") as opened:
            await revoke(caller, how, instance)
            await opened.is_closed_with(REVOCATIONS[how].code)
        await eventually(lambda: left(instance))

    async def test_answer_and_socket_end_when_people_may_not_try_the_model_any_more(
        self, held, page, streamed, socket, instance
    ) -> None:
        """Keys of others may go on, so no row of REVOCATIONS has it."""
        caller = held(REVOCATIONS["model made private"])
        async with socket(page, Origin="null") as opened, streamed(page) as answer:
            await caller.look()
            assert not await left(instance)
            caller.change_model(publicity=PUBLIC.model_copy(update={"public_testing_allowed": False}))
            await caller.look()
            await opened.is_closed_with("mlp.gate.testing_not_allowed")
            await answer.is_cut()
        await eventually(lambda: left(instance))


class TestSessions:
    """Of a person. Their caches hold a session for 30 seconds of a clock that stands still: only the event ends it."""

    @pytest.mark.parametrize("how", ["signed out", "no member any more", "user blocked"])
    async def test_answer_and_socket_end(
        self, held, over_wire, person, streamed, socket, instance, clock, kit, how
    ) -> None:
        caller, world = held(REVOCATIONS["key deleted"]), over_wire.world
        ((secret, session),) = world.people._sessions.items()
        async with socket(over_wire.base, **person) as opened, streamed(over_wire.base, **person) as answer:
            await caller.look()
            assert not await left(instance)
            await world.publish(self._end(world, kit, clock, how, secret, session))
            closed = asyncio.create_task(opened.is_closed_with(self._code(how)))

            async def ended() -> bool:
                await caller.look()
                return closed.done()

            await eventually(ended)
            await closed
            await answer.is_cut()

    @staticmethod
    def _code(how: str) -> str:
        return "account.not_selected" if how == "no member any more" else "mlp.gate.unauthorized"

    @staticmethod
    def _end(world: Any, kit: Any, clock: Any, how: str, secret: str, session: SessionIdentity) -> Any:
        user = session.user_id
        if how == "no member any more":
            world.people._sessions[secret] = session.model_copy(update={"memberships": ()})
            return MembershipChanged(version=1, user_id=user, account_id=kit.DEMO, roles=())
        del world.people._sessions[secret]
        if how == "user blocked":
            return UserChanged(
                version=1, user_id=user, login=session.login, permissions=(), internal=False, active=False
            )
        return SessionRevoked(session_hash=session.session_hash, user_id=user, revoked_at=clock.now())
