"""Speech and transcriptions: through OpenAI's own client, and under the older paths."""

import asyncio
import base64
import io
import logging
import random
import wave
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import openai
import orjson
import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.query_fields import read_query
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.entry.grpc.audio import PcmReader, in_pieces, wav_header
from mlpgateway.entry.grpc.speech import tts_request
from mlpgateway.errors.gate import ChannelClosed, UnexpectedAnswer
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.errors import ValidationFailed
from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer

PCM = bytes(range(256)) * 8


@pytest.fixture
def voice(world, kit) -> str:
    world.know(kit.model_changed(name="voice", model_id=700, task_type="tts"))
    return "acme/voice"


def spoken(data, _config):
    return {"text": data["text"], "audio_base64": base64.b64encode(PCM).decode()}


def in_parts(_data, _config):
    return [PCM[:100], PCM[100:1000], PCM[1000:]]


def read_wav(data: bytes) -> tuple[int, int, int, bytes]:
    with wave.open(io.BytesIO(data)) as file:
        return file.getframerate(), file.getnchannels(), file.getsampwidth(), file.readframes(file.getnframes())


@asynccontextmanager
async def served(app) -> AsyncGenerator[int]:
    listener = listen("127.0.0.1", 0)
    server = HttpServer(app, listener)
    await server.start()
    yield listener.getsockname()[1]
    await server.stop()


