"""Bills of materials in the form CycloneDX 1.6: what an image or the wheel contains, with hashes."""

import json
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).parents[1]
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==(\S+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_SPACE = uuid.UUID("6f2f6f0e-7a52-4d0c-8d53-6d1b8c1b8a10")


SYSTEM_PACKAGES = "${Package} ${Version} ${Architecture}\\n"
"""The format in which `dpkg-query --show --showformat` must list the packages of an image's system."""


def of_requirements(name: str, version: str, requirements: Path, system: str = "") -> dict[str, Any]:
    """`requirements` is a file of pinned packages with hashes, as pip reads it; `system` is the list of dpkg-query."""
    return _document(name, version, [*python_packages(requirements.read_text()), *system_packages(system)])


def of_web_interface(name: str, version: str, lock: Path, system: str = "") -> dict[str, Any]:
    """`lock` is a package-lock.json; packages that only the build needs are left out."""
    return _document(name, version, [*node_packages(json.loads(lock.read_text())), *system_packages(system)])


def system_packages(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        name, version, architecture = line.split()
        address = f"pkg:deb/debian/{name}@{quote(version, safe=':')}?arch={architecture}"
        yield _component(name, version, address, [])


def python_packages(text: str) -> Iterator[dict[str, Any]]:
    for block in re.split(r"\n(?=\S)", text):
        pinned = _PINNED.match(block)
        if pinned is None:
            continue
        name, version = pinned[1].lower(), pinned[2]
        yield _component(name, version, f"pkg:pypi/{name}@{version}", _HASH.findall(block))


def node_packages(lock: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path, package in sorted(lock["packages"].items()):
        if not path or package.get("dev") or "version" not in package:
            continue
        name = path.rpartition("node_modules/")[2]
        scoped = name.replace("@", "%40", 1)
        yield _component(name, package["version"], f"pkg:npm/{scoped}@{package['version']}", [])


def _component(name: str, version: str, address: str, hashes: list[str]) -> dict[str, Any]:
    properties = [{"name": "mlplace:sha256", "value": each} for each in hashes]  # of each file that may be installed
    whole = {"type": "library", "name": name, "version": version, "purl": address, "bom-ref": address}
    return {**whole, "properties": properties} if properties else whole


def _document(name: str, version: str, components: list[dict[str, Any]]) -> dict[str, Any]:
    unique = {component["bom-ref"]: component for component in components}
    content = json.dumps([name, version, sorted(unique)])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(_SPACE, content)}",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": name, "version": version}},
        "components": [unique[key] for key in sorted(unique)],
    }
