import json
from collections.abc import Callable
from importlib.metadata import Distribution
from pathlib import Path

import audit_dependencies as audit
import pytest
from source_files import list_files

HASH = " \\\n    --hash=sha256:" + "0" * 64 + "\n"


@pytest.fixture
def install(tmp_path: Path) -> Callable[[str], Distribution]:
    def write(metadata: str) -> Distribution:
        (tmp_path / "METADATA").write_text(f"Metadata-Version: 2.4\nName: thing\n{metadata}\n")
        return Distribution.at(tmp_path)

    return write


class TestRequirements:
    def test_a_pinned_and_hashed_package_passes(self):
        assert list(audit.requirement_problems("dev.txt", "a==1.0 ; python_version < '3.12'" + HASH)) == []

    @pytest.mark.parametrize(
        ("entry", "problem"),
        [
            ("a==1.0\n", "no hash"),
            ("a>=1.0" + HASH, "not pinned"),
            ("a @ https://host/a.whl" + HASH, "address"),
            ("--index-url https://host/simple\n", "address"),
        ],
    )
    def test_a_loose_entry_is_found(self, entry, problem):
        assert problem in next(iter(audit.requirement_problems("dev.txt", entry)))

    def test_every_exported_file_is_read(self):
        root = Path(__file__).parents[2]
        written_by_hand = {Path("examples/greeting/requirements.txt")}  # what an author of a service begins with
        listed = {path for path in list_files(root, ".txt") if "requirements" in str(path)}
        assert {path.relative_to(root) for path in audit.exports_below(root)} == listed - written_by_hand

    def test_a_loose_entry_in_any_of_them_fails(self, tmp_path, monkeypatch, capsys):
        for name in ("requirements/dev.txt", "requirements/images/one.txt", "tests/clients/requirements/other.txt"):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("a==1.0\n")
        (tmp_path / "pyproject.toml").write_text("[project]\ndependencies = []")
        monkeypatch.chdir(tmp_path)
        assert audit.main() == 1
        told = capsys.readouterr().out
        for name in ("requirements/dev.txt", "requirements/images/one.txt", "tests/clients/requirements/other.txt"):
            assert f"{name}: a has no hash" in told


class TestExport:
    PROJECT = '[project]\ndependencies = ["Some_Thing[extra]==2.0", "loose", "mlplace-kit"]'

    def test_a_complete_export_passes(self):
        assert list(audit.export_problems({"p": self.PROJECT}, "some-thing==2.0" + HASH + "loose==1" + HASH)) == []

    @pytest.mark.parametrize("exported", ["some-thing==1.9" + HASH + "loose==1" + HASH, "some-thing==2.0" + HASH])
    def test_a_missing_or_older_package_is_found(self, exported):
        assert len(list(audit.export_problems({"p": self.PROJECT}, exported))) == 1


class TestLicence:
    @pytest.mark.parametrize(
        "metadata",
        [
            "License-Expression: MPL-2.0 AND (Apache-2.0 OR MIT)",
            "Classifier: License :: OSI Approved :: MIT License",
            "License: 3-Clause BSD License",
        ],
    )
    def test_an_accepted_licence_passes_in_every_notation(self, install, metadata):
        assert audit.licence_problem(install(metadata)) is None

    @pytest.mark.parametrize("metadata", ["License-Expression: MIT AND GPL-3.0-only", "License: GPLv3", "Summary: x"])
    def test_another_or_no_licence_is_found(self, install, metadata):
        problem = audit.licence_problem(install(metadata))
        assert problem
        assert problem.startswith("thing: licence not accepted")


class TestAdvisories:
    def test_a_known_vulnerability_is_found(self):
        vulnerable = {"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}
        answer = {"dependencies": [vulnerable, {"name": "b", "skip_reason": "unknown"}]}
        found, remark = audit.read_advisories(json.dumps(answer))
        assert found == ["a 1: CVE-1"]
        assert remark.startswith("1 of 2 ")

    @pytest.mark.parametrize("answer", ["", "connection refused"])
    def test_a_missing_answer_is_reported_and_not_taken_as_clean(self, answer):
        assert audit.read_advisories(answer) == ([], audit.NOT_CHECKED)

    def test_every_export_is_asked_about(self, monkeypatch, tmp_path, capsys):
        """A package of an image or of a test is as vulnerable as one of the services."""
        for place in ("requirements/dev.txt", "requirements/images/agent.txt", "tests/clients/requirements/openai.txt"):
            path = tmp_path / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        bad = {"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}

        def answer(path: Path) -> str:
            return json.dumps({"dependencies": [bad] if path.stem == "agent" else []})

        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(audit, "ask_for_advisories", answer)
        assert audit.main("--advisories") == 1
        assert "a 1: CVE-1" in capsys.readouterr().out
        monkeypatch.setattr(
            audit, "ask_for_advisories", lambda path: "" if path.stem == "openai" else answer(Path("x"))
        )
        assert audit.main("--advisories") == 1
        assert f"openai.txt: {audit.NOT_CHECKED}" in capsys.readouterr().out
