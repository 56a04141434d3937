"""A `docker` with one compose project and its volumes as folders. It notes its commands, and fails where it is told to.

The file STATE holds what it knows; the folder ENGINE has a folder for each volume. Its containers run only tar.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ENGINE = Path(os.environ["ENGINE"])
STATE = Path(os.environ["STATE"])


def main() -> str | None:
    state = json.loads(STATE.read_text())
    words = sys.argv[1:]
    while words[1:2] and words[1] in {"--file", "--env-file"}:
        del words[1:3]
    kind = " ".join(words[: 2 if words[0] in {"compose", "volume"} else 1])
    state["calls"].append(" ".join([kind, *words[len(kind.split()) :]]))
    fails = sum(call.startswith(kind) for call in state["calls"]) == state["fails"].get(kind)
    problem = "no connection" if fails else COMMANDS[kind](state, words[len(kind.split()) :])
    STATE.write_text(json.dumps(state))
    return problem


def config(state: dict[str, Any], options: list[str]) -> None:
    _say(state["volumes"] if "--volumes" in options else ["name: mlplace", "services:", "  name: no project"])


def ps(state: dict[str, Any], options: list[str]) -> None:
    _say(state["running"] if "--services" in options else state["containers"])


def stop(state: dict[str, Any], names: list[str]) -> str | None:
    state["running"] = [name for name in state["running"] if names and name not in names]
    unknown = set(names) - set(state["services"])
    return f"no such service: {unknown}" if unknown else None


def create(state: dict[str, Any], _: list[str]) -> None:
    state["containers"] = state["services"]
    for volume in state["volumes"]:
        (ENGINE / f"mlplace_{volume}").mkdir(exist_ok=True)


def up(state: dict[str, Any], options: list[str]) -> None:
    create(state, options)
    state["running"] = ["postgres"] if "--no-deps" in options else state["services"]


def execute(state: dict[str, Any], command: list[str]) -> str | None:
    if "postgres" not in state["running"] or "mlpcore" in state["running"]:
        return "the database is away, or others write to it"
    if command[2] == "bash":
        return None if subprocess.run(command[2:], check=False).returncode == 0 else "bash failed"
    if "-c" not in command:
        state["database"] = sys.stdin.read()
    return None if state["database"] else "no posting"


def inspect(state: dict[str, Any], _: list[str]) -> None:
    _say(state["mounts"])


def list_volumes(state: dict[str, Any], options: list[str]) -> None:
    wanted = [option.rpartition("=")[2] for option in options if option.startswith("label=com.docker.compose.volume=")]
    labelled = [volume for volume in state["volumes"] if volume not in state["external"]]
    _say([f"mlplace_{name}" for name in wanted or labelled if name in labelled and _exists(name)])


def run(_: dict[str, Any], words: list[str]) -> str | None:
    source, target = words[words.index("--volume") + 1].split(":")[:2]
    folder = Path(source) if source.startswith("/") else ENGINE / source
    if not folder.is_dir():
        return f"no such volume: {source}"
    command = ["tar", *(str(folder) if word == target else word for word in words[words.index("tar") + 2 :])]
    return None if subprocess.run(command, check=False).returncode == 0 else "tar failed"


def _say(lines: list[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _exists(volume: str) -> bool:
    return (ENGINE / f"mlplace_{volume}").is_dir()


COMMANDS = {
    "compose config": config, "compose ps": ps, "compose stop": stop, "compose create": create, "compose up": up,
    "compose exec": execute, "inspect": inspect, "volume ls": list_volumes, "run": run,
}  # fmt: skip

if __name__ == "__main__":
    sys.exit(main())
