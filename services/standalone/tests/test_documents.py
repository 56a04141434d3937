import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlplace_kit.settings import Settings
from mlplace_kit.violations import RULES
from mlplace_testing.web import operation_names_used_twice, routes_without_policy
from standalone.documents import BUILDERS, errors, render, render_errors
from standalone.settings_page import SECTIONS, settings_of

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def rendered() -> dict[str, str]:
    return render()


class TestCommittedDocuments:
    def test_committed_documents_match_the_code(self, rendered: dict[str, str]) -> None:
        paths = {name: ROOT / name for name in rendered}
        stale = [
            name for name, text in rendered.items() if not paths[name].is_file() or paths[name].read_text() != text
        ]
        assert stale == [], "run `make openapi` and commit what it writes"

    def test_every_snapshot_belongs_to_a_service(self, rendered: dict[str, str]) -> None:
        folder = ROOT / "frontend/src/api/openapi"
        assert {f"frontend/src/api/openapi/{path.name}" for path in folder.glob("*.json")} < rendered.keys()


class TestErrors:
    def test_the_page_lists_each_code_once(self) -> None:
        codes, _, _ = render_errors().partition("## Rules")
        listed = re.findall(r"^\| `(.+?)` \|", codes, re.MULTILINE)
        assert len(listed) == len(set(listed))
        assert set(listed) == {error.code for error in errors() if error.code}

    def test_the_page_lists_each_rule_once(self) -> None:
        _, _, rules = render_errors().partition("## Rules")
        assert re.findall(r"^\| `(.+?)` \|", rules, re.MULTILINE) == sorted(RULES)

    def test_errors_of_every_package_are_found(self) -> None:
        homes = {error.__module__.partition(".")[0] for error in errors()}
        assert homes == {"mlplace_kit", "mlplace_contracts", *BUILDERS}


class TestSettings:
    def test_each_setting_is_described(self) -> None:
        silent = [setting.name for section in SECTIONS for setting in settings_of(section) if not setting.meaning]
        assert silent == [], "write a docstring below the field"

    def test_the_page_lists_each_settings_class(self) -> None:
        listed = {ancestor for section in SECTIONS for ancestor in section.model.__mro__}
        ours = [found for found in _subclasses(Settings) if "test_" not in found.__module__]  # tests make some, too
        assert [found.__qualname__ for found in ours if found not in listed] == []

    def test_the_page_shows_no_defaults_of_secrets(self) -> None:
        assert {s.default for section in SECTIONS for s in settings_of(section) if s.secret} <= {"required", "–"}


def _subclasses(base: type[Settings]) -> Iterator[type[Settings]]:
    for found in base.__subclasses__():
        yield found
        yield from _subclasses(found)


@pytest.mark.parametrize("name", BUILDERS)
class TestApps:
    def test_each_route_has_a_policy(self, name: str) -> None:
        assert routes_without_policy(BUILDERS[name]()) == []

    def test_operation_ids_are_unique(self, name: str) -> None:
        assert operation_names_used_twice(BUILDERS[name]()) == []
