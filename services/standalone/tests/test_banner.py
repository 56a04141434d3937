"""The text that a started platform prints."""

import re
from pathlib import Path

from standalone.banner import banner
from standalone.demo.state import DemoState
from standalone.settings import StandaloneSettings

KEY = f"1000000002.{'k' * 48}"
PAGES = Path(__file__).parents[3] / "frontend/src/app/router.tsx"


def printed(folder: Path) -> list[str]:
    state = DemoState.begin().model_copy(update={"api_key": KEY})
    return banner(StandaloneSettings(data_dir=folder), state, "demo.json").splitlines()


def test_no_line_of_a_command_is_cut_by_a_terminal(tmp_path: Path) -> None:
    lines = printed(tmp_path)
    commands = [line for line in lines if "curl" in line or line.startswith("    ")]
    assert len(commands) == 6
    assert max(map(len, commands)) <= 100


def test_documentation_is_in_pages_of_the_web_interface(tmp_path: Path) -> None:
    (line,) = [line for line in printed(tmp_path) if line.startswith("Documentation: ")]
    pages = [word.removeprefix("http://localhost:8080") for word in line.split() if word.startswith("http")]
    assert len(pages) == 2
    for page in pages:
        assert re.search(rf"path: '{page}(?:/:page\?)?'", PAGES.read_text())
