"""The last event of a streamed answer, finished or not, with and without a length of the body (`docs/http-instances.md`)."""

import pytest

from mlpgateway.call.transport import InstanceError
from mlpgateway.errors.calls import BrokenAnswer
from mlpgateway.instances.http.answer_body import body_of

EVENTS = ((b"Content-Type", b"text/event-stream"),)
WHOLE = b'data: {"n":1}\n\n'


def parts(rest: bytes, *, framed: bool) -> list[str | None]:
    """Returns the parts of an answer of one whole event and the rest; the last is the mark of the end."""
    headers = (*EVENTS, (b"Content-Length", b"99")) if framed else EVENTS
    body = body_of(200, headers, 1000, whole=False)
    found = [*body.piece(WHOLE + rest)]
    if not found[-1].last:
        found += body.end()
    return [answer.payload.json for answer in found]


class TestUnfinished:
    @pytest.mark.parametrize("rest", [b'data: {"n":2}\n', b'data: {"n":2}', b'event: own\ndata: {"n":2}\n'])
    def test_counts_only_in_a_body_with_a_length(self, rest) -> None:
        assert parts(rest, framed=True) == ['{"n":1}', '{"n":2}', None]
        with pytest.raises(BrokenAnswer):
            parts(rest, framed=False)

    @pytest.mark.parametrize("rest", [b"event: own\n", b"data", b"event: er"])
    def test_without_data_is_left_out_only_in_a_body_with_a_length(self, rest) -> None:
        assert parts(rest, framed=True) == ['{"n":1}', None]
        with pytest.raises(BrokenAnswer):
            parts(rest, framed=False)

    @pytest.mark.parametrize("framed", [False, True])
    @pytest.mark.parametrize("rest", [b"event: error\n", b"event: error\n\n", b'event: error\ndata: {"n":2}\n'])
    def test_error_is_one(self, rest, framed) -> None:
        with pytest.raises(InstanceError):
            parts(rest, framed=framed)


class TestEnd:
    @pytest.mark.parametrize("framed", [False, True])
    @pytest.mark.parametrize(
        "rest",
        [b"", b"\n", b": a comment\n", b"data: [DONE]\n", b"data: [DONE]\n\n", b"event: end\n", b"event: end\n\n"],
    )
    def test_it_needs_no_mark_and_no_blank_line(self, rest, framed) -> None:
        assert parts(rest, framed=framed) == ['{"n":1}', None]
