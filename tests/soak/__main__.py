"""`python -m tests.soak --minutes 10`, or `make soak`. With `--leak` it leaks on purpose and must fail."""

import argparse
import asyncio
import sys

from tests.soak.judging import Bounds
from tests.soak.run import soak

LONG = Bounds(mib=10.0)


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--leak", choices=["memory", "tasks", "files", "sessions"], default="")
    options = parser.parse_args()
    report = asyncio.run(soak(options.minutes * 60, LONG, leak=options.leak))
    print(report)
    return 1 if report.leaks else 0


if __name__ == "__main__":
    sys.exit(main())
