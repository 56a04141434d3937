"""`.env.example` names what the compose files read, with the same defaults, and is enough to build the images."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OF_A_BUILD = {"MLP_VERSION", "MLP_BUILD_NUMBER", "MLP_BUILD_DATE", "MLP_BUILD_BRANCH"}
"""Whoever builds images sets these, not whoever operates an installation."""
OF_COMPOSE = {"COMPOSE_FILE"}
_NAME = re.compile(r"(?<!\$)\$\{(\w+)")
_INNERMOST = re.compile(r"(?<!\$)\$\{(\w+)(?::-([^${}]*)|:\?[^${}]*)?\}")
_LINE = re.compile(r"^(# )?([A-Z][A-Z0-9_]*)=(.*)$", re.MULTILINE)

BASE = (ROOT / "docker-compose.yml").read_text()
READ = {name for path in ROOT.glob("docker-compose*.yml") for name in _NAME.findall(path.read_text())}
GIVEN = [(bool(hidden), name, value) for hidden, name, value in _LINE.findall((ROOT / ".env.example").read_text())]


def _defaults() -> dict[str, set[str]]:
    """Maps names to the defaults in docker-compose.yml; a default that contains others is resolved with theirs."""
    found: dict[str, set[str]] = {}
    text = BASE

    def resolve(match: "re.Match[str]") -> str:
        if match[2] is not None:
            found.setdefault(match[1], set()).add(match[2])
        return match[2] or ""

    while _INNERMOST.search(text):
        text = _INNERMOST.sub(resolve, text)
    return found


def test_it_names_what_the_compose_files_read_and_nothing_else() -> None:
    names = [name for _, name, _ in GIVEN]
    assert READ - OF_A_BUILD - set(names) == set()
    assert set(names) - OF_COMPOSE - READ == set()
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for hidden, name, value in GIVEN if hidden and name in _NAME.findall(BASE)]
)
def test_a_hidden_line_shows_the_default(name: str, value: str) -> None:
    assert _defaults()[name] == {value}


def test_images_are_built_without_the_settings_of_an_installation() -> None:
    """Compose resolves the whole file before it builds."""
    required = set(re.findall(r"(?<!\$)\$\{(\w+):\?", BASE))
    assert required - {name for hidden, name, value in GIVEN if value and not hidden} == set()
    recipe = re.search(r"^images:.*\n\t(.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe
    assert "--file docker-compose.yml --env-file .env.example build" in recipe[1]
