import pytest

from mlplace_kit.json_text import HALF_A_PAIR, MOST_SEARCHED, why_not_json


class TestWhyNotJson:
    @pytest.mark.parametrize("text", [rb'"\ud800"', rb'"\uDFFF"', rb'"a\ud83d\u0041"', rb'"\ude00\ud83d"'])
    def test_half_a_pair_is_named(self, text: bytes) -> None:
        assert why_not_json(text) == HALF_A_PAIR

    @pytest.mark.parametrize("text", [b"", b"{", rb'{"a":"\ud83d\ude00"', rb'"\u0041'])
    def test_other_texts_are_just_not_json(self, text: bytes) -> None:
        assert why_not_json(text) == "not JSON"

    def test_large_text_is_not_searched(self) -> None:
        half = rb'"\ud800'
        assert why_not_json(half + b"x" * (MOST_SEARCHED - len(half))) == HALF_A_PAIR
        assert why_not_json(half + b"x" * MOST_SEARCHED) == "not JSON"
