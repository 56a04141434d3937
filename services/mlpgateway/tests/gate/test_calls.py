"""Calls through the gate to an instance and back."""

import asyncio
import random

import grpc
import pytest

from mlpgateway.call.call import Operation
from mlpgateway.entry.grpc.audio import wav_header
from mlplace_gateproto import gate_pb2 as pb
from mlplace_testing.waiting import eventually


class TestProcess:
    async def test_request_and_answer_keep_their_headers(self, gate, client, instance, request_of):
        call = client.process(request_of('{"text":"hi"}', **{"Z-requestId": "r-1", "MLP-BILLING-KEY": "pays"}))
        request = await instance.hear_request()
        assert request.predict.data.json == '{"text":"hi"}'
        assert request.headers["Z-requestId"] == "r-1"
        assert request.headers["MLP-BILLING-KEY"] == "pays"
        assert request.headers["Z-callerAccountId"] == "5"
        billed = {"Z-custom-billing": "5", "z-CUSTOM-self-cost": "1", "MLP-BILLING-KEY": "pays"}
        await instance.answer(request, '{"ok":1}', **billed, **{"Z-Server-Time": "3"})
        answer = await call
        assert answer.predict.data.json == '{"ok":1}'
        assert dict(answer.headers) == {"Z-requestId": "r-1", "Z-Server-Time": "3"}

    @pytest.mark.parametrize("config", [None, pb.PayloadProto(), pb.PayloadProto(json="")])
    async def test_request_always_has_a_config(self, client, instance, request_of, config):
        request = request_of()
        if config is not None:
            request.predict.config.CopyFrom(config)
        call = client.process(request)
        heard = await instance.hear_request()
        assert heard.predict.config.json == "{}"
        await instance.answer(heard, "1")
        await call

    async def test_config_and_bytes_are_passed_on(self, client, instance):
        predict = pb.PredictRequestProto(
            data=pb.PayloadProto(protobuf=b"\x00\x01", dataType="t"), config=pb.PayloadProto(json='{"a":1}')
        )
        call = client.process(pb.ClientRequestProto(predict=predict))
        request = await instance.hear_request()
        assert (request.predict.data.protobuf, request.predict.data.dataType) == (b"\x00\x01", "t")
        assert request.predict.config.json == '{"a":1}'
        await instance.answer(request, "1")
        await call

    async def test_ext_reaches_the_instance(self, client, instance):
        ext = pb.ExtendedRequestProto(methodName="info", params={"a": pb.PayloadProto(json="1")})
        call = client.process(pb.ClientRequestProto(ext=ext))
        request = await instance.hear_request()
        assert request.ext.methodName == "info"
        assert request.ext.params["a"].json == "1"
        answer = pb.ExtendedResponseProto(data=pb.PayloadProto(json="2"))
        await instance.say(pb.ServiceToGateProto(requestId=request.requestId, ext=answer))
        assert (await call).ext.data.json == "2"

    async def test_hot_path_gets_the_callers_credentials(self, gate, client, instance, request_of):
        given = {"Z-Priority": "3", "Z-callerAccountId": "1", "MLP-ORIGIN-ACCOUNT-ID": "1", "X-Other": "no"}
        request = request_of(**given, **{"Z-requestId": "bad\nid"})
        request.timeoutSec = 9
        request.authToken = "1.2." + "a" * 40
        call = client.process(request)
        await instance.answer(await instance.hear_request(), "1")
        answer = await call
        seen = gate.handler.calls[0]
        assert (seen.account, seen.model, seen.operation, seen.timeout_seconds) == (
            "acme",
            "ner",
            Operation.PREDICT,
            9.0,
        )
        assert (seen.caller.credential, seen.caller.credential_is_session) == (request.authToken, False)
        assert seen.caller.client_ip in {"127.0.0.1", "::1"}
        assert set(seen.headers) == {"Z-Priority", "Z-requestId"}
        assert "\n" not in seen.request_id
        assert answer.headers["Z-requestId"] == seen.request_id

    async def test_token_that_is_no_key_is_a_session(self, gate, client, instance, request_of):
        call = client.process(request_of())
        await instance.answer(await instance.hear_request(), "1")
        await call
        assert gate.handler.calls[0].caller.credential_is_session
        assert gate.handler.calls[0].timeout_seconds is None

    async def test_instance_errors_are_answers(self, client, instance, request_of):
        call = client.process(request_of(**{"Z-requestId": "r-2"}))
        request = await instance.hear_request()
        error = pb.ApiErrorProto(code="mine", message="no: ${why}", status=pb.BAD_REQUEST, args={"why": "because"})
        headers = {"Z-Server-Time": "1", "Z-custom-billing": "9"}
        await instance.say(pb.ServiceToGateProto(requestId=request.requestId, error=error, headers=headers))
        answer = await call
        assert (answer.error.code, answer.error.message, answer.error.status) == ("mine", "no: because", 400)
        assert dict(answer.headers) == {"Z-Server-Time": "1", "Z-requestId": "r-2"}

    @pytest.mark.parametrize(
        ("told", "status"), [(0, 500), (1, 502), (204, 502), (399, 502), (600, 502), (400, 400), (599, 599)]
    )
    async def test_status_that_is_none_of_an_error_becomes_502(self, client, instance, request_of, told, status):
        call = client.process(request_of())
        request = await instance.hear_request()
        await instance.say(pb.ServiceToGateProto(requestId=request.requestId, error=pb.ApiErrorProto(status=told)))
        assert (await call).error.status == status

    async def test_refusals_of_the_hot_path_are_answers(self, client, request_of):
        answer = await client.process(request_of(**{"Z-requestId": "r-3"}))
        assert (answer.error.code, answer.error.status) == ("mlp.gate.no_active_instances", 503)
        assert answer.headers["Z-requestId"] == "r-3"

    async def test_unexpected_failure_is_an_answer_without_details(self, gate, client, request_of):
        gate.handler.failure = ZeroDivisionError("secret")
        answer = await client.process(request_of())
        assert (answer.error.code, answer.error.status) == ("mlp.core.internal_error", 500)
        assert "secret" not in answer.error.message

    @pytest.mark.parametrize(
        "text", ["{", "NaN", '"\\ud800"', "\ufeff\ufeff{}", "[" * 100_000, '{"a":1} x'], ids=range(6)
    )
    @pytest.mark.parametrize("name", ["data", "config"])
    async def test_text_that_is_not_json_is_refused_and_names_the_field(self, gate, client, name, text):
        predict = pb.PredictRequestProto(data=pb.PayloadProto(json="1"), config=pb.PayloadProto(json="{}"))
        getattr(predict, name).json = text
        request = pb.ClientRequestProto(account="a", model="m", authToken="k", predict=predict)
        answers = [await client.process(request), *[each async for each in client.processResponseStream(request)]]
        for answer in answers:
            assert (answer.error.status, answer.error.code) == (400, "mlp.core.validation_error")
            assert name in answer.error.args
            assert ("surrogate pair" in answer.error.args[name]) is ("ud800" in text)
        assert len(answers) == 2
        assert gate.handler.calls == []

    @pytest.mark.parametrize("name", ["data", "config"])
    async def test_byte_order_mark_is_no_part_of_a_text(self, client, instance, name):
        predict = pb.PredictRequestProto(data=pb.PayloadProto(json="1"), config=pb.PayloadProto(json="{}"))
        getattr(predict, name).json = '\ufeff{"a":1}'
        call = client.process(pb.ClientRequestProto(account="a", model="m", authToken="k", predict=predict))
        request = await instance.hear_request()
        assert getattr(request.predict, name).json == '{"a":1}'
        await instance.answer(request, "1")
        assert (await call).predict.data.json == "1"

    async def test_instance_that_refuses_with_a_date_beyond_all_calendars_stays_connected(
        self, client, instance, request_of
    ):
        for delay in ("Wed, 21 Oct 99999999999999999999 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:00 +9999999999999999"):
            call = client.process(request_of())
            request = await instance.hear_request()
            error = pb.ApiErrorProto(code="mine", message="busy")
            await instance.say(
                pb.ServiceToGateProto(requestId=request.requestId, error=error, headers={"Retry-After": delay})
            )
            assert (await call).error.code == "mine"

    async def test_request_without_a_body_is_refused(self, client):
        answer = await client.process(pb.ClientRequestProto(account="a", model="b"))
        assert answer.error.status == 400

    async def test_too_many_headers_are_refused(self, client, request_of):
        answer = await client.process(request_of(**{f"Z-{n}": "x" for n in range(100)}))
        assert answer.error.status == 400

    async def test_cancelled_call_leaves_no_pending_request(self, gate, client, instance, request_of):
        call = client.process(request_of())
        request = await instance.hear_request()
        call.cancel()
        await eventually(_async(lambda: gate.links.of_model(7)[0].active_requests == 0))
        await instance.answer(request, '"late"')
        again = client.process(request_of())
        await instance.answer(await instance.hear_request(), '"next"')
        assert (await again).predict.data.json == '"next"'

    async def test_large_payloads_pass(self, client, instance, request_of):
        text = '"' + "x" * (20 * 1024 * 1024) + '"'
        call = client.process(request_of(text))
        request = await instance.hear_request()
        await instance.answer(request, request.predict.data.json)
        assert len((await call).predict.data.json) == len(text)


