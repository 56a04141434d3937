"""Each contract of pyproject.toml detects a violation, shown on a copy of the package tree without code."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
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


CYCLES = [
    ("mlpcore/features/keys/service.py", "mlpcore/features/images/service.py"),
    ("mlpcore/state.py", "mlpcore/features/keys/service.py"),
    ("mlplace_runtime/db/outbox.py", "mlplace_runtime/bus/port.py"),
]
# -P and -I would hide the copy: packages of the working directory come before installed ones.
LINT = """
import contextlib, io, json, pathlib, sys
sys.path.insert(0, ".")
from importlinter.cli import lint_imports

def report(planted):
    before = {path: path.read_text() if path.exists() else None for path in map(pathlib.Path, planted)}
    for path, text in planted.items():
        pathlib.Path(path).write_text(text)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        lint_imports(config_filename=sys.argv[1], no_cache=True, no_logo=True)
    for path, text in before.items():
        path.unlink() if text is None else path.write_text(text)
    return output.getvalue()

print(json.dumps([report(planted) for planted in json.load(sys.stdin)]))
"""


def module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def planted_in(path: str, line: str) -> dict[str, str]:
    """Returns the files that this takes, with their text."""
    return {f"{path.rpartition('/')[0]}/__init__.py": "\n", path: f"{line}\n"}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[str, str]], str]:
    """Returns what import-linter says of the tree with these files. It says all in one process, which starts slowly."""
    tree = packages(tmp_path_factory.mktemp("packages"))
    wanted = [
        {},
        *(planted_in(path, line) for _, path, line in PLANTED),
        *(
            planted_in(one, f"import {module(other)}") | planted_in(other, f"import {module(one)}")
            for one, other in CYCLES
        ),
    ]
    wide = {**os.environ, "COLUMNS": "200"}  # so that no contract's name is wrapped
    command = [sys.executable, "-c", LINT, str(ROOT / "pyproject.toml")]
    found = subprocess.run(
        command, input=json.dumps(wanted), cwd=tree, check=True, capture_output=True, env=wide, text=True
    )
    said = dict(zip(map(json.dumps, wanted), json.loads(found.stdout), strict=True))
    return lambda planted: said[json.dumps(planted)]


def packages(folder: Path) -> Path:
    for package in CONFIGURATION["root_packages"]:
        write(folder / package / "__init__.py")
    for name in sorted(named_modules()):
        write(folder / name.replace(".", "/") / "__init__.py")
    write(folder / "mlpcore/features/__init__.py")
    for feature, modules in FEATURES.items():
        for name in ["__init__", *modules]:
            write(folder / feature / f"{name}.py")
    for place in {Path(path).parent for _, path, _ in PLANTED} | {
        Path(path).parent for pair in CYCLES for path in pair
    }:
        write(folder / place / "__init__.py")
    return folder


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


def broken(report: str) -> list[str]:
    return [line for line in report.splitlines() if line.endswith(" BROKEN")]


class TestContracts:
    def test_the_empty_tree_keeps_all_contracts(self, reports):
        assert reports({}).count(" KEPT") == len(CONFIGURATION["contracts"]), reports({})

    @pytest.mark.parametrize(("contract", "path", "line"), PLANTED)
    def test_a_planted_import_breaks_its_contract(self, reports, contract, path, line):
        report = reports(planted_in(path, line))
        assert any(name.startswith(contract) for name in broken(report)), report

    @pytest.mark.parametrize(("one", "other"), CYCLES)
    def test_a_cycle_of_sibling_modules_is_found(self, reports, one, other):
        planted = planted_in(one, f"import {module(other)}") | planted_in(other, f"import {module(one)}")
        assert [name[:15] for name in broken(reports(planted))] == ["Sibling modules"]
