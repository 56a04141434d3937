"""helm/rotate-key against a kubectl that keeps one Secret, notes it at each restart, and fails where it is told to."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

ROTATE = Path(__file__).parents[2] / "helm" / "rotate-key"
PROGRAM = """import base64, json, os, re, sys

state = os.environ["STATE"]
known = json.load(open(state))
arguments = " ".join(sys.argv[3:])
kind = next((kind for kind in ("get deployment,statefulset", "get deployment", "get secret", "patch secret",
                               "get pods", "exec", "rollout restart") if arguments.startswith(kind)), "rollout status")
known["calls"].append(kind)
status = 0
fails = known["calls"].count(kind) == known["fails"].get(kind)
if kind == "get deployment,statefulset":
    service = "mlpgateway" if "component=mlpgateway" in arguments else "mlpcore"
    print("" if known["name"] == "idle" else "deployment.apps/mlplace-" + service)
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
elif kind == "get pods":
    known["ending"] = known["ending"][1:]
    print(*known["ending"][:1], end="")
elif kind == "exec":
    known["resealed"].append([arguments, len(known["restarts"]), known["ending"], dict(known["data"])])
    print("secrets: 1 values, 0 encrypted again" if fails else "encrypted again")
    if known["calls"].count(kind) == known["fails"].get("unreadable"):
        print("secrets that no key opens: 7 (account 1)")
        status = 3
elif kind == "rollout restart":
    known["restarts"].append(dict(known["data"]))
with open(state, "w") as file:
    json.dump(known, file)
