import pytest
from pydantic import TypeAdapter, ValidationError

from mlplace_kit.reasons import MOST_REASON, Reason

_READ = TypeAdapter[str](Reason)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("agreed on the phone", "agreed on the phone"),
        ("  договор 17/4 \n", "договор 17/4"),
        ("нужно к \U0001f468\u200d\U0001f469\u200d\U0001f467", "нужно к \U0001f468\u200d\U0001f469\u200d\U0001f467"),
        ("x" * MOST_REASON, "x" * MOST_REASON),
    ],
)
def test_one_line_is_a_reason(text: str, kept: str) -> None:
    assert _READ.validate_python(text) == kept


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "string_too_short"),
        (" \t", "string_too_short"),
        ("x" * (MOST_REASON + 1), "string_too_long"),
        ("two\nlines", "one_line"),
        ("a\x00b", "one_line"),
        ("a\x1b[31mb", "one_line"),
        ("a\x9bb", "one_line"),
        ("a\u2028b", "one_line"),
        ("looks \u202edesrever", "one_line"),
    ],
)
def test_another_text_is_refused(text: str, kind: str) -> None:
    with pytest.raises(ValidationError) as caught:
        _READ.validate_python(text)
    assert [problem["type"] for problem in caught.value.errors()] == [kind]
