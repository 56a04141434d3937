import subprocess
import sys
from pathlib import Path

import pytest
from scan_secrets import scan

# Put together at run time, so that a scanner of this file does not find them.
PLANTED = {
    "AWS key": "key = 'AKIA" + "IOSFODNN7EXAMPL3'",
    "GitHub token": "token = 'ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'",
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "password": "pass" + "word = 'correct-horse-battery'",
    "random text": "seed = '" + "q8Zr3vT1xW9pLk2mNs7bYd4cHf6gJ0aQeU5iRoXtVzPw" + "'",
}


def scanned(root: Path, name: str, line: str) -> list[str]:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(line + "\n")
    return list(scan(root, Path(name)))


class TestScan:
    @pytest.mark.parametrize("line", PLANTED.values(), ids=PLANTED)
    def test_a_planted_secret_is_found(self, tmp_path, line):
        assert scanned(tmp_path, "src/settings.py", line)

    @pytest.mark.parametrize("line", PLANTED.values(), ids=PLANTED)
    def test_it_is_found_at_its_place_among_other_lines(self, tmp_path, line):
        lines = ["first = 'a'", "", line, "", 'last = "it\'s"']
        (found,) = {each.split(":")[1] for each in scanned(tmp_path, "src/settings.py", "\n".join(lines))}
        assert found == "3"

    def test_a_reviewed_line_passes(self, tmp_path):
        assert scanned(tmp_path, "src/settings.py", PLANTED["password"] + "  # pragma: allowlist secret") == []

    def test_tests_may_contain_invented_passwords_but_no_real_key(self, tmp_path):
        assert scanned(tmp_path, "tests/test_a.py", PLANTED["password"]) == []
        assert scanned(tmp_path, "tests/test_a.py", PLANTED["AWS key"])

    def test_commit_hashes_pass(self, tmp_path):
        assert scanned(tmp_path, "results/latest.json", '"commit": "d093571e2b",') == []
        assert scanned(tmp_path, "results/latest.json", '"token": "d093571e2b",')

    def test_digests_pass(self, tmp_path):
        digest = "0123456789abcdef" + "fedcba98765432100" * 3
        assert scanned(tmp_path, "proofs.json", f'"digest": "{digest[:64]}",') == []
        assert scanned(tmp_path, "proofs.json", f'"secret": "{digest[:64]}",')

    @pytest.mark.parametrize("line", ["password_hash = hasher.hash(form.password)", "API_KEY_HEADER = 'MLP-API-KEY'"])
    def test_plain_code_passes(self, tmp_path, line):
        assert scanned(tmp_path, "src/settings.py", line) == []


class TestCommand:
    def test_fails_on_secrets_in_untracked_files(self, tmp_path):
        subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
        (tmp_path / "settings.py").write_text(PLANTED["private key"])
        script = Path(__file__).parents[1] / "scan_secrets.py"
        result = subprocess.run(
            [sys.executable, str(script), str(tmp_path)], check=False, capture_output=True, text=True
        )
        assert result.returncode == 1
        assert result.stdout == "settings.py:1: Private Key\n"
