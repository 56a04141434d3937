"""The life cycle of an instance's stream."""

import asyncio

import pytest
import structlog.testing

from mlpgateway.call.call import Operation, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.http2.limits import Http2Limits
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.limits import MAX_MESSAGE_BYTES
from mlplace_testing.waiting import eventually

REQUEST = InstanceRequest(Operation.PREDICT, Payload(json='"hi"'), None, None, {}, {})
TOKEN_NOT_FOUND = "mlp.gate.instance_by_token_not_found"


class TestHealthCheck:
    async def test_status_is_exactly_ok(self, client):
        answer = await client.healthCheck(pb.HeartBeatProto())
        assert answer.status == "Ok"
        assert answer.interval == 20_000


class TestConnect:
    async def test_gate_opens_with_heartbeat_service_info_and_cluster(self, gate, instance):
        beat, info, cluster = instance.opening
        assert (beat.heartBeat.status, beat.heartBeat.interval) == ("Ok", 20_000)
        assert (info.serviceInfo.accountId, info.serviceInfo.modelId, info.serviceInfo.modelName) == (1, 7, "ner")
        assert list(cluster.cluster.servers) == [gate.address]
        assert cluster.cluster.currentServer == gate.address

    async def test_instances_description_is_recorded(self, gate, client, instances, connections, scripted):
        text = pb.ParamDescriptorProto(type="object")
        methods = {
            "predict": pb.MethodDescriptorProto(input={"data": text}, output=text),
            "ext": pb.MethodDescriptorProto(),
            "fit": pb.MethodDescriptorProto(input={"train_data": pb.ParamDescriptorProto()}),
        }
        start = pb.StartServingProto(
            connectionToken=instances.add(12),
            serviceDescriptor=pb.ServiceDescriptorProto(name="Ner", methods=methods),
            hostname="h\x00" + "x" * 400,
            version=2,
            image="img",
        )
        await scripted(client).start(start)
        connection = connections.opened[-1]
        assert connection.entry.instance_id == 12
        assert connection.gate == gate.address
        assert (connection.sdk_version, connection.image_name) == (2, "img")
        assert connection.hostname == "h\ufffd" + "x" * 253
        assert connection.descriptor_json is not None
        assert '"predict"' in connection.descriptor_json
        assert '"fit"' not in connection.descriptor_json
        assert '"ext"' not in connection.descriptor_json

    async def test_unstorable_descriptor_is_omitted(self, client, instances, connections, scripted):
        for descriptor in (
            pb.ServiceDescriptorProto(name="a\x00b"),
            pb.ServiceDescriptorProto(schemaFiles={"schema": "x" * 1_100_000}),
        ):
            start = pb.StartServingProto(connectionToken=instances.add(12), serviceDescriptor=descriptor)
            await scripted(client).start(start)
            assert connections.opened[-1].descriptor_json is None

    async def test_instance_that_does_not_serve_stays_connected_and_no_call_finds_it(
        self, gate, client, connections, scripted
    ):
        told: list[int] = []
        gate.links.watch(told.append)
        fit = scripted(client, serves=False)
        described = pb.ServiceDescriptorProto(name="Ner")
        await fit.start(pb.StartServingProto(connectionToken=fit._token, serviceDescriptor=described))
        assert [link.instance_id for link in gate.links.all()] == [12]
        assert (gate.links.of_model(7), gate.links.models(), list(gate.links.descriptors_of(7))) == ([], set(), [])
        assert (connections.opened[-1].entry.instance_id, told) == (12, [])
        await scripted(client, 13).start()
        assert ([link.instance_id for link in gate.links.of_model(7)], told) == ([13], [7])
        gate.links.revoke(12)
        await fit.hear_end()
        await eventually(_async(lambda: connections.closed))
        assert [link.instance_id for link in gate.links.of_model(7)] == [13]
        assert [connection.entry.instance_id for connection, _ in connections.closed] == [12]

    @pytest.mark.parametrize("token", ["", "nobody's", "1.7." + "x" * 40, "x" * 100_000])
    async def test_unknown_token_gets_an_error_and_the_stream_closes(self, client, scripted, connections, token):
        stranger = scripted(client)
        await stranger.say(pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken=token)))
        heard = await stranger.hear_end()
        assert [message.error.code for message in heard] == [TOKEN_NOT_FOUND]
        assert heard[0].requestId == 0
        assert connections.opened == []

    async def test_instance_being_removed_gets_the_same_error(self, client, scripted):
        removed = scripted(client, accepts=False)
        await removed.say(pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken=removed._token)))
        assert [message.error.code for message in await removed.hear_end()] == [TOKEN_NOT_FOUND]

    async def test_two_processes_may_use_one_token(self, gate, client, instances, scripted):
        token = instances.add(12)
        start = pb.StartServingProto(connectionToken=token)
        for _ in range(2):
            await scripted(client).start(start)
        assert [link.instance_id for link in gate.links.of_model(7)] == [12, 12]
        assert len({link.connection.stream_id for link in gate.links.all()}) == 2

    async def test_connect_wakes_a_call_that_waits_for_the_instance(self, gate, client, scripted):
        import asyncio

        waiting = asyncio.create_task(gate.links.connected(7))
        await asyncio.sleep(0)
        assert not waiting.done()
        await scripted(client).start()
        await asyncio.wait_for(waiting, 60)


