from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from mlplace_testing.memory import memory_folder

MakeFolder = Callable[[Path, int], Path]


@pytest.fixture
def make() -> Generator[MakeFolder]:
    """Removes what was made, since it may lie outside the test's folder."""
    made: list[Path] = []

    def run(memory: Path, room: int) -> Path:
        made.append(memory_folder(memory, room=room))
        return made[-1]

    yield run
    for folder in made:
        folder.rmdir()


class TestMemoryFolder:
    def test_lies_in_memory_if_there_is_room(self, tmp_path: Path, make: MakeFolder) -> None:
        assert make(tmp_path, 1).parent == tmp_path

    def test_lies_elsewhere_if_memory_is_too_small(self, tmp_path: Path, make: MakeFolder) -> None:
        assert make(tmp_path, 1 << 60).parent != tmp_path

    def test_lies_elsewhere_on_systems_without_such_a_folder(self, tmp_path: Path, make: MakeFolder) -> None:
        assert make(tmp_path / "missing", 1).parent != tmp_path / "missing"

    def test_two_processes_get_two_folders(self, tmp_path: Path, make: MakeFolder) -> None:
        assert make(tmp_path, 1) != make(tmp_path, 1)
