"""Single components of the gate, for cases that are hard to provoke over the network."""

import asyncio
import itertools
import uuid
from contextlib import aclosing
from typing import cast

import pytest

from mlpgateway.call.call import Operation, Payload
from mlpgateway.call.grpc_peers import client_ip
from mlpgateway.call.ports import ConnectedInstance, InstanceEntry
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.errors.gate import GateIsShutDown, GateOverloaded, ProtocolViolation
from mlpgateway.instances.grpc import outgoing as outgoing_module
from mlpgateway.instances.grpc.heartbeats import Heartbeats
from mlpgateway.instances.grpc.link import StreamLink
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlpgateway.instances.grpc.outgoing import Outgoing
from mlpgateway.shares.admission import Admission, Capacity
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.limits import MAX_BUNDLED, MAX_BUNDLED_BYTES
from mlplace_runtime.process.trusted_proxies import TrustedProxies

REQUEST = InstanceRequest(Operation.PREDICT, Payload(json="1"), None, None, {}, {})


@pytest.fixture
async def link() -> StreamLink:
    return _link()


def _link() -> StreamLink:
    entry = InstanceEntry(1, 7, 1, "ner", accepts_connections=True)
    return StreamLink(ConnectedInstance(uuid.uuid4(), entry, "gate:1", "", 2, "", None))


def _heard_by(told: list[bytes]) -> StreamLink:
    class Ear(Outgoing):
        def control(self, message: bytes) -> bool:
            told.append(message)
            return True

    link = _link()
    link.outgoing = Ear(lambda _: True)
    return link


def _answer(number: int) -> pb.ServiceToGateProto:
    return pb.ServiceToGateProto(
        requestId=number, predict=pb.PredictResponseProto(data=pb.PayloadProto(json='"answer"'))
    )


class TestStreamLink:
    async def test_cancelled_waiter_frees_its_request(self, link):
        task = asyncio.ensure_future(anext(link.send(REQUEST)))
        await asyncio.sleep(0)
        assert link.active_requests == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert link.active_requests == 0

    async def test_request_is_sent_before_its_answers_are_read(self, link):
        link.send(REQUEST)
        assert link.active_requests == 1
        message = await asyncio.wait_for(link.outgoing.next(), 60)
        assert pb.GateToServiceProto.FromString(message or b"").predict.data.json == "1"

    async def test_closing_early_drops_later_answers(self, link):
        async with aclosing(link.send(REQUEST)) as answers:
            pass
        link.accept(_answer(1), 10)
        assert [answer async for answer in answers] == []

    async def test_request_without_a_waiting_caller_is_not_written(self, link):
        await link.send(REQUEST).aclose()
        link.send(REQUEST)
        message = pb.GateToServiceProto.FromString(await asyncio.wait_for(link.outgoing.next(), 60) or b"")
        assert message.requestId == 2

    async def test_leaving_instance_takes_no_request(self, link):
        link.retire(grace_seconds=1)
        with pytest.raises(Exception, match="leaving"):
            await anext(link.send(REQUEST))

    async def test_calls_beyond_the_deadline_are_cut_off(self, link):
        answers = link.send(REQUEST)
        link.retire(grace_seconds=0.05)
        assert await asyncio.wait_for(link.ended, 60) == "retired"
        link.broken("retired")
        with pytest.raises(Exception, match="retired"):
            await anext(answers)

    async def test_last_answer_ends_a_retiring_stream(self, link):
        answers = link.send(REQUEST)
        link.retire(grace_seconds=60)
        assert not link.ended.done()
        link.accept(_answer(1), 10)
        assert link.ended.result() == "retired"
        assert (await anext(answers)).payload.json == '"answer"'

    async def test_requests_beyond_the_queue_are_refused(self, link):
        for _ in range(outgoing_module.MAX_WAITING_REQUESTS):
            link.send(REQUEST)
        with pytest.raises(Exception, match="does not keep up"):
            await anext(link.send(REQUEST))
        assert link.active_requests == outgoing_module.MAX_WAITING_REQUESTS


