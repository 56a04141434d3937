"""helm/rotate-key against a kubectl that keeps one Secret and notes it at each restart."""

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

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
if arguments.startswith("rollout restart") and len(known["restarts"]) == known["breaks_at"]:
    sys.exit("no connection")
"""
Run = Callable[..., "Rotated"]


class Rotated(NamedTuple):
    """What the Secret held at each restart, and at the end."""

    restarts: list[dict[str, str]]
    data: dict[str, str]


@pytest.fixture
def rotate(tmp_path: Path) -> Run:
    """Runs the command on a Secret with these keys. `breaks_at`: the number of the restart that fails."""
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(KUBECTL)
    kubectl.chmod(kubectl.stat().st_mode | stat.S_IXUSR)
    state = tmp_path / "state.json"

    def run(
        key: str, data: dict[str, str], *, name: str = "mlplace-keys", breaks_at: int = 0, status: int = 0
    ) -> Rotated:
        state.write_text(json.dumps({"name": name, "data": data, "restarts": [], "breaks_at": breaks_at}))
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "STATE": str(state)}
        command = [str(ROTATE), key, "mlplace", "ml"]
        assert subprocess.run(command, env=environment, check=False, capture_output=True).returncode == status
        found = json.loads(state.read_text())
        return Rotated(found["restarts"], found["data"])

    return run


class TestInternalToken:
    def test_processes_accept_a_token_before_others_use_it(self, rotate: Run) -> None:
        first, second, third = rotate("internal-token", {"MLP_INTERNAL_TOKEN": "old"}).restarts
        new = second["MLP_INTERNAL_TOKEN"]
        assert len(new) == 64
        assert first == {"MLP_INTERNAL_TOKEN": "old", "MLP_INTERNAL_TOKEN_ALSO": new}
        assert second == {"MLP_INTERNAL_TOKEN": new, "MLP_INTERNAL_TOKEN_ALSO": "old"}
        assert third == {"MLP_INTERNAL_TOKEN": new, "MLP_INTERNAL_TOKEN_ALSO": ""}

    def test_what_an_interrupted_run_left_reaches_all_processes_first(self, rotate: Run) -> None:
        interrupted = {"MLP_INTERNAL_TOKEN": "newer", "MLP_INTERNAL_TOKEN_ALSO": "old"}
        restarts = rotate("internal-token", interrupted).restarts
        assert len(restarts) == 4
        assert restarts[0] == interrupted


class TestEnvelopeKey:
    def test_processes_can_open_values_before_others_seal_them(self, rotate: Run) -> None:
        first, second = rotate("envelope-key", {"MLP_ENVELOPE_KEY": "old"}).restarts
        new = second["MLP_ENVELOPE_KEY"]
        assert len(new) == 64
        assert (first["MLP_ENVELOPE_KEY"], first["MLP_ENVELOPE_KEY_PREVIOUS"]) == ("old", new)
        assert second["MLP_ENVELOPE_KEY_PREVIOUS"] == "old"

    @pytest.mark.parametrize("breaks_at", [1, 2])
    def test_an_interrupted_change_goes_on_where_it_was(self, rotate: Run, breaks_at: int) -> None:
        broken = rotate("envelope-key", {"MLP_ENVELOPE_KEY": "old"}, breaks_at=breaks_at, status=1)
        new = broken.restarts[0]["MLP_ENVELOPE_KEY_PREVIOUS"]
        again = rotate("envelope-key", broken.data)
        assert len(again.restarts) == 3 - breaks_at
        assert again.data["MLP_ENVELOPE_KEY"] == new
        assert again.data["MLP_ENVELOPE_KEY_PREVIOUS"] == "old"

    def test_a_key_that_still_opens_values_is_kept(self, rotate: Run) -> None:
        changed = rotate("envelope-key", {"MLP_ENVELOPE_KEY": "old"}).data
        assert rotate("envelope-key", changed, status=1) == ([], changed)
        emptied = {**changed, "MLP_ENVELOPE_KEY_PREVIOUS": ""}
        assert rotate("envelope-key", emptied).data["MLP_ENVELOPE_KEY_PREVIOUS"] == changed["MLP_ENVELOPE_KEY"]


class TestMistakes:
    @pytest.mark.parametrize(("key", "name", "status"), [("hash-secret", "mlplace-keys", 2), ("internal-token", "", 1)])
    def test_an_unknown_key_or_release_changes_nothing(self, rotate: Run, key: str, name: str, status: int) -> None:
        data = {"MLP_INTERNAL_TOKEN": "old"}
        assert rotate(key, data, name=name, status=status) == ([], data)
