"""What an instance's Content-Type headers say of its answer."""

import pytest

from mlpgateway.errors.calls import BrokenAnswer
from mlpgateway.instances.http.media_types import Declared, Form, declared_by, media_type_of_error


def said(*values: bytes) -> tuple[tuple[bytes, bytes], ...]:
    return (b"Z-own", b"x"), *((b"Content-TYPE", value) for value in values)


class TestDeclaredBy:
    @pytest.mark.parametrize(
        ("value", "form", "media_type"),
        [
            (b"application/json", Form.JSON, "application/json"),
            (b" Text/JSON ;charset=utf-8", Form.JSON, "text/json"),
            (b"image/x.own+json", Form.JSON, "image/x.own+json"),
            (b'application/json;a="b, \\" c";d=e', Form.JSON, "application/json"),
            (b"text/event-stream", Form.EVENTS, "text/event-stream"),
            (b"application/x-ndjson", Form.LINES, "application/x-ndjson"),
            (b"text/jsonl;", Form.LINES, "text/jsonl"),
            (b"text/html; charset=utf-8", Form.BYTES, "text/html"),
            (b"application/javascript", Form.BYTES, "application/javascript"),
            (b'text/plain;a="b, application/json', Form.BYTES, "text/plain"),
            (b"", Form.BYTES, None),
        ],
    )
    def test_one_type_decides_the_form(self, value, form, media_type) -> None:
        assert declared_by(said(value)) == Declared(form, media_type)

    def test_no_header_means_bytes(self) -> None:
        assert declared_by(said()) == Declared(Form.BYTES, None)

    @pytest.mark.parametrize(
        "values",
        [
            (b"text/plain", b"application/json"),
            (b"", b"application/json"),
            (b"application/json, application/json",),
            (b'text/plain;a="b", application/json',),
            (b"application/json,",),
            (b"json",),
            (b"application/",),
            (b"application/json/x",),
            (b"application/json x",),
            (b"\xffapplication/json",),
            (b"application/json-seq",),
            (b"application/geo+json-seq",),
            (b"application/x-json",),
            (b"application/json5",),
            (b"audio/jsonl",),
            (b"image/x-ndjson",),
        ],
    )
    def test_what_is_not_one_known_type_is_refused(self, values) -> None:
        with pytest.raises(BrokenAnswer):
            declared_by(said(*values))

    @pytest.mark.parametrize("piece", [b'"\\', b'\\"', b'"', b'a"'])
    def test_long_hostile_value_is_searched_once(self, piece) -> None:
        """A quadratic search would take hours."""
        declared_by(said(b'text/plain;"' + piece * 1_000_000 + b',\\"'))


def test_error_has_the_first_type_whatever_follows() -> None:
    assert media_type_of_error(said(b"Text/HTML; a=b", b"application/json")) == "text/html"
    assert media_type_of_error(said()) == ""
