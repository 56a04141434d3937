import pytest

from mlplace_kit.web_origins import web_origin


class TestWebOrigin:
    @pytest.mark.parametrize(
        ("text", "origin"),
        [
            ("*", "*"),
            ("https://example.com", "https://example.com"),
            ("HTTPS://Example.COM/", "https://example.com"),
            ("https://example.com:443", "https://example.com"),
            ("http://example.com:80", "http://example.com"),
            ("http://example.com:443", "http://example.com:443"),
            ("http://localhost:03000", "http://localhost:3000"),
            ("https://a_b.example", "https://a_b.example"),
            ("https://пример.рф", "https://xn--e1afmkfd.xn--p1ai"),
            ("https://BÜCHER.example", "https://xn--bcher-kva.example"),
            ("https://xn--ls8h.example", "https://xn--ls8h.example"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[0:0::1]:3000", "http://[::1]:3000"),
            ("http://[::FFFF:1.2.3.4]", "http://[::ffff:102:304]"),
        ],
    )
    def test_origin_has_the_form_of_browsers(self, text: str, origin: str) -> None:
        assert web_origin(text) == origin
        assert web_origin(origin) == origin

    @pytest.mark.parametrize(
        "text",
        [
            "", "null", "example.com", "//example.com", "ftp://example.com", "file:///a", "https://", "https:///",
            "https://example.com/a", "https://example.com?a", "https://example.com#a", "https://a@example.com",
            "https://*.example.com", "https://example.com:0", "https://example.com:65536", "https://example.com:",
            "https://exa mple.com", " https://example.com", "https://example.com\n", "https://exam\x00ple.com",
            "https://example.com\\a", "https://-a.example", "https://a..b", "https://1.2.3", "https://1.2.3.400",
            "http://0x7f", "http://1a.0X", "http://127.0x1.", "http://xn--a", "http://xn--.example", "https://[::1", "https://[::1%25lo]", "https://[zz]", "https://straße.example", "https://" + "a" * 64,
            "https://" + "a." * 140, "https://a.example, https://b.example", "https://example.com:８０", "httpſ://example.com",
        ],
    )  # fmt: skip
    def test_anything_else_is_no_origin(self, text: str) -> None:
        assert web_origin(text) is None
