"""The code of the release before this one, from the history of the repository."""

import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

from mlplace_runtime.process import SERVICES

ROOT = Path(__file__).parents[2]


class UnknownHistoryError(Exception):
    """The history that names the previous release is not here; the message says why."""


def previous_release(repository: Path = ROOT) -> str:
    """The newest tag `v...` before the current commit.

    Before the first release: the newest commit that lacks a migration of every service, so that none of the services
    runs on the tables that it knows. Raises UnknownHistoryError.
    """
    if not (repository / ".git").exists():
        raise UnknownHistoryError(f"{repository} is not a clone")
    if tag := _git(repository, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^", check=False):
        return tag
    missing = {service: f"services/{service}/src/{service}/migrations/versions/" for service in SERVICES}
    added = ("log", "--format=commit %H %P", "--diff-filter=A", "--name-only", "--", *missing.values())
    parents: list[str] = []
    for line in _git(repository, *added).splitlines():
        if line.startswith("commit "):
            parents = line.split()[2:]
        missing = {service: folder for service, folder in missing.items() if not line.startswith(folder)}
        if not missing:
            break
    if not parents:
        raise UnknownHistoryError(f"the history of {repository} does not reach back far enough")
    return parents[0]


def extract(release: str, folder: Path, repository: Path = ROOT) -> list[Path]:
    """Writes the packages of a release into the folder. Returns the folders from which Python imports them."""
    archive = subprocess.run(
        ["git", "-C", str(repository), "archive", release, "libs", "services"], capture_output=True, check=True
    )
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as packages:
        packages.extractall(folder, filter="data")
    return [path for path in sorted(folder.glob("*/*/src")) if path.parent.name != "testing"]


def _git(repository: Path, *arguments: str, check: bool = True) -> str:
    answer = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=check, text=True)
    return answer.stdout.strip()
