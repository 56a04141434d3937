"""Runs the scripts of clients and reads what they print: a JSON object with an outcome for each case."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.installed import HERE, packages_of_node, python_with
from tests.clients.models import RECORDING, base64_of
from tests.clients.served import Served

_SECONDS = 240


@dataclass(frozen=True, slots=True)
class Answers:
    """What each case of a client returned or raised."""

    client: str
    outcomes: Mapping[str, Mapping[str, Any]]

    def __getitem__(self, case: str) -> Any:
        """Returns what the case returned."""
        outcome = self.outcomes[case]
        assert "returned" in outcome, f"{self.client}, {case}: {outcome}"
        return outcome["returned"]

    def refusal(self, case: str) -> Mapping[str, Any]:
        """Returns the exception of the case: `raised` is its class, besides `status`, `code` and `text`."""
        outcome = self.outcomes[case]
        assert "raised" in outcome, f"{self.client}, {case} raised nothing: {outcome}"
        return outcome


def answers_of_python(client: str, served: Served) -> Answers:
    return _run(
        client, [str(python_with(client)), "-W", "ignore", str(HERE / "scripts" / f"{client}_calls.py")], served
    )


def answers_of_javascript(served: Served) -> Answers:
    return _run("openai for JavaScript", ["node", "calls.mjs"], served, folder=packages_of_node())


def _run(client: str, command: Sequence[str], served: Served, folder: Path = HERE) -> Answers:
    settings = {
        "BASE_URL": served.base_url,
        "API_KEY": served.key,
        "LIMITED_KEY": served.limited_key,
        "MODELS": json.dumps(dict(served.models)),
        "RECORDING": base64_of(RECORDING),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # its prices come from the package, not from the network
        "LANGSMITH_TRACING": "false",
    }
    finished = subprocess.run(
        command, check=False, cwd=folder, env={**os.environ, **settings}, capture_output=True, text=True,
        timeout=_SECONDS,
    )  # fmt: skip
    assert finished.returncode == 0, f"{client}: {finished.stdout[-2000:]}{finished.stderr[-4000:]}"
    return Answers(client, json.loads(finished.stdout.splitlines()[-1]))
