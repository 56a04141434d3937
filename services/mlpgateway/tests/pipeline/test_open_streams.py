"""Streams and WebSockets whose caller loses the right to call while they are open."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec import structs

from mlpgateway.call.call import Answer, Call, Caller, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.context.metered_call import MeteredCall
from mlpgateway.errors.limits import AccessDeniedFromAddress
from mlpgateway.pipeline.open_streams import OpenStreams
from mlplace_contracts.events import BalanceChanged
from mlplace_contracts.internal.billing_refusals import AccountBlocked
from mlplace_kit.errors import AccessDenied, DomainError, ModelNotFound, NotAuthorized, Unavailable
from mlplace_kit.money import Currency
from mlplace_kit.passes import PREFIX
from mlplace_testing.waiting import eventually


class Endless:
    """An instance that sends one part of an answer and then nothing. `asked`: it was asked; `left`: it was cancelled."""

    def __init__(self) -> None:
        self.asked = 0
        self.left = 0

    async def __call__(self, _request: InstanceRequest) -> AsyncGenerator[Answer]:
        self.asked += 1
        try:
            yield Answer(Payload(json="1"), {}, last=False, partial=True)
            await asyncio.Event().wait()
        finally:
            self.left += 1


class Stream:
    """Reads a stream. `read` are its parts, `error` is the error with which it ended."""

    def __init__(self, world: Any, call: Call) -> None:
        self.read: list[str | None] = []
        self.error: DomainError | None = None
        self.task = asyncio.create_task(self._run(world, call))

    async def _run(self, world: Any, call: Call) -> None:
        try:
            async with aclosing(world.components.pipeline.stream(call)) as answers:
                async for answer in answers:
                    self.read.append(answer.payload.json)
        except DomainError as error:
            self.error = error

    async def begun(self) -> None:
        async def look() -> bool:
            return bool(self.read)

        await eventually(look)

    async def ended(self) -> DomainError | None:
        async with asyncio.timeout(60):
            await self.task
        return self.error


@pytest.fixture
def endless(world, kit) -> Endless:
    world.know(kit.model_changed(billing=kit.CALLS))
    made = Endless()
    world.instance(made)
    return made


def key_of(world: Any, kit: Any, **about: object) -> tuple[Any, dict[str, str]]:
    event, secret = world.key_event(kit.DEMO, **about)
    world.know(event)
    return event, {"MLP-API-KEY": secret}


async def look(world: Any) -> None:
    await world.components.pipeline.open_streams.look()
    await world.components.pipeline.open_streams.ask()


class TestStreams:
    async def test_stream_of_a_deleted_key_ends_and_its_parts_are_charged(self, world, kit, endless) -> None:
        event, headers = key_of(world, kit)
        stream = Stream(world, kit.call_with(headers))
        await stream.begun()
        await look(world)
        assert not stream.task.done()
        world.know(event.model_copy(update={"version": 2, "active": False}))
        await look(world)
        assert isinstance(await stream.ended(), NotAuthorized)
        assert (stream.read, endless.left) == (["1"], 1)
        assert [usage.amount_nano for usage in await world.usage()] == [10]

    async def test_whole_answer_of_a_deleted_key_comes_and_is_charged(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        event, headers = key_of(world, kit)
        asked, go = asyncio.Event(), asyncio.Event()

        async def script(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            asked.set()
            await go.wait()
            yield Answer(Payload(json="1"), {})

        world.instance(script)
        call = asyncio.create_task(world.predict(headers))
        await asyncio.wait_for(asked.wait(), 60)
        world.know(event.model_copy(update={"version": 2, "active": False}))
        await look(world)
        go.set()
        assert (await call).text == "1"
        assert [usage.amount_nano for usage in await world.usage()] == [10]

    @pytest.mark.parametrize("change", ["another model", "private", "gone"])
    async def test_stream_ends_with_the_right_to_the_model(self, world, kit, endless, change) -> None:
        event, headers = key_of(world, kit)
        stream = Stream(world, kit.call_with(headers))
        await stream.begun()
        if change == "another model":
            world.know(event.model_copy(update={"version": 2, "allowed_models": (7,)}))
        else:
            about = {"publicity": kit.PRIVATE} if change == "private" else {"active": False}
            world.know(kit.model_changed(billing=kit.CALLS, **about))
        await look(world)
        assert isinstance(await stream.ended(), AccessDenied | ModelNotFound)
        assert endless.left == 1

    async def test_stream_ends_when_its_payer_is_blocked(self, world, kit, endless) -> None:
        stream = Stream(world, kit.call_with(world.key()))
        await stream.begun()
        balance = {"account_id": kit.DEMO, "currency": Currency.RUBLE, "main_nano": -1, "income_nano": 0}
        world.know(BalanceChanged(version=1, blocked=True, **balance))
        await look(world)
        assert isinstance(await stream.ended(), AccountBlocked)
        assert endless.left == 1

    @pytest.mark.parametrize("pays", [False, True])
    async def test_stream_ends_when_its_address_leaves_the_networks_of_an_account(
        self, world, kit, endless, pays
    ) -> None:
        world.know(kit.limits_changed(kit.OTHER))
        world.billing.money[kit.OTHER] = 10**15
        headers = world.key()
        call = kit.call_with(headers)
        if pays:
            paying = world.key(kit.OTHER)["MLP-API-KEY"]
            call = structs.replace(call, caller=structs.replace(call.caller, billing_key=paying))
        stream = Stream(world, call)
        await stream.begun()
        networks = kit.limits_changed(kit.OTHER if pays else kit.DEMO)
        world.know(networks.model_copy(update={"allowed_networks": ("127.0.0.0/8",), "version": 10**6}))
        await look(world)
        assert not stream.task.done()
        world.know(networks.model_copy(update={"allowed_networks": ("192.0.2.0/24",), "version": 10**6 + 1}))
        await look(world)
        assert isinstance(await stream.ended(), AccessDeniedFromAddress)
        assert endless.left == 1

    async def test_stream_that_has_not_begun_costs_nothing(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        asked = asyncio.Event()

        async def silent(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            asked.set()
            await asyncio.Event().wait()
            yield Answer(Payload(json="1"), {})

        world.instance(silent)
        event, headers = key_of(world, kit)
        stream = Stream(world, kit.call_with(headers))
        await asked.wait()
        world.know(event.model_copy(update={"version": 2, "active": False}))
        await look(world)
        assert isinstance(await stream.ended(), NotAuthorized)
        assert await world.usage() == []

    async def test_streams_of_others_go_on(self, world, kit, endless) -> None:
        world.know(kit.limits_changed(kit.OTHER))
        world.billing.money[kit.OTHER] = 10**15
        event, headers = key_of(world, kit)
        streams = [Stream(world, kit.call_with(given)) for given in (headers, headers, world.key(kit.OTHER))]
        for stream in streams:
            await stream.begun()
        world.know(event.model_copy(update={"version": 2, "active": False}))
        await look(world)
        ended = [await stream.ended() for stream in streams[:2]]
        assert ended[0] is not ended[1]
        assert not streams[2].task.done()
        streams[2].task.cancel()
        await asyncio.gather(streams[2].task, return_exceptions=True)
        assert endless.left == 3

    async def test_parts_of_a_stopped_caller_reach_no_instance(self, world, kit) -> None:
        """The caller does not read the answers, so its task waits for nothing that could be ended."""
        world.know(kit.model_changed(billing=kit.CALLS))
        taken: list[str | None] = []
        over = asyncio.Event()

        async def parts(inputs: AsyncGenerator[Payload]) -> None:
            try:
                async for part in inputs:
                    taken.append(part.json)  # noqa: PERF401  what was taken before the end counts
            finally:
                over.set()

        class Taking(kit.InstanceTwin):
            async def send_stream(self, _request, inputs):
                self.pump = asyncio.create_task(parts(inputs))
                yield Answer(Payload(json="1"), {}, last=False, partial=True)
                await asyncio.Event().wait()

        world.components.links.add(Taking(1, 500, kit.echo))
        event, headers = key_of(world, kit)
        more: asyncio.Queue[Payload] = asyncio.Queue()

        async def inputs() -> AsyncGenerator[Payload]:
            while True:
                yield await more.get()

        more.put_nowait(Payload(json="1"))
        call = structs.replace(kit.call_with(headers), data=None)
        async with aclosing(world.components.pipeline.duplex(call, inputs())) as answers:
            await anext(answers)
            await eventually(lambda: _value(bool(taken)))
            world.know(event.model_copy(update={"version": 2, "active": False}))
            await look(world)
            more.put_nowait(Payload(json="2"))
            async with asyncio.timeout(60):
                await over.wait()
            assert taken == ["1"]
            with pytest.raises(NotAuthorized):
                await anext(answers)
        assert [usage.amount_nano for usage in await world.usage()] == [10]

    async def test_open_streams_are_forgotten_with_their_end(self, world, kit) -> None:
        world.instance(kit.says("1", "2"))
        for _ in range(3):
            stream = Stream(world, kit.call_with(world.key()))
            assert await stream.ended() is None
        assert world.components.pipeline.open_streams._open == {}

    async def test_the_loop_ends_them_by_itself(self, world, kit, endless) -> None:
        event, headers = key_of(world, kit)
        stream = Stream(world, kit.call_with(headers))
        await stream.begun()
        looking = asyncio.create_task(world.components.pipeline.open_streams.run())
        world.know(event.model_copy(update={"version": 2, "active": False}))
        try:
            assert isinstance(await stream.ended(), NotAuthorized)
        finally:
            looking.cancel()
        assert endless.left == 1


async def _value(value: bool) -> bool:
    return value


class Opened:
    """What OpenStreams sees of a call."""

    def __init__(self, credential: str, *, is_session: bool) -> None:
        caller = Caller(credential, credential_is_session=is_session, billing_key=None, client_ip="")
        self.call = SimpleNamespace(caller=caller, account="a", model="m", http=None)
        self.deadline = self
        self.ended: list[DomainError] = []

    def stop(self, refusal: DomainError) -> None:
        self.ended.append(refusal)


class TestChecks:
    @staticmethod
    def opened(open_streams: OpenStreams, credential: str = "key", *, is_session: bool = False) -> Opened:
        made = Opened(credential, is_session=is_session)
        open_streams.add(cast("MeteredCall", made))
        return made

    @pytest.mark.parametrize("problem", [Unavailable(), RuntimeError("a defect")])
    async def test_check_that_is_impossible_ends_no_stream(self, problem: Exception) -> None:
        problems = [problem, NotAuthorized()]

        async def check(_metered: MeteredCall) -> None:
            raise problems.pop(0)

        open_streams = OpenStreams(check, lambda _: False)
        stream = self.opened(open_streams)
        await open_streams.look()
        assert stream.ended == []
        await open_streams.look()
        assert [type(refusal) for refusal in stream.ended] == [NotAuthorized]

    async def test_checks_that_wait_for_another_service_delay_nobody(self) -> None:
        asked: list[MeteredCall] = []

        async def check(metered: MeteredCall) -> None:
            if metered.call.caller.credential == "known":
                raise NotAuthorized
            asked.append(metered)
            await asyncio.Event().wait()

        open_streams = OpenStreams(check, lambda caller: caller.credential != "known", check_seconds=600.0)
        for number in range(100):
            self.opened(open_streams, str(number), is_session=number % 2 == 0)
        stream = self.opened(open_streams, "known")
        running = asyncio.create_task(open_streams.run())

        async def reached() -> bool:
            return bool(stream.ended) and len(asked) > 1

        await eventually(reached)
        assert len(asked) < 100, "several at once, and not all"
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    async def test_a_look_has_another_service_asked_at_once(self) -> None:
        """After a second period, a stream could outlive its caller's right by more than two seconds."""
        asked = asyncio.Event()

        async def check(_metered: MeteredCall) -> None:
            asked.set()

        open_streams = OpenStreams(check, lambda _: True, look_seconds=3600.0)
        self.opened(open_streams)
        running = asyncio.create_task(open_streams.run())
        try:
            await open_streams.look()
            async with asyncio.timeout(60):
                await asked.wait()
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def test_each_look_has_another_service_asked_once(self) -> None:
        asked: list[MeteredCall] = []

        async def check(metered: MeteredCall) -> None:
            asked.append(metered)

        open_streams = OpenStreams(check, lambda _: True)
        self.opened(open_streams)
        for times in (1, 2):
            await open_streams.look()
            await open_streams.ask()
            await open_streams.ask()
            assert len(asked) == times

    async def test_a_look_at_many_streams_lets_others_run_between(self) -> None:
        checked: list[MeteredCall] = []

        async def check(metered: MeteredCall) -> None:
            checked.append(metered)

        open_streams = OpenStreams(check, lambda _: False)
        for number in range(250):
            self.opened(open_streams, str(number))
        looking = asyncio.create_task(open_streams.look())
        seen: list[int] = []
        while not looking.done():
            await asyncio.sleep(0)
            seen.append(len(checked))
        assert max(after - before for before, after in pairwise([0, *seen])) <= 100
        assert len(checked) == 250

    async def test_check_that_takes_too_long_ends_no_stream(self) -> None:
        async def check(_metered: MeteredCall) -> None:
            await asyncio.Event().wait()

        open_streams = OpenStreams(check, lambda _: False, check_seconds=0.01)
        stream = self.opened(open_streams)
        await open_streams.look()
        assert stream.ended == []

    async def test_only_sessions_and_keys_without_an_event_are_asked_about(self, world, kit) -> None:
        _, unknown = world.key_event()
        known = world.key(kit.DEMO)["MLP-API-KEY"]
        page_pass = f"{PREFIX}1-1-1-1-a"

        def asks(credential: str | None, paying: str | None = None, *, is_session: bool = False) -> bool:
            caller = Caller(credential, credential_is_session=is_session, billing_key=paying, client_ip="")
            return bool(world.components.pipeline.before.asks_others(caller))

        assert [asks(None), asks(known), asks(known, known), asks(page_pass)] == [False] * 4
        assert [asks(unknown), asks(known, unknown), asks("any", is_session=True)] == [True] * 3
