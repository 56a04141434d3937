"""Files that documents name exist."""

import re
from pathlib import Path

import pytest
from source_files import list_files

ROOT = Path(__file__).parents[2]
_NAMED = re.compile(r"`([\w./-]+\.(?:py|ts|tsx|conf|toml))`")
_SHORT = {"edge": "gateway-config"}
"""How docs/threats.md names a folder."""
_PATHS = [path.as_posix() for path in list_files(ROOT, ".py", ".ts", ".tsx", ".conf", ".toml")]
_DOCUMENTS = [path.as_posix() for path in list_files(ROOT, ".md")]


def _exists(named: str) -> bool:
    """Whether a file has these parts in its path, in this order, and this name."""
    wanted = [_SHORT.get(part, part) for part in named.split("/")]
    return any(_has(path.split("/"), wanted) for path in _PATHS if path.endswith(wanted[-1]))


def _has(parts: list[str], wanted: list[str]) -> bool:
    rest = iter(parts)
    return all(part in rest for part in wanted)


def test_missing_file_is_found():
    assert _exists("instances/scheduling/convergence.py")
    assert not _exists("instances/convergence/scheduling.py")


@pytest.mark.parametrize("document", _DOCUMENTS)
def test_named_files_exist(document):
    named = _NAMED.findall((ROOT / document).read_text())
    assert [path for path in named if not _exists(path)] == []
