"""Checks house rules that no ready-made linter covers (ruff and import-linter check the others)."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from source_files import is_test, run_check
from table_writers import find_foreign_writes

VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
RUNTIME_AND_TEST_SUPPORT = ("libs/runtime/", "libs/testing/", "benchmarks/subjects/")
WIRING = {"dependencies", "consumers", "loops", "task_steps"}


def check(path: Path, text: str) -> Iterator[str]:
    """Yield one `path:line: message` for each broken rule."""
    if "src" in path.parts and VAGUE_NAMES.intersection(path.with_suffix("").parts):
        yield f"{path}: name the module after what it holds, not {'/'.join(sorted(VAGUE_NAMES))}"
    if not is_test(path):
        tree = ast.parse(text)
        for node in ast.walk(tree):
            yield from (f"{path}:{line}: {message}" for line, message in _broken_by(node, path))
        yield from (f"{path}:{line}: {message}" for line, message in sorted({*find_foreign_writes(path, tree)}))


def _broken_by(node: ast.AST, path: Path) -> Iterator[tuple[int, str]]:
    in_runtime = path.as_posix().startswith(RUNTIME_AND_TEST_SUPPORT)
    match node:
        case ast.Call(func=ast.Attribute(attr="commit")) if not in_runtime:
            yield node.lineno, "only libs/runtime commits"
        case ast.alias(name="HTTPException") | ast.Attribute(attr="HTTPException") if not in_runtime:
            yield node.lineno, "raise a DomainError; HTTPException stays in libs/runtime"
        case ast.ImportFrom(module=str(imported), level=0) if _reaches_into_feature(path, node, imported):
            yield node.lineno, f"{imported} is another feature's: get it from dependencies.py, or use its service"
        case _:
            pass


def _reaches_into_feature(path: Path, node: ast.ImportFrom, imported: str) -> bool:
    """Whether code of one feature imports the repository of another feature.

    Wiring modules create repositories and pass them on. Other features may read rows (`tables`), in joins and as
    values; only the owner writes them (`table_writers`).
    """
    parts = imported.split(".")
    if "features" not in parts[:-1] or "features" not in path.parts or path.stem in WIRING:
        return False
    owner, *inside = parts[parts.index("features") + 1 :]
    own = path.parts[path.parts.index("features") + 1]
    touched = {*inside, *(alias.name for alias in node.names)}
    return owner != own and "repository" in touched


if __name__ == "__main__":
    sys.exit(run_check(check, ".py"))