class TestConcurrency:
    async def test_answers_out_of_order_reach_their_callers(self, client, instance, request_of):
        calls = [asyncio.ensure_future(_call(client, request_of, n)) for n in range(200)]
        requests = [await instance.hear_request() for _ in range(200)]
        random.Random(7).shuffle(requests)
        for request in requests:
            await instance.answer(request, request.predict.data.json)
        answers = await asyncio.gather(*calls)
        assert [answer.predict.data.json for answer in answers] == [str(n) for n in range(200)]

    async def test_broken_stream_fails_only_its_own_calls(self, gate, client, instance, scripted, request_of):
        other = await scripted(client, 12).start()
        calls = [asyncio.ensure_future(_call(client, request_of, n)) for n in range(20)]
        mine = [await instance.hear_request() for _ in range(10)]
        theirs = [await other.hear_request() for _ in range(10)]
        instance.vanish()
        for request in theirs:
            await other.answer(request, request.predict.data.json)
        answers = await asyncio.gather(*calls)
        lost = {int(request.predict.data.json) for request in mine}
        for number, answer in enumerate(answers):
            if number in lost:
                assert (answer.error.code, answer.error.status) == ("mlp-action.common.channel-closed-error", 503)
            else:
                assert answer.predict.data.json == str(number)

    async def test_stream_ended_by_the_instance_fails_its_calls(self, client, instance, request_of):
        call = client.process(request_of())
        await instance.hear_request()
        await instance.finish()
        assert (await call).error.code == "mlp-action.common.channel-closed-error"


