"""The system user of the embedded server, as the first processes on a machine create it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STARTS = 5
# A copy of /etc without the user, and an empty folder for locks, that only this process and its children see.
IN_ITS_OWN_ETC = """
set -e
cp -a /etc "$1/etc"
mkdir "$1/run"
mount --bind "$1/etc" /etc
mount --bind "$1/run" "$(readlink -f /var/run)"
sed -i /^pgserver:/d /etc/passwd /etc/group /etc/shadow /etc/gshadow
shift
exec "$@"
"""
# Calls of useradd are counted, and take so long that all processes have looked for the user before it exists.
COUNTED_USERADD = """#!/bin/sh
echo called >>"{calls}"
sleep 1
exec {useradd} "$@"
"""
START_AT_ONCE = f"""
import os, pwd, subprocess, sys
ONE = '''
import sys
from mlplace_runtime.db.embedded.identity import server_user
print("ready", flush=True)
sys.stdin.read()
print(server_user())
'''
starts = [
    subprocess.Popen([sys.executable, "-c", ONE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for _ in range({STARTS})
]
assert all(start.stdout.readline() == "ready\\n" for start in starts)
for start in starts:
    start.stdin.close()
for start in starts:
    print(start.stdout.read().strip())
    assert start.wait() == 0
print(pwd.getpwnam("pgserver").pw_uid)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root creates users")
@pytest.mark.skipif(shutil.which("useradd") is None, reason="this system has no useradd")
def test_processes_that_start_at_once_get_the_user_that_stays(tmp_path: Path) -> None:
    try:
        subprocess.run(["unshare", "--mount", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this user may not mount anything")
    calls, programs = tmp_path / "calls", tmp_path / "programs"
    programs.mkdir()
    counted = programs / "useradd"
    counted.write_text(COUNTED_USERADD.format(calls=calls, useradd=shutil.which("useradd")))
    counted.chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    command = [
        "unshare",
        "--mount",
        "sh",
        "-c",
        IN_ITS_OWN_ETC,
        "sh",
        str(tmp_path),
        sys.executable,
        "-c",
        START_AT_ONCE,
    ]
    started = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "PATH": path})
    *users, user_id = started.stdout.splitlines()
    assert len(users) == STARTS
    assert all(f"user_id={user_id}," in user for user in users), users
    assert calls.read_text() == "called\n"
