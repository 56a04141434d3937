"""`MLP_CHAOS_SEEDS`, numbers separated by commas, repeats runs. `MLP_PROOFS=full` makes more and longer ones."""

import os
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from mlplace_testing.processes import ForkServer
from tests.chaos.installation import Installation
from tests.chaos.processes import kill_processes
from tests.crashes.conftest import report_figure

__all__ = ["report_figure"]

ReportFigure = Callable[[str], None]
FULL = os.environ.get("MLP_PROOFS") == "full"
_FEW, _MANY = (1,), tuple(range(1, 9))


def _seeds() -> tuple[int, ...]:
    given = os.environ.get("MLP_CHAOS_SEEDS")
    return tuple(map(int, given.split(","))) if given else _MANY if FULL else _FEW


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", _seeds())


@pytest.fixture
def rounds() -> int:
    return 24 if FULL else 10


@pytest.fixture(scope="session")
def fork_server() -> Generator[ForkServer]:
    """Each restart would load the platform for seconds."""
    with ForkServer("standalone.platform", "mlplace_agent.__main__", "tests.chaos.launcher") as opened:
        yield opened


@pytest.fixture
def installation(fork_server: ForkServer) -> Generator[Installation]:
    with tempfile.TemporaryDirectory(prefix="mlplace-chaos-", ignore_cleanup_errors=True) as folder:
        made = Installation(fork_server, Path(folder))
        yield made
        made.agent.kill()
        made.platform.kill()
        kill_processes(made.folder)
