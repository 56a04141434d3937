"""The documentation names the versions that are proved."""

import json

from tests.clients.installed import HERE, ROOT


def test_the_table_of_clients_has_the_versions_that_are_installed() -> None:
    pinned = [line for path in (HERE / "requirements").glob("*.in") for line in path.read_text().splitlines()]
    packages = json.loads((HERE / "javascript" / "package.json").read_text())["dependencies"]
    wanted = [*(line.partition("==")[2] for line in pinned), *packages.values()]
    table = (ROOT / "docs" / "adapters.md").read_text()
    assert [version for version in wanted if f"| {version} |" not in table] == []
