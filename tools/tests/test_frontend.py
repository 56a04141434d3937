"""What `make run` does about the web interface on a machine without Node.js, and beside another run."""

import os
import select
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "frontend"
BASIC_COMMANDS = ["sh", "dirname", "cksum", "cat", "find", "sort", "xargs", "mkdir", "mv", "rm"]
SOURCES = ["index.html", "accounts.html", "package-lock.json", "vite.config.ts", "postcss.config.cjs", "src/main.tsx"]
Frontend = Callable[[str], "subprocess.CompletedProcess[str]"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in [*SOURCES, "scripts/facts.ts", "public/favicon.svg"]:
        write(tmp_path / "frontend" / name, name)
    write(tmp_path / "docs/calls.md", "# Calls")
    for name in ("LICENSE", "libs/sdk/pyproject.toml", "libs/gateproto/pyproject.toml"):
        write(tmp_path / name, name)
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


# `vite build --outDir folder`, and an installation that brings it along.
VITE = r"""#!/bin/sh
while [ "$1" != --outDir ]; do shift; done
mkdir "$2" && echo new >"$2/index.html" && echo new >"$2/accounts.html" && echo built >>../calls
"""
NPM = """echo installed >>../calls
mkdir -p node_modules/.bin && cat ../vite >node_modules/.bin/vite && chmod +x node_modules/.bin/vite"""
EVENT_SECONDS = 30.0


class Events:
    """What programs tell, one line each, in order."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._pipe = os.open(path, os.O_RDWR)  # so that no program waits for a reader

    def next(self) -> str:
        ready, _, _ = select.select([self._pipe], [], [], EVENT_SECONDS)
        assert ready, "no program said anything"
        line = b""
        while not line.endswith(b"\n"):
            line += os.read(self._pipe, 1)
        return line.decode().strip()

    def close(self) -> None:
        os.close(self._pipe)


@pytest.fixture
def events(tmp_path: Path) -> Iterator[Events]:
    events = Events(tmp_path / "events")
    yield events
    events.close()


class TestBuild:
    @pytest.fixture(autouse=True)
    def programs(self, checkout: Path) -> None:
        (checkout / "bin/chmod").symlink_to(str(shutil.which("chmod")))
        write(checkout / "vite", VITE)
        program(checkout / "bin/node", "echo v20.20.2")
        program(checkout / "bin/npm", NPM)

    def test_replaces_what_was_built_from_other_sources(self, checkout, frontend):
        prebuild(checkout)
        assert frontend("build").returncode == 0
        assert (checkout / "frontend/dist/index.html").read_text() == "new\n"
        assert sorted(path.name for path in (checkout / "frontend").glob("node_modules/.[dr]*")) == []

    def test_that_fails_leaves_what_was_built_before(self, checkout, frontend):
        prebuild(checkout)
        write(checkout / "vite", "#!/bin/sh\nexit 3\n")
        assert frontend("build").returncode == 3
        assert (checkout / "frontend/dist/index.html").read_text() == "built"

    def test_is_accepted_by_the_next_run_and_the_next_build(self, checkout, frontend):
        assert [frontend(wanted).returncode for wanted in ("build", "run", "build")] == [0, 0, 0]
        assert (checkout / "calls").read_text().split() == ["installed", "built"]


@pytest.mark.skipif(not shutil.which("flock"), reason="without flock there is no lock")
class TestTwoRuns:
    @pytest.mark.parametrize("second", ["run", "packages"])
    def test_the_second_waits_and_finds_the_work_done(self, checkout, events, second):
        os.mkfifo(checkout / "go")
        (checkout / "bin/chmod").symlink_to(str(shutil.which("chmod")))
        write(checkout / "vite", VITE)
        program(checkout / "bin/node", "echo v20.20.2")
        program(checkout / "bin/npm", f"echo installs >../events\nread -r go <../go\n{NPM}")
        program(checkout / "bin/flock", f'echo waits >../events\nexec {shutil.which("flock")} "$@"')
        started: list[subprocess.Popen[str]] = []
        try:
            started.append(self._start(checkout, "build"))
            while events.next() != "installs":
                pass
            started.append(self._start(checkout, second))
            assert events.next() == "waits"
            (checkout / "go").write_text("go\n")
            assert [run.wait(EVENT_SECONDS) for run in started] == [0, 0]
        finally:
            for run in started:
                with suppress(ProcessLookupError):
                    os.killpg(run.pid, signal.SIGKILL)
                run.wait()
        assert (checkout / "calls").read_text().split() == ["installed", "built"]

    @staticmethod
    def _start(checkout: Path, wanted: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [str(checkout / "tools/frontend"), wanted],
            env={"PATH": str(checkout / "bin")}, stderr=subprocess.DEVNULL, start_new_session=True, text=True,
        )  # fmt: skip
