"""Runs checks in parallel and prints the output of each in one piece: `python tools/lint.py [check|quick|slow ...]`."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BIN = Path(sys.executable).parent
NPM = ["npm", "--prefix", "frontend", "run", "--silent"]
CHECKS: dict[str, list[list[str]]] = {
    # First, since it takes as long as all others together.
    "types": [[f"{BIN}/pyright"]],
    "frontend": [
        ["tools/frontend", "packages"],
        [*NPM, "format", "--", "--check"],
        [*NPM, "types"],
        [*NPM, "lint"],
        [sys.executable, "tools/check_client.py"],
        [sys.executable, "tools/check_frontend_imports.py"],
    ],
    # Its limits of what pages load are the build's own, and the same for each compression.
    "build": [["tools/frontend", "build"]],
    "audit": [[sys.executable, "tools/audit_dependencies.py"]],
    "secrets": [[sys.executable, "tools/scan_secrets.py"]],
    "imports": [[f"{BIN}/lint-imports", "--no-logo"]],
    "rules": [[sys.executable, "tools/check_rules.py"]],
    "sizes": [[sys.executable, "tools/check_sizes.py"]],
    "style": [[f"{BIN}/ruff", "check", "--quiet"], [f"{BIN}/ruff", "format", "--check", "--quiet"]],
}
SLOW = ("types", "secrets")
GROUPS = {"slow": SLOW, "quick": tuple(check for check in CHECKS if check not in SLOW)}
"""`.ci/run` begins with the quick ones; the others run beside its tests, while these wait."""
ENVIRONMENT = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}


def run(check: str) -> bool:
    """Run one check's commands, print one line or all their output, and return whether they all passed."""
    started = time.monotonic()
    results = [
        subprocess.run(
            command, check=False, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for command in CHECKS[check]
    ]
    passed = all(result.returncode == 0 for result in results)
    output = "".join(result.stdout for result in results).strip()
    shown = output if not passed else output.splitlines()[-1] if output else ""
    verdict = f"{'ok' if passed else 'FAILED':7}{check:9}{time.monotonic() - started:5.1f} s"
    print(f"{verdict}  {shown}".rstrip() if passed else f"{verdict}\n{shown}", flush=True)
    return passed


def main() -> int:
    wanted = {check for name in sys.argv[1:] for check in GROUPS.get(name, (name,))} or set(CHECKS)
    if unknown := wanted - set(CHECKS):
        print(f"no such check: {', '.join(sorted(unknown))}; there are: {', '.join([*CHECKS, *GROUPS])}")
        return 2
    chosen = [check for check in CHECKS if check in wanted]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return 0 if all(list(pool.map(run, chosen))) else 1


if __name__ == "__main__":
    sys.exit(main())