class TestSpeech:
    async def test_wav_file_names_its_sample_rate(self, client, voice, answering) -> None:
        twin = answering(spoken)
        answer = await client.audio.speech.create(model=voice, voice="ru", input="Привет", speed=1)
        assert read_wav(answer.content) == (24000, 1, 2, PCM)
        asked = {"text": "Привет", "voice": "ru"}
        spec = {"audioEncoding": "LINEAR16_PCM", "sampleRateHertz": 24000}
        assert orjson.loads(twin.requests[0].data.json) == {**asked, "outputAudioSpec": spec}
        assert orjson.loads(twin.requests[0].config.json) == {}

    async def test_pcm_format_returns_bare_pcm(self, client, voice, answering) -> None:
        answering(in_parts)
        answer = await client.audio.speech.create(model=voice, voice="ru", input="x", response_format="pcm")
        assert answer.content == PCM

    async def test_streamed_speech_is_one_wav_file_of_unknown_length(self, client, voice, answering) -> None:
        answering(in_parts)
        answer = await client.audio.speech.create(model=voice, voice="ru", input="x")
        assert answer.content == wav_header(24000, None) + PCM

    async def test_failure_in_the_middle_cuts_the_connection_and_is_no_defect(self, world, kit, voice, caplog) -> None:
        async def script(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            yield Answer(Payload(protobuf=PCM), {}, first=True, last=False, partial=True)
            raise kit.Failing

        world.instance(script, model_id=700)
        async with served(world.app) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            body = orjson.dumps({"model": voice, "input": "x", "response_format": "pcm"})
            head = f"MLP-API-KEY: {world.key()['MLP-API-KEY']}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            writer.write(b"POST /api/adapters/openai/audio/speech HTTP/1.1\r\nHost: x\r\n" + head + body)
            async with asyncio.timeout(60):
                heard = await reader.read()
            writer.close()
        assert heard.startswith(b"HTTP/1.1 200 ")
        assert heard.endswith(PCM + b"\r\n")
        assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []

    async def test_other_fields_become_the_config(self, client, voice, answering) -> None:
        twin = answering(spoken)
        await client.audio.speech.create(model=voice, voice="ru", input="x", speed=1.5, instructions="softly")
        assert orjson.loads(twin.requests[0].config.json) == {"speed": 1.5, "instructions": "softly"}

    async def test_compressed_formats_are_refused_before_the_call(self, client, voice, answering) -> None:
        twin = answering(spoken)
        with pytest.raises(openai.BadRequestError, match="mp3 is not a supported audio format; use wav or pcm") as told:
            await client.audio.speech.create(model=voice, voice="ru", input="x", response_format="mp3")
        code = "mlp.gate.audio_format_not_supported"
        assert (told.value.param, told.value.code, twin.requests) == ("response_format", code, [])

    async def test_empty_text_is_refused_with_the_callers_field(self, client, voice) -> None:
        with pytest.raises(openai.BadRequestError, match="input: is required") as told:
            await client.audio.speech.create(model=voice, voice="ru", input="")
        assert told.value.param == "input"

    @pytest.mark.parametrize("name", ["stream", "speed", "voice", "response_format", "stream_format", "input"])
    async def test_number_beyond_a_double_is_refused_with_its_field(self, world, voice, answering, name) -> None:
        twin = answering(spoken)
        given = {"model": f'"{voice}"', "input": '"x"', name: "1e999"}
        body = "{" + ", ".join(f'"{field}": {text}' for field, text in given.items()) + "}"
        answer = await world.client.post("/api/adapters/openai/audio/speech", content=body, headers=world.key())
        assert (answer.status_code, answer.json()["error"]["param"], twin.requests) == (400, name, [])

    async def test_audio_with_another_rate_is_refused(self, client, voice, answering) -> None:
        answering(lambda _data, _config: [wav_header(8000, None) + PCM])
        with pytest.raises(openai.InternalServerError, match="8000 Hz instead of 24000"):
            await client.audio.speech.create(model=voice, voice="ru", input="x")


class TestTts:
    """GET and POST, on the path of a model and with the model in the request."""

    MODEL = "/api/mlpgateway/account/acme/model/voice/tts"
    ADAPTER = "/api/adapters/tts"

    async def test_request_in_the_query_returns_speech(self, world, voice, answering) -> None:
        twin = answering(in_parts)
        query = {"text": "Привет", "voice": "ru", "sampleRateHertz": "16000", "chunkSizeKb": "1"}
        for path, model in ((self.MODEL, {}), (self.ADAPTER, {"model": voice})):
            answer = await world.client.get(path, params={**query, **model}, headers=world.key())
            assert (answer.content, answer.headers["content-type"]) == (PCM, "application/octet-stream")
        spec = {"audioEncoding": "LINEAR16_PCM", "sampleRateHertz": 16000, "chunkSizeKb": 1}
        assert [orjson.loads(request.data.json) for request in twin.requests] == [
            {"text": "Привет", "voice": "ru", "outputAudioSpec": spec}
        ] * 2

    async def test_request_in_the_body_returns_speech(self, world, voice, answering) -> None:
        twin = answering(spoken)
        body = {"text": "x", "outputAudioSpec": {"audioEncoding": "WAV", "sampleRateHertz": 8000}}
        for path, model in ((self.MODEL, {}), (self.ADAPTER, {"model": voice})):
            answer = await world.client.post(path, json={**body, **model}, headers=world.key())
            assert read_wav(answer.content) == (8000, 1, 2, PCM)
            assert answer.headers["content-type"] == "audio/wav"
        spec = {"audioEncoding": "LINEAR16_PCM", "sampleRateHertz": 8000}
        assert orjson.loads(twin.requests[0].data.json) == {"text": "x", "outputAudioSpec": spec}

    async def test_pieces_have_the_requested_size(self, world, voice, answering, raw) -> None:
        answering(in_parts)
        body = orjson.dumps({"text": "x", "outputAudioSpec": {"chunkSizeKb": 1}})
        request = raw(world.app, self.MODEL, world.key(), body)
        await request.task
        assert [len(chunk) for chunk in request.chunks] == [1024, 1024, 0]

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            ({"text": ""}, "text"),
            ({"text": "x", "outputAudioSpec": {"sampleRateHertz": 1}}, "outputAudioSpec.sampleRateHertz"),
            ({"text": "x", "outputAudioSpec": {"chunkSizeKb": 0}}, "outputAudioSpec.chunkSizeKb"),
            ({"text": "x", "outputAudioSpec": {"audioEncoding": "MP3"}}, "outputAudioSpec.audioEncoding"),
            ({"text": "x", "unknown": 1}, "unknown"),
            ({}, "text"),
        ],
    )
    async def test_invalid_request_is_refused_in_the_platforms_error_format(
        self, world, voice, answering, wrong, named
    ) -> None:
        twin = answering(spoken)
        answer = await world.client.post(self.MODEL, json=wrong, headers=world.key())
        assert (answer.status_code, answer.json()["status"], twin.requests) == (400, 400, [])
        assert [*answer.json()["args"]] == [named]

    @pytest.mark.parametrize(
        ("query", "wrong"),
        [
            ("text=x&sampleRateHertz=fast", {"sampleRateHertz": "must be a whole number"}),
            ("text=x&chunkSizeKb=", {"chunkSizeKb": "must be a whole number"}),
            ("text=x&chunkSizeKb=0", {"chunkSizeKb": "must be 1 to 1024"}),
            ("text=x&audioEncoding=MP3", {"audioEncoding": "must be one of LINEAR16_PCM, WAV"}),
            ("text=x&text=y", {"text": "was sent with two different values; send one"}),
            ("text=x&voice=ru&voice=en", {"voice": "was sent with two different values; send one"}),
            ("text=%ff", {"text": "must be UTF-8"}),
            ("text=x&voice=%ed%a0%80", {"voice": "must be UTF-8"}),
        ],
    )
    async def test_unclear_query_is_refused_with_its_field(self, world, voice, answering, query, wrong) -> None:
        twin = answering(spoken)
        answer = await world.client.get(f"{self.MODEL}?{query}", headers=world.key())
        assert (answer.status_code, answer.json()["args"], twin.requests) == (400, wrong, [])

    async def test_number_beyond_a_double_is_refused_with_its_field(self, world, voice) -> None:
        by_query = await world.client.get(f"{self.MODEL}?text=x&sampleRateHertz=1e999", headers=world.key())
        body = '{"text": "x", "outputAudioSpec": {"sampleRateHertz": 1e999}}'
        by_body = await world.client.post(self.MODEL, content=body, headers=world.key())
        assert (by_query.status_code, [*by_query.json()["args"]]) == (400, ["sampleRateHertz"])
        assert (by_body.status_code, [*by_body.json()["args"]]) == (400, ["outputAudioSpec.sampleRateHertz"])

    def test_query_that_is_not_encoded_is_read_as_text(self) -> None:
        assert read_query("text=Привет+%D0%B8&x=1&x=%ff".encode(), ("text",)) == {"text": "Привет и"}

    @pytest.mark.parametrize(
        ("data_type", "status"),
        [
            *((kind, 502) for kind in (
                "text/html; charset=utf-8", "image/png", "video/mp4", "font/woff2", "multipart/mixed",
                "application/problem+json", "application/pdf", "application/xhtml+xml", "Audio/MPEG", "audio/ogg", "audio/x-m4a",
            )),
            *((kind, 200) for kind in (
                None, "", "application/octet-stream", "audio/wav", "audio/x-wav", "audio/L16; rate=24000", "audio/pcm", "audio/vnd.wave",
                "own-json", "SynthesisResponse",
            )),
        ],
    )  # fmt: skip
    async def test_bytes_of_another_type_are_no_speech(self, world, voice, data_type, status) -> None:
        async def script(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            yield Answer(Payload(protobuf=PCM, data_type=data_type), {})

        world.instance(script, model_id=700)
        answer = await world.client.post(self.MODEL, json={"text": "x"}, headers=world.key())
        assert answer.status_code == status
        assert (answer.content == PCM) == (status == 200)

    async def test_answer_without_audio_is_an_error_of_the_model(self, world, voice, kit) -> None:
        world.instance(kit.says('{"audio_base64": "?"}'), model_id=700)
        answer = await world.client.post(self.MODEL, json={"text": "x"}, headers=world.key())
        assert answer.status_code == 502

    async def test_anonymous_caller_is_refused(self, world, voice) -> None:
        assert (await world.client.post(self.MODEL, json={"text": "x"})).status_code == 401


class TestOverGrpc:
    def test_invalid_request_is_refused_with_the_fields_of_the_message(self) -> None:
        spec = pb.AudioFormatOptions(sample_rate_hertz=1, chunk_size_kb=0)
        with pytest.raises(ValidationFailed) as told:
            tts_request(pb.TtsRequestProto(output_audio_spec=spec))
        assert set(told.value.fields) == {
            "text", "output_audio_spec.sample_rate_hertz", "output_audio_spec.chunk_size_kb",
        }  # fmt: skip


class TestTranscriptions:
    @pytest.fixture
    def ear(self, world, kit) -> str:
        world.know(kit.model_changed(name="ear", model_id=700, task_type="asr"))
        return "acme/ear"

    async def test_most_confident_alternative_becomes_the_text(self, client, ear, answering) -> None:
        readings = [{"text": "no", "confidence": 0.1}, {"text": "yes", "confidence": 0.9}]
        twin = answering(lambda _data, _config: {"alternatives": readings})
        answer = await client.audio.transcriptions.create(model=f"{ear}/big", file=("a.wav", PCM), language="en")
        assert answer.text == "yes"
        sent = orjson.loads(twin.requests[0].data.json)
        assert sent == {"audio_base64": base64.b64encode(PCM).decode(), "model": "big"}
        assert orjson.loads(twin.requests[0].config.json) == {"language": "en"}

    @pytest.mark.parametrize("size", [1, 2, 3, 786_431, 786_432, 786_433, 3_000_000])
    async def test_recording_of_any_size_arrives_whole(self, client, ear, answering, size) -> None:
        recording = random.Random(size).randbytes(size)
        twin = answering(lambda _data, _config: {"text": "hello"})
        for name in ("a.wav", "b.wav"):
            sent = client.audio.transcriptions.create(
                model=f"{ear}/big", file=(name, recording), extra_headers={"Idempotency-Key": "once"}
            )
            assert (await sent).text == "hello"
        [request] = twin.requests
        assert orjson.loads(request.data.json) == {
            "audio_base64": base64.b64encode(recording).decode(), "model": "big"
        }  # fmt: skip

    async def test_another_recording_is_another_request(self, client, ear, answering) -> None:
        answering(lambda _data, _config: {"text": "hello"})
        headers = {"Idempotency-Key": "once"}
        await client.audio.transcriptions.create(model=ear, file=PCM, extra_headers=headers)
        with pytest.raises(openai.APIStatusError) as refused:
            await client.audio.transcriptions.create(model=ear, file=PCM[1:], extra_headers=headers)
        assert refused.value.status_code == 422

    async def test_text_format_returns_plain_text(self, client, ear, answering) -> None:
        answering(lambda _data, _config: {"text": "hello"})
        answer = await client.audio.transcriptions.create(model=ear, file=PCM, response_format="text")
        assert answer.strip() == "hello"

    async def test_repeated_fields_are_lists(self, world, client, ear, answering) -> None:
        twin = answering(lambda _data, _config: {"text": "hello"})
        granularities = ["word", "segment"]
        await client.audio.transcriptions.create(model=ear, file=PCM, timestamp_granularities=granularities)
        form = {"model": ear, "hint": ["a", "b"], "one[]": "c", "plain": "d", "mixed": "e", "mixed[]": "f"}
        path = "/api/adapters/openai/audio/transcriptions"
        answer = await world.client.post(path, data=form, files={"file": PCM}, headers=world.key())
        assert answer.status_code == 200
        configs = [orjson.loads(request.config.json) for request in twin.requests]
        assert configs == [
            {"timestamp_granularities": granularities}, {"hint": ["a", "b"], "one": ["c"], "plain": "d", "mixed": ["e", "f"]},
        ]  # fmt: skip

    @pytest.mark.parametrize("name", ["model[]", "response_format[]", "stream[]", "file[]"])
    async def test_fields_of_the_call_are_no_lists(self, world, ear, answering, name) -> None:
        twin = answering(lambda _data, _config: {"text": "hello"})
        path = "/api/adapters/openai/audio/transcriptions"
        for form, files in (({"model": ear, name: "true"}, {"file": PCM}), ({"model": ear}, {"file": PCM, name: PCM})):
            answer = await world.client.post(path, data=form, files=files, headers=world.key())
            error = answer.json()["error"]
            assert (answer.status_code, error["param"], "is not known" in error["message"]) == (400, name, True)
        assert twin.requests == []

    @pytest.mark.parametrize("name", ["model", "response_format", "stream"])
    async def test_fields_of_the_call_are_not_repeated(self, world, ear, name) -> None:
        form = {"model": ear, name: [ear, "other"]}
        path = "/api/adapters/openai/audio/transcriptions"
        answer = await world.client.post(path, data=form, files={"file": PCM}, headers=world.key())
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, name)

    @pytest.mark.parametrize(
        ("value", "status"),
        [("true", 400), ("True", 400), ("1", 400), ("on", 400), ("false", 200), ("False", 200), ("0", 200), ("", 200)],
    )
    async def test_stream_is_refused_however_it_is_asked_for(self, world, ear, answering, value, status) -> None:
        twin = answering(lambda _data, _config: {"text": "hello"})
        path, form = "/api/adapters/openai/audio/transcriptions", {"model": ear, "stream": value}
        answer = await world.client.post(path, data=form, files={"file": PCM}, headers=world.key())
        named = answer.json()["error"]["param"] if status == 400 else None
        assert (answer.status_code, named, len(twin.requests)) == (
            (400, "stream", 0) if status == 400 else (200, None, 1)
        )

    @pytest.mark.parametrize(
        ("parts", "named"),
        [
            ([("file", PCM), ("file", PCM)], "file"),
            ([("file", PCM)] * 5, "file"),
            ([("file", PCM), ("cover", PCM)], "cover"),
            ([("file", PCM), ("file[]", PCM)], "file[]"),
            ([("cover", PCM)], "file"),
        ],
        ids=["two", "five", "another field", "a list", "only another field"],
    )
    async def test_other_number_of_files_is_refused_with_the_field(self, world, ear, parts, named) -> None:
        path = "/api/adapters/openai/audio/transcriptions"
        answer = await world.client.post(path, data={"model": ear}, files=parts, headers=world.key())
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, named)

    @pytest.mark.parametrize(
        ("kind", "name", "value", "named"),
        [
            ("", b"hint", b"\xff\xfe", ("hint", "must be UTF-8")),
            ("", b"hi\xffnt", b"a", (None, "the request is not valid: a name in the form is not UTF-8")),
            ("; charset=latin-1", b"hint", b"a", (None, "the request is not valid: the form is not in UTF-8")),
            ("; charset=nonsense", b"hint", b"a", (None, "the request is not valid: the form is not in UTF-8")),
            ("; charset=UTF8", b"hint", "Казань".encode(), None),
        ],
    )
    async def test_form_is_utf_8(self, world, ear, answering, kind, name, value, named) -> None:
        twin = answering(lambda _data, _config: {"text": "hello"})
        fields = [
            (b'name="model"', ear.encode()),
            (b'name="file"; filename="a.wav"', PCM),
            (b'name="%b"' % name, value),
        ]
        head = b"--b\r\nContent-Disposition: form-data; "
        body = b"".join(head + given + b"\r\n\r\n" + content + b"\r\n" for given, content in fields) + b"--b--\r\n"
        headers = {**world.key(), "Content-Type": f"multipart/form-data; boundary=b{kind}"}
        answer = await world.client.post("/api/adapters/openai/audio/transcriptions", content=body, headers=headers)
        if named is None:
            assert orjson.loads(twin.requests[0].config.json) == {"hint": "Казань"}
        else:
            error = answer.json()["error"]
            assert (answer.status_code, error["param"], twin.requests) == (400, named[0], [])
            assert named[1] in error["message"]

    async def test_form_beyond_the_limits_is_refused_with_the_limit(self, world, ear) -> None:
        path = "/api/adapters/openai/audio/transcriptions"
        for files, form in (([("file", PCM)] * 40, {}), ([("file", PCM)], {f"a{n}": "b" for n in range(40)})):
            answer = await world.client.post(path, data={"model": ear, **form}, files=files, headers=world.key())
            assert answer.status_code == 400
            assert "32" in answer.json()["error"]["message"]

    async def test_formats_with_times_are_refused(self, client, ear) -> None:
        with pytest.raises(openai.BadRequestError, match="response_format: must be one of json, text") as told:
            await client.audio.transcriptions.create(model=ear, file=PCM, response_format="srt")
        assert (told.value.param, told.value.code) == ("response_format", "mlp.core.validation_error")

    @pytest.mark.parametrize("size", [65_536, 65_537])
    async def test_field_that_is_too_long_is_refused_with_its_name(self, world, ear, answering, size) -> None:
        answering(lambda _data, _config: {"text": "hello"})
        form = {"model": ear, "prompt": "x" * size}
        path = "/api/adapters/openai/audio/transcriptions"
        answer = await world.client.post(path, data=form, files={"file": PCM}, headers=world.key())
        if size == 65_536:
            assert answer.status_code == 200
            return
        error = answer.json()["error"]
        assert (answer.status_code, error["param"]) == (400, "prompt")
        assert error["message"] == "prompt: is longer than 65536 bytes"

    @pytest.mark.parametrize(
        ("content", "kind", "status"),
        [
            (b"{}", "application/json", 415),
            (b"x", "multipart/form-data", 400),
            (b"x", "multipart/form-data; boundary=b", 400),
            (
                b'--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nacme/ear\r\n--b--\r\n',
                "multipart/form-data; boundary=b",
                400,
            ),
            (
                b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n' * 40 + b"--b--\r\n",
                "multipart/form-data; boundary=b",
                400,
            ),
        ],
    )
    async def test_body_other_than_a_form_with_a_file_is_refused(self, world, ear, content, kind, status) -> None:
        headers = {**world.key(), "Content-Type": kind}
        answer = await world.client.post("/api/adapters/openai/audio/transcriptions", content=content, headers=headers)
        assert answer.status_code == status


