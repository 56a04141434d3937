import json
import tracemalloc
from typing import NoReturn

import pytest

from mlplace_kit import json_text
from mlplace_kit.json_text import (
    HALF_A_PAIR,
    MOST_LOCATED,
    MOST_READ_AGAIN,
    TOO_DEEP,
    is_too_deep,
    lacks_only_half_a_pair,
)


def is_json(text: bytes) -> bool:
    """A parser that refuses constants; the texts that it gets have no half pairs."""
    try:
        json.loads(text.decode(), parse_constant=_refuse, parse_int=len)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def why_not_json(text: str | bytes | bytearray) -> str:
    return json_text.why_not_json(text, is_json)


class TestWhyNotJson:
    @pytest.mark.parametrize(
        "text",
        [
            rb'"\ud800"', rb'"\uDFFF"', rb'"a\ud83d\u0041"', rb'"\ude00\ud83d"', rb'["\ud83d\ude00", "\ud83d"]',
            rb'"\\ud83d\udc00"', rb'{"\udc00": 1.5}',
            rb'{"a": "\udc00", "a": 1}',
        ],
    )  # fmt: skip
    def test_half_a_pair_is_named(self, text: bytes) -> None:
        assert why_not_json(text) == why_not_json(text.decode()) == HALF_A_PAIR

    @pytest.mark.parametrize(
        "text",
        [
            b"{", rb'"\u0041', rb'"\ud800', rb'["\ud800", NaN]', rb'["\ud800", -Infinity]', rb'"\ud800" 1',
            b'"\xff\\ud800"', b'"\\ud800\n"', b'"\\ud800"'.decode().encode("utf-16"), b"[" * 900,
            b'"' + b"[" * 1000, b'["' + rb'\"[' * 1000 + b'", NaN]', b"[]," * 1000,
            b'"\xed\xa0\x80"', b"1e309", b'{"amount": ' + b"9" * 5_000 + b"}", rb'["\ud83d\ude00", 1e309]',
        ],
    )  # fmt: skip
    def test_other_texts_are_just_not_json(self, text: bytes) -> None:
        assert why_not_json(text).partition(" at ")[0] == "not JSON"

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            (b"", "it is empty, not JSON"), (b" \n", "it is empty, not JSON"),
            (b"{", "not JSON at line 1, column 2"), (b'{"a": 1,\n "b" 2}', "not JSON at line 2, column 6"),
            ('{"\u0444": 1} x'.encode(), "not JSON at line 1, column 10"), (b"hello", "not JSON at line 1, column 1"),
            (b"[NaN]", "not JSON"), (b'"\xff"', "not JSON"), (b"9" * 5_000, "not JSON"),
        ],
    )  # fmt: skip
    def test_names_where_a_text_stops_being_json(self, text: bytes, reason: str) -> None:
        assert why_not_json(text) == why_not_json(bytearray(text)) == reason

    def test_place_in_a_long_text_is_not_looked_up(self) -> None:
        assert why_not_json(b" " * (MOST_LOCATED - 1) + b"x") == f"not JSON at line 1, column {MOST_LOCATED}"
        assert why_not_json(b" " * MOST_LOCATED + b"x") == "not JSON"

    @pytest.mark.parametrize(
        "text",
        [
            b"[" * 901 + b"]" * 901, b'{"a":' * 901 + b"1" + b"}" * 901, b'[{"]": ' * 451, b"[" * 100_000,
            b'["\\"", "]", "\\\\"' + b", [" * 900, b"[" * 1_000_000,
        ],
    )  # fmt: skip
    def test_too_deep_a_text_is_called_so(self, text: bytes) -> None:
        assert why_not_json(text) == why_not_json(text.decode()) == TOO_DEEP

    @pytest.mark.parametrize("piece", [b'"', rb"\"", b"[]", b"[1,{}],", b'"a[",', b"\\"])
    def test_each_byte_is_looked_at_once(self, piece: bytes) -> None:
        """A text whose quotes were tried again and again would take minutes."""
        assert not is_too_deep(b"[" + piece * (MOST_READ_AGAIN // len(piece)))
        assert not is_too_deep(piece * (MOST_READ_AGAIN // len(piece)))

    def test_many_halves_and_long_numbers_are_no_other_fault(self) -> None:
        assert lacks_only_half_a_pair("[" + '"\\ud800",' * 5000 + "1" * 10_000 + "]", is_json)

    @pytest.mark.parametrize("text", [rb"\\ud800", rb"\\\ud83d\ude00", rb"\ud83d\ude00\ud83d\uDE00", rb"\u0041ud800"])
    def test_whole_pairs_and_escaped_backslashes_are_no_halves(self, text: bytes) -> None:
        assert not lacks_only_half_a_pair(b'"' + text + b'"', lambda _: True)
        assert lacks_only_half_a_pair(b'"' + text + rb'\ud800"', is_json)

    @pytest.mark.parametrize("piece", [b"[],", b'{"a":[]},', b"1,"])
    def test_no_values_are_built(self, piece: bytes) -> None:
        text = b"[" + piece * ((MOST_READ_AGAIN - 100) // len(piece)) + rb'"\ud800"]'
        tracemalloc.start()
        try:
            assert lacks_only_half_a_pair(text, lambda _: True)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 4 * len(text)

    def test_long_text_is_not_read_again(self) -> None:
        fits = rb'"\ud800' + b"x" * (MOST_READ_AGAIN - 8) + b'"'
        assert why_not_json(fits) == HALF_A_PAIR
        assert why_not_json(b" " + fits) == "not JSON"
