import pytest

from mlplace_kit.json_text import HALF_A_PAIR, MOST_READ_AGAIN, lacks_only_half_a_pair, why_not_json


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
            b"", b"{", rb'"\u0041', rb'"\ud800', rb'["\ud800", NaN]', rb'["\ud800", -Infinity]', rb'"\ud800" 1',
            b'"\xff\\ud800"', b'"\\ud800\n"', b'"\\ud800"'.decode().encode("utf-16"), b"[" * 100_000,
            b'"\xed\xa0\x80"', b"1e309", b'{"amount": ' + b"9" * 5_000 + b"}", rb'["\ud83d\ude00", 1e309]',
        ],
    )  # fmt: skip
    def test_other_texts_are_just_not_json(self, text: bytes) -> None:
        assert why_not_json(text) == "not JSON"

    def test_many_halves_and_long_numbers_are_no_other_fault(self) -> None:
        assert lacks_only_half_a_pair("[" + '"\\ud800",' * 5000 + "1" * 10_000 + "]")

    def test_long_text_is_not_read_again(self) -> None:
        fits = rb'"\ud800' + b"x" * (MOST_READ_AGAIN - 8) + b'"'
        assert why_not_json(fits) == HALF_A_PAIR
        assert why_not_json(b" " + fits) == "not JSON"
