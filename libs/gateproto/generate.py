# ruff: noqa: INP001 - a script beside the package, not a part of it
"""Generate the Python stubs of gate.proto: ``python libs/gateproto/generate.py [folder]``.

The default folder is the package itself. The folder gets the four files that STUBS names.
"""

import sys
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc

PACKAGE = Path(__file__).parent / "src" / "mlplace_gateproto"
STUBS = ("gate_pb2.py", "gate_pb2.pyi", "gate_pb2_grpc.py", "gate_pb2_grpc.pyi")

# protoc writes absolute imports of sibling modules; inside a package they have to be relative.
IMPORT_FIXES = {
    "gate_pb2_grpc.py": ("import gate_pb2 as gate__pb2", "from . import gate_pb2 as gate__pb2"),
    "gate_pb2_grpc.pyi": ("import gate_pb2 as _gate_pb2", "from . import gate_pb2 as _gate_pb2"),
}


def generate(target: Path) -> None:
    """Write the four stub files into ``target``; raises ``RuntimeError`` when protoc refuses the source."""
    target.mkdir(parents=True, exist_ok=True)
    # Plug-ins are found through PATH, which need not hold the environment's own scripts.
    scripts = Path(sys.executable).parent
    code = protoc.main(
        [
            "protoc",
            f"--plugin=protoc-gen-mypy={scripts / 'protoc-gen-mypy'}",
            f"--plugin=protoc-gen-mypy_grpc={scripts / 'protoc-gen-mypy_grpc'}",
            f"--proto_path={PACKAGE}",
            f"--proto_path={files('grpc_tools') / '_proto'}",
            f"--python_out={target}",
            f"--grpc_python_out={target}",
            f"--mypy_out={target}",
            f"--mypy_grpc_out={target}",
            "gate.proto",
        ]
    )
    if code != 0:
        raise RuntimeError(f"protoc ended with code {code}")
    for name, (absolute, relative) in IMPORT_FIXES.items():
        stub = target / name
        text = stub.read_text()
        if absolute not in text:
            raise RuntimeError(f"{name} does not hold the import that was to be made relative")
        stub.write_text(text.replace(absolute, relative))


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE)
