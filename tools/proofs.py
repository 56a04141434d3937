"""Proofs and when they are due: `python tools/proofs.py names [--plain] | due | run NAME | passed NAME SECONDS`.

A proof is a phase of `.ci/run` that takes long: tools/proofs.toml describes each. tools/proofs.json says of each that
passed at which size it did, and with which files: a digest of names and contents. It is due when that has changed.
"""

import hashlib
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TABLE, RECORD = ROOT / "tools" / "proofs.toml", ROOT / "tools" / "proofs.json"


@dataclass(frozen=True)
class Proof:
    """`subject`: Git's patterns of the files it is about. `options`: of pytest; none if `.ci/run` has its phase.

    `unit`: what one of its workers takes at a time, as a value of pytest's `--dist`.
    """

    name: str
    subject: tuple[str, ...]
    options: tuple[str, ...]
    workers: int = 1
    unit: str = "loadfile"


def proofs(table: Path = TABLE) -> dict[str, Proof]:
    described = tomllib.loads(table.read_text())
    return {name: _proof(name, entry) for name, entry in described.items()}


def _proof(name: str, entry: Mapping[str, Any]) -> Proof:
    unit = "load" if entry.get("by_test") else "loadfile"
    return Proof(name, tuple(entry["subject"]), tuple(entry.get("pytest", ())), entry.get("workers", 1), unit)


def digest(proof: Proof, root: Path = ROOT) -> str:
    """Of the names and contents of the subject's files, as the index has them. Raises ValueError if there are none."""
    listed = git(root, "ls-files", "--stage", "--", *proof.subject)
    if not listed:
        raise ValueError(f"{proof.name}: no file has a name like {', '.join(proof.subject)}")
    return hashlib.sha256(listed.encode()).hexdigest()


def due(table: Path = TABLE, record: Path = RECORD, root: Path = ROOT) -> list[str]:
    passed = read(record)
    return [name for name, proof in proofs(table).items() if passed.get(name, {}).get("digest") != digest(proof, root)]


def note(name: str, seconds: int, table: Path = TABLE, record: Path = RECORD, root: Path = ROOT) -> None:
    """Writes that a proof passed. Does nothing for a phase that is no proof."""
    proof = proofs(table).get(name)
    if proof is None:
        return
    entry = {
        "commit": git(root, "rev-parse", "HEAD").strip(),
        "size": os.environ.get("MLP_PROOFS", "small"),
        "seconds": seconds,
        "digest": digest(proof, root),
    }
    noted = {**read(record), name: entry}
    record.write_text(json.dumps({known: noted[known] for known in proofs(table) if known in noted}, indent=2) + "\n")


def read(record: Path) -> dict[str, Any]:
    return json.loads(record.read_text()) if record.exists() else {}


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True, text=True).stdout


def show(names: Iterable[str]) -> None:
    sys.stdout.write("".join(f"{name}\n" for name in names))


def main(command: str, *arguments: str) -> int:
    match command, arguments:
        case "names", ():
            show(proofs())
        case "names", ("--plain",):
            show(name for name, proof in proofs().items() if proof.options)
        case "due", ():
            show(due())
        case "run", (name, *more):
            proof = proofs()[name]
            workers = ["-n", str(proof.workers), "--dist", proof.unit] if proof.workers > 1 else []
            options = [*proof.options, *workers, *more]
            return subprocess.run(
                [sys.executable, "tools/run_tests.py", "pytest", *options], check=False, cwd=ROOT
            ).returncode
        case "passed", (name, seconds):
            note(name, int(seconds))
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 1 else main(""))
