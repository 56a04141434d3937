"""The version of the platform: `python tools/versions.py` shows it, `python tools/versions.py 1.2.3` changes it.

pyproject.toml decides. Files of other tools cannot refer to it, so this writes it into them, and a test compares.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = {
    "pyproject.toml": r'^version = "(.+)"$',
    "libs/*/pyproject.toml": r'^version = "(.+)"$',
    "services/*/pyproject.toml": r'^version = "(.+)"$',
    "examples/pyproject.toml": r'^version = "(.+)"$',
    "services/agent/src/mlplace_agent/__init__.py": r'^__version__ = "(.+)"$',
    "services/standalone/src/standalone/platform.py": r'"buildNumber": "(.+?)"',
    "frontend/package.json": r'^  "version": "(.+)",$',
    "helm/mlplace/Chart.yaml": r"^(?:version|appVersion): (.+)$",
    "docker-compose.yml": r"\$\{MLP_(?:VERSION|BUILD_NUMBER):-(.+?)\}",
    "examples/greeting/requirements.txt": r"^mlplace-sdk==(.+)$",
    "docs/kubernetes.md": r"\$name:(\d[\w.]*)",
    "docs/installing.md": r"mlplace-([0-9][^-]*)-py3-none-any\.whl",
}  # fmt: skip
"""Files, and the place of the version in a line."""
_VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")


def found() -> Iterator[tuple[Path, str]]:
    """Every place with the version that is written there. A file without a place yields an empty one."""
    for pattern, place in PLACES.items():
        for path in sorted(ROOT.glob(pattern)):
            matches = re.findall(place, path.read_text(), re.MULTILINE)
            yield from ((path, version) for version in matches or [""])


def current() -> str:
    return next(found())[1]


def change(version: str) -> None:
    for pattern, place in PLACES.items():
        for path in ROOT.glob(pattern):
            text = re.sub(
                place, lambda match: match[0].replace(match[1], version), path.read_text(), flags=re.MULTILINE
            )
            path.write_text(text)


def main() -> int:
    if len(sys.argv) == 1:
        print(current())
        return 0
    if len(sys.argv) != 2 or not _VERSION.fullmatch(sys.argv[1]):
        print("usage: tools/versions.py [MAJOR.MINOR.PATCH]", file=sys.stderr)
        return 2
    change(sys.argv[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
