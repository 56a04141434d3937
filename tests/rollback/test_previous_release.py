"""Which code counts as the previous release."""

import subprocess
from pathlib import Path

import pytest

from mlplace_runtime.process import SERVICES
from tests.rollback.previous_release import UnknownHistoryError, extract, previous_release


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._run("init", "--quiet", "--initial-branch", "main")

    def commit(self, *files: str) -> str:
        for file in files:
            path = self.folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file)
        self._run("add", ".")
        author = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        self._run(*author, "commit", "--quiet", "--allow-empty", "--message", "change")
        return self._run("rev-parse", "HEAD")

    def migrate(self, service: str, name: str) -> str:
        return self.commit(f"services/{service}/src/{service}/migrations/versions/{name}.py")

    def tag(self, name: str) -> None:
        self._run("tag", name)

    def shallow_clone(self, folder: Path) -> Path:
        self._run("clone", "--quiet", "--depth", "1", f"file://{self.folder}", str(folder))
        return folder

    def _run(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    folder = tmp_path / "repository"
    folder.mkdir()
    return Repository(folder)


class TestPreviousRelease:
    def test_is_the_newest_version_before_the_current_commit(self, repository: Repository) -> None:
        for version in ("v0.1.0", "v0.2.0", "v0.3.0"):
            repository.commit(version)
            repository.tag(version)
        repository.tag("unrelated")
        assert previous_release(repository.folder) == "v0.2.0"

    def test_without_versions_it_lacks_a_migration_of_every_service(self, repository: Repository) -> None:
        first, *others = SERVICES
        for service in SERVICES:
            repository.migrate(service, "first")
        expected = repository.commit("code")
        repository.migrate(first, "second")
        for service in others:
            repository.migrate(service, "second")
            repository.migrate(service, "third")
        assert previous_release(repository.folder) == expected

    def test_a_clone_without_the_history_has_none(self, repository: Repository, tmp_path: Path) -> None:
        for service in SERVICES:
            repository.migrate(service, "first")
        clone = repository.shallow_clone(tmp_path / "clone")
        with pytest.raises(UnknownHistoryError, match="does not reach back"):
            previous_release(clone)

    def test_a_folder_that_is_no_clone_has_none(self, tmp_path: Path) -> None:
        with pytest.raises(UnknownHistoryError, match="is not a clone"):
            previous_release(tmp_path)


class TestExtract:
    def test_yields_the_packages_without_test_support(self, repository: Repository, tmp_path: Path) -> None:
        release = repository.commit("libs/kit/src/kit.py", "libs/testing/src/twin.py", "services/core/src/core.py")
        folders = extract(release, tmp_path / "code", repository.folder)
        assert [path.relative_to(tmp_path / "code") for path in folders] == [
            Path("libs/kit/src"),
            Path("services/core/src"),
        ]
        assert (folders[0] / "kit.py").exists()
