"""Writes the table of values in the chart's README from its schema and defaults: `python tools/chart_values.py`."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

CHART = Path(__file__).parents[1] / "helm" / "mlplace"
README = CHART / "README.md"
BEGIN, END = "<!-- values -->\n", "<!-- /values -->"
REPEATED = {
    "mlpcore": "accountsadmin", "mlpbilling": "accountsadmin", "evaluationStores.kafka": "evaluationStores.postgresql",
    "evaluationStores.redis": "evaluationStores.postgresql", "evaluationStores.s3": "evaluationStores.postgresql",
}  # fmt: skip
"""Sections with the keys of another one. The table repeats only keys with another default."""


def schema() -> dict[str, Any]:
    return json.loads((CHART / "values.schema.json").read_text())


def defaults() -> dict[str, Any]:
    return yaml.safe_load((CHART / "values.yaml").read_text())


def resolved(entry: Mapping[str, Any], whole: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = entry.get("$ref")
    return whole["definitions"][reference.rpartition("/")[2]] if reference else entry


def leaves(
    entry: Mapping[str, Any], whole: Mapping[str, Any], path: str = ""
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Path and schema of each value that is no section, and of a repeated section those with another default."""
    values = defaults()
    for name, below in entry["properties"].items():
        found, own = resolved(below, whole), f"{path}.{name}".lstrip(".")
        if own == "global":
            continue
        if like := REPEATED.get(own):
            for each, described in leaves(found, whole, own):
                if default_of(each, values) != default_of(like + each.removeprefix(own), values):
                    yield each, described
        elif "properties" in found:
            yield from leaves(found, whole, own)
        else:
            yield own, found


def default_of(path: str, values: Mapping[str, Any]) -> Any:
    found: Any = values
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def table() -> str:
    whole, values = schema(), defaults()
    lines = ["| value | default | meaning |", "|---|---|---|"]
    for path, entry in leaves(whole, whole):
        default = default_of(path, values)
        shown = "–" if default is None or default in ("", [], {}) else f"`{json.dumps(default)}`"
        meaning = entry["description"].replace("|", "\\|")
        choices = [choice for choice in entry.get("enum", []) if choice]
        if choices:
            meaning += f" One of {', '.join(f'`{choice}`' for choice in choices)}."
        lines.append(f"| `{path}` | {shown} | {meaning} |")
    same = (f"- `{name}` has the keys of `{like}`" for name, like in REPEATED.items())
    return "\n".join([*lines, "", *same, ""])


def with_table(text: str) -> str:
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    README.write_text(with_table(README.read_text()))
