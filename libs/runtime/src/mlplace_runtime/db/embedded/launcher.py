"""Replaces itself with a program of PostgreSQL, run as its system user. Run as a file; uses only the standard library.

The one argument is JSON: `command`; `folder`, the working directory; `parent`, the id of the starting process (if that
is dead, the program does not start); `die_with_parent` (whether the program is killed when the parent dies); `user` and
`group` (ids, or null to keep the current user); `covered` and `shown`.

`covered` are folders that the system user may not enter. In a private mount namespace each of them is replaced by an
empty one that contains only the folders in `shown`, so no folder's mode has to be widened.
"""

import ctypes
import json
import os
import pathlib
import signal
import sys

_CLONE_NEWNS = 0x20000
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000
_MS_NOSUID, _MS_NODEV = 0x2, 0x4
_PR_SET_PDEATHSIG = 1
NOT_PERMITTED = 77
"""Exit code if the system does not let root create a mount namespace, as in most containers."""


def main() -> None:
    wanted = json.loads(sys.argv[1])
    os.umask(0o077)
    if wanted["covered"]:
        try:
            _cover(wanted["covered"], wanted["shown"])
        except OSError as error:
            sys.stderr.write(f"no view of its own: {error}\n")
            sys.exit(NOT_PERMITTED)
    os.chdir(wanted["folder"])
    if wanted["user"] is not None:
        os.setgroups([])
        os.setgid(wanted["group"])
        os.setuid(wanted["user"])
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != wanted["parent"]:
            sys.exit(125)
        if not wanted["die_with_parent"]:
            libc.prctl(_PR_SET_PDEATHSIG, 0, 0, 0, 0)
    os.execve(wanted["command"][0], wanted["command"], {"LC_ALL": "C", "PATH": "/usr/local/bin:/usr/bin:/bin"})  # noqa: S606


def _cover(covered: list[str], shown: list[str]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    _check(libc.unshare(_CLONE_NEWNS))
    _mount(libc, "none", "/", "", _MS_REC | _MS_PRIVATE, "")
    held = [(path, os.open(path, os.O_PATH | os.O_DIRECTORY)) for path in shown]
    for path in covered:
        _mount(libc, "tmpfs", path, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755,size=1m")
    before = os.umask(0o022)
    for path, descriptor in held:
        pathlib.Path(path).mkdir(parents=True, exist_ok=True)
        _mount(libc, f"/proc/self/fd/{descriptor}", path, "", _MS_BIND | _MS_REC, "")
        os.close(descriptor)
    os.umask(before)


def _mount(libc: ctypes.CDLL, source: str, target: str, kind: str, flags: int, data: str) -> None:
    texts = [os.fsencode(text) for text in (source, target, kind)]
    _check(libc.mount(*texts, ctypes.c_ulong(flags), os.fsencode(data)))


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    main()