class TestBundle:
    async def test_bundled_messages_count_like_single_ones(self, link):
        waiting = [link.send(REQUEST), link.send(REQUEST)]
        bundle = pb.BundleProto(messages=[_answer(2), _answer(1)])
        link.accept(pb.ServiceToGateProto(bundle=bundle), bundle.ByteSize())
        assert [(await anext(answers)).payload.json for answers in waiting] == ['"answer"'] * 2

    @pytest.mark.parametrize(
        "messages",
        [
            [pb.ServiceToGateProto(bundle=pb.BundleProto(messages=[_answer(1)]))],
            [pb.ServiceToGateProto(startServing=pb.StartServingProto())],
            [_answer(1)] * (MAX_BUNDLED + 1),
        ],
    )
    async def test_nested_repeated_start_or_oversized_bundle_ends_the_stream(self, link, messages):
        with pytest.raises(ProtocolViolation):
            link.accept(pb.ServiceToGateProto(bundle=pb.BundleProto(messages=messages)), 1)


class Writer:
    """Writes at once what it may: at most `room` messages."""

    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self.room = 1000
        self.turns: list[list[bytes]] = []
        outgoing.attach(self.write)

    def write(self) -> bytes | None:
        turn: list[bytes] = []
        self.turns.append(turn)
        while (message := self._outgoing.take()) is not None:
            if not self.room:
                return message
            self.room -= 1
            turn.append(message)
        return None


class TestWritingAtOnce:
    async def test_messages_of_one_turn_are_written_together_in_the_next(self):
        outgoing = Outgoing(lambda _: True)
        writer = Writer(outgoing)
        reader = asyncio.create_task(outgoing.next())
        await asyncio.sleep(0)
        for number in range(3):
            outgoing.request(number, b"%d" % number)
        assert writer.turns == []
        await asyncio.sleep(0)
        assert writer.turns == [[b"0", b"1", b"2"]]
        assert not reader.done()
        reader.cancel()

    async def test_message_that_must_wait_comes_first_and_later_ones_wait_behind_it(self):
        outgoing = Outgoing(lambda _: True)
        writer = Writer(outgoing)
        reader = asyncio.create_task(outgoing.next())
        await asyncio.sleep(0)
        writer.room = 1
        for number in range(3):
            outgoing.request(number, b"%d" % number)
        assert await reader == b"1"
        writer.room = 1000
        outgoing.request(3, b"3")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert writer.turns == [[b"0"]], "the reader still writes"
        assert [await outgoing.next() for _ in range(2)] == [b"2", b"3"]
        reader = asyncio.create_task(outgoing.next())
        await asyncio.sleep(0)
        outgoing.request(4, b"4")
        await asyncio.sleep(0)
        assert writer.turns == [[b"0"], [b"4"]]
        outgoing.control(b"goodbye")
        outgoing.close()
        assert await reader is None
        assert writer.turns == [[b"0"], [b"4"], [b"goodbye"]]

    async def test_request_that_nobody_wants_any_more_is_not_written(self):
        wanted = {1}
        outgoing = Outgoing(wanted.__contains__)
        writer = Writer(outgoing)
        reader = asyncio.create_task(outgoing.next())
        await asyncio.sleep(0)
        outgoing.request(1, b"1")
        wanted.clear()
        await asyncio.sleep(0)
        assert writer.turns == [[]]
        reader.cancel()


