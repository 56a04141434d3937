"""Conversions keep every text, whatever is in it."""

import io
import json
import zipfile
from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlpcore.features.datasets.formats import contents
from mlpcore.features.datasets.formats.problems import BadContentError
from mlpcore.features.datasets.formats.rows import Row, Table

# Everything that JSON and PostgreSQL take: no surrogates, no NUL.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
RISKY = st.sampled_from(
    ["=1+1", "'=x", "''-y", "+7", "@a", "\tq", "\rz", "_x0041_", "_x005F_", '"', ",", "a\r\nb", "﻿", " ", ""]
)
ANY = TEXT | RISKY
NAME = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)


def written(data_type: str, columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> io.BytesIO:
    file = io.BytesIO()
    contents.write(data_type, Table(tuple(columns), (Row(values, 1) for values in rows)), file)
    return file


def read_back(data_type: str, file: io.BytesIO) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    table = contents.read(data_type, file)
    return table.columns, [row.values for row in table.rows]


class TestRoundTrips:
    @given(st.lists(st.tuples(ANY, ANY), max_size=6))
    def test_labels_survive_csv(self, rows: list[tuple[str, ...]]) -> None:
        first = written("json/texts-and-labels", ("text", "label"), rows)
        csv, again = io.BytesIO(), io.BytesIO()
        contents.convert("json/texts-and-labels", "csv/texts-and-labels", first, csv)
        contents.convert("csv/texts-and-labels", "json/texts-and-labels", csv, again)
        assert again.getvalue() == first.getvalue()

    @given(st.lists(ANY, max_size=6))
    def test_texts_survive_plain_unless_a_line_cannot_hold_them(self, texts: list[str]) -> None:
        first = written("json/texts", ("text",), [(text,) for text in texts])
        plain = io.BytesIO()
        broken = any("\n" in text or text.endswith("\r") for text in texts)
        if broken:
            with pytest.raises(BadContentError, match="line break"):
                contents.convert("json/texts", "plain/texts", first, plain)
            return
        contents.convert("json/texts", "plain/texts", first, plain)
        assert read_back("plain/texts", plain)[1] == [(text,) for text in texts]

    @given(
        st.lists(NAME, max_size=3, unique=True).map(lambda more: ("question", "answer", *more)),
        st.data(),
    )
    def test_questions_survive_every_format(self, columns: tuple[str, ...], data: st.DataObject) -> None:
        if len(set(columns)) != len(columns):
            return
        rows = data.draw(st.lists(st.tuples(*[ANY] * len(columns)).filter(any), min_size=1, max_size=5))
        held = written("json/faq", columns, rows)
        for target in ("csv/faq", "xlsx/faq", "json/faq"):
            converted = io.BytesIO()
            contents.convert("json/faq", target, held, converted)
            assert read_back(target, converted) == (columns, rows), target

    @given(
        st.binary(max_size=200),
        st.sampled_from(["json/any", "json/texts", "json/lines", "csv/faq", "plain/texts", "xlsx/faq"]),
    )
    def test_any_bytes_are_checked_or_refused(self, content: bytes, data_type: str) -> None:
        with suppress(BadContentError):
            contents.check(data_type, io.BytesIO(content))

    @given(
        st.recursive(
            st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
            lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
        )
    )
    def test_every_json_document_is_any(self, document: object) -> None:
        for text in (json.dumps(document), json.dumps(document, ensure_ascii=False, indent=1)):
            assert contents.check("json/any", io.BytesIO(text.encode())).warnings == ()
            with pytest.raises(BadContentError):
                contents.check("json/any", io.BytesIO(text.encode() + b","))


class TestSpreadsheets:
    def test_cells_that_look_like_formulas_stay_texts(self) -> None:
        rows = [("=HYPERLINK(1)", "-1+1")]
        assert b"'=HYPERLINK(1),'-1+1" in written("csv/faq", ("question", "answer"), rows).getvalue()
        sheet = zipfile.ZipFile(written("xlsx/faq", ("question", "answer"), rows)).read("xl/worksheets/sheet1.xml")
        assert b"<f>" not in sheet
        assert sheet.count(b'<c t="inlineStr">') == 4


class TestLargeDocuments:
    def test_document_larger_than_a_piece_is_read_level_by_level(self) -> None:
        text = (
            '{"a": ['
            + ", ".join('{"b": ["%s", {}]}' % ("я" * 1000) for _ in range(900))
            + '], "c": ['
            + " " * 300_000
            + "]}"
        )
        assert contents.check("json/any", io.BytesIO(text.encode())).warnings == ()
        with pytest.raises(BadContentError) as refused:
            contents.check("json/any", io.BytesIO(text.encode() + b"\n]"))
        assert (refused.value.problem, refused.value.line) == ("trailing", 2)

    def test_rows_of_a_large_table_are_read_in_order(self) -> None:
        rows = [(f"text {number}" * 20, str(number % 7)) for number in range(20_000)]
        file = written("json/texts-and-labels", ("text", "label"), rows)
        assert read_back("json/texts-and-labels", file)[1] == rows
        checked = contents.check("json/texts-and-labels", file)
        assert (checked.rows, checked.columns) == (20_000, ("text", "label"))
