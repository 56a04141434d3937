import pytest
from opentelemetry.trace import NonRecordingSpan, SpanContext, use_span

from mlplace_runtime.telemetry import current

_TRACE, _SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
_KNOWN = f"00-{_TRACE}-{_SPAN}-01"


class TestKnownTrace:
    @pytest.mark.parametrize(
        ("given", "known"),
        [
            (_KNOWN, _KNOWN),
            (f"01-{_TRACE}-{_SPAN}-00", f"00-{_TRACE}-{_SPAN}-00"),
            (f"cc-{_TRACE}-{_SPAN}-01-what-comes-later", _KNOWN),
        ],
    )
    def test_a_valid_trace_parent_is_returned_as_version_00(self, given: str, known: str) -> None:
        assert current.known_trace(given) == known

    @pytest.mark.parametrize(
        "given",
        [
            None,
            "",
            "x",
            f"{_KNOWN}-more",
            f"ff-{_TRACE}-{_SPAN}-01",
            f"00-{_TRACE.upper()}-{_SPAN}-01",
            f"00-{'0' * 32}-{_SPAN}-01",
            f"00-{_TRACE}-{'0' * 16}-01",
            f"{_KNOWN}\r\nx: y",
            f"01-{_TRACE}-{_SPAN}-01-a\r\nx: y",
        ],
    )
    def test_an_invalid_trace_parent_is_none(self, given: str | None) -> None:
        assert current.known_trace(given) is None


class TestTraceParent:
    def test_is_that_of_the_request_until_it_ends(self) -> None:
        token = current.begin(current.ServedRequest("r-1", "test", _KNOWN))
        assert current.trace_parent() == _KNOWN
        assert current.fields() == {"request_id": "r-1", "service": "test", "trace_id": _TRACE}
        current.end(token)
        assert current.trace_parent() is None
        assert current.fields() == {}

    def test_without_a_trace_of_the_request_is_that_of_the_current_span(self) -> None:
        token = current.begin(current.ServedRequest("r-1", "test"))
        with use_span(NonRecordingSpan(SpanContext(0xA1, 0xB2, is_remote=False))):
            assert current.trace_parent() == f"00-{0xA1:032x}-{0xB2:016x}-00"
        assert current.trace_parent() is None
        current.end(token)
