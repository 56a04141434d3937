import pytest

from mlplace_kit.names import PathRef, is_account_name, is_model_name, parse_ref


class TestParseRef:
    @pytest.mark.parametrize(
        ("text", "ref"),
        [
            ("1000000001", PathRef(1000000001, None)),
            ("acme", PathRef(None, "acme")),
            ("7up", PathRef(None, "7up")),
            ("٣", PathRef(None, "٣")),
            ("9" * 30, PathRef(0, None)),
            (str(2**63), PathRef(0, None)),
        ],
    )
    def test_digits_are_an_id_and_the_rest_a_name(self, text: str, ref: PathRef) -> None:
        assert parse_ref(text) == ref


class TestNames:
    @pytest.mark.parametrize("name", ["acme", "a-1", "1a2", "x" * 32])
    def test_accepts_account_names(self, name: str) -> None:
        assert is_account_name(name)

    @pytest.mark.parametrize("name", ["ab", "123", "Acme", "a/b", "a b", "x" * 33, "", "acme\n"])
    def test_refuses_other_account_names(self, name: str) -> None:
        assert not is_account_name(name)

    @pytest.mark.parametrize("name", ["n", "ner-ru", "Model_1.5", "1.0"])
    def test_accepts_model_names(self, name: str) -> None:
        assert is_model_name(name)

    @pytest.mark.parametrize("name", ["", "..", ".", "42", "a/b", "a b", "имя", "x" * 65, "a\n"])
    def test_refuses_other_model_names(self, name: str) -> None:
        assert not is_model_name(name)
