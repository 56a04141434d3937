"""A start with a wrong setting ends with a sentence that names the environment variable."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from pydantic import SecretStr, ValidationError

from mlplace_kit.settings import PlaceholderError, Settings, variable_of
from mlplace_runtime.process import SERVICES
from mlplace_runtime.process.problems import describe
from standalone.settings_page import SECTIONS

WRONG: Final = "/33,[{"
"""No number, address, URL, list or switch."""
HEX: Final = "ab" * 32
NEEDED: Final = {
    "MLP_INTERNAL_TOKEN": HEX,
    "MLP_HASH_SECRET": HEX,
    "MLP_ENVELOPE_KEY": HEX,
    "MLP_BUS": "kafka://one:9092",
    "MLP_MLPGATEWAY_USAGE_SPOOL_DIR": "spool",
    **{f"MLP_{name.upper()}_DATABASE_URL": f"postgresql://{name}@h/d" for name in SERVICES},
    **{f"MLP_{name.upper()}_OWNER_DATABASE_URL": f"postgresql://{name}_owner@h/d" for name in SERVICES},
}
"""What has no default."""
ANY_TEXT: Final = (str, str | None, Path, Path | None, SecretStr, SecretStr | None)
"""Types of settings that may hold any text."""


def kinds() -> dict[str, type[Settings]]:
    models = (section.model for section in SECTIONS)
    return {model.__name__: model for model in models if issubclass(model, Settings)}


KINDS: Final = kinds()
VARIABLES: Final = [(name, field) for name, kind in KINDS.items() for field in kind.model_fields]
STARTS: Final = {
    "a service": ["-m", "mlpgateway", "serve"],
    "all in one": ["-m", "standalone", "run"],
    "preparing": ["-m", "standalone.installation", "prepare"],
}


@pytest.fixture
def refusal(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[Settings]], str | None]:
    """Returns what the start says about these settings; None: they fit."""
    for name, value in NEEDED.items():
        monkeypatch.setenv(name, value)

    def read(kind: type[Settings]) -> str | None:
        try:
            kind()
        except (ValidationError, PlaceholderError) as error:
            return describe(error)
        return None

    return read


class TestEveryVariable:
    @pytest.mark.parametrize("name", KINDS)
    def test_needed_values_suffice(self, refusal, name: str) -> None:
        assert refusal(KINDS[name]) is None

    @pytest.mark.parametrize(("name", "field"), VARIABLES)
    def test_refusal_names_the_variable_and_hides_the_value(self, refusal, monkeypatch, name: str, field: str) -> None:
        variable = variable_of(KINDS[name], field)
        monkeypatch.setenv(variable, WRONG)
        said = refusal(KINDS[name])
        if said is None:
            assert KINDS[name].model_fields[field].annotation in ANY_TEXT
        else:
            assert variable in said
            assert WRONG not in said


class TestDatabaseUrls:
    @pytest.mark.parametrize(
        ("name", "field"), [(name, field) for name, field in VARIABLES if field.endswith("database_url")]
    )
    @pytest.mark.parametrize("password", ["p@ss:word", "no url"])
    def test_password_that_is_not_escaped_is_not_repeated(
        self, refusal, monkeypatch, name: str, field: str, password: str
    ) -> None:
        """SQLAlchemy would say that `word@h` is no number."""
        url = password if password == "no url" else f"postgresql+asyncpg://mlpcore:{password}@h:5432/d"
        monkeypatch.setenv(variable_of(KINDS[name], field), url)
        said = refusal(KINDS[name])
        assert said is not None
        assert f"{variable_of(KINDS[name], field)}: " in said
        assert "%40" in said
        assert "word@h" not in said


class TestStart:
    @pytest.mark.parametrize("name", STARTS)
    def test_wrong_proxies_are_refused_by_the_name_of_the_variable(self, name: str) -> None:
        given = {**os.environ, **NEEDED, "MLP_TRUSTED_PROXIES": "10.0.0.0/33"}
        ended = subprocess.run([sys.executable, *STARTS[name]], env=given, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr.startswith("The settings cannot be used: MLP_TRUSTED_PROXIES: ")
        assert ended.stderr.count("\n") == 1
