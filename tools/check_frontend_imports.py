"""Checks that sibling files and folders of the web interface do not import each other in cycles, at any level.

import-linter checks the same for the Python packages. Type imports and lazy imports count; tests do not.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

from source_files import is_test

SOURCES = Path(__file__).parents[1] / "frontend" / "src"
SUFFIXES = (".ts", ".tsx")
TEST_SUPPORT = "testing"
IMPORTED = re.compile(r"""\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]""")

Imports = Mapping[Path, set[Path]]


def imports_of(sources: Path) -> Imports:
    """Return what each module imports. Paths are relative to `sources`, which `@/` stands for."""
    modules = {path.relative_to(sources) for path in sources.rglob("*") if path.suffix in SUFFIXES}
    code = {module for module in modules if not is_test(module) and module.parts[0] != TEST_SUPPORT}
    return {module: _imported(sources, module) & code for module in code}


def _imported(sources: Path, module: Path) -> set[Path]:
    found: set[Path] = set()
    root = sources.resolve()
    for name in IMPORTED.findall((sources / module).read_text()):
        if name.startswith("@/"):
            wanted = sources / name.removeprefix("@/")
        elif name.startswith("."):
            wanted = (sources / module).parent / name
        else:
            continue
        candidates = [wanted, *(Path(f"{wanted}{end}") for suffix in SUFFIXES for end in (suffix, f"/index{suffix}"))]
        inside = (path.resolve() for path in candidates if path.is_file())
        found.update(path.relative_to(root) for path in inside if path.is_relative_to(root))
    return found


def circles(imports: Imports) -> Iterator[str]:
    """Yield one message for each folder whose files and folders import each other in a cycle."""
    folders = {folder for module in imports for folder in module.parents}
    for folder in sorted(folders):
        edges = _edges(folder, imports)
        graph: dict[str, set[str]] = {}
        for importer, imported in edges:
            graph.setdefault(importer, set()).add(imported)
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            names = list(reversed(error.args[1]))
            because = (edges[pair] for pair in pairwise(names))
            yield f"{folder}: {' -> '.join(names)}, because {', '.join(because)}"


def _edges(folder: Path, imports: Imports) -> dict[tuple[str, str], str]:
    """Return which name in the folder imports which other one, with one import as an example."""
    found: dict[tuple[str, str], str] = {}
    for module in sorted(path for path in imports if folder in path.parents):
        for imported in sorted(path for path in imports[module] if folder in path.parents):
            pair = _name_in(folder, module), _name_in(folder, imported)
            if pair[0] != pair[1]:
                found.setdefault(pair, f"{module} imports {imported}")
    return found


def _name_in(folder: Path, module: Path) -> str:
    return module.relative_to(folder).parts[0]


def main() -> int:
    found = [f"frontend/src: in {circle}" for circle in circles(imports_of(SOURCES))]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
