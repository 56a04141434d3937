"""Build one wheel of the whole platform, its web interface and the SDK: `python tools/build_wheel.py FOLDER`.

One wheel rather than a dozen: pip would look for the others in an index, where strangers may hold their names.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
WEB_INTERFACE = "standalone/web_interface"
_COMMAND = "standalone.command:main"
_HASH = re.compile(r"\s*\\?\n\s+--hash=\S+")
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc")


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: tools/build_wheel.py FOLDER", file=sys.stderr)
        return 2
    print(build(Path(sys.argv[1])))
    return 0


def build(folder: Path) -> Path:
    """Writes the wheel to `folder` and returns its path. Raises FileNotFoundError if the web interface is not built."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mlplace-wheel-") as name:
        stage = Path(name)
        for package in packages():
            shutil.copytree(package, stage / package.name, ignore=_IGNORED)
        shutil.copytree(ROOT / "frontend/dist", stage / WEB_INTERFACE, ignore=shutil.ignore_patterns(".built"))
        shutil.copy(ROOT / "LICENSE", stage)
        (stage / "pyproject.toml").write_text(_project(_read(ROOT / "pyproject.toml")["project"]))
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", "made"]
        subprocess.run(command, cwd=stage, check=True, stdout=subprocess.DEVNULL)
        (made,) = (stage / "made").iterdir()
        return Path(shutil.copy(made, folder))


def packages() -> Iterator[Path]:
    """Yields the package folders of all workspace members that the root project depends on. Test support is not one."""
    wanted = set(_read(ROOT / "pyproject.toml")["project"]["dependencies"])
    for path in sorted([*ROOT.glob("libs/*/pyproject.toml"), *ROOT.glob("services/*/pyproject.toml")]):
        yield from _packages_of(path, wanted)
    yield from _packages_of(ROOT / "examples/pyproject.toml", wanted)
    if wanted:
        raise LookupError(f"no member of the workspace is {', '.join(sorted(wanted))}")


def requirements() -> list[str]:
    """Returns all pinned lines of `requirements/runtime.txt`, without the hashes, which a wheel cannot hold."""
    return _HASH.sub("", (ROOT / "requirements/runtime.txt").read_text()).splitlines()


def _packages_of(path: Path, wanted: set[str]) -> Iterator[Path]:
    member = _read(path)
    if member["project"]["name"] in wanted:
        wanted.remove(member["project"]["name"])
        for package in member["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
            yield path.parent / package


def _project(project: Mapping[str, Any]) -> str:
    """Returns a pyproject.toml. TOML writes strings and lists of strings as JSON does."""
    names = sorted(package.name for package in packages())
    tables: dict[str, dict[str, object]] = {
        "project": {
            **{key: project[key] for key in ("name", "version", "description", "requires-python", "license")},
            "license-files": ["LICENSE"],
            "dependencies": requirements(),
        },
        "project.scripts": {"mlplace": _COMMAND},
        "build-system": {"requires": ["hatchling"], "build-backend": "hatchling.build"},
        "tool.hatch.build.targets.wheel": {"packages": names},
    }
    return "".join(
        f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
        for name, table in tables.items()
    )


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text())


if __name__ == "__main__":
    sys.exit(main())