class TestOutgoing:
    async def test_control_messages_precede_requests(self):
        outgoing = Outgoing(lambda _: True)
        outgoing.request(1, b"request")
        outgoing.control(b"control")
        outgoing.close()
        assert [await outgoing.next(), await outgoing.next()] == [b"control", None]

    async def test_any_single_request_fits_but_two_too_large_ones_do_not(self, monkeypatch):
        monkeypatch.setattr(outgoing_module, "MAX_WAITING_SIZE", 10)
        outgoing = Outgoing(lambda _: True)
        assert outgoing.request(1, b"x" * 100)
        assert not outgoing.request(2, b"x")
        assert await outgoing.next() == b"x" * 100
        assert outgoing.request(3, b"x")

    async def test_small_waiting_messages_are_bundled_in_order(self):
        outgoing = Outgoing(lambda number: number != 3)
        for number, message in enumerate((b"1", b"2", b"3", b"x" * (MAX_BUNDLED_BYTES + 1), b"5")):
            outgoing.request(number + 1, message)
        first = cast("bytes", await outgoing.next())
        assert (first, outgoing.along_with(first)) == (b"1", [b"2"])
        large = cast("bytes", await outgoing.next())
        assert (len(large), outgoing.along_with(large)) == (MAX_BUNDLED_BYTES + 1, [])
        last = cast("bytes", await outgoing.next())
        assert (last, outgoing.along_with(last)) == (b"5", [])

    async def test_bundle_has_a_maximum_of_messages(self):
        outgoing = Outgoing(lambda _: True)
        for number in range(MAX_BUNDLED + 1):
            outgoing.request(number, b"%d" % number)
        first = cast("bytes", await outgoing.next())
        assert len(outgoing.along_with(first)) == MAX_BUNDLED - 1
        assert await outgoing.next() == b"%d" % MAX_BUNDLED

    async def test_bundled_request_counts_as_sent(self):
        outgoing = Outgoing(lambda _: True)
        outgoing.request(1, b"1")
        outgoing.request(2, b"2")
        outgoing.along_with(cast("bytes", await outgoing.next()))
        outgoing.over(2, b"cancel 2")
        assert await outgoing.next() == b"cancel 2"

    async def test_instance_that_reads_nothing_is_noticed(self):
        outgoing = Outgoing(lambda _: True)
        taken = [outgoing.control(b"beat") for _ in range(outgoing_module.MAX_WAITING_CONTROL + 1)]
        assert taken[-2:] == [True, False]


class TestHeartbeats:
    @pytest.mark.parametrize(("slept", "ended"), [(1.0, True), (60.0, False)])
    async def test_pause_of_the_gate_does_not_make_instances_silent(self, link, slept, ended):
        links = ConnectedInstances()
        heartbeats = Heartbeats(links, interval_ms=1000, streams_of=lambda _: 1)
        heartbeats.begin(link)
        links.add(link)
        heartbeats.check(link.last_seen + 60, slept=slept)
        assert link.ended.done() is ended
        links.remove(link)

    async def test_active_stream_is_kept_and_later_silence_is_noticed(self, link):
        heartbeats = Heartbeats(ConnectedInstances(), interval_ms=1000, streams_of=lambda _: 1)
        heartbeats.begin(link)
        began = link.last_seen
        for seconds in range(60):
            link.last_seen = began + seconds
            heartbeats.check(began + seconds + 3.9, slept=1.0)
        assert not link.ended.done()
        heartbeats.check(began + 59 + 4.1, slept=1.0)
        assert link.ended.result() == "silent"

    @pytest.mark.parametrize(("crowd", "interval_ms"), [(49, 5000), (200, 20_000), (5000, 55_000)])
    async def test_stream_of_a_crowded_account_gets_a_longer_interval_and_limit(self, link, crowd, interval_ms):
        heartbeats = Heartbeats(ConnectedInstances(), interval_ms=5000, streams_of=lambda _: crowd)
        heartbeats.begin(link)
        told = pb.GateToServiceProto.FromString(cast("bytes", await link.outgoing.next()))
        assert told.heartBeat.interval == link.beat_ms == interval_ms
        limit = 3 * interval_ms / 1000 + 1
        for silent, ended in ((limit - 0.1, False), (limit + 0.1, True)):
            heartbeats.check(link.last_seen + silent, slept=1.0)
            assert link.ended.done() is ended

    async def test_heartbeats_of_simultaneous_streams_are_spread(self):
        told: list[bytes] = []
        began = asyncio.get_running_loop().time()
        heartbeats = Heartbeats(ConnectedInstances(), interval_ms=5000, streams_of=lambda _: 1)
        for _ in range(20):
            heartbeats.begin(_heard_by(told))
        told.clear()
        beats: list[int] = []
        for tenths in range(80):  # enough for a slow machine, too
            heartbeats.beat(began + tenths / 10)
            beats.append(len(told))
        assert beats[-1] >= 20
        assert max(after - before for before, after in itertools.pairwise(beats)) <= 6

    async def test_ended_stream_gets_no_more_heartbeats(self):
        told: list[bytes] = []
        heartbeats = Heartbeats(ConnectedInstances(), interval_ms=5000, streams_of=lambda _: 1)
        link = _heard_by(told)
        heartbeats.begin(link)
        link.closed.set_result(None)
        heartbeats.beat(asyncio.get_running_loop().time() + 60)
        assert len(told) == 1


