"""A page of docs/ru says what its English page says, as far as its structure tells.

Headings, paragraphs, list items, rows and columns of tables, programs, links, and the names in code style of each of
these are compared. A fact that is added to an English page mostly has one of them, and so is missed in Russian.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
RUSSIAN = DOCS / "ru"
_PAGES = sorted(path.name for path in RUSSIAN.glob("*.md"))
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_ITEM = re.compile(r"\s*(?:[*-]|\d+\.) ")
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Piece:
    """`kind` is "paragraph", "item", "program", a heading's marks or a row with its number of cells."""

    kind: str
    text: str

    def facts(self, *, of_english: bool) -> tuple[str, list[str], list[str]]:
        if self.kind == "program":
            return self.kind, [], []
        links = _LINK.findall(_CODE.sub("", self.text))
        return self.kind, sorted(_CODE.findall(self.text)), sorted(map(_from_russian, links) if of_english else links)


def _from_russian(link: str) -> str:
    """Returns a link of an English page as the Russian one has it: pages without a translation are a folder above."""
    is_near = link.startswith(("http://", "https://", "#")) or link.partition("#")[0] in _PAGES
    return link if is_near else f"../{link}"


def _pieces(text: str) -> list[Piece]:
    found: list[Piece] = []
    kind, lines = "paragraph", list[str]()
    in_program = False

    def end() -> None:
        nonlocal kind
        if lines:
            found.append(Piece(kind, " ".join(lines)))
        lines.clear()
        kind = "paragraph"

    for line in _COMMENT.sub("", text).splitlines():
        if line.lstrip().startswith("```"):
            end()
            if in_program:
                found.append(Piece("program", ""))
            in_program = not in_program
        elif in_program:
            continue
        elif not line.strip():
            end()
        elif line.startswith(("#", "|")):
            end()
            marks = line.partition(" ")[0] if line.startswith("#") else f"row of {len(_CELL.findall(line))}"
            found.append(Piece(marks, line))
        elif _ITEM.match(line):
            end()
            kind = "item"
            lines.append(line)
        else:
            lines.append(line)
    end()
    return found


def _differences(english: str, russian: str) -> list[tuple[str, str]]:
    """Returns the first pieces that differ, and what is left over."""
    ours, theirs = _pieces(english), _pieces(russian)
    pairs = zip(ours, theirs, strict=False)
    found = [
        (one.text, other.text) for one, other in pairs if one.facts(of_english=True) != other.facts(of_english=False)
    ]
    left = [(piece.text, "") for piece in ours[len(theirs) :]] + [("", piece.text) for piece in theirs[len(ours) :]]
    return found[:3] + left[:1]


@pytest.mark.parametrize("name", _PAGES)
def test_page_has_the_structure_of_its_english_page(name):
    assert _differences((DOCS / name).read_text(), (RUSSIAN / name).read_text()) == []


@pytest.mark.parametrize(
    ("english", "russian"),
    [
        ("One.\n\nTwo.", "Один."),
        ("`a` and `b`.", "`a`."),
        ("| a | b |", "| a |"),
        ("* one\n* two", "* один\n\nдва"),
        ("[a](calls.md#b)", "[a](calls.md)"),
        ("[a](operating.md)", "[a](operating.md)"),
        ("## A", "### A"),
        ("```\nx\n```", "x"),
    ],
)
def test_difference_is_found(english, russian):
    assert _differences(english, russian)


def test_same_structure_is_none():
    english = "# A\n\n`x` of [b](operating.md#c), [c](calls.md).\n\n* d\n\n<!-- e -->\n\n| f |\n|---|\n\n```\ng\n```\n"
    russian = "# А\n\n[б](../operating.md#c): `x`, [в](calls.md).\n\n* г\n\n| е |\n|---|\n\n```\nж\n```\n"
    assert _differences(english, russian) == []
