"""How often instances connect and how many streams they hold: nobody is limited by another account's connects."""

import asyncio
from collections import Counter

import grpc
import pytest

from mlpgateway.call.ports import InstanceEntry
from mlpgateway.errors.gate import TooManyConnects, TooManyStreams
from mlpgateway.instances.grpc.connects import ConnectBounds, Connects
from mlpgateway.instances.grpc.instance_rpc import InstanceRpc
from mlplace_gateproto import gate_pb2 as pb
from mlplace_testing.waiting import eventually


def _entry(instance: int = 1, account: int = 1) -> InstanceEntry:
    return InstanceEntry(instance, 7, account, "ner", accepts_connections=True)


class _Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


class TestBounds:
    def test_half_a_minutes_worth_may_come_at_once_then_at_the_rate(self, clock):
        connects = Connects(ConnectBounds(token_per_minute=60), clock)
        for _ in range(30):
            connects.come(_entry())
            connects.go(_entry())
        with pytest.raises(TooManyConnects) as refused:
            connects.come(_entry())
        assert refused.value.retry_after_seconds == 1.0
        clock.now += 1.0
        connects.come(_entry())
        with pytest.raises(TooManyConnects):
            connects.come(_entry())

    def test_refused_connects_use_no_allowance(self, clock):
        connects = Connects(ConnectBounds(token_per_minute=2), clock)
        connects.come(_entry())
        for _ in range(1000):
            with pytest.raises(TooManyConnects):
                connects.come(_entry())
        clock.now += 30.0
        connects.come(_entry())

    def test_other_tokens_and_accounts_are_unaffected(self, clock):
        connects = Connects(ConnectBounds(token_per_minute=2, account_per_minute=4), clock)
        connects.come(_entry(1))
        connects.come(_entry(2))
        with pytest.raises(TooManyConnects) as refused:
            connects.come(_entry(3))
        assert refused.value.details["holder"] == "account"
        connects.come(_entry(4, account=2))

    def test_streams_count_while_they_are_open(self, clock):
        connects = Connects(ConnectBounds(token_streams=2, account_streams=3), clock)
        connects.come(_entry(1))
        connects.come(_entry(1))
        with pytest.raises(TooManyStreams) as refused:
            connects.come(_entry(1))
        assert refused.value.details["holder"] == "token"
        connects.come(_entry(2))
        with pytest.raises(TooManyStreams) as refused:
            connects.come(_entry(3))
        assert refused.value.details["holder"] == "account"
        assert connects.streams_of(1) == 3
        connects.go(_entry(1))
        connects.come(_entry(3))


class TestUnknownTokens:
    def test_unknown_tokens_count_per_address_and_per_ipv6_network(self, clock):
        connects = Connects(ConnectBounds(unknown_per_minute=4), clock)
        for address in ("2001:db8::1", "2001:db8::2"):
            connects.unknown(address)
        with pytest.raises(TooManyConnects) as refused:
            connects.unknown("2001:db8::3")
        assert refused.value.details["holder"] == "address"
        connects.unknown("192.0.2.1")
        clock.now += 15.0
        connects.unknown("2001:db8::4")

    async def test_refusal_says_when_to_retry_and_known_tokens_still_connect(self, run_gate, connect, scripted):
        async with run_gate(connects=ConnectBounds(unknown_per_minute=2)) as gate:
            stub = connect(gate.address)
            calls = [stub.processAsync() for _ in range(2)]
            start = pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken="nobody's"))
            for call in calls:
                await call.write(start)
                assert (await call.read()).HasField("error")
            codes = [await call.code() for call in calls]
            assert codes == [grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED]
            wait = dict(tuple(await calls[1].trailing_metadata()))["grpc-retry-pushback-ms"]
            assert 20_000 < int(wait) <= 30_000
            await scripted(stub).start()


class TestTurns:
    async def test_many_connects_of_one_client_leave_room_for_others(self, run_gate, connect, monkeypatch):
        """At most four of them in one iteration of the event loop: a call takes several iterations."""
        loop, iteration, connects = asyncio.get_running_loop(), 0, Counter[int]()
        find = InstanceRpc.find

        def tick() -> None:
            nonlocal iteration
            iteration += 1
            ticking.append(loop.call_soon(tick))

        def counted(rpc: InstanceRpc, token: str) -> InstanceEntry | None:
            connects[iteration] += 1
            return find(rpc, token)

        async def come(stub) -> None:
            call = stub.processAsync()
            await call.write(pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken="nobody's")))
            assert (await call.read()).HasField("error")

        monkeypatch.setattr(InstanceRpc, "find", counted)
        ticking = [loop.call_soon(tick)]
        try:
            async with run_gate(connects=ConnectBounds(unknown_per_minute=1000)) as gate:
                stub = connect(gate.address)
                await asyncio.gather(*(come(stub) for _ in range(60)))
        finally:
            ticking[-1].cancel()
        assert sum(connects.values()) == 60
        assert max(connects.values()) <= 4


class TestAtAGate:
    @pytest.fixture
    def gate_options(self) -> dict[str, object]:
        return {"connects": ConnectBounds(token_per_minute=20, token_streams=3), "heartbeat_interval_ms": 5_000}

    async def test_refusal_says_when_to_retry_and_nothing_is_recorded(
        self, gate, client, scripted, instances, connections
    ):
        token = instances.add(66)
        start = pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken=token))
        for _ in range(10):
            call = client.processAsync()
            await call.write(start)
            assert isinstance(await call.read(), pb.GateToServiceProto)
            call.cancel()
        call = client.processAsync()
        await call.write(start)
        refused = await call.read()
        assert (refused.error.code, refused.error.args["holder"]) == ("mlp.gate.too_many_connects", "token")
        assert await call.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        hint = dict(await call.trailing_metadata())["grpc-retry-pushback-ms"]
        assert 1_000 <= int(hint) <= 60_000
        assert len(connections.opened) == 10
        other = await scripted(client, 67).start()
        assert other.opening

    async def test_token_has_few_streams_and_closing_one_frees_a_place(self, client, instances, connections, gate):
        token = instances.add(66)
        start = pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken=token))
        calls = [client.processAsync() for _ in range(4)]
        codes = []
        for call in calls:
            await call.write(start)
            codes.append((await call.read()).error.code)
        assert codes == ["", "", "", "mlp.gate.too_many_streams"]
        calls[0].cancel()
        await eventually(lambda: _value(connections.closed))
        again = client.processAsync()
        await again.write(start)
        assert not (await again.read()).error.code

    async def test_heartbeats_do_not_slow_down_for_other_accounts_streams(self, gate, client, instances, scripted):
        crowd = [scripted(client, 100 + number, account_id=2) for number in range(60)]
        for each in crowd:
            await each.start()
        intervals = {
            message.heartBeat.interval for each in crowd for message in each.opening if message.HasField("heartBeat")
        }
        assert max(intervals) == 6_000, "its own crowd counts"
        alone = await scripted(client, 200, account_id=3).start()
        assert [each.heartBeat.interval for each in alone.opening if each.HasField("heartBeat")] == [5_000]


async def _value(value: object) -> object:
    return value
