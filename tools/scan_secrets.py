"""Checks that no key, token or password is committed.

Mark a reviewed false positive with `# pragma: allowlist secret`.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from detect_secrets.core.scan import _get_lines_from_file, scan_file
from detect_secrets.plugins.base import BasePlugin
from detect_secrets.plugins.keyword import DENYLIST, KeywordDetector
from detect_secrets.settings import get_plugins, transient_settings
from source_files import is_test, list_files

KEY_FORMATS = (
    "ArtifactoryDetector", "AWSKeyDetector", "AzureStorageKeyDetector", "BasicAuthDetector", "DiscordBotTokenDetector",
    "GitHubTokenDetector", "GitLabTokenDetector", "JwtTokenDetector", "MailchimpDetector", "NpmDetector",
    "OpenAIDetector", "PrivateKeyDetector", "PypiTokenDetector", "SendGridDetector", "SlackDetector",
    "SquareOAuthDetector", "StripeDetector", "TelegramBotTokenDetector", "TwilioKeyDetector",
)  # fmt: skip
RANDOM_LOOKING: tuple[dict[str, object], ...] = (
    {"name": "Base64HighEntropyString", "limit": 4.7},
    {"name": "HexHighEntropyString", "limit": 3.2},
)
NAME_OF_A_PLACE = r"(?i)\w*_(?:header|cookie|path|prefix|url|field|event|topic|code)\b[^=]*="
NAME_OF_A_COMMIT = r'"commit": "[0-9a-f]{7,40}"'
DIGEST = r'"digest": "[0-9a-f]{64}"'
FILTERS = (
    "detect_secrets.filters.allowlist.is_line_allowlisted",
    "detect_secrets.filters.heuristic.is_indirect_reference",
    "detect_secrets.filters.heuristic.is_sequential_string",
    "detect_secrets.filters.heuristic.is_templated_secret",
)
NOT_OURS = ("requirements", "golden", "package-lock.json")  # hashes, in directories and files
MADE_FROM_OURS = ("generated", "openapi")  # the client of the web interface, made from code that is scanned
_KEYWORD = re.compile("|".join(DENYLIST), re.IGNORECASE)
TEXTS = "locales"  # user-visible texts mention passwords but contain none


def scan(root: Path, *paths: Path) -> Iterator[str]:
    """Yield a line for each finding. Tests and texts may contain invented passwords, but no real key format."""
    keys: list[dict[str, object]] = [{"name": name} for name in KEY_FORMATS]
    invented = {path for path in paths if is_test(path) or TEXTS in path.parts}
    yield from _scan(root, sorted(invented), keys)
    yield from _scan(root, sorted({*paths} - invented), [*keys, *RANDOM_LOOKING, {"name": "KeywordDetector"}])


def _scan(root: Path, paths: list[Path], plugins: list[dict[str, object]]) -> Iterator[str]:
    filters: list[dict[str, object]] = [{"path": name} for name in FILTERS]
    harmless = [NAME_OF_A_PLACE, NAME_OF_A_COMMIT, DIGEST]
    filters.append({"path": "detect_secrets.filters.regex.should_exclude_line", "pattern": harmless})
    with transient_settings({"plugins_used": plugins, "filters_used": filters}):
        for path in filter(lambda path: _is_suspicious(str(root / path)), paths):
            for found in scan_file(str(root / path)):
                yield f"{path}:{found.line_number}: {found.type}"


def _is_suspicious(name: str) -> bool:
    """Return whether any plugin finds anything, before the filters, which take most of the time of `scan_file`."""
    lines = [line.rstrip() for line in chain.from_iterable(_get_lines_from_file(name))]
    whole = "\n".join(lines)
    return any(plugin.analyze_line(name, part, 1) for plugin in get_plugins() for part in _parts(plugin, lines, whole))


def _parts(plugin: BasePlugin, lines: list[str], whole: str) -> Iterable[str]:
    """Return the texts to show to the plugin: one, since calls for each line take ten times as long.

    What is found in a line is found in the whole file, too: no pattern looks for the end of a text. But a pattern for
    keywords may take much of a file for one value, and all of them are slow.
    """
    return filter(_KEYWORD.search, lines) if isinstance(plugin, KeywordDetector) else (whole,)


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path.cwd()
    skipped = {*NOT_OURS, *MADE_FROM_OURS}
    paths = [path for path in list_files(root, "") if path.suffix != ".lock" and not skipped & {*path.parts}]
    found = list(scan(root, *paths))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
