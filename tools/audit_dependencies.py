"""Checks that dependencies are pinned by hash, come from the index, and have an accepted licence."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path

ADVISORY_SECONDS = 90
NOT_CHECKED = "the advisory service does not answer: known vulnerabilities were NOT checked"
ACCEPTED_LICENCES = {
    "0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "MPL-2.0",
    "PSF-2.0", "Unlicense", "Zlib",
}  # fmt: skip
REVIEWED = {  # distribution → why it is accepted although its metadata names no licence
    "docutils": "GPL covers a mode of an editor in its source archive; tests alone use it, through the S3 command line",
    "espeakng-loader": "carries espeak-ng, GPL-3.0-or-later: a separate process of the speech example alone loads it",
}
SPELLINGS = {  # classifiers and free text → the SPDX identifier with the same meaning
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
}
NOT_LICENCES = {"OSI Approved", "DFSG approved"}
REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[.*?\])?\s*(?:==\s*(?P<version>[^\s;\\]+))?")


def requirement_problems(name: str, text: str) -> Iterator[str]:
    """Yield a problem for each entry that is not `package==version` with a hash, and for addresses and options."""
    for entry in text.replace("\\\n", " ").splitlines():
        requirement = REQUIREMENT.match(entry)
        if "://" in entry or " @ " in entry or entry.lstrip().startswith("-"):
            yield f"{name}: an address or option instead of a pinned package: {entry.split('--hash')[0].strip()}"
        elif requirement and not requirement["version"]:
            yield f"{name}: {requirement['name']} is not pinned"
        elif requirement and "--hash=sha256:" not in entry:
            yield f"{name}: {requirement['name']} has no hash"


def export_problems(projects: Mapping[str, str], exported: str) -> Iterator[str]:
    """Yield each dependency of a pyproject.toml that the exported requirements lack or hold in another version."""
    pins = {(_normal(pin["name"]), pin["version"]) for pin in map(REQUIREMENT.match, exported.splitlines()) if pin}
    names = {name for name, _ in pins}
    for project, text in projects.items():
        for wanted in _dependencies(text):
            name, version = _normal(wanted["name"]), wanted["version"]
            if (name, version) not in pins if version else name not in names:
                yield f"{project}: {wanted[0].strip()} is not in requirements/: run `make lock`"


def _dependencies(pyproject: str) -> Iterator[re.Match[str]]:
    content = tomllib.loads(pyproject)
    groups = content.get("dependency-groups", {}).values()
    listed = [*content["project"]["dependencies"], *(entry for group in groups for entry in group)]
    for entry in listed:
        found = REQUIREMENT.match(entry) if isinstance(entry, str) else None
        if found and not found["name"].startswith("mlplace"):
            yield found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def licence_problem(distribution: Distribution) -> str | None:
    name = distribution.metadata["Name"]
    unknown = {licence for licence in _licences(distribution) if licence not in ACCEPTED_LICENCES}
    if _normal(name) in REVIEWED or not unknown:
        return None
    return f"{name}: licence not accepted or not stated: {', '.join(sorted(unknown))}"


def _licences(distribution: Distribution) -> list[str]:
    """Return every licence that applies or can be chosen. Each of them must be accepted."""
    stated = distribution.metadata.json  # each field as a string or a list of strings, by its lower-case name
    if expression := stated.get("license_expression"):
        return [word for word in re.split(r"[()\s]+", str(expression)) if word not in {"AND", "OR", ""}]
    classified = [entry.split(" :: ")[-1] for entry in stated.get("classifier", []) if entry.startswith("License ::")]
    licences = [name for name in classified if name not in NOT_LICENCES] or [str(stated.get("license", "none"))]
    return [SPELLINGS.get(name, name) for name in licences]


def ask_for_advisories(requirements: Path) -> str:
    """Return the advisory service's answer as JSON, or the error output instead."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(requirements), "--disable-pip"]
    command += ["--vulnerability-service", "osv", "--timeout", "5", "--format", "json", "--progress-spinner", "off"]
    try:
        return subprocess.run(command, capture_output=True, check=False, text=True, timeout=ADVISORY_SECONDS).stdout
    except subprocess.TimeoutExpired:
        return ""


def read_advisories(answer: str) -> tuple[list[str], str]:
    """Return the known vulnerabilities and a remark about the query; without an answer, only the remark."""
    try:
        packages = json.loads(answer)["dependencies"]
    except ValueError:
        return [], NOT_CHECKED
    asked = [package for package in packages if "vulns" in package]
    found = [f"{package['name']} {package['version']}: {v['id']}" for package in asked for v in package["vulns"]]
    return found, f"{len(asked)} of {len(packages)} packages checked for known vulnerabilities"


def exports_below(root: Path) -> list[Path]:
    """Return the exported requirements: of the packages, the images, and others' programs in tests and benchmarks."""
    others = [*root.glob("tests/*/requirements/*.txt"), *root.glob("benchmarks/requirements*.txt")]
    return sorted([*(root / "requirements").rglob("*.txt"), *others])


def main(*options: str) -> int:
    """With `--advisories`, ask only for known vulnerabilities: these appear without a change, and fail no commit.

    Each export is asked about alone: two of them may hold a package in two versions.
    """
    root = Path.cwd()
    if options == ("--advisories",):
        answers = {path.relative_to(root): read_advisories(ask_for_advisories(path)) for path in exports_below(root)}
        print(*sorted({found for vulnerable, _ in answers.values() for found in vulnerable}), sep="\n")
        print(*(f"{path}: {remark}" for path, (_, remark) in answers.items()), sep="\n")
        return int(any(vulnerable or remark == NOT_CHECKED for vulnerable, remark in answers.values()))
    exports = {str(path.relative_to(root)): path.read_text() for path in exports_below(root)}
    paths = [root / "pyproject.toml", *root.glob("*/pyproject.toml"), *root.glob("*/*/pyproject.toml")]
    projects = {str(path.relative_to(root)): path.read_text() for path in paths}
    problems = [problem for name, text in exports.items() for problem in requirement_problems(name, text)]
    problems += export_problems(projects, exports["requirements/dev.txt"])
    problems += filter(None, map(licence_problem, distributions()))
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
