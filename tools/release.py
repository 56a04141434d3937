"""Writes everything that is published of a version into a folder: `python tools/release.py FOLDER`.

The wheel, the packed chart with the command that rotates its keys, a bill of materials for each image (with the
packages of its system) and for the wheel, the ids of the images, and checksums of all these files. Needs a built web
interface. Images need Docker and the chart Helm; without these it says what it leaves out.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import bill_of_materials as bom
import build_wheel
import versions

ROOT = Path(__file__).parents[1]
IMAGES = ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling", "tools", "agent")
CHECKSUMS = "SHA256SUMS"


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: tools/release.py FOLDER", file=sys.stderr)
        return 2
    folder, version = Path(sys.argv[1]), versions.current()
    folder.mkdir(parents=True, exist_ok=True)
    build_wheel.build(folder)
    write_bills(folder, version, system_packages if shutil.which("docker") else lambda _image: "")
    write_chart(folder)
    if shutil.which("docker"):
        (folder / "images.txt").write_text("".join(f"{name} {identity}\n" for name, identity in images(version)))
    else:
        print("no docker: the ids of the images and the packages of their systems are left out", file=sys.stderr)
    write_checksums(folder)
    return 0


def write_bills(folder: Path, version: str, system: Callable[[str], str]) -> None:
    """`system` lists the packages of an image's system."""
    requirements = ROOT / "requirements"
    bills = {
        name: bom.of_requirements(
            f"mlplace/{name}", version, requirements / "images" / f"{name}.txt", system(f"mlplace/{name}:{version}")
        )
        for name in IMAGES
    }
    bills["wheel"] = bom.of_requirements("mlplace", version, requirements / "runtime.txt")
    bills["edge"] = bom.of_web_interface(
        "mlplace/edge", version, ROOT / "frontend" / "package-lock.json", system(f"mlplace/edge:{version}")
    )
    for name, bill in bills.items():
        (folder / f"{name}.cdx.json").write_text(json.dumps(bill, indent=1) + "\n")


def write_chart(folder: Path) -> None:
    """Who installs the packed chart has no checkout, and so no other copy of the command."""
    if shutil.which("helm") is None:
        print("no helm: the chart is left out", file=sys.stderr)
        return
    subprocess.run(["helm", "package", "helm/mlplace", "--destination", str(folder.resolve())], cwd=ROOT, check=True)
    shutil.copy(ROOT / "helm" / "rotate-key", folder)


def system_packages(image: str) -> str:
    command = [
        "docker",
        "run",
        "--rm",
        "--entrypoint",
        "dpkg-query",
        image,
        "--show",
        "--showformat",
        bom.SYSTEM_PACKAGES,
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def images(version: str) -> Iterator[tuple[str, str]]:
    """Name and id of each image of this version; the id is the SHA-256 of its configuration, which names its layers."""
    for name in (*IMAGES, "edge"):
        image = f"mlplace/{name}:{version}"
        command = ["docker", "image", "inspect", "--format", "{{.Id}}", image]
        yield image, subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def write_checksums(folder: Path) -> None:
    """In the form of sha256sum: `sha256sum --check SHA256SUMS`."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != CHECKSUMS)
    lines = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    (folder / CHECKSUMS).write_text("".join(lines))


if __name__ == "__main__":
    sys.exit(main())
