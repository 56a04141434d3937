"""helm/rotate-key against a kubectl that keeps one Secret, notes it at each restart, and fails where it is told to."""

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
import base64, json, os, re, sys
from pathlib import Path

state = Path(os.environ["STATE"])
known = json.loads(state.read_text())
arguments = " ".join(sys.argv[3:])
kind = next((kind for kind in ("get deployment,statefulset", "get deployment", "get secret", "patch secret",
                               "rollout restart") if arguments.startswith(kind)), "rollout status")
known["calls"].append(kind)
fails = known["calls"].count(kind) == known["fails"].get(kind)
if kind == "get deployment,statefulset":
    print("" if known["name"] == "idle" else "deployment.apps/mlplace-mlpcore")
elif kind == "get deployment":
    print(known["name"], end="")
elif kind == "get secret" and not fails:
    names = re.findall(r"\\\\{[.]data[.](\\\\w+)", arguments)
    values = [base64.b64encode(known["data"].get(name, "").encode()).decode() for name in names]
    print("\\\\n".join([str(known["version"]), *values]), end="")
    if known["calls"].count(kind) == known["fails"].get("others write after"):
        known["version"] += 1
elif kind == "patch secret":
    patch = json.load(sys.stdin)
    fails = fails or patch["metadata"]["resourceVersion"] != str(known["version"])
    if not fails:
        known["data"].update(patch["stringData"])
        known["version"] += 1
elif kind == "rollout restart":
    known["restarts"].append(dict(known["data"]))