sys.exit("no connection" if fails else status)
""".replace("\\\\", "\\")
# Not `python3` from the path: a shim there takes ten times as long, and this runs a thousand times.
KUBECTL = f"#!{sys.executable} -IS\n{PROGRAM}"
OLD, OTHER, NEWER = "a" * 64, "b" * 64, "c" * 64
Run = Callable[..., "Rotated"]


class Rotated(NamedTuple):
    """What the Secret held at each restart, and at the end.

    `resealed`: for each command that seals values again, the call, after how many restarts, the pods that still ended,
    and the Secret.
    """

    restarts: list[dict[str, str]]
    data: dict[str, str]
    resealed: list[tuple[str, int, list[str], dict[str, str]]]
    output: str


@pytest.fixture
def rotate(tmp_path: Path) -> Run:
    """Runs the command on a Secret with these keys. `fails`: which of the calls of a kind fails, counted from 1.

    `ending`: the pods that still end, at each look.
    """
    for name, text in (("kubectl", KUBECTL), ("sleep", "#!/bin/sh")):
        program = tmp_path / name
        program.write_text(text)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    state = tmp_path / "state.json"

    def run(
        key: str,
        data: dict[str, str],
        *,
        name: str = "mlplace-keys",
        status: int = 0,
        fails: dict[str, int] | None = None,
        ending: Sequence[str] = (),
    ) -> Rotated:
        known = {"name": name, "data": data, "restarts": [], "calls": [], "version": 1, "fails": fails or {}}
        known |= {"ending": ["", *ending], "resealed": []}
        state.write_text(json.dumps(known))
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "STATE": str(state)}
        command = [str(ROTATE), key, "mlplace", "ml"]
        ran = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
        assert ran.returncode == status, ran.stderr
        found = json.loads(state.read_text())
        resealed = [(call, restarts, ended, held) for call, restarts, ended, held in found["resealed"]]
        return Rotated(found["restarts"], found["data"], resealed, ran.stdout + ran.stderr)

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
        done = rotate("envelope-key", {"MLP_ENVELOPE_KEY": OLD})
        first, second, third = done.restarts
        new = second["MLP_ENVELOPE_KEY"]
        assert len(new) == 64
        assert (first["MLP_ENVELOPE_KEY"], first["MLP_ENVELOPE_KEY_PREVIOUS"]) == (OLD, new)
        assert second["MLP_ENVELOPE_KEY_PREVIOUS"] == OLD
        assert (third["MLP_ENVELOPE_KEY"], third["MLP_ENVELOPE_KEY_PREVIOUS"]) == (new, "")
        assert done.data == {**third, "MLP_ENVELOPE_KEY_CHANGE": ""}

    def test_values_are_sealed_again_before_the_old_key_is_forgotten(self, rotate: Run) -> None:
        done = rotate("envelope-key", {"MLP_ENVELOPE_KEY": OLD})
        assert [(call, restarts, held) for call, restarts, _, held in done.resealed] == [
            (
                f"exec deployment.apps/mlplace-{service} --container {service} -- python -m {service} reseal",
                2,
                done.restarts[1],
            )
            for service in ("mlpcore", "mlpgateway")
        ]
        assert "encrypted again" in done.output

    def test_values_are_sealed_again_only_when_no_process_of_before_is_left(self, rotate: Run) -> None:
        done = rotate("envelope-key", {"MLP_ENVELOPE_KEY": OLD}, ending=["mlplace-mlpcore-1", "mlplace-mlpcore-1"])
        assert [ending for _, _, ending, _ in done.resealed] == [[], []]

    def test_old_key_is_kept_while_a_process_of_before_does_not_end(self, rotate: Run) -> None:
        stuck = rotate("envelope-key", {"MLP_ENVELOPE_KEY": OLD}, status=1, ending=["mlplace-mlpcore-1"] * 1000)
        assert (stuck.resealed, stuck.data["MLP_ENVELOPE_KEY_PREVIOUS"]) == ([], OLD)
        assert "mlplace-mlpcore-1" in stuck.output

    @pytest.mark.parametrize("number", [1, 2])
    def test_a_value_that_no_key_opens_does_not_keep_the_old_key(self, rotate: Run, number: int) -> None:
        """Whoever owns it may never replace it, and the old key may have leaked."""
        done = rotate("envelope-key", {"MLP_ENVELOPE_KEY": OLD}, fails={"unreadable": number})
        assert done.data["MLP_ENVELOPE_KEY_PREVIOUS"] == ""
        assert "secrets that no key opens: 7 (account 1)" in done.output

    @pytest.mark.parametrize("number", [1, 2])
    def test_a_value_that_cannot_be_sealed_again_keeps_the_old_key(self, rotate: Run, number: int) -> None:
        broken = rotate("envelope-key", {"MLP_ENVELOPE_KEY": OLD}, status=1, fails={"exec": number})
        assert broken.data["MLP_ENVELOPE_KEY_PREVIOUS"] == OLD
        assert "secrets: 1 values" in broken.output
        again = rotate("envelope-key", broken.data)
        assert again.restarts[0] == broken.data
        assert len(again.resealed) == 2
        assert (again.data["MLP_ENVELOPE_KEY"], again.data["MLP_ENVELOPE_KEY_PREVIOUS"]) == (
            broken.data["MLP_ENVELOPE_KEY"],
            "",
        )

    @pytest.mark.parametrize(
        "fails",
        [
            *({"get secret": number} for number in range(1, 6)),
            *({"patch secret": number} for number in range(1, 5)),
            *({"rollout restart": number} for number in range(1, 4)),
            *({"rollout status": number} for number in range(1, 4)),
            *({"get deployment,statefulset": number} for number in range(1, 6)),
            *({"exec": number} for number in (1, 2)),
            {"get pods": 1},
            *({"others write after": number} for number in (1, 3, 4, 5)),
        ],
        ids=str,
    )
    def test_an_interrupted_change_loses_no_key_and_goes_on(self, rotate: Run, fails: dict[str, int]) -> None:
        broken = rotate("envelope-key", {"MLP_ENVELOPE_KEY": OLD}, status=1, fails=fails)
        kept = {broken.data["MLP_ENVELOPE_KEY"], broken.data.get("MLP_ENVELOPE_KEY_PREVIOUS")}
        assert OLD in kept or len(broken.resealed) == 2
        again = rotate("envelope-key", broken.data)
        assert again.data["MLP_ENVELOPE_KEY_PREVIOUS"] == again.data["MLP_ENVELOPE_KEY_CHANGE"] == ""
        assert len(broken.resealed + again.resealed) >= 2
        assert again.data["MLP_ENVELOPE_KEY"] in kept - {OLD} or kept <= {OLD, None}
        assert again.restarts[-1]["MLP_ENVELOPE_KEY_PREVIOUS"] == ""

    def test_the_key_can_be_replaced_again_and_again(self, rotate: Run) -> None:
        data = rotate("envelope-key", {"MLP_ENVELOPE_KEY": OLD}).data
        again = rotate("envelope-key", data).data
        assert len({OLD, data["MLP_ENVELOPE_KEY"], again["MLP_ENVELOPE_KEY"]}) == 3

    def test_a_previous_key_of_an_earlier_change_is_forgotten_first(self, rotate: Run) -> None:
        left = {"MLP_ENVELOPE_KEY": OTHER, "MLP_ENVELOPE_KEY_PREVIOUS": OLD}
        done = rotate("envelope-key", left)
        assert [held for _, _, _, held in done.resealed[:2]] == [left, left]
        assert done.restarts[0] == left
        assert len(done.restarts) == 4
        assert done.restarts[1]["MLP_ENVELOPE_KEY"] == OTHER
        assert OLD not in done.restarts[1].values()
        assert done.data["MLP_ENVELOPE_KEY"] not in {OLD, OTHER}
        assert done.data["MLP_ENVELOPE_KEY_PREVIOUS"] == ""

    @pytest.mark.parametrize(
        "fails", [{"exec": 1}, {"exec": 2}, {"patch secret": 1}, {"patch secret": 2}, {"rollout status": 1}], ids=str
    )
    def test_an_interrupted_run_forgets_the_key_of_an_earlier_change_later(
        self, rotate: Run, fails: dict[str, int]
    ) -> None:
        left = {"MLP_ENVELOPE_KEY": OTHER, "MLP_ENVELOPE_KEY_PREVIOUS": OLD}
        broken = rotate("envelope-key", left, status=1, fails=fails)
        assert broken.data["MLP_ENVELOPE_KEY"] == OTHER
        assert OLD in broken.data.values() or len(broken.resealed) == 2
        done = rotate("envelope-key", broken.data)
        assert done.data["MLP_ENVELOPE_KEY"] not in {OLD, OTHER}
        assert done.data["MLP_ENVELOPE_KEY_PREVIOUS"] == ""

    @pytest.mark.parametrize(
        "data",
        [
            {},
            {"MLP_ENVELOPE_KEY": "short"},
            {"MLP_ENVELOPE_KEY": OLD, "MLP_ENVELOPE_KEY_CHANGE": "1"},
            {"MLP_ENVELOPE_KEY": OLD, "MLP_ENVELOPE_KEY_CHANGE": "2"},
            {"MLP_ENVELOPE_KEY": OLD, "MLP_ENVELOPE_KEY_PREVIOUS": OTHER, "MLP_ENVELOPE_KEY_CHANGE": "3"},
            {"MLP_ENVELOPE_KEY": OLD, "MLP_ENVELOPE_KEY_PREVIOUS": OTHER, "MLP_ENVELOPE_KEY_CHANGE": "4"},
        ],
        ids=["none", "short", "restored by others", "emptied by others", "set by others", "another change"],
    )
    def test_a_secret_that_others_have_written_is_left_alone(self, rotate: Run, data: dict[str, str]) -> None:
        left = rotate("envelope-key", data, status=1)
        assert (left.restarts, left.data, left.resealed) == ([], data, [])


class TestMistakes:
    @pytest.mark.parametrize(("key", "name", "status"), [("hash-secret", "mlplace-keys", 2), ("internal-token", "", 1)])
    def test_an_unknown_key_or_release_changes_nothing(self, rotate: Run, key: str, name: str, status: int) -> None:
        data = {"MLP_INTERNAL_TOKEN": OLD}
        assert rotate(key, data, name=name, status=status)[:2] == ([], data)

    def test_a_release_without_services_is_no_success(self, rotate: Run) -> None:
        assert rotate("internal-token", {"MLP_INTERNAL_TOKEN": OLD}, name="idle", status=1).restarts == []
