"""Recognitions that `asr` models answer as JSON, for callers over gRPC."""

import json
from typing import Any

import pytest
from google.protobuf import json_format

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.large_json import payload_of
from mlpgateway.entry.grpc import recognition
from mlpgateway.entry.grpc.recognition import MOST_VALUES, recognition_in
from mlpgateway.entry.grpc.speech import as_recognition
from mlpgateway.errors.gate import UnexpectedAnswer
from mlplace_gateproto import gate_pb2 as pb

WORD = {"word": "да", "confidence": 0.5, "startTime": "1.5s", "endTime": "2s"}
TIMES = ["0s", "1s", "1.5s", "-1.5s", "-0.5s", "1.000000001s", "3599.123456789s", "-315576000000s", "1.s"]
NUMBERS = [0, 1, -0.5, "0.5", "1", "Infinity", "-Infinity", "1e39", 3.4028234663852886e38]


def of_words(*words: object) -> dict[str, Any]:
    return {"chunks": [{"alternatives": [{"words": list(words)}]}]}


READ = [
    {"chunks": []},
    {"final": True},
    {"chunks": None, "final": None},
    {"chunks": [{}, {"final": True, "end_of_utterance": True, "alternatives": []}], "provider_specific": "x"},
    {"chunks": [{"endOfUtterance": True, "alternatives": None, "own": [1]}], "providerSpecific": "x", "own": {"a": 1}},
    {"chunks": [{"alternatives": [{"text": "да", "confidence": 1, "words": None}]}]},
    {"chunks": [{"alternatives": [{"text": None, "confidence": None, "words": []}]}]},
    of_words(WORD, {}, {"start_time": "1s", "end_time": None, "word": None, "confidence": None, "own": 1}),
    *[of_words({"startTime": text, "end_time": text}) for text in TIMES],
    *[of_words({"confidence": number}) for number in NUMBERS],
]
BROKEN = [
    {"chunks": 5}, {"chunks": [1]}, {"chunks": [None]}, {"chunks": {}}, {"final": "true"}, {"final": 1},
    {"chunks": [{"alternatives": {}}]}, {"chunks": [{"alternatives": [{"text": 1}]}]},
    *[of_words(word) for word in (None, 1, {"word": 1}, {"confidence": {}}, {"confidence": "much"})],
    *[of_words({"confidence": number}) for number in (3.5e38, -3.5e38, "", "one")],
    *[of_words({"startTime": text}) for text in (1, "", "s", "1", "1.5", "one s", "1.-5s", "1.²s", "1e3s")],
    *[of_words({"endTime": f"{sign}315576000001s"}) for sign in ("", "-")],
]  # fmt: skip


def parsed(said: object) -> pb.AsrResponseProto:
    return json_format.ParseDict(said, pb.AsrResponseProto(), ignore_unknown_fields=True)  # type: ignore[arg-type]


class TestNames:
    @pytest.mark.parametrize("said", READ, ids=repr)
    def test_json_of_proto3_is_read_as_protobuf_reads_it(self, said) -> None:
        assert recognition_in(json.dumps(said), last=True) == parsed(said)

    @pytest.mark.parametrize("said", BROKEN, ids=repr)
    def test_what_protobuf_does_not_read_is_an_error(self, said) -> None:
        with pytest.raises(json_format.ParseError):
            parsed(said)
        with pytest.raises(UnexpectedAnswer):
            recognition_in(json.dumps(said), last=True)

    @pytest.mark.parametrize(
        "text", ["", "{", "[]", "1", '{"chunks":[]} x', "[" * 5000, '{"ok":1}', '{"own":"\\ud800"}']
    )
    def test_other_json_and_other_text_are_errors(self, text) -> None:
        with pytest.raises(UnexpectedAnswer):
            recognition_in(text, last=True)

    def test_long_time_is_an_error(self) -> None:
        with pytest.raises(UnexpectedAnswer):
            recognition_in(json.dumps(of_words({"startTime": f"{'0' * 4000}1s"})), last=True)

    @pytest.mark.parametrize("last", [False, True])
    def test_alternatives_of_a_plain_model_are_one_chunk(self, last) -> None:
        alternatives = [{"text": "да", "words": [WORD]}]
        said = recognition_in(json.dumps({"alternatives": alternatives, "final": not last}), last=last)
        assert said == parsed({"chunks": [{"alternatives": alternatives, "final": last}], "final": last})
        assert said.HasField("final")

    def test_alternatives_beside_chunks_are_left_out(self) -> None:
        assert recognition_in('{"chunks":[],"alternatives":[{"text":"a"}]}', last=True) == pb.AsrResponseProto()


class TestAnswers:
    def test_empty_part_is_an_empty_recognition(self) -> None:
        assert as_recognition(Answer(Payload(), {}, partial=True)).payload == Payload(protobuf=b"")

    def test_message_stays_as_it_is(self) -> None:
        answer = Answer(Payload(protobuf=pb.AsrResponseProto(final=True).SerializeToString()), {})
        assert as_recognition(answer) is answer

    def test_bytes_that_are_no_message_are_an_error(self) -> None:
        with pytest.raises(UnexpectedAnswer):
            as_recognition(Answer(Payload(protobuf=b"\xff"), {}))


class TestBounds:
    @pytest.mark.parametrize("words", [10, 10_000])
    def test_an_hour_of_speech_is_read(self, words) -> None:
        chunks = [{"alternatives": [{"text": "a", "words": [WORD] * words}]}] * (10_000 // words)
        assert len(recognition_in(json.dumps({"chunks": chunks}), last=True).chunks) == len(chunks)

    def test_more_values_are_an_error_before_they_are_read(self, monkeypatch) -> None:
        """Building 80,000 chunks would block the event loop for a second or two."""
        text = json.dumps({"chunks": [{"alternatives": [{"words": [{}]}]}] * 80_000})
        monkeypatch.setattr(recognition, "_recognition", None)
        with pytest.raises(UnexpectedAnswer, match=str(MOST_VALUES)):
            recognition_in(text, last=True)

    def test_an_error_beside_it_is_one(self) -> None:
        said = {"alternatives": [{"text": ""}], "error": {"message": "no memory", "code": 503}}
        with pytest.raises(UnexpectedAnswer):
            as_recognition(Answer(payload_of(json.dumps(said)), {}))
