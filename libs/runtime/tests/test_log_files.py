import logging
from pathlib import Path

from mlplace_runtime.telemetry.log_files import LogFile


def _filled(path: Path, *, megabytes: float, files: int, lines: int) -> list[Path]:
    log = LogFile(path, megabytes=megabytes, files=files)
    for number in range(lines):
        log.line(f"{number:06} " + "x" * 93)
    log.close()
    return sorted(path.parent.glob(f"{path.name}*"))


class TestLogFile:
    def test_the_total_size_of_all_files_is_bounded(self, tmp_path: Path) -> None:
        files = _filled(tmp_path / "log", megabytes=0.01, files=3, lines=1000)
        assert [file.name for file in files] == ["log", "log.1", "log.2"]
        assert sum(file.stat().st_size for file in files) <= 3 * 0.01 * 2**20
        assert files[0].read_text().splitlines()[-1].startswith("000999")

    def test_a_single_file_is_truncated_when_full(self, tmp_path: Path) -> None:
        (file,) = _filled(tmp_path / "log", megabytes=0.01, files=1, lines=1000)
        assert file.stat().st_size <= 0.01 * 2**20

    def test_only_the_owner_can_read_it(self, tmp_path: Path) -> None:
        files = _filled(tmp_path / "log", megabytes=0.01, files=2, lines=500)
        assert not [file for file in files if file.stat().st_mode & 0o077]

    def test_a_full_disk_raises_nothing(self, tmp_path: Path, capfd) -> None:
        log = LogFile(tmp_path / "missing" / "log", megabytes=1, files=2)
        log.line("lost")
        log.handle(logging.makeLogRecord({"msg": "lost"}))
        assert capfd.readouterr().err == ""
