"""helm/rotate-key against a kubectl that keeps one Secret and notes it at each restart."""

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROTATE = Path(__file__).parents[2] / "helm" / "rotate-key"
KUBECTL = """#!/usr/bin/env python3
import base64, json, os, sys
from pathlib import Path

state = Path(os.environ["STATE"])
known = json.loads(state.read_text())
arguments = " ".join(sys.argv[3:])
if arguments.startswith("get deployment,statefulset"):
    print("deployment.apps/mlplace-mlpcore")
elif arguments.startswith("get deployment"):
    print(known["name"], end="")
elif arguments.startswith("get secret"):
    name = arguments.partition("{.data.")[2].rstrip("}")
    print(base64.b64encode(known["data"].get(name, "").encode()).decode(), end="")
elif arguments.startswith("patch secret"):
    known["data"].update(json.load(sys.stdin)["stringData"])
elif arguments.startswith("rollout restart"):
    known["restarts"].append(dict(known["data"]))
state.write_text(json.dumps(known))
"""
Run = Callable[..., list[dict[str, str]]]


@pytest.fixture
def rotate(tmp_path: Path) -> Run:
    """Runs the command on a Secret with these keys; returns what it held at each restart."""
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(KUBECTL)
    kubectl.chmod(kubectl.stat().st_mode | stat.S_IXUSR)
    state = tmp_path / "state.json"

    def run(key: str, data: dict[str, str], *, name: str = "mlplace-keys") -> list[dict[str, str]]:
        state.write_text(json.dumps({"name": name, "data": data, "restarts": []}))
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "STATE": str(state)}
        command = [str(ROTATE), key, "mlplace", "ml"]
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return json.loads(state.read_text())["restarts"]

    return run


class TestInternalToken:
    def test_processes_accept_a_token_before_others_use_it(self, rotate: Run) -> None:
        first, second, third = rotate("internal-token", {"MLP_INTERNAL_TOKEN": "old"})
        new = second["MLP_INTERNAL_TOKEN"]
        assert len(new) == 64
        assert first == {"MLP_INTERNAL_TOKEN": "old", "MLP_INTERNAL_TOKEN_ALSO": new}
        assert second == {"MLP_INTERNAL_TOKEN": new, "MLP_INTERNAL_TOKEN_ALSO": "old"}
        assert third == {"MLP_INTERNAL_TOKEN": new, "MLP_INTERNAL_TOKEN_ALSO": ""}

    def test_what_an_interrupted_run_left_reaches_all_processes_first(self, rotate: Run) -> None:
        interrupted = {"MLP_INTERNAL_TOKEN": "newer", "MLP_INTERNAL_TOKEN_ALSO": "old"}
        restarts = rotate("internal-token", interrupted)
        assert len(restarts) == 4
        assert restarts[0] == interrupted


class TestEnvelopeKey:
    def test_the_previous_key_still_opens_what_it_sealed(self, rotate: Run) -> None:
        (restart,) = rotate("envelope-key", {"MLP_ENVELOPE_KEY": "old"})
        assert restart["MLP_ENVELOPE_KEY_PREVIOUS"] == "old"
        assert len(restart["MLP_ENVELOPE_KEY"]) == 64


class TestMistakes:
    @pytest.mark.parametrize(("key", "name"), [("hash-secret", "mlplace-keys"), ("internal-token", "")])
    def test_an_unknown_key_or_release_changes_nothing(self, rotate: Run, key: str, name: str) -> None:
        with pytest.raises(subprocess.CalledProcessError):
            rotate(key, {"MLP_INTERNAL_TOKEN": "old"}, name=name)
