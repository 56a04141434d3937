"""The corpus of requests against the server that every process of the platform has."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Final

import pytest

from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer
from mlplace_testing.http_corpus import CASES
from mlplace_testing.http_corpus.model import Case, End, Front, Outcome
from mlplace_testing.http_corpus.observed import Recorder, observed

PAGE: Final = Path(__file__).resolve().parents[3] / "docs" / "http.md"


@pytest.fixture(scope="module")
async def recorded() -> AsyncGenerator[tuple[int, Recorder]]:
    recorder, listener = Recorder(), listen("127.0.0.1", 0)
    server = HttpServer(recorder, listener)
    await server.start()
    yield listener.getsockname()[1], recorder
    await server.stop()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_server_sees_the_requests_that_the_standard_sees(recorded: tuple[int, Recorder], case: Case) -> None:
    port, recorder = recorded
    assert await observed(port, recorder, case) == case.expected(Front.SERVER), case.rule


async def test_segments_of_one_byte_change_no_outcome(recorded: tuple[int, Recorder]) -> None:
    """Leaves out cases in which the server closes the connection while the caller still writes: bytes that come then make
    the system reset it, and the caller may lose the answer. A server that refuses a request waits for what still comes.
    """
    port, recorder = recorded
    different: dict[str, Outcome] = {}
    for case in (case for case in CASES if len(case.sent) < 1_000 and "Sec-WebSocket-Version" not in str(case.sent)):
        expected = case.expected(Front.SERVER)
        if expected.end is End.CLOSES:
            continue
        outcome = await observed(port, recorder, case, segment=1)
        if outcome != expected:
            different[case.name] = outcome
    assert different == {}


class TestCorpus:
    def test_names_are_unique(self) -> None:
        names = [case.name for case in CASES]
        assert len(set(names)) == len(names)

    def test_what_is_accepted_differs_from_the_standard(self) -> None:
        fronts = (Front.SERVER, Front.EDGE)
        found = [(case, [case.accepted.at.get(front) for front in fronts]) for case in CASES if case.accepted]
        assert [case.name for case, outcomes in found if case.outcome in outcomes] == []

    def test_page_has_a_row_for_each_accepted_difference_and_no_other(self) -> None:
        rows = re.findall(r"^\| ([^|]+?) \|", PAGE.read_text(), re.MULTILINE)
        assert sorted(rows[1:]) == sorted({case.accepted.row for case in CASES if case.accepted})