class TestAdmission:
    async def test_calls_are_counted_and_refused_after_close(self):
        admission = Admission()
        with admission.enter(1):
            assert admission.running == 1
            admission.close()
            assert not await admission.drained(0.01)
            with pytest.raises(GateIsShutDown), admission.enter(1):
                pass
        assert await admission.drained(1)

    async def test_call_above_the_maximum_is_refused(self):
        admission = Admission(Capacity(calls=2, unhurried=1))
        with admission.enter(1), admission.enter(2), pytest.raises(GateOverloaded) as refused, admission.enter(3):
            pass
        assert (refused.value.status, refused.value.retry_after_seconds) == (503, 1.0)
        with admission.enter(1):
            assert admission.running == 1

    async def test_bytes_above_the_maximum_are_refused_but_one_request_always_fits(self):
        admission = Admission(Capacity(size=100))
        with admission.enter(1, 1000) as large:
            large.holds(600)
            large.holds(400)
            with pytest.raises(GateOverloaded), admission.enter(2, 2):
                pass
            with admission.enter(2) as other, pytest.raises(GateOverloaded):
                other.holds(2)
        assert admission.held == 0
        with admission.enter(1, 60) as one, admission.enter(2, 28) as two:
            one.holds(60)
            two.holds(28)
            with pytest.raises(GateOverloaded):
                two.holds(1)

    async def test_lateness_refuses_more_calls_but_some_are_always_admitted(self):
        chances = [0.1, 0.5, 0.9]
        admission = Admission(Capacity(calls=100, unhurried=1), chance=lambda: chances[0])
        with admission.enter(1):
            for late, let_in in ((0.2, 3), (0.625, 2), (5.0, 0)):
                admission.look(0.0)
                for _ in range(50):
                    admission.look(late)
                assert sum(self._enters(admission, chances, place) for place in range(3)) == let_in
        with admission.enter(1):
            assert admission.running == 1, "alone it is let in however late the gate is"

    async def test_one_long_step_is_no_overload_and_recovery_counts_at_once(self):
        admission = Admission(Capacity(calls=100, unhurried=1), chance=lambda: 0.0)
        with admission.enter(1):
            admission.look(0.8)
            with admission.enter(1):
                pass
            for _ in range(50):
                admission.look(0.8)
            with pytest.raises(GateOverloaded), admission.enter(1):
                pass
            admission.look(0.0)
            with admission.enter(1):
                pass

    async def test_load_is_measured_only_with_many_calls(self):
        admission = Admission(Capacity(calls=100, unhurried=1), chance=lambda: 0.0)
        looking = asyncio.create_task(admission.run())
        for _ in range(50):
            admission.look(5.0)
        await asyncio.sleep(0)
        with admission.enter(1), admission.enter(1):
            assert admission.running == 2, "what was before it was at ease is forgotten"
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)

    @staticmethod
    def _enters(admission: Admission, chances: list[float], place: int) -> bool:
        chances[0] = (0.1, 0.5, 0.9)[place]
        try:
            with admission.enter(1):
                return True
        except GateOverloaded:
            return False


class TestClientIp:
    @pytest.mark.parametrize(
        ("peer", "forwarded", "trusted", "expected"),
        [
            ("ipv4:10.0.0.1:5000", [], "", "10.0.0.1"),
            ("ipv6:%5B::1%5D:5000", [], "", "::1"),
            ("unix:/tmp/x", [], "", "127.0.0.1"),
            ("ipv4:10.0.0.1:5000", ["6.6.6.6, 1.2.3.4"], "", "10.0.0.1"),
            ("ipv4:10.0.0.1:5000", ["6.6.6.6, 1.2.3.4"], "10.0.0.1", "1.2.3.4"),
            ("ipv4:10.0.0.1:5000", ["6.6.6.6", "1.2.3.4, 10.0.0.9"], "10.0.0.0/8", "1.2.3.4"),
            ("ipv4:10.0.0.1:5000", [], "10.0.0.1", "10.0.0.1"),
        ],
    )
    def test_only_trusted_proxies_are_believed(self, peer, forwarded, trusted, expected):
        metadata = [("x-forwarded-for", value) for value in forwarded]
        assert client_ip(peer, metadata, TrustedProxies(trusted)) == expected
