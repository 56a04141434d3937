import io
import json
import logging
from collections.abc import Generator

import pytest
import structlog

from mlplace_runtime.telemetry.logs import configure_logs
from mlplace_runtime.telemetry.repeats import Repeats


class _Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> _Time:
    return _Time()


@pytest.fixture
def repeats(time: _Time) -> Repeats:
    return Repeats(seconds=time)


def _record(logger: str, message: object, *arguments: object) -> logging.LogRecord:
    return logging.LogRecord(logger, logging.WARNING, "", 0, message, arguments, None)


class TestFilter:
    def test_a_library_logs_once_per_half_minute_with_the_number_left_out(self, repeats: Repeats, time: _Time) -> None:
        heard: list[str] = []
        for number in range(61):
            record = _record("aiokafka.conn", "cannot reach %s", number)
            if repeats.filter(record):
                heard.append(record.getMessage())
            time.now += 1
        assert heard == [
            "cannot reach 0",
            "cannot reach 30 (and 29 more of these)",
            "cannot reach 60 (and 29 more of these)",
        ]

    def test_another_message_of_the_library_is_logged_at_once(self, repeats: Repeats) -> None:
        assert repeats.filter(_record("aiokafka.conn", "one"))
        assert repeats.filter(_record("aiokafka.conn", "other"))

    def test_errors_of_many_requests_are_one_line_with_a_count(self, repeats: Repeats, time: _Time) -> None:
        def said() -> logging.LogRecord:
            return _record("mlplace_runtime.web.errors", {"event": "dependency_unavailable", "request_id": "r"})

        assert [repeats.filter(said()) for _ in range(3)] == [True, False, False]
        time.now = 31
        late = said()
        assert repeats.filter(late)
        assert late.msg == {"event": "dependency_unavailable", "request_id": "r", "repeated": 2}

    def test_other_records_pass(self, repeats: Repeats) -> None:
        records = [_record("mlpcore", {"event": "event_parked"}), _record("uvicorn.error", "text")]
        assert all(repeats.filter(record) for record in records * 2)


@pytest.fixture
def output() -> Generator[io.StringIO]:
    stream = io.StringIO()
    root = logging.getLogger()
    handlers, level, configured = root.handlers[:], root.level, structlog.get_config()
    configure_logs(stream=stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**configured)


class TestConfigureLogs:
    def test_no_logger_can_flood(self, output: io.StringIO) -> None:
        for _ in range(20):
            logging.getLogger("aiokafka.consumer").error("away")
            structlog.get_logger("web").warning("dependency_unavailable")
        lines = [json.loads(line) for line in output.getvalue().splitlines()]
        assert [line["event"] for line in lines] == ["away", "dependency_unavailable"]
