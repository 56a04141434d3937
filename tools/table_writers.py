"""Finds code that writes rows of tables that another folder owns.

A table belongs to the folder whose `tables.py` maps it. The check uses the syntax tree: the mapped classes that a file
imports, and the parameters and variables that are annotated with them.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_STATEMENTS = {"insert", "update", "delete"}
_SESSION_METHODS = {"add", "delete", "merge", "add_all"}


@dataclass(frozen=True)
class _Names:
    """The names under which a file imports mapped classes of other folders, each with the owning folder."""

    classes: dict[str, str]
    modules: dict[str, str]

    def owner(self, node: ast.AST) -> str | None:
        """The folder that owns the mapped class or its `__table__`; None for anything else."""
        match node:
            case ast.Name(id=name):
                return self.classes.get(name)
            case ast.Attribute(value=value, attr="__table__"):
                return self.owner(value)
            case ast.Attribute(value=value):
                return self.modules.get(ast.unparse(value))
            case _:
                return None


def find_foreign_writes(path: Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and message of each write to a table of another folder."""
    names = _imported(path, tree)
    if not names.classes and not names.modules:
        return
    for node in ast.walk(tree):
        for written in _written_by(node):
            if owner := names.owner(written):
                yield _finding(node, owner)
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _row_writes(scope, names)


def _imported(path: Path, tree: ast.Module) -> _Names:
    names = _Names({}, {})
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                for alias in aliases:
                    name = alias.asname or alias.name
                    if module.endswith(".tables"):
                        names.classes[name] = module.removesuffix(".tables")
                    elif alias.name == "tables":
                        names.modules[name] = module
            case ast.Import(names=aliases):
                for alias in aliases:
                    if alias.name.endswith(".tables"):
                        names.modules[alias.asname or alias.name] = alias.name.removesuffix(".tables")
            case _:
                pass
    return _Names(
        {name: owner for name, owner in names.classes.items() if not _owns(path, owner)},
        {name: owner for name, owner in names.modules.items() if not _owns(path, owner)},
    )


def _owns(path: Path, owner: str) -> bool:
    return f"/{owner.replace('.', '/')}/" in f"/{path.as_posix()}"


def _written_by(node: ast.AST) -> Iterator[ast.AST]:
    """The mapped classes whose rows a call creates or changes with a statement."""
    if isinstance(node, ast.Call):
        yield node.func
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in _STATEMENTS:
            yield from node.args[:1]


def _row_writes(scope: ast.FunctionDef | ast.AsyncFunctionDef, names: _Names) -> Iterator[tuple[int, str]]:
    """Writes through parameters and variables annotated with a mapped class of another folder."""
    rows = dict(_annotated_rows(scope, names))
    for node in ast.walk(scope):
        for written in _rows_of(node):
            if isinstance(written, ast.Name) and written.id in rows:
                yield _finding(node, rows[written.id])


def _annotated_rows(scope: ast.FunctionDef | ast.AsyncFunctionDef, names: _Names) -> Iterator[tuple[str, str]]:
    for node in ast.walk(scope):
        match node:
            case ast.arg(arg=name, annotation=ast.expr() as annotation):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                pass
            case _:
                continue
        for part in ast.walk(annotation):
            if owner := names.owner(part):
                yield name, owner


def _rows_of(node: ast.AST) -> Iterator[ast.AST]:
    """The objects of assigned attributes, and the arguments of a session's add, delete or merge."""
    match node:
        case ast.Assign(targets=targets):
            pass
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            targets = [target]
        case ast.Call(func=ast.Name(id="setattr"), args=[row, *_]):
            yield row
            return
        case ast.Call(func=ast.Attribute(attr=attr, value=session), args=[row, *_]):
            if attr in _SESSION_METHODS and "session" in ast.unparse(session):
                yield row
            return
        case _:
            return
    for target in targets:
        for part in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
            if isinstance(part, ast.Attribute):
                yield part.value


def _finding(node: ast.AST, owner: str) -> tuple[int, str]:
    return getattr(node, "lineno", 0), f"{owner} owns this table: have its service write the row"
