"""The documentation names the versions that are proved."""

import json
import re

from tests.clients.installed import HERE, ROOT

_ROW = re.compile(r"^\| `([^`|]+)`(?: for (\w+))? \| (\d[^ |]*) \|", re.MULTILINE)


def test_the_table_of_clients_has_the_versions_that_are_installed() -> None:
    pinned = [line for path in (HERE / "requirements").glob("*.in") for line in path.read_text().splitlines()]
    installed = {("Python", *line.split("==")) for line in pinned}
    packages = json.loads((HERE / "javascript" / "package.json").read_text())["dependencies"]
    installed |= {("JavaScript", name, version) for name, version in packages.items()}
    rows = _ROW.findall((ROOT / "docs" / "adapters.md").read_text())
    assert {(language or "Python", name, version) for name, language, version in rows} == installed
