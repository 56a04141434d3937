"""Tests which proofs are due."""

import subprocess
from pathlib import Path

import proofs
import pytest

TABLE = """
[attacks]
pytest = ["tests/attacks"]
subject = ["gate", "edge*"]
["browser: all"]
subject = ["web"]
"""


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "proofs.toml").write_text(TABLE)
    for name in ("gate/a.py", "edge.conf", "web/a.ts"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    return tmp_path


def places(checkout: Path) -> dict[str, Path]:
    return {"table": checkout / "proofs.toml", "record": checkout / "proofs.json", "root": checkout}


class TestDue:
    def test_without_a_record_every_proof_is_due(self, checkout: Path):
        assert proofs.due(**places(checkout)) == ["attacks", "browser: all"]

    def test_a_proof_that_passed_is_due_when_a_file_of_its_subject_has_changed(self, checkout: Path):
        proofs.note("attacks", 200, **places(checkout))
        proofs.note("browser: all", 300, **places(checkout))
        assert proofs.due(**places(checkout)) == []
        (checkout / "edge.conf").write_text("other")
        git(checkout, "commit", "--quiet", "--all", "--message", "second")
        assert proofs.due(**places(checkout)) == ["attacks"]

    def test_a_new_file_of_its_subject_makes_a_proof_due(self, checkout: Path):
        proofs.note("browser: all", 300, **places(checkout))
        (checkout / "web" / "b.ts").write_text("b")
        git(checkout, "add", ".")
        assert proofs.due(**places(checkout)) == ["attacks", "browser: all"]

    def test_a_phase_that_is_no_proof_is_not_noted(self, checkout: Path):
        proofs.note("lint", 60, **places(checkout))
        assert not (checkout / "proofs.json").exists()

    def test_a_subject_without_files_is_an_error(self, checkout: Path):
        with pytest.raises(ValueError, match="nothing: no file"):
            proofs.digest(proofs.Proof("nothing", ("absent",), ()), checkout)


class TestTable:
    @pytest.mark.parametrize("proof", proofs.proofs().values(), ids=lambda proof: proof.name)
    def test_every_pattern_names_files(self, proof: proofs.Proof):
        for pattern in proof.subject:
            assert proofs.git(proofs.ROOT, "ls-files", "--", pattern), pattern

    def test_every_test_of_a_proof_exists(self):
        for proof in proofs.proofs().values():
            for path in proof.options:
                assert (proofs.ROOT / path).exists(), path

    def test_every_proof_without_tests_has_a_phase(self):
        phases = (proofs.ROOT / ".ci" / "run").read_text()
        for proof in proofs.proofs().values():
            assert proof.options or f'want "{proof.name}"' in phases, proof.name
