"""What `make run` does about the web interface on a machine without Node.js."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "frontend"
BASIC_COMMANDS = ["sh", "dirname", "cksum", "cat", "find", "sort", "xargs"]
SOURCES = ["index.html", "accounts.html", "package-lock.json", "vite.config.ts", "postcss.config.cjs", "src/main.tsx"]
Frontend = Callable[[str], "subprocess.CompletedProcess[str]"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in [*SOURCES, "scripts/facts.ts", "public/favicon.svg"]:
        write(tmp_path / "frontend" / name, name)
    write(tmp_path / "docs/calls.md", "# Calls")
    (tmp_path / "tools").mkdir()
    shutil.copy(SCRIPT, tmp_path / "tools")
    (tmp_path / "bin").mkdir()
    for command in BASIC_COMMANDS:
        (tmp_path / "bin" / command).symlink_to(str(shutil.which(command)))
    return tmp_path


@pytest.fixture
def frontend(checkout: Path) -> Frontend:
    return lambda wanted: subprocess.run(
        [str(checkout / "tools/frontend"), wanted],
        check=False, capture_output=True, env={"PATH": str(checkout / "bin")}, text=True,
    )  # fmt: skip


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def program(path: Path, text: str) -> None:
    write(path, f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def prebuild(checkout: Path) -> None:
    for name in ("index.html", "accounts.html"):
        write(checkout / "frontend/dist" / name, "built")


def note_sources(checkout: Path, addition: str = "") -> None:
    """As a build on another machine does, in the script's own words."""
    line = next(line for line in SCRIPT.read_text().splitlines() if line.startswith("sources()"))
    command = f"cd {checkout}/frontend && {line} && sources"
    stamp = subprocess.run(["sh", "-c", command], check=True, capture_output=True, text=True).stdout
    write(checkout / "frontend/dist/.built", stamp.rstrip() + addition)


class TestWithoutNode:
    @pytest.mark.parametrize("wanted", ["possible", "run", "build", "packages"])
    def test_says_what_to_install_where_nothing_is_built(self, frontend, wanted):
        result = frontend(wanted)
        assert result.returncode == 1
        assert "needs Node.js 20 or newer on the PATH (found: none) and its npm. Install both" in result.stderr
        assert len(result.stderr.splitlines()) == 1

    @pytest.mark.parametrize("wanted", ["possible", "run", "build"])
    def test_takes_what_was_built_from_these_sources_without_a_word(self, checkout, frontend, wanted):
        prebuild(checkout)
        note_sources(checkout)
        result = frontend(wanted)
        assert (result.returncode, result.stderr) == (0, "")

    def test_runs_with_what_was_built_from_others_and_says_so(self, checkout, frontend):
        prebuild(checkout)
        note_sources(checkout)
        write(checkout / "frontend/src/main.tsx", "changed")
        result = frontend("run")
        assert result.returncode == 0
        assert "not built from these sources: building the web interface needs Node.js 20" in result.stderr

    def test_builds_nothing_for_others_from_that(self, checkout, frontend):
        prebuild(checkout)
        assert frontend("build").returncode == 1


class TestOtherMachines:
    def test_a_node_that_is_too_old_is_named(self, checkout, frontend):
        program(checkout / "bin/node", "echo v18.20.4")
        assert "(found: v18.20.4)" in frontend("possible").stderr

    def test_a_missing_npm_is_named(self, checkout, frontend):
        program(checkout / "bin/node", "echo v20.20.2")
        assert "needs npm on the PATH beside Node.js (found: none)" in frontend("possible").stderr

    def test_with_both_it_is_possible(self, checkout, frontend):
        program(checkout / "bin/node", "echo v20.20.2")
        program(checkout / "bin/npm", "exit 0")
        result = frontend("possible")
        assert (result.returncode, result.stderr) == (0, "")

    def test_with_both_what_is_built_from_other_sources_is_built_anew(self, checkout, frontend):
        prebuild(checkout)
        program(checkout / "bin/node", "echo v20.20.2")
        program(checkout / "bin/npm", "echo called; exit 7")
        assert frontend("run").returncode == 7


class TestQuickBuild:
    @pytest.fixture(autouse=True)
    def built(self, checkout: Path) -> None:
        prebuild(checkout)
        note_sources(checkout, " quick")
        program(checkout / "bin/node", "echo v20.20.2")
        program(checkout / "bin/npm", "echo called; exit 7")

    def test_a_run_takes_it(self, frontend):
        assert frontend("run").returncode == 0

    def test_a_package_is_built_anew(self, frontend):
        assert frontend("build").returncode == 7
