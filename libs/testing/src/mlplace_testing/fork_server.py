"""`python -m mlplace_testing.fork_server MODULE...` loads the modules, then forks a child for each command on stdin.

Commands and answers are lines of JSON. {"run": MODULE, "arguments": [...], "environment": {...}, "log": PATH} returns
the child's pid; {"signal": NUMBER, "pid": PID} returns the child's exit code. All children die when stdin is closed.
"""

import json
import os
import runpy
import signal
import sys
import traceback
from importlib import import_module

_children: set[int] = set()


def _answer(command: dict[str, object]) -> int:
    if "run" in command:
        return _run(command)
    pid = int(str(command["pid"]))
    os.kill(pid, int(str(command["signal"])))
    _children.discard(pid)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _run(command: dict[str, object]) -> int:
    pid = os.fork()
    if pid:
        _children.add(pid)
        return pid
    try:
        _become(command)
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else int(end.code is not None))
    except BaseException:  # noqa: BLE001  the child must not continue as its parent
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _become(command: dict[str, object]) -> None:
    environment, arguments = command["environment"], command["arguments"]
    if not isinstance(environment, dict) or not isinstance(arguments, list):
        raise TypeError("environment is an object, arguments a list")
    log = os.open(str(command["log"]), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, nothing), (1, log), (2, log)):
        os.dup2(source, target)
    os.environ.clear()
    os.environ.update(environment)  # pyright: ignore[reportUnknownArgumentType]  # texts, as JSON brought them
    module = str(command["run"])
    sys.argv = [module, *map(str, arguments)]  # pyright: ignore[reportUnknownArgumentType]  # as above
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def main() -> None:
    for module in sys.argv[1:]:
        import_module(module)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        sys.stdout.write(f"{_answer(json.loads(line))}\n")
        sys.stdout.flush()
    for pid in _children:
        os.kill(pid, signal.SIGKILL)
    # There is nothing to finish, and at a usual exit a library's threads, which a fork stops, may be waited for.
    os._exit(0)


if __name__ == "__main__":
    main()
