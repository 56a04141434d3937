"""A platform whose clock jumps and whose name server is hostile, both by preloaded libraries."""

import contextlib
import shutil
import struct
import subprocess
import tempfile
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.attacks.installation import Target, running


class Clock:
    """Shifts the clock of the platform and of its child processes; the test's own clock is real."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.shift(0)
        path.chmod(0o644)  # PostgreSQL may run as another user

    def shift(self, seconds: int) -> None:
        """Write in place, since the processes have mapped the file."""
        with self._path.open("r+b" if self._path.exists() else "wb") as file:
            file.write(struct.pack("q", seconds))


class Names:
    """Counts lookups at the hostile name server, and connections to the external address."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.touch(mode=0o666)

    def looked_up(self, name: str) -> int:
        return self._lines()[f"look-up {name}"]

    @property
    def dialled(self) -> int:
        return self._lines()["connection 11.0.0.1"]

    def _lines(self) -> Counter[str]:
        return Counter(self._path.read_text().splitlines())


@dataclass(frozen=True, slots=True)
class Deceived:
    """The platform with its manipulated clock and names."""

    target: Target
    clock: Clock
    names: Names


@contextlib.contextmanager
def deceived() -> Generator[Deceived]:
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("a C compiler builds what is preloaded; none is installed")
    with tempfile.TemporaryDirectory(prefix="mlplace-deceived-") as made:
        folder = Path(made)
        folder.chmod(0o755)
        libraries = [_built(compiler, name, folder) for name in ("shifted_clock", "rebinding_names")]
        clock, names = folder / "clock", folder / "names"
        started = Clock(clock), Names(names)
        preload = " ".join(str(library) for library in libraries)
        with running(folder, LD_PRELOAD=preload, SHIFTED_CLOCK=str(clock), REBINDING_NAMES=str(names)) as target:
            yield Deceived(target, *started)


def _built(compiler: str, name: str, folder: Path) -> Path:
    library = folder / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-Wall", "-o", library, source, "-ldl"], check=True)
    library.chmod(0o755)
    return library
