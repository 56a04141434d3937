"""On addresses that other machines can reach, well-known secrets are refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from standalone.settings import StandaloneSettings

KEY = "ab" * 32
OWN = {"MLP_HASH_SECRET": KEY, "MLP_ENVELOPE_KEY": KEY, "MLP_BUS": "bus.sqlite3", "MLP_PORT": "0"}


def _run(command: list[str], folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, **variables}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, env=environment, check=False, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip


class TestPlaceholders:
    @pytest.mark.parametrize("host", ["0.0.0.0", "::"])
    def test_placeholders_prevent_the_start_of_the_platform(self, tmp_path: Path, host: str) -> None:
        done = _run(
            ["standalone", "run", "--host", host], tmp_path, MLP_SMTP_HOST="mail", MLP_SMTP_PASSWORD="change-me"
        )
        assert done.returncode == 1
        assert done.stderr.splitlines() == ["MLP_SMTP_PASSWORD still holds the placeholder; set a secret of your own"]

    @pytest.mark.parametrize("secret", ["MLP_INTERNAL_TOKEN", "MLP_MLPBILLING_DATABASE_URL"])
    def test_placeholders_prevent_the_start_of_a_service_in_any_environment(self, tmp_path: Path, secret: str) -> None:
        variables = {**OWN, "MLP_INTERNAL_TOKEN": KEY, "MLP_MLPBILLING_DATABASE_URL": "postgresql+asyncpg://x@/x"}
        variables[secret] = "postgresql+asyncpg://x:change-me@/x?long=enough-for-a-token"  # pragma: allowlist secret
        done = _run(["mlpbilling", "serve"], tmp_path, **variables, MLP_HOST="0.0.0.0")
        assert done.returncode == 1
        assert f"{secret} still holds the placeholder" in done.stderr
        assert "change-me" not in done.stderr


class TestAddresses:
    @pytest.mark.parametrize(
        ("host", "address"),
        [
            ("127.0.0.1", "http://localhost:8080"),
            ("0.0.0.0", "http://localhost:8080"),
            ("::", "http://localhost:8080"),
            ("localhost", "http://localhost:8080"),
            ("::1", "http://[::1]:8080"),
            ("127.0.0.2", "http://127.0.0.2:8080"),
            ("192.168.7.7", "http://192.168.7.7:8080"),
            ("fd00::7", "http://[fd00::7]:8080"),
        ],
    )
    def test_the_printed_address_is_one_where_the_platform_listens(self, host: str, address: str) -> None:
        assert StandaloneSettings(host=host).rest_url == address

    def test_by_default_other_machines_cannot_reach_it(self) -> None:
        assert not StandaloneSettings().is_open
