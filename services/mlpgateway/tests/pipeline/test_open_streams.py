"""Streams and WebSockets whose caller loses the right to call while they are open."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from datetime import timedelta
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
from mlpgateway.policy.access.confirmation import CHECK_SECONDS, LOOK_SECONDS, PROMISED_SECONDS, UNCONFIRMED_SECONDS
from mlplace_contracts.events import BalanceChanged
from mlplace_contracts.internal.billing_refusals import AccountBlocked
from mlplace_kit.errors import AccessDenied, DomainError, ModelNotFound, NotAuthorized, Unavailable
from mlplace_kit.money import Currency
from mlplace_kit.passes import PREFIX
from mlplace_testing.waiting import eventually

Check = Callable[[MeteredCall], Awaitable[None]]


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


class Judge:
    """Satisfies JudgesOpenCalls. `asks` is whether it asks another service about a caller."""

    def __init__(self, check: Check, *, asks: Callable[[Caller], bool] = lambda _: False) -> None:
        self._check = check
        self._asks = asks
        self.known: DomainError | None = None
        """What the gate itself knows against every call."""

    def asks_others(self, caller: Caller) -> bool:
        return self._asks(caller)

    def let_in_as_known(self, metered: MeteredCall) -> None:
        if self.known is not None:
            raise self.known

    async def still_let_in(self, metered: MeteredCall) -> None:
        await self._check(metered)


def asks_always(_caller: Caller) -> bool:
    return True


async def waits_for_ever(_metered: MeteredCall) -> None:
    await asyncio.Event().wait()


def opened(open_streams: OpenStreams, credential: str = "key", *, is_session: bool = False) -> Opened:
    made = Opened(credential, is_session=is_session)
    open_streams.add(cast("MeteredCall", made))
    return made


class TestPromise:
    """A stream ends within two seconds after the right to it: docs/limits.md."""

    def test_look_and_check_leave_a_quarter_of_it_for_the_event(self) -> None:
        assert LOOK_SECONDS + CHECK_SECONDS <= 0.75 * PROMISED_SECONDS

    def test_one_look_has_its_answers_before_the_next_one(self) -> None:
        assert CHECK_SECONDS < LOOK_SECONDS

    def test_they_are_what_gates_use(self, world) -> None:
        open_streams = world.components.pipeline.open_streams
        assert (open_streams._look_seconds, open_streams._check_seconds) == (LOOK_SECONDS, CHECK_SECONDS)

    async def test_time_that_a_look_takes_counts(self) -> None:
        """The next look comes a period after the beginning of the last one, not after its end."""
        now, looks = [0.0], 0

        def asks(_caller: Caller) -> bool:
            nonlocal looks
            looks += 1
            now[0] += 3600
            return True

        open_streams = OpenStreams(Judge(waits_for_ever, asks=asks), look_seconds=3600.0, now=lambda: now[0])
        opened(open_streams)
        running = asyncio.create_task(open_streams.run())
        await eventually(lambda: _value(looks > 1))
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    async def test_questions_of_one_look_share_its_time_and_those_without_any_come_first_at_the_next(self) -> None:
        asked: list[str | None] = []

        async def check(metered: MeteredCall) -> None:
            asked.append(metered.call.caller.credential)
            await waits_for_ever(metered)

        open_streams = OpenStreams(Judge(check, asks=asks_always), check_seconds=0.01)
        for number in range(40):
            opened(open_streams, str(number))
        for _ in range(3):
            await open_streams.look()
            async with asyncio.timeout(60):
                await open_streams.ask()
        assert asked == [str(number % 40) for number in range(48)]

    async def test_what_the_gate_knows_needs_no_answer_of_another_service(self) -> None:
        judge = Judge(waits_for_ever, asks=asks_always)
        open_streams = OpenStreams(judge)
        stream = opened(open_streams)
        await open_streams.look()
        assert stream.ended == []
        judge.known = AccountBlocked()
        await open_streams.look()
        assert stream.ended == [judge.known]

    @pytest.mark.parametrize("change", ["account", "balance", "model", "address"])
    async def test_stream_of_a_person_ends_while_nobody_answers_about_the_session(
        self, world, kit, endless, clock, change
    ) -> None:
        world.people.user(world.people.account(kit.ACME, "acme"))
        (secret,) = world.people._sessions
        call = kit.call_with({"MLP-API-KEY": secret})
        call = structs.replace(call, caller=structs.replace(call.caller, credential_is_session=True))
        stream = Stream(world, call)
        await stream.begun()
        world.people.session = waits_for_ever
        clock.advance(timedelta(seconds=31))
        match change:
            case "account":
                world.know(kit.account_changed(kit.ACME, "acme", active=False))
            case "balance":
                balance = {"account_id": kit.ACME, "currency": Currency.RUBLE, "main_nano": -1, "income_nano": 0}
                world.know(BalanceChanged(version=1, blocked=True, **balance))
            case "model":
                world.know(kit.model_changed(billing=kit.CALLS, active=False))
            case _:
                networks = kit.limits_changed(kit.ACME)
                world.know(networks.model_copy(update={"allowed_networks": ("192.0.2.0/24",)}))
        await world.components.pipeline.open_streams.look()
        assert await stream.ended() is not None
        assert endless.left == 1


class TestDoubt:
    """What holds while another service does not say whether a caller may still call."""

    @staticmethod
    def broken(error: Exception) -> Check:
        async def check(_metered: MeteredCall) -> None:
            raise error

        return check

    @pytest.fixture(params=["unavailable", "a defect", "silence"])
    def check(self, request: pytest.FixtureRequest) -> Check:
        problems = {"unavailable": Unavailable(), "a defect": RuntimeError("a defect")}
        return waits_for_ever if request.param == "silence" else self.broken(problems[request.param])

    @pytest.mark.parametrize("asks", [True, False])
    async def test_stream_goes_on_for_a_while_and_then_ends_as_unavailable(self, check: Check, asks: bool) -> None:
        now = [1000.0]
        judge = Judge(check, asks=lambda _: asks)
        open_streams = OpenStreams(judge, check_seconds=0.01, now=lambda: now[0])
        stream = opened(open_streams)
        for moved, ends in ((0.0, False), (UNCONFIRMED_SECONDS - 0.1, False), (0.1, True)):
            now[0] += moved
            await open_streams.look()
            await open_streams.ask()
            assert bool(stream.ended) is ends
        assert isinstance(stream.ended[0], Unavailable)

    async def test_each_confirmation_counts_anew(self) -> None:
        now, answers = [1000.0], [None, Unavailable()]

        async def check(_metered: MeteredCall) -> None:
            if (problem := answers.pop(0)) is not None:
                raise problem

        open_streams = OpenStreams(Judge(check), now=lambda: now[0])
        stream = opened(open_streams)
        for _ in range(2):
            now[0] += UNCONFIRMED_SECONDS - 1
            await open_streams.look()
        assert (stream.ended, answers) == ([], [])

    async def test_a_call_that_is_let_in_confirms_the_others_of_its_caller(self, check: Check) -> None:
        now = [1000.0]
        open_streams = OpenStreams(Judge(check), check_seconds=0.01, now=lambda: now[0])
        first = opened(open_streams)
        now[0] += UNCONFIRMED_SECONDS
        opened(open_streams)
        await open_streams.look()
        assert first.ended == []

    async def test_streams_whose_question_found_no_time_end_too(self) -> None:
        now = [1000.0]
        open_streams = OpenStreams(Judge(waits_for_ever, asks=asks_always), check_seconds=0.01, now=lambda: now[0])
        streams = [opened(open_streams, str(number)) for number in range(40)]
        now[0] += UNCONFIRMED_SECONDS
        await open_streams.look()
        await open_streams.ask()
        assert [len(stream.ended) for stream in streams] == [1] * 40

    async def test_refusal_after_a_doubt_ends_the_stream_with_the_refusal(self) -> None:
        problems = [Unavailable(), NotAuthorized()]

        async def check(_metered: MeteredCall) -> None:
            raise problems.pop(0)

        open_streams = OpenStreams(Judge(check))
        stream = opened(open_streams)
        await open_streams.look()
        assert stream.ended == []
        await open_streams.look()
        assert [type(refusal) for refusal in stream.ended] == [NotAuthorized]


class TestChecks:
    async def test_checks_that_wait_for_another_service_delay_nobody(self) -> None:
        asked: list[MeteredCall] = []

        async def check(metered: MeteredCall) -> None:
            if metered.call.caller.credential == "known":
                raise NotAuthorized
            asked.append(metered)
            await asyncio.Event().wait()

        open_streams = OpenStreams(Judge(check, asks=lambda caller: caller.credential != "known"), check_seconds=600.0)
        for number in range(100):
            opened(open_streams, str(number), is_session=number % 2 == 0)
        stream = opened(open_streams, "known")
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

        open_streams = OpenStreams(Judge(check, asks=asks_always), look_seconds=3600.0)
        opened(open_streams)
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

        open_streams = OpenStreams(Judge(check, asks=asks_always))
        opened(open_streams)
        for times in (1, 2):
            await open_streams.look()
            await open_streams.ask()
            await open_streams.ask()
            assert len(asked) == times

    async def test_a_look_at_many_streams_lets_others_run_between(self) -> None:
        checked: list[MeteredCall] = []

        async def check(metered: MeteredCall) -> None:
            checked.append(metered)

        open_streams = OpenStreams(Judge(check))
        for number in range(250):
            opened(open_streams, str(number))
        looking = asyncio.create_task(open_streams.look())
        seen: list[int] = []
        while not looking.done():
            await asyncio.sleep(0)
            seen.append(len(checked))
        assert max(after - before for before, after in pairwise([0, *seen])) <= 100
        assert len(checked) == 250

    async def test_only_sessions_and_keys_without_an_event_are_asked_about(self, world, kit) -> None:
        _, unknown = world.key_event()
        known = world.key(kit.DEMO)["MLP-API-KEY"]
        page_pass = f"{PREFIX}1-1-1-1-a"

        def asks(credential: str | None, paying: str | None = None, *, is_session: bool = False) -> bool:
            caller = Caller(credential, credential_is_session=is_session, billing_key=paying, client_ip="")
            return bool(world.components.pipeline.before.asks_others(caller))

        assert [asks(None), asks(known), asks(known, known), asks(page_pass)] == [False] * 4
        assert [asks(unknown), asks(known, unknown), asks("any", is_session=True)] == [True] * 3