class TestWavFiles:
    def test_header_has_the_standard_layout(self) -> None:
        assert read_wav(wav_header(16000, len(PCM)) + PCM) == (16000, 1, 2, PCM)

    def test_file_read_byte_by_byte_yields_its_audio(self) -> None:
        file = wav_header(16000, None)[:12] + b"LIST\x03\0\0\0abc\0" + wav_header(16000, None)[12:] + PCM
        reader = PcmReader(16000)
        assert b"".join(reader.feed(file[place : place + 1]) for place in range(len(file))) + reader.end() == PCM

    @pytest.mark.parametrize("step", [1, 7, 4096])
    def test_data_after_the_audio_is_dropped(self, step: int) -> None:
        file = wav_header(16000, len(PCM)) + PCM + b"LIST\x04\0\0\0abcd"
        reader = PcmReader(16000)
        pieces = [reader.feed(file[place : place + step]) for place in range(0, len(file), step)]
        assert b"".join(pieces) + reader.end() == PCM

    @pytest.mark.parametrize("size", [None, 0])
    def test_stream_of_unknown_size_is_read_to_its_end(self, size: int | None) -> None:
        reader = PcmReader(16000)
        assert reader.feed(wav_header(16000, size) + PCM) + reader.feed(PCM) + reader.end() == PCM * 2

    def test_format_split_over_two_pieces_is_checked(self) -> None:
        file = wav_header(16000, len(PCM)) + PCM
        reader = PcmReader(8000)
        reader.feed(file[:24])
        with pytest.raises(UnexpectedAnswer):
            reader.feed(file[24:])

    def test_each_header_chunk_is_parsed_once_however_small_the_pieces(self) -> None:
        looks = 0

        class Reader(PcmReader):
            def _check(self, kind: int, channels: int, rate: int, _bytes: int, _align: int, bits: int) -> None:
                nonlocal looks
                looks += 1

        file = wav_header(16000, None)[:36] + b"LIST\0\0\0\0" * 100 + wav_header(16000, None)[36:] + PCM
        reader = Reader(16000)
        assert b"".join(reader.feed(file[place : place + 1]) for place in range(len(file))) == PCM
        assert looks == 1

    def test_short_bare_pcm_passes(self) -> None:
        for audio in (b"", b"\1\0", b"RI", PCM):
            reader = PcmReader(None)
            assert reader.feed(audio) + reader.end() == audio

    def test_stereo_audio_is_refused(self) -> None:
        file = bytearray(wav_header(16000, 8))
        file[22] = 2
        with pytest.raises(UnexpectedAnswer):
            PcmReader(None).feed(bytes(file))

    def test_endless_header_is_refused(self) -> None:
        with pytest.raises(UnexpectedAnswer):
            PcmReader(None).feed(b"RIFF....WAVELIST" + (2**31).to_bytes(4, "little") + bytes(70_000))

    async def test_pieces_are_cut_to_a_new_size(self) -> None:
        async def audio():
            for part in (b"ab", b"", b"cde", b"f"):
                yield part

        assert [piece async for piece in in_pieces(audio(), 4)] == [b"abcd", b"ef"]
        assert [piece async for piece in in_pieces(audio(), None)] == [b"ab", b"cde", b"f"]

    @pytest.mark.parametrize(("size", "heard"), [(4, [b"abcd", b"ef"]), (None, [b"abc", b"def"]), (8, [])])
    async def test_what_is_held_comes_before_an_error_unless_nothing_did_before(self, size, heard) -> None:
        async def audio():
            yield b"abc"
            yield b"def"
            raise ChannelClosed(reason="lost")

        pieces = in_pieces(audio(), size)
        assert [await anext(pieces) for _ in heard] == heard
        with pytest.raises(ChannelClosed):
            await anext(pieces)

    @pytest.mark.parametrize("size", [len(PCM) + 45, 0x1FFF_FFFF])
    def test_file_with_less_audio_than_it_says_is_refused(self, size) -> None:
        reader = PcmReader(16000)
        assert reader.feed(wav_header(16000, size) + PCM) == PCM
        with pytest.raises(UnexpectedAnswer, match="a WAV file that ends too early"):
            reader.end()

    @pytest.mark.parametrize("size", [len(PCM) + 36, len(PCM) + 44])
    def test_size_may_count_the_header(self, size) -> None:
        reader = PcmReader(16000)
        assert reader.feed(wav_header(16000, size) + PCM) + reader.end() == PCM

    @pytest.mark.parametrize("size", [0, 0x2000_0000, 0x7FFF_F000, 0x7FFF_FFFF])
    def test_size_that_a_writer_did_not_know_is_none(self, size) -> None:
        reader = PcmReader(16000)
        assert reader.feed(wav_header(16000, size) + PCM) + reader.end() == PCM
