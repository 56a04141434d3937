from collections.abc import Generator, MutableMapping
from typing import Any

import pytest
from structlog.testing import capture_logs

from mlplace_runtime.outage import Outage


class _Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> _Time:
    return _Time()


@pytest.fixture
def lines() -> Generator[list[MutableMapping[str, Any]]]:
    with capture_logs() as captured:
        yield captured


def _events(lines: list[MutableMapping[str, Any]]) -> list[str]:
    return [line["event"] for line in lines]


_ERROR = ConnectionError("away")


class TestPauses:
    def test_they_double_up_to_the_longest(self, time: _Time) -> None:
        outage = Outage("w", seconds=time, chance=lambda: 0.0)
        assert [outage.failed(_ERROR) for _ in range(7)] == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]

    def test_jitter_takes_up_to_half(self, time: _Time) -> None:
        assert Outage("w", seconds=time, chance=lambda: 1.0).failed(_ERROR) == 0.05

    def test_a_success_resets_them(self, time: _Time) -> None:
        outage = Outage("w", seconds=time, chance=lambda: 0.0)
        for _ in range(5):
            outage.failed(_ERROR)
        outage.over()
        assert outage.failed(_ERROR) == 0.1


class TestLines:
    def test_are_logged_at_the_beginning_every_thirty_seconds_and_at_the_end(
        self, time: _Time, lines: list[MutableMapping[str, Any]]
    ) -> None:
        outage = Outage("w", seconds=time)
        for _ in range(1000):
            outage.failed(_ERROR)
            time.now += 0.1
        outage.over()
        outage.over()
        assert _events(lines) == ["outage_began", *["outage_continued"] * 3, "outage_ended"]
        assert lines[0]["error"] == "ConnectionError('away')"
        assert (lines[-1]["failures"], lines[-1]["seconds"]) == (1000, 100.0)

    def test_flapping_logs_no_more_than_an_outage(self, time: _Time, lines: list[MutableMapping[str, Any]]) -> None:
        outage = Outage("w", seconds=time)
        for _ in range(100):
            outage.failed(_ERROR)
            outage.over()
            time.now += 0.5
        assert _events(lines) == ["outage_began", "outage_ended"] * 2

    def test_a_success_without_an_outage_logs_nothing(self, lines: list[MutableMapping[str, Any]]) -> None:
        outage = Outage("w")
        outage.over()
        assert not outage.lasting
        assert lines == []
