"""Checks that files and functions stay below limits of lines."""

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from source_files import is_test, run_check

FILE_LIMITS = {".py": 400, ".ts": 250, ".tsx": 250}
FUNCTION_LIMIT = 60
ALLOWED: Mapping[str, str] = {}  # path, or path:function → why it may be larger


def check(path: Path, text: str, allowed: Mapping[str, str] = ALLOWED) -> Iterator[str]:
    if is_test(path) or "migrations" in path.parts:
        return
    lines, limit = len(text.splitlines()), FILE_LIMITS[path.suffix]
    if lines > limit and str(path) not in allowed:
        yield f"{path}: {lines} lines, the limit is {limit}: split it by operation"
    if path.suffix == ".py":
        yield from _large_functions(path, ast.parse(text), allowed)


def _large_functions(path: Path, module: ast.Module, allowed: Mapping[str, str]) -> Iterator[str]:
    for node in ast.walk(module):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > FUNCTION_LIMIT and f"{path}:{node.name}" not in allowed:
            yield f"{path}:{node.lineno}: {node.name} has {lines} lines, the limit is {FUNCTION_LIMIT}"


if __name__ == "__main__":
    sys.exit(run_check(check, *FILE_LIMITS))