class TestProcessResponseStream:
    async def test_parts_arrive_one_by_one(self, client, instance, request_of):
        call = client.processResponseStream(request_of())
        request = await instance.hear_request()
        heard = []
        for number in range(3):
            await instance.answer_part(request, str(number), finish=number == 2)
            heard.append(await asyncio.wait_for(call.read(), 60))
        parts = [message.partialPredict for message in heard]
        assert [(part.data.json, part.start, part.finish) for part in parts] == [
            ("0", True, False),
            ("1", False, False),
            ("2", False, True),
        ]
        assert await call.read() is grpc.aio.EOF

    async def test_single_answer_is_a_stream_of_one(self, client, instance, request_of):
        call = client.processResponseStream(request_of())
        await instance.answer(await instance.hear_request(), "1")
        assert [message.predict.data.json async for message in call] == ["1"]

    async def test_error_after_some_parts_ends_the_stream(self, client, instance, request_of):
        call = client.processResponseStream(request_of())
        request = await instance.hear_request()
        await instance.answer_part(request, "1")
        instance.vanish()
        heard = [message async for message in call]
        assert [message.WhichOneof("body") for message in heard] == ["partialPredict", "error"]
        assert heard[1].error.code == "mlp-action.common.channel-closed-error"

    async def test_slow_reader_fails_alone(self, gate, client, instance, request_of):
        slow = client.processResponseStream(request_of())
        request = await instance.hear_request()
        for _ in range(600):
            await instance.answer_part(request, '"' + "x" * 100_000 + '"')
        quick = client.process(request_of())
        await instance.answer(await instance.hear_request(), '"quick"')
        assert (await asyncio.wait_for(quick, 60)).predict.data.json == '"quick"'
        assert gate.links.of_model(7)[0].active_requests == 0
        *_, last = [message async for message in slow]
        assert last.error.code == "mlp.gate.answer_not_read"

    async def test_cancelled_call_frees_the_request(self, gate, client, instance, request_of):
        call = client.processResponseStream(request_of())
        request = await instance.hear_request()
        await instance.answer_part(request, "1")
        await call.read()
        call.cancel()
        await eventually(_async(lambda: gate.links.of_model(7)[0].active_requests == 0))


