"""Writes the table into docs/settlement.md: `python -m tests.settlement.document`; `--check` only compares."""

import sys
from pathlib import Path

from tests.settlement.table import ROWS

DOCUMENT = Path(__file__).parents[2] / "docs" / "settlement.md"
BEGIN = "<!-- The table is written by `make settlement`, from tests/settlement/table.py. -->"
END = "<!-- End of the table. -->"


def table() -> str:
    head = "| what happens | the payer | the owner |\n|---|---|---|\n"
    return head + "".join(f"| {row.what} | {row.payer} | {row.owner} |\n" for row in ROWS)


def with_table(text: str) -> str:
    """Raises ValueError if the marks are missing."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError("the document has lost the marks of its table")
    return f"{before}{begin}\n\n{table()}\n{end}{after}"


def main() -> int:
    text = DOCUMENT.read_text(encoding="utf-8")
    wanted = with_table(text)
    if "--check" in sys.argv:
        return int(text != wanted)
    DOCUMENT.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
