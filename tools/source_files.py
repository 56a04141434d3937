"""Lists the files that the checks read, and prints their findings."""

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

GENERATED = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb2_grpc.pyi", ".gen.ts", ".d.ts")


def list_files(root: Path, *suffixes: str) -> Iterator[Path]:
    """Paths relative to `root` of the files that git tracks or would track, except generated ones."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    names = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split("\0")
    for name in sorted(filter(None, names)):
        if name.endswith(suffixes) and not name.endswith(GENERATED) and (root / name).is_file():
            yield Path(name)


def is_test(path: Path) -> bool:
    return bool({"tests", "e2e"} & {*path.parts}) or path.name == "conftest.py" or ".test." in path.name


def run_check(check: Callable[[Path, str], Iterable[str]], *suffixes: str) -> int:
    """Print what `check` finds in the files below the directory given as an argument.

    Returns 1 if it found anything.
    """
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path.cwd()
    found = [problem for path in list_files(root, *suffixes) for problem in check(path, (root / path).read_text())]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0