state.write_text(json.dumps(known))
sys.exit("no connection" if fails else 0)
""".replace("\\\\", "\\")
OLD, OTHER, NEWER = "a" * 64, "b" * 64, "c" * 64
Run = Callable[..., "Rotated"]


class Rotated(NamedTuple):
    """What the Secret held at each restart, and at the end."""

    restarts: list[dict[str, str]]
    data: dict[str, str]


@pytest.fixture
def rotate(tmp_path: Path) -> Run:
    """Runs the command on a Secret with these keys. `fails`: which of the calls of a kind fails, counted from 1."""
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(KUBECTL)
    kubectl.chmod(kubectl.stat().st_mode | stat.S_IXUSR)
    state = tmp_path / "state.json"

    def run(
        key: str,
        data: dict[str, str],
        *,
        name: str = "mlplace-keys",
        status: int = 0,
        fails: dict[str, int] | None = None,
    ) -> Rotated:
        known = {"name": name, "data": data, "restarts": [], "calls": [], "version": 1, "fails": fails or {}}
        state.write_text(json.dumps(known))
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "STATE": str(state)}
        command = [str(ROTATE), key, "mlplace", "ml"]
        assert subprocess.run(command, env=environment, check=False, capture_output=True).returncode == status
        found = json.loads(state.read_text())
        return Rotated(found["restarts"], found["data"])

    return run


class TestInternalToken:
    def test_processes_accept_a_token_before_others_use_it(self, rotate: Run) -> None:
        first, second, third = rotate("internal-token", {"MLP_INTERNAL_TOKEN": OLD}).restarts
        new = second["MLP_INTERNAL_TOKEN"]
        assert len(new) == 64
        assert first == {"MLP_INTERNAL_TOKEN": OLD, "MLP_INTERNAL_TOKEN_ALSO": new}
        assert second == {"MLP_INTERNAL_TOKEN": new, "MLP_INTERNAL_TOKEN_ALSO": OLD}
        assert third == {"MLP_INTERNAL_TOKEN": new, "MLP_INTERNAL_TOKEN_ALSO": ""}

    def test_what_an_interrupted_run_left_reaches_all_processes_first(self, rotate: Run) -> None:
        interrupted = {"MLP_INTERNAL_TOKEN": NEWER, "MLP_INTERNAL_TOKEN_ALSO": OLD}
        restarts = rotate("internal-token", interrupted).restarts
        assert len(restarts) == 4
        assert restarts[0] == interrupted

    @pytest.mark.parametrize("number", range(1, 5))
    def test_a_failed_look_loses_no_token(self, rotate: Run, number: int) -> None:
        interrupted = {"MLP_INTERNAL_TOKEN": OLD, "MLP_INTERNAL_TOKEN_ALSO": OTHER}
        broken = rotate("internal-token", interrupted, status=1, fails={"get secret": number})
        assert "" not in broken.data.values()


class TestEnvelopeKey:
    def test_processes_can_open_values_before_others_seal_them(self, rotate: Run) -> None:
        first, second = rotate("envelope-key", {"MLP_ENVELOPE_KEY": OLD}).restarts
        new = second["MLP_ENVELOPE_KEY"]
        assert len(new) == 64
        assert (first["MLP_ENVELOPE_KEY"], first["MLP_ENVELOPE_KEY_PREVIOUS"]) == (OLD, new)
        assert second["MLP_ENVELOPE_KEY_PREVIOUS"] == OLD

    @pytest.mark.parametrize(
        "fails",
        [
            *({"get secret": number} for number in range(1, 5)),
            *({"patch secret": number} for number in range(1, 4)),
            *({"rollout restart": number} for number in range(1, 3)),
            *({"rollout status": number} for number in range(1, 3)),
            *({"get deployment,statefulset": number} for number in range(1, 3)),
            *({"others write after": number} for number in (1, 3, 4)),
        ],
        ids=str,
    )
    def test_an_interrupted_change_keeps_the_old_key_and_goes_on(self, rotate: Run, fails: dict[str, int]) -> None:
        broken = rotate("envelope-key", {"MLP_ENVELOPE_KEY": OLD}, status=1, fails=fails)
        kept = {broken.data["MLP_ENVELOPE_KEY"], broken.data.get("MLP_ENVELOPE_KEY_PREVIOUS")}
        assert OLD in kept
        again = rotate("envelope-key", broken.data)
        assert again.data["MLP_ENVELOPE_KEY_PREVIOUS"] == OLD
        assert again.data["MLP_ENVELOPE_KEY"] in kept - {OLD} or kept <= {OLD, None}
        assert again.data["MLP_ENVELOPE_KEY_CHANGE"] == ""

    def test_a_key_that_still_opens_values_is_kept(self, rotate: Run) -> None:
        changed = rotate("envelope-key", {"MLP_ENVELOPE_KEY": OLD}).data
        assert rotate("envelope-key", changed, status=1) == ([], changed)
        emptied = {**changed, "MLP_ENVELOPE_KEY_PREVIOUS": ""}
        assert rotate("envelope-key", emptied).data["MLP_ENVELOPE_KEY_PREVIOUS"] == changed["MLP_ENVELOPE_KEY"]

    @pytest.mark.parametrize(
        "data",
        [
            {},
            {"MLP_ENVELOPE_KEY": "short"},
            {"MLP_ENVELOPE_KEY": OLD, "MLP_ENVELOPE_KEY_CHANGE": "1"},
            {"MLP_ENVELOPE_KEY": OLD, "MLP_ENVELOPE_KEY_PREVIOUS": OTHER, "MLP_ENVELOPE_KEY_CHANGE": "3"},
        ],
        ids=["none", "short", "restored by others", "another change"],
    )
    def test_a_secret_that_others_have_written_is_left_alone(self, rotate: Run, data: dict[str, str]) -> None:
        assert rotate("envelope-key", data, status=1) == ([], data)


class TestMistakes:
    @pytest.mark.parametrize(("key", "name", "status"), [("hash-secret", "mlplace-keys", 2), ("internal-token", "", 1)])
    def test_an_unknown_key_or_release_changes_nothing(self, rotate: Run, key: str, name: str, status: int) -> None:
        data = {"MLP_INTERNAL_TOKEN": OLD}
        assert rotate(key, data, name=name, status=status) == ([], data)

    def test_a_release_without_services_is_no_success(self, rotate: Run) -> None:
        assert rotate("internal-token", {"MLP_INTERNAL_TOKEN": OLD}, name="idle", status=1).restarts == []
