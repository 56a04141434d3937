"""The program of the hook that makes the secrets."""

import importlib.util
import re
from types import ModuleType

import pytest

from tests.chart.conftest import CHART


@pytest.fixture(scope="module")
def program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_secrets", CHART / "files" / "make_secrets.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TestCompleted:
    def test_random_values_are_32_bytes_in_hexadecimal_and_differ(self, program: ModuleType) -> None:
        made = program.completed({}, {"A": "{random}", "B": "{random}"})
        assert all(re.fullmatch("[0-9a-f]{64}", value) for value in made.values())
        assert made["A"] != made["B"]

    def test_values_refer_to_others_whatever_their_order(self, program: ModuleType) -> None:
        made = program.completed({}, {"A_URL": "redis://:{Z_PASSWORD}@redis", "Z_PASSWORD": "{random}"})
        assert made["A_URL"] == f"redis://:{made['Z_PASSWORD']}@redis"

    def test_existing_values_stay_and_are_referred_to(self, program: ModuleType) -> None:
        made = program.completed({"PASSWORD": "old"}, {"PASSWORD": "{random}", "URL": "x:{PASSWORD}"})
        assert made == {"URL": "x:old"}