class TestLiveness:
    @pytest.fixture
    def gate_options(self) -> dict[str, object]:
        return {"heartbeat_interval_ms": 200}

    async def test_gate_keeps_sending_heartbeats(self, instance):
        beats = [await instance.hear() for _ in range(3)]
        assert [message.WhichOneof("body") for message in beats] == ["heartBeat"] * 3

    async def test_silent_instance_loses_its_stream(self, instance, connections):
        await instance.hear_end()
        assert [reason for _, reason in connections.closed] == ["silent"]

    async def test_instance_with_heartbeats_keeps_its_stream(self, gate, instance, connections):
        for _ in range(12):  # longer than three intervals and a second
            await instance.say(pb.ServiceToGateProto(heartBeat=pb.HeartBeatProto()))
            await asyncio.wait_for(instance.hear(), 60)
        assert connections.closed == []
        assert len(gate.links.of_model(7)) == 1


class TestRevoke:
    async def test_calls_in_progress_finish_before_the_stream_ends(
        self, gate, client, instance, request_of, connections
    ):
        call = client.process(request_of())
        request = await instance.hear_request()
        gate.links.revoke(11)
        assert [link.accepts_requests for link in gate.links.of_model(7)] == [False]
        refused = await client.process(request_of())
        assert refused.error.code == "mlp.gate.no_active_instances"
        await instance.answer(request, '"late but fine"')
        assert (await call).predict.data.json == '"late but fine"'
        await instance.hear_end()
        await eventually(_async(lambda: connections.closed))
        assert connections.closed[0][1] == "retired"

    async def test_idle_stream_ends_at_once(self, gate, instance):
        gate.links.revoke(11)
        await instance.hear_end()
        assert gate.links.of_model(7) == []

    async def test_other_instances_stay(self, gate, client, instance, scripted):
        await scripted(client, 12).start()
        gate.links.revoke(12)
        await eventually(_async(lambda: len(gate.links.of_model(7)) == 1))
        assert gate.links.of_model(7)[0].instance_id == 11


class TestStopServing:
    async def test_leaving_instance_gets_no_more_calls_and_may_finish_its_own(self, gate, client, instance, request_of):
        call = client.process(request_of())
        request = await instance.hear_request()
        await instance.say(pb.ServiceToGateProto(stopServing=pb.StopServingProto()))
        await eventually(_async(lambda: not gate.links.of_model(7)[0].accepts_requests))
        await instance.answer(request, '"done"')
        assert (await call).predict.data.json == '"done"'
        await instance.finish()
        await instance.hear_end()

    async def test_stream_stays_open_until_the_instance_ends_it(self, gate, instance):
        """Instances of the public SDK reconnect when the gate ends the stream first, and answer nothing meanwhile."""
        await instance.say(pb.ServiceToGateProto(stopServing=pb.StopServingProto()))
        (link,) = gate.links.of_model(7)
        await eventually(_async(lambda: not link.accepts_requests))
        await asyncio.sleep(0.3)
        assert not link.ended.done()
        await instance.finish()
        await instance.hear_end()
        await eventually(_async(lambda: gate.links.of_model(7) == []))

    async def test_stream_ends_after_a_while_if_the_instance_does_not(self, gate, instance, monkeypatch):
        monkeypatch.setattr("mlpgateway.instances.grpc.link._INSTANCE_LEAVES_SECONDS", 0.2)
        await instance.say(pb.ServiceToGateProto(stopServing=pb.StopServingProto()))
        await instance.hear_end()
        assert gate.links.of_model(7) == []


def _async(probe):
    async def ask():
        return probe()

    return ask


class TestBundles:
    @pytest.mark.parametrize("takes", [True, False])
    async def test_simultaneous_requests_reach_the_instance_as_one_bundle(
        self, gate, client, instances, scripted, takes
    ):
        start = pb.StartServingProto(connectionToken=instances.add(12), bundles=takes)
        instance = await scripted(client).start(start)
        (link,) = gate.links.of_model(7)
        opened = instance.bundles
        exchanges = [link.send(REQUEST) for _ in range(5)]
        heard = [await instance.hear_request() for _ in exchanges]
        assert (instance.bundles > opened) is takes
        assert [request.predict.data.json for request in heard] == ['"hi"'] * 5
        for number, request in reversed([*enumerate(heard)]):
            await instance.answer(request, str(number))
        assert [(await anext(exchange)).payload.json for exchange in exchanges] == ["0", "1", "2", "3", "4"]


class TestRoomForAnswers:
    @pytest.fixture
    def gate_options(self) -> dict[str, object]:
        return {"limits": Http2Limits(MAX_MESSAGE_BYTES, room_seconds=0.2)}

    async def test_large_answer_without_room_is_refused_and_ends_the_stream(self, gate, instance):
        share = gate.components.admission.bytes
        share.take(1, share.most(1), mine=0)
        large = pb.PayloadProto(json=f'"{"x" * 1_000_000}"')
        with structlog.testing.capture_logs() as lines:
            await instance.say(pb.ServiceToGateProto(requestId=1, predict=pb.PredictResponseProto(data=large)))
            heard = await instance.hear_end()
        assert heard[-1].error.code == "mlp.gate.share_exceeded"
        assert [line["reason"] for line in lines if line["event"] == "instance_lost"] == [
            "refused: mlp.gate.share_exceeded"
        ]
        assert [line for line in lines if line["log_level"] == "error"] == []
