"""The command `mlplace` of an installed wheel: the platform's commands and those of the SDK.

Unsupported Python versions must be able to parse this file, so that it can tell the user.
"""

import runpy
import sys

_OLDEST = (3, 11)
_OF_SDK = ("serve", "descriptor")


def main() -> int:
    """Returns the exit code. Imports only what the command needs."""
    complaint = too_old(sys.version_info[:3])
    if complaint:
        sys.stderr.write(complaint)
        return 1
    if sys.argv[1:] and sys.argv[1] in _OF_SDK:
        from mlplace.__main__ import main as run_sdk

        return run_sdk()
    runpy.run_module("standalone", run_name="__main__", alter_sys=True)
    return 0  # never reached, because the module exits


def too_old(version: "tuple[int, ...]") -> str:
    """Returns the error message for this Python version; empty if the version is supported."""
    if version >= _OLDEST:
        return ""
    found = ".".join(str(number) for number in version)
    return f"MLPlace needs Python 3.11 or newer (found: {found}); install it into an environment of such a Python.\n"
