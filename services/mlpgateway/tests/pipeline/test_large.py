"""Texts of megabytes, where they are not passed on unchanged."""

import pytest

from mlpgateway.call.call import Answer, Call, Caller, Operation, Payload
from mlpgateway.call.context import size_of
from mlpgateway.call.large_json import (
    LARGE_BYTES,
    LargeText,
    TextBuffer,
    answer_with_strings,
    call_with_string,
    is_utf8,
    payload_of,
)
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.features.predictions import calls
from mlpgateway.instances.peers import messages
from mlpgateway.policy.limits.content import check_size
from mlplace_contracts.limits import SizeRule
from mlplace_kit.errors import PayloadTooLarge
from mlplace_runtime.secrets import Vault

TEXT = '"' + "я" * LARGE_BYTES + '"'
BYTES = len(TEXT.encode())
LARGE = LargeText(source=TextBuffer(TEXT.encode()), data_type="t")
PLAIN = Payload(json=TEXT, data_type="t")
REQUEST = InstanceRequest(Operation.PREDICT, LARGE, None, None, {}, {})
NOBODY = Caller(None, credential_is_session=False, billing_key=None, client_ip="")
CALL = Call("r1", "acme", "ner", Operation.PREDICT, NOBODY, LARGE)


def test_large_text_reads_like_any_other() -> None:
    assert (LARGE.json, LARGE.protobuf, LARGE.data_type) == (TEXT, None, "t")


def test_its_size_is_its_bytes() -> None:
    assert size_of(LARGE) == BYTES
    check_size(SizeRule(unit="BYTES", most=BYTES), CALL)
    check_size(SizeRule(unit="CHARACTERS", most=len(TEXT)), CALL)
    for rule in (SizeRule(unit="BYTES", most=BYTES - 1), SizeRule(unit="CHARACTERS", most=len(TEXT) - 1)):
        with pytest.raises(PayloadTooLarge):
            check_size(rule, CALL)


def test_string_of_that_size_becomes_a_large_text() -> None:
    made = payload_of(TEXT, "t")
    assert type(made) is LargeText
    assert (made.json, made.data_type) == (TEXT, "t")
    assert payload_of("1", "t") == Payload(json="1", data_type="t")


def test_large_text_reaches_other_gates_and_predictions_whole() -> None:
    vault = Vault(b"k" * 32)
    assert messages.forwarded(messages.encode(messages.Forwarded(call_with_string(REQUEST)))).request.data == PLAIN
    packed = calls.pack(CALL, prediction_id="p", vault=vault)
    assert calls.unpack(*packed, prediction_id="p", vault=vault).data == PLAIN


def test_large_text_arrives_whole_from_another_gate() -> None:
    answer = Answer(LARGE, {"Z-a": "1"}, before=(Payload(json="1"), LARGE))
    said = messages.outcome(messages.encode(messages.AnswerMessage(answer_with_strings(answer))))
    assert said == messages.AnswerMessage(Answer(PLAIN, {"Z-a": "1"}, before=(Payload(json="1"), PLAIN)))


def test_other_payloads_are_unchanged() -> None:
    small = InstanceRequest(Operation.PREDICT, Payload(json="1"), None, None, {}, {})
    assert call_with_string(small) is small
    answer = Answer(Payload(json="1"), {}, before=(Payload(protobuf=b"1"),))
    assert answer_with_strings(answer) is answer


class TestUtf8:
    @pytest.mark.parametrize("before", range(5))
    def test_characters_may_be_split_over_blocks(self, before: int) -> None:
        assert is_utf8(b"x" * before + "\U0001f600".encode() * 200_000)

    @pytest.mark.parametrize("wrong", [b"\xff", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\xaf"])
    @pytest.mark.parametrize("before", [0, 256 * 1024 - 1, 600_000])
    def test_invalid_bytes_are_found_anywhere(self, wrong: bytes, before: int) -> None:
        assert not is_utf8(bytearray(b"x" * before + wrong))
