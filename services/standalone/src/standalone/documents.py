"""Generates documents from the code: the OpenAPI snapshots, the error codes and the settings."""

import importlib
import json
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from fastapi import FastAPI

import accountsadmin.main
import mlpbilling.main
import mlpcore.main
import mlpgateway.main
from mlplace_kit.errors import DomainError, catalogue
from mlplace_kit.violations import RULES
from standalone.settings_page import render_settings

BUILDERS: dict[str, Callable[[], FastAPI]] = {
    "accountsadmin": accountsadmin.main.build_app,
    "mlpcore": mlpcore.main.build_app,
    "mlpgateway": mlpgateway.main.build_app,
    "mlpbilling": mlpbilling.main.build_app,
}
_PACKAGES = ("mlplace_kit", "mlplace_contracts", "mlplace_runtime", *BUILDERS)
_HEAD = """# Errors

Every error has this format: `{"code", "message", "status", "args", "requestId"}`. `args` contains the values in the
message; for invalid input it maps the path of each field to its error, and `violations` lists the rule that each value
breaks: `{"path", "rule", "args"}`, with a rule of the second table. At most 50 fields are named. Errors of a called
model have the code that the model chose. This page is generated from the code by `make openapi`.

| code | status | message |
|---|---|---|
"""

_RULES_HEAD = """
## Rules of invalid input

A message may say more than the one here; the rule and its arguments are stable.

| rule | message |
|---|---|
"""


def render() -> dict[str, str]:
    """Returns the text of each document by its path in the checkout."""
    documents = {
        f"frontend/src/api/openapi/{name}.json": json.dumps(build().openapi(), indent=1, ensure_ascii=False) + "\n"
        for name, build in BUILDERS.items()
    }
    return documents | {"docs/errors.md": render_errors(), "docs/settings.md": render_settings()}


def render_errors() -> str:
    rows = {f"| `{error.code}` | {error.status} | {error.message} |" for error in errors() if error.code}
    rules = [f"| `{rule}` | {message} |" for rule, message in sorted(RULES.items())]
    return _HEAD + "\n".join(sorted(rows)) + "\n" + _RULES_HEAD + "\n".join(rules) + "\n"


def errors() -> list[type[DomainError]]:
    """The platform's error classes."""
    for package in _PACKAGES:
        _import_errors(importlib.import_module(package))
    return [error for error in catalogue() if error.__module__.partition(".")[0] in _PACKAGES]


def write_documents(root: Path) -> Iterator[Path]:
    for name, text in render().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        yield path


def _import_errors(package: ModuleType) -> None:
    """Import all modules of the package, which registers their error classes."""
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if ".migrations" not in module.name:
            importlib.import_module(module.name)