class TestProcessStream:
    def _part(self, text: str, *, start: bool = False, finish: bool = False) -> pb.ClientRequestProto:
        part = pb.PartialPredictRequestProto(data=pb.PayloadProto(json=text), start=start, finish=finish)
        return pb.ClientRequestProto(account="a", model="m", authToken="k", partialPredict=part)

    async def test_parts_pass_in_both_directions(self, client, instance):
        call = client.processStream()
        for number in range(3):
            await call.write(self._part(str(number), start=number == 0, finish=number == 2))
        requests = [await instance.hear_request() for _ in range(3)]
        assert len({request.requestId for request in requests}) == 1
        parts = [request.partialPredict for request in requests]
        assert [(part.data.json, part.start, part.finish) for part in parts] == [
            ("0", True, False),
            ("1", False, False),
            ("2", False, True),
        ]
        assert parts[0].config.json == "{}"
        await instance.answer_part(requests[0], '"a"')
        await instance.answer_part(requests[0], '"b"', finish=True)
        assert [message.partialPredict.data.json async for message in call] == ['"a"', '"b"']

    async def test_each_part_is_answered_before_the_next_one_is_written(self, client, instance):
        call = client.processStream()
        for number in range(3):
            await call.write(self._part(str(number), start=number == 0))
            request = await instance.hear_request()
            assert request.partialPredict.data.json == str(number)
            await instance.answer_part(request, str(number))
            assert (await call.read()).partialPredict.data.json == str(number)

    async def test_end_of_the_callers_messages_finishes_the_request(self, client, instance):
        call = client.processStream()
        await call.write(self._part("1", start=True))
        await call.done_writing()
        first, end = [(await instance.hear_request()) for _ in range(2)]
        assert (first.partialPredict.start, first.partialPredict.finish) == (True, False)
        assert (end.partialPredict.start, end.partialPredict.finish) == (False, True)
        assert not end.partialPredict.HasField("data")
        await instance.answer_part(first, '"a"', finish=True)
        assert len([message async for message in call]) == 1

    async def test_part_that_is_first_and_last_is_one_message(self, client, instance, request_of):
        for only in (self._part("1", start=True, finish=True), request_of("1")):
            call = client.processStream()
            await call.write(only)
            request = await instance.hear_request()
            assert (request.partialPredict.start, request.partialPredict.finish) == (True, True)
            await instance.answer(request, '"a"')
            assert len([message async for message in call]) == 1

    @pytest.mark.parametrize("nothing", [None, pb.PayloadProto(), pb.PayloadProto(json="")])
    async def test_last_part_without_data_stays_without_data(self, client, instance, nothing):
        call = client.processStream()
        await call.write(self._part("1", start=True))
        await call.write(pb.ClientRequestProto(partialPredict=pb.PartialPredictRequestProto(data=nothing, finish=True)))
        request, end = [(await instance.hear_request()) for _ in range(2)]
        assert end.partialPredict.finish
        assert not end.partialPredict.HasField("data")
        part = pb.PartialPredictResponseProto(data=nothing, finish=True)
        await instance.answer_part(request, "2")
        await instance.say(pb.ServiceToGateProto(requestId=request.requestId, partialPredict=part))
        answers = [message.partialPredict async for message in call]
        assert [answer.data.WhichOneof("body") for answer in answers] == ["json", None]

    async def test_answer_can_end_the_call_before_its_input_ends(self, gate, client, instance):
        call = client.processStream()
        await call.write(self._part("1", start=True))
        await call.write(self._part("2"))
        request = await instance.hear_request()
        await instance.answer_part(request, '"enough"', finish=True)
        assert [message.partialPredict.data.json async for message in call] == ['"enough"']
        assert gate.links.of_model(7)[0].active_requests == 0

    async def test_part_that_is_not_json_ends_the_call(self, client, instance):
        call = client.processStream()
        await call.write(self._part("1", start=True))
        await call.write(self._part("2"))
        await instance.hear_request()
        await call.write(self._part("{"))
        answers = [message async for message in call]
        assert [(answer.error.status, "data" in answer.error.args) for answer in answers] == [(400, True)]

    async def test_message_of_another_kind_is_an_error(self, client, instance):
        call = client.processStream()
        await call.write(self._part("1", start=True))
        await call.write(pb.ClientRequestProto(ext=pb.ExtendedRequestProto()))
        heard = [message async for message in call]
        assert [message.error.status for message in heard] == [400]

    @pytest.mark.parametrize("before", [0, 1])
    async def test_unparsable_message_is_an_error_at_once(self, gate, client, instance, before):
        parts = [self._part("1", start=True).SerializeToString()] * before
        async with grpc.aio.insecure_channel(gate.address) as channel:
            call = channel.stream_stream(
                "/com.mlp.gate.Gate/processStream", response_deserializer=pb.ClientResponseProto.FromString
            )(iter([*parts, b"\xff"]), timeout=60)
            heard = [message.error.code async for message in call]
        assert heard == ["mlp.core.malformed_request"]


