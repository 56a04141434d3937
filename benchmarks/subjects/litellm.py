"""LiteLLM's proxy, configured as its documentation recommends for many calls: one worker, a master key, no database.

It is installed into a separate virtual environment from `benchmarks/requirements-peers.txt` when it is first needed.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.processes import ROOT

KEY = "sk-benchmark"  # pragma: allowlist secret
MODEL = "fake"
REQUIREMENTS = ROOT / "benchmarks" / "requirements-peers.txt"
_ENVIRONMENT = ROOT / ".venv-peers"
_MADE = _ENVIRONMENT / "requirements.txt"
_INSTALL_SECONDS = 900.0
_CONFIG = """
model_list:
  - model_name: {model}
    litellm_params: {{model: openai/{model}, api_base: "http://127.0.0.1:{upstream}/v1", api_key: none}}
general_settings: {{master_key: {key}}}
litellm_settings: {{set_verbose: false, telemetry: false, request_timeout: 60}}
"""


class NotInstalledError(Exception):
    """LiteLLM cannot run here; the text says why in one line."""


def version() -> str:
    line = next(line for line in REQUIREMENTS.read_text().splitlines() if line.startswith("litellm=="))
    return line.split()[0].partition("==")[2]


def install() -> None:
    """Install LiteLLM unless it is installed already. Raises NotInstalledError."""
    wanted = REQUIREMENTS.read_text()
    if _MADE.exists() and _MADE.read_text() == wanted:
        return
    pip = [str(_ENVIRONMENT / "bin" / "pip"), "install", "--quiet", "--require-hashes", "--no-deps"]
    try:
        for command in ([sys.executable, "-m", "venv", "--clear", str(_ENVIRONMENT)], [*pip, "-r", str(REQUIREMENTS)]):
            subprocess.run(command, check=True, capture_output=True, timeout=_INSTALL_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        raise NotInstalledError(f"litellm {version()} could not be installed: {type(error).__name__}") from error
    _MADE.write_text(wanted)


def command(folder: Path, *, port: int, upstream: int) -> list[str]:
    folder.mkdir(exist_ok=True)
    configuration = folder / "config.yaml"
    configuration.write_text(_CONFIG.format(model=MODEL, upstream=upstream, key=KEY))
    binary = str(_ENVIRONMENT / "bin" / "litellm")
    return [binary, "--config", str(configuration), "--host", "127.0.0.1", "--port", str(port), "--num_workers", "1"]


def environment(folder: Path) -> Mapping[str, str]:
    """Production mode reads no `.env` file; prices come from the package, not from the network."""
    path = f"{_ENVIRONMENT / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    return {
        "LITELLM_MODE": "PRODUCTION",
        "LITELLM_LOG": "ERROR",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "HOME": str(folder),
        "PATH": path,
    }
