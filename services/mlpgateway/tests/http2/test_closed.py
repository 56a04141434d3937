"""The log about connections that the server closes."""

import structlog.testing

from mlpgateway.http2.closed import ClosedConnections
from mlpgateway.http2.frames import Code


def test_flood_with_one_cause_is_one_log_line_in_ten_seconds_and_hides_no_other():
    now = 1000.0
    closed = ClosedConnections(lambda: now)
    with structlog.testing.capture_logs() as lines:
        for _ in range(1_000):
            closed.note(Code.ENHANCE_YOUR_CALM, "too many connections", "ipv4:192.0.2.1:1")
        closed.note(Code.PROTOCOL_ERROR, "this is not HTTP/2", "ipv4:192.0.2.2:1")
        now += 10.0
        closed.note(Code.ENHANCE_YOUR_CALM, "too many connections", "ipv4:192.0.2.1:1")
    assert [(line["code"], line["count"]) for line in lines] == [
        ("ENHANCE_YOUR_CALM", 1),
        ("PROTOCOL_ERROR", 1),
        ("ENHANCE_YOUR_CALM", 1_000),
    ]