class TestSpeech:
    async def test_synthesis_relays_audio(self, client, instance):
        options = pb.AudioFormatOptions(sample_rate_hertz=8000)
        tts = pb.TtsRequestProto(text="hi", voice="v", output_audio_spec=options)
        call = client.processSynthesis(pb.ClientTtsRequestProto(account="a", model="tts", tts=tts))
        request = await instance.hear_request()
        assert request.predict.data.json == (
            '{"text":"hi","voice":"v","outputAudioSpec":{"audioEncoding":"LINEAR16_PCM","sampleRateHertz":8000}}'
        )
        chunks = [pb.PayloadProto(protobuf=b"abcd"), pb.PayloadProto(json='{"audio_base64":"Y2Q="}')]
        for number, chunk in enumerate(chunks):
            part = pb.PartialPredictResponseProto(data=chunk, finish=number == 1)
            await instance.say(pb.ServiceToGateProto(requestId=request.requestId, partialPredict=part))
        heard = [message.tts async for message in call]
        assert [(tts.audio_chunk.data, tts.first, tts.last) for tts in heard] == [
            (b"abcd", True, False),
            (b"cd", False, True),
        ]

    async def test_audio_comes_in_chunks_of_the_requested_size(self, client, instance):
        options = pb.AudioFormatOptions(sample_rate_hertz=8000, chunk_size_kb=1)
        tts = pb.TtsRequestProto(text="hi", output_audio_spec=options)
        call = client.processSynthesis(pb.ClientTtsRequestProto(account="a", model="tts", tts=tts))
        request = await instance.hear_request()
        file = wav_header(8000, None) + b"x" * 1500
        for number, sound in enumerate([file, b"y" * 548, b""]):
            part = pb.PartialPredictResponseProto(data=pb.PayloadProto(protobuf=sound), finish=number == 2)
            await instance.say(pb.ServiceToGateProto(requestId=request.requestId, partialPredict=part))
        heard = [message.tts async for message in call]
        assert [(len(tts.audio_chunk.data), tts.first, tts.last) for tts in heard] == [
            (1024, True, False),
            (1024, False, True),
        ]
        assert b"".join(tts.audio_chunk.data for tts in heard) == b"x" * 1500 + b"y" * 548

    async def test_chunk_that_is_held_comes_before_an_error(self, client, instance):
        options = pb.AudioFormatOptions(sample_rate_hertz=8000, chunk_size_kb=1)
        tts = pb.TtsRequestProto(text="hi", output_audio_spec=options)
        call = client.processSynthesis(pb.ClientTtsRequestProto(account="a", model="tts", tts=tts))
        request = await instance.hear_request()
        part = pb.PartialPredictResponseProto(data=pb.PayloadProto(protobuf=b"x" * 1500), start=True)
        await instance.say(pb.ServiceToGateProto(requestId=request.requestId, partialPredict=part))
        error = pb.ApiErrorProto(code="broken", message="no more", status=pb.INTERNAL_SERVER_ERROR)
        await instance.say(pb.ServiceToGateProto(requestId=request.requestId, error=error))
        *heard, last = [message async for message in call]
        assert [(len(each.tts.audio_chunk.data), each.tts.last) for each in heard] == [(1024, False), (476, False)]
        assert last.error.code == "broken"

    async def test_audio_of_another_rate_is_an_error(self, client, instance):
        tts = pb.TtsRequestProto(text="hi", output_audio_spec=pb.AudioFormatOptions(sample_rate_hertz=8000))
        call = client.processSynthesis(pb.ClientTtsRequestProto(account="a", model="tts", tts=tts))
        request = await instance.hear_request()
        sound = pb.PayloadProto(protobuf=wav_header(16_000, 4) + b"abcd")
        await instance.say(
            pb.ServiceToGateProto(requestId=request.requestId, predict=pb.PredictResponseProto(data=sound))
        )
        (told,) = [message async for message in call]
        assert "16000 Hz instead of 8000" in told.error.message

    @pytest.mark.parametrize("spec", [{"chunk_size_kb": 0}, {"chunk_size_kb": -1}, {"sample_rate_hertz": 1}])
    async def test_impossible_request_is_refused_at_once(self, client, spec):
        tts = pb.TtsRequestProto(text="hi", output_audio_spec=pb.AudioFormatOptions(**spec))
        call = client.processSynthesis(pb.ClientTtsRequestProto(account="a", model="tts", tts=tts))
        assert [message.error.status async for message in call] == [400]

    @pytest.mark.parametrize("answer", ["not json", "[]", '{"audio_base64": 5}', '{"audio_base64": "%%%"}'])
    async def test_answer_without_audio_is_an_error(self, client, instance, answer):
        call = client.processSynthesis(pb.ClientTtsRequestProto(tts=pb.TtsRequestProto(text="hi")))
        await instance.answer(await instance.hear_request(), answer)
        assert [message.error.code async for message in call] == ["mlp-action.common.internal-error"]

    @pytest.mark.parametrize("rpc", ["processSynthesis", "processRecognition"])
    async def test_delay_of_a_refusal_is_trailing_metadata(self, client, instance, rpc):
        if rpc == "processSynthesis":
            call = client.processSynthesis(pb.ClientTtsRequestProto(tts=pb.TtsRequestProto(text="hi")))
        else:
            call = client.processRecognition()
            await call.write(pb.ClientAsrRequestProto(asr=pb.AsrRequestProto(config=pb.RecognitionConfig())))
            await call.write(pb.ClientAsrRequestProto(asr=pb.AsrRequestProto(audio_content=b"1")))
            await call.done_writing()
        request = await instance.hear_request()
        error = pb.ApiErrorProto(code="mine", message="busy")
        await instance.say(
            pb.ServiceToGateProto(requestId=request.requestId, error=error, headers={"retry-after": "17"})
        )
        assert [message.error.code async for message in call] == ["mine"]
        assert dict(await call.trailing_metadata())["retry-after"] == "17"

    async def test_recognition_relays_both_directions(self, client, instance):
        call = client.processRecognition()
        config = pb.RecognitionConfig(language_code="ru", sample_rate_hertz=8000)
        await call.write(pb.ClientAsrRequestProto(account="a", model="asr", asr=pb.AsrRequestProto(config=config)))
        for audio in (b"1", b"2"):
            await call.write(pb.ClientAsrRequestProto(asr=pb.AsrRequestProto(audio_content=audio)))
        await call.done_writing()
        requests = [await instance.hear_request() for _ in range(2)]
        assert [request.partialPredict.data.protobuf for request in requests] == [b"1", b"2"]
        assert [request.partialPredict.finish for request in requests] == [False, True]
        assert '"language_code": "ru"' in requests[0].partialPredict.config.json
        await instance.answer_part(requests[0], '{"alternatives":[{"text":"да","confidence":0.5}]}', finish=True)
        heard = [message.asr async for message in call]
        assert heard[0].chunks[0].alternatives[0].text == "да"
        assert heard[0].final

    async def test_recognition_without_a_config_is_refused(self, client):
        call = client.processRecognition()
        await call.write(pb.ClientAsrRequestProto(asr=pb.AsrRequestProto(audio_content=b"1")))
        assert [message.error.status async for message in call] == [400]


async def _call(client, request_of, number: int) -> pb.ClientResponseProto:
    return await client.process(request_of(str(number)))


def _async(probe):
    async def ask():
        return probe()

    return ask
