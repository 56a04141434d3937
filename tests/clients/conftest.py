"""A platform with the models that the clients call, and what each client got from it.

The platform is the one at MLP_ACCEPTANCE_URL, as for `tests/acceptance`, or an all-in-one of its own.
"""

import json
import os
from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.acceptance.conftest import Platform
from tests.attacks.installation import running
from tests.clients.served import Served, serving
from tests.clients.started import Answers, answers_of_javascript, answers_of_python


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Generator[Platform]:
    with ExitStack() as stack:
        if url := os.environ.get("MLP_ACCEPTANCE_URL"):
            data = Path(os.environ["MLP_ACCEPTANCE_CHECKOUT"]) / ".data"
        else:
            target = stack.enter_context(running(tmp_path_factory.mktemp("clients")))
            url, data = target.url, target.data
        state = json.loads((data / "demo.json").read_text())
        yield Platform(data.parent, url, state["api_key"], state["passwords"])


@pytest.fixture(scope="session")
def served(platform: Platform, tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with serving(platform, tmp_path_factory.mktemp("models")) as started:
        yield started


@pytest.fixture(scope="session")
def python_client(served: Served) -> Callable[[str], Answers]:
    """Runs the cases of a Python client in a process of its own, once."""
    known: dict[str, Answers] = {}

    def run(client: str) -> Answers:
        if client not in known:
            known[client] = answers_of_python(client, served)
        return known[client]

    return run


@pytest.fixture(scope="session")
def javascript_client(served: Served) -> Answers:
    return answers_of_javascript(served)
