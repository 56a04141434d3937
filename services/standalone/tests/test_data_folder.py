import json
import stat
from pathlib import Path

import pytest

from standalone import data_folder
from standalone.data_folder import DataFolder
from standalone.problems import (
    AlreadyRunningError,
    BrokenDataError,
    DiskFullError,
    ForeignDataError,
    NewerDataError,
    UnusableFolderError,
)


class TestPrepare:
    def test_refuses_data_of_a_newer_version(self, tmp_path: Path) -> None:
        (tmp_path / "format.json").write_text(json.dumps({"format": data_folder.FORMAT + 1}))
        with pytest.raises(NewerDataError, match="newer version"):
            DataFolder(tmp_path).prepare()

    def test_names_a_damaged_format_file(self, tmp_path: Path) -> None:
        (tmp_path / "format.json").write_text("nonsense")
        with pytest.raises(BrokenDataError, match=r"format\.json"):
            DataFolder(tmp_path).prepare()

    def test_a_full_disk_gives_a_clear_error(self, tmp_path: Path) -> None:
        with pytest.raises(DiskFullError, match=r"has \d+ MB left and \d+ MB are needed"):
            DataFolder(tmp_path).prepare(needed_mb=10**9)

    def test_a_file_instead_of_the_folder_gives_a_clear_error(self, tmp_path: Path) -> None:
        (tmp_path / "data").write_text("")
        with pytest.raises(UnusableFolderError, match="cannot be used as the data folder"):
            DataFolder(tmp_path / "data").prepare()


class TestLocked:
    def test_a_second_platform_cannot_use_the_folder(self, tmp_path: Path) -> None:
        with DataFolder(tmp_path).locked(), pytest.raises(AlreadyRunningError), DataFolder(tmp_path).locked():
            pass
        with DataFolder(tmp_path).locked():
            pass


class TestSecrets:
    def test_are_generated_once_and_private(self, tmp_path: Path) -> None:
        folder = DataFolder(tmp_path)
        made = folder.secrets()
        assert folder.secrets() == made
        assert stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode) == 0o600
        assert len({made.hash_secret, made.envelope_key, made.internal_token}) == 3

    def test_damaged_secrets_are_not_replaced(self, tmp_path: Path) -> None:
        (tmp_path / "secrets.json").write_text("{}")
        with pytest.raises(BrokenDataError, match=r"secrets\.json"):
            DataFolder(tmp_path).secrets()


class TestAssertOurs:
    @pytest.mark.parametrize("name", ["format.json", ".format.json.123.new", ".postgres.0a1b.making", "removing"])
    def test_recognises_the_files_of_an_interrupted_start(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).touch()
        DataFolder(tmp_path).assert_ours()

    @pytest.mark.parametrize("name", ["photos", ".photos.new", ".photos.123.new", "format.json.123.new"])
    def test_refuses_a_folder_of_another_program(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).touch()
        with pytest.raises(ForeignDataError):
            DataFolder(tmp_path).assert_ours()
