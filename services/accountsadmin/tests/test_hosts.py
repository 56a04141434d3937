"""Tests redirect targets after sign-in, and host names."""

import pytest
from pydantic_core import PydanticCustomError

from accountsadmin.features.domains.hosts import absolute_host, host_name, on_host, stays_on_this_host, valid_host_name


class TestStaysOnThisHost:
    @pytest.mark.parametrize("url", ["/", "/workspace", "/catalog/a/b?x=//y&z=..#//", "/a%20b", "/путь", "/a...b"])
    def test_a_path_stays_on_this_host(self, url: str) -> None:
        assert stays_on_this_host(url)

    @pytest.mark.parametrize(
        "url",
        [
            "", "workspace", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example",
            "/\t/evil.example", "\t//evil.example", "/\n/evil.example", " //evil.example", "https://evil.example",
            "javascript:alert(1)", "/./" + "/evil.example", "/..//evil.example", "/%2f/evil.example",
            "/%2F%2Fevil.example", "/%5cevil.example", "/a/%2e%2e/b", "/a\x00b", "/a/..",
        ],
    )  # fmt: skip
    def test_a_deceptive_url_does_not_stay_on_this_host(self, url: str) -> None:
        assert not stays_on_this_host(url)


class TestAbsoluteHost:
    @pytest.mark.parametrize(
        ("url", "host"),
        [
            ("https://ml.example.org/x", "ml.example.org"),
            ("HTTPS://ML.Example.org", "ml.example.org"),
            ("https://ml.example.org:443/", "ml.example.org"),
            ("https://ml.example.org:8443/", None),
            ("https://user@ml.example.org/", None),
            ("https://ml.example.org\\@evil.example/", None),
            ("https://ml.example.org:x/", None),
            ("https://[::1/", None),
            ("ftp://ml.example.org/", None),
            ("javascript://ml.example.org/%0aalert(1)", None),
            ("//ml.example.org/", None),
            ("ml.example.org", None),
        ],
    )
    def test_only_plain_web_urls_have_a_host(self, url: str, host: str | None) -> None:
        assert absolute_host(url, secure=True) == host

    def test_http_is_accepted_only_without_https(self) -> None:
        assert absolute_host("http://ml.example.org/", secure=False) == "ml.example.org"
        assert absolute_host("http://ml.example.org/", secure=True) is None


class TestOnHost:
    @pytest.mark.parametrize(
        ("url", "header"),
        [
            ("http://localhost:8080/workspace", "localhost:8080"),
            ("https://ML.example.org/", "ml.example.org"),
            ("https://ml.example.org:443/", "ml.example.org"),
            ("http://[::1]:8080/", "[::1]:8080"),
        ],
    )
    def test_the_same_name_and_port_are_on_the_host(self, url: str, header: str) -> None:
        assert on_host(url, header, secure=False)

    @pytest.mark.parametrize(
        ("url", "header"),
        [
            ("http://localhost:8081/", "localhost:8080"),
            ("http://localhost/", "localhost:8080"),
            ("http://user@localhost:8080/", "localhost:8080"),
            ("http://localhost:8080@evil.example/", "localhost:8080"),  # pragma: allowlist secret
            ("http://localhost:8080.evil.example/", "localhost:8080"),
            ("http://evil.example\\@localhost:8080/", "localhost:8080"),
            ("javascript://localhost:8080/%0aalert(1)", "localhost:8080"),
            ("//localhost:8080/", "localhost:8080"),
            ("http:///workspace", ""),
            ("http://localhost:8080/", "[bad"),
        ],
    )
    def test_any_other_url_is_not_on_the_host(self, url: str, header: str) -> None:
        assert not on_host(url, header, secure=False)

    def test_http_is_accepted_only_without_https(self) -> None:
        assert not on_host("http://ml.example.org/", "ml.example.org", secure=True)


class TestHostName:
    @pytest.mark.parametrize(
        ("header", "name"),
        [
            ("ML.Example.org:8080", "ml.example.org"),
            ("ml.example.org.", "ml.example.org"),
            ("[::1]:8080", "::1"),
            ("", ""),
            ("[bad", ""),
            ("a@b", "b"),
        ],
    )
    def test_the_name_is_lower_case_without_port(self, header: str, name: str) -> None:
        assert host_name(header) == name


class TestValidHostName:
    @pytest.mark.parametrize("text", ["ML.example.org", "localhost", "127.0.0.1", "4you.example"])
    def test_name_or_address(self, text: str) -> None:
        assert valid_host_name(text) == text.lower()

    @pytest.mark.parametrize(
        "text", ["127.0.0.1/33", "300.1.1.1", "10.0.0", "a.example:80", "https://a.example", "a..b"]
    )
    def test_anything_else_is_refused(self, text: str) -> None:
        with pytest.raises(PydanticCustomError, match="must be a host name"):
            valid_host_name(text)
