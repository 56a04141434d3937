"""Checks that the generated client of the web interface matches the committed OpenAPI documents."""

import hashlib
import subprocess
import sys
from pathlib import Path

FRONTEND = Path(__file__).parents[1] / "frontend"
API = FRONTEND / "src" / "api"


def state() -> dict[str, str]:
    return {
        str(path.relative_to(API)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(API.rglob("generated/*"))
    }


def main() -> int:
    before = state()
    done = subprocess.run(["npm", "run", "--silent", "api"], cwd=FRONTEND, check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout + done.stderr)
        return 1
    after = state()
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    for name in changed:
        print(f"frontend/src/api/{name} did not fit the OpenAPI documents; it has been written anew")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
