import socket
import subprocess
import sys
from pathlib import Path

import pytest

from mlplace_testing import ports
from mlplace_testing.ports import free_port

_FIVE = "from mlplace_testing.ports import free_port; print(*(free_port() for _ in range(5)))"
_FIRST, _BEHIND_LAST = 27_100, 27_200
"""Beside the range of the servers of other tests."""


@pytest.fixture(autouse=True)
def counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A counter of this test's own."""
    counter = tmp_path / "counter"
    monkeypatch.setattr(ports, "_COUNTER", counter)
    monkeypatch.setattr(ports, "_FIRST", _FIRST)
    monkeypatch.setattr(ports, "_BEHIND_LAST", _BEHIND_LAST)
    return counter


class TestFreePort:
    def test_processes_at_the_same_time_get_different_ports_below_those_of_connections(self) -> None:
        command = [sys.executable, "-c", _FIVE]
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
        given = [int(port) for process in processes for port in process.communicate()[0].split()]
        assert len(set(given)) == 20
        assert all(24_000 <= port < 27_000 for port in given)

    def test_skips_a_port_that_is_taken_or_whose_neighbour_is(self, counter: Path) -> None:
        first = free_port()
        with socket.socket() as near, socket.socket() as far:
            near.bind(("127.0.0.1", first + 1))
            far.bind(("127.0.0.1", first + 12))
            assert free_port(10) >= first + 3
            assert int(counter.read_text()) >= first + 13

    def test_begins_anew_at_the_end_of_its_range(self, counter: Path) -> None:
        counter.write_text(str(_BEHIND_LAST - 1))
        assert free_port() == _FIRST

    @pytest.mark.parametrize("text", ["", "no number", "-4"])
    def test_a_broken_counter_begins_anew(self, counter: Path, text: str) -> None:
        counter.write_text(text)
        assert _FIRST <= free_port() < _BEHIND_LAST

    def test_a_counter_behind_a_link_is_refused(self, counter: Path, tmp_path: Path) -> None:
        counter.symlink_to(tmp_path / "of another user")
        with pytest.raises(OSError, match="symbolic"):
            free_port()
