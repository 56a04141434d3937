"""Each contract of pyproject.toml detects a violation, shown on a copy of the package tree without code."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
PROVIDER = "mlpcore/features/providers/hosting_server"
FEATURES = {
    "mlpcore/features/keys": ["router", "consumers", "service", "repository", "tables"],
    "mlpcore/features/images": ["service"],
    PROVIDER: ["router", "service"],
}
PLANTED = [
    ("Services stand beside", "mlpcore/clients.py", "import mlpbilling"),
    ("Services stand beside", "mlplace_kit/ids.py", "import mlplace_contracts"),
    ("Services stand beside", "mlplace_runtime/db.py", "import mlpcore"),
    ("Services stand beside", "mlpcore/main.py", "import mlplace_testing"),
    ("What every service runs on", "mlplace_runtime/web.py", "import mlplace_gateproto"),
    ("The SDK installs alone", "mlplace_gateproto/codes.py", "import mlplace"),
    ("The SDK, the protocol", "mlplace/client.py", "import mlplace_kit"),
    ("The SDK, the protocol", "mlplace_examples/greeting.py", "import mlplace_runtime"),
    ("The agent runs", "mlplace_agent/main.py", "import mlplace_runtime"),
    ("Test support", "standalone/main.py", "import mlplace_testing"),
    ("Inside a feature", "mlpcore/features/keys/service.py", "from mlpcore.features.keys import router"),
    ("Inside a feature", "mlpcore/features/keys/repository.py", "from mlpcore.features.keys import service"),
    ("Inside a feature", "mlpcore/features/keys/tables.py", "from mlpcore.features.keys import repository"),
    ("A call runs down", "mlpgateway/errors/calls.py", "import mlpgateway.call"),
    ("A call runs down", "mlpgateway/policy/admit.py", "import mlpgateway.entry"),
    ("What mlpgateway takes in", "mlpgateway/entry/http/front.py", "import mlpgateway.instances"),
    ("Inside a feature", f"{PROVIDER}/service.py", "from mlpcore.features.providers.hosting_server import router"),
    ("Providers stand beside", "mlpcore/features/providers/port.py", "from mlpcore.features.providers import turn"),
    ("Nothing but the list", "mlpcore/features/keys/service.py", "from mlpcore.features.providers import port"),
    ("SQL lives", f"{PROVIDER}/service.py", "import sqlalchemy"),
    ("SQL lives", "mlpcore/features/keys/service.py", "import sqlalchemy"),
    ("SQL lives", "mlpcore/features/keys/router.py", "from sqlalchemy import select"),
]


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    for package in CONFIGURATION["root_packages"]:
        write(tmp_path / package / "__init__.py")
    for module in sorted(named_modules()):
        write(tmp_path / module.replace(".", "/") / "__init__.py")
    write(tmp_path / "mlpcore/features/__init__.py")
    for feature, modules in FEATURES.items():
        for module in ["__init__", *modules]:
            write(tmp_path / feature / f"{module}.py")
    return tmp_path


def named_modules() -> set[str]:
    """Modules inside packages that a contract names, which import-linter must therefore find.

    Names in parentheses may be missing.
    """
    layers = {
        f"{container}.{name.strip()}"
        for contract in CONFIGURATION["contracts"]
        for container in contract.get("containers", [])
        for layer in contract["layers"]
        for name in layer.split("|")
        if "(" not in name
    }
    listed = {
        module
        for contract in CONFIGURATION["contracts"]
        for key in ("containers", "source_modules", "forbidden_modules", "protected_modules", "allowed_importers")
        for module in contract.get(key, [])
    }
    return {name for name in layers | listed if "." in name and "*" not in name}


def write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def lint(packages: Path) -> str:
    # -P and -I would hide the copy: packages of the working directory come before installed ones.
    code = "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports_command as run; run()"
    command = [sys.executable, "-c", code, "--config", str(ROOT / "pyproject.toml"), "--no-cache", "--no-logo"]
    wide = {**os.environ, "COLUMNS": "200"}  # so that no contract's name is wrapped
    return subprocess.run(command, cwd=packages, check=False, capture_output=True, env=wide, text=True).stdout


def broken(report: str) -> list[str]:
    return [line for line in report.splitlines() if line.endswith(" BROKEN")]


class TestContracts:
    def test_the_empty_tree_keeps_all_contracts(self, packages):
        report = lint(packages)
        assert report.count(" KEPT") == len(CONFIGURATION["contracts"]), report

    @pytest.mark.parametrize(("contract", "path", "line"), PLANTED)
    def test_a_planted_import_breaks_its_contract(self, packages, contract, path, line):
        write(packages / path, line)
        report = lint(packages)
        assert any(name.startswith(contract) for name in broken(report)), report

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("mlpcore/features/keys/service.py", "mlpcore/features/images/service.py"),
            ("mlpcore/state.py", "mlpcore/features/keys/service.py"),
            ("mlplace_runtime/db/outbox.py", "mlplace_runtime/bus/port.py"),
        ],
    )
    def test_a_cycle_of_sibling_modules_is_found(self, packages, one, other):
        for path, imported in ((one, other), (other, one)):
            write((packages / path).parent / "__init__.py")
            write(packages / path, f"import {imported.removesuffix('.py').replace('/', '.')}")
        assert [name[:15] for name in broken(lint(packages))] == ["Sibling modules"]
