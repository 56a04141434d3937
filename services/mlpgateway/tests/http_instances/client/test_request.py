"""The head of a request: what is sent, and what is refused because a server could read it in another way."""

from collections.abc import AsyncGenerator

import httptools
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlpgateway.instances.http.client.address import Address
from mlpgateway.instances.http.client.errors import InvalidRequestError
from mlpgateway.instances.http.client.request import OutgoingRequest, head_of


class Streamed:
    def __init__(self, length: int | None) -> None:
        self.length = length

    async def pieces(self) -> AsyncGenerator[bytes]:
        yield b""


def head(
    *headers: tuple[str, str], method: str = "POST", target: str = "/a", body=b"ab", host: str = "h:8000"
) -> bytes:
    return head_of(OutgoingRequest(method, target, headers, body), host)


class TestHead:
    def test_line_host_headers_and_length(self) -> None:
        assert head(("A", "1"), ("b", "2")) == (
            b"POST /a HTTP/1.1\r\nHost: h:8000\r\nA: 1\r\nb: 2\r\nContent-Length: 2\r\n\r\n"
        )

    @pytest.mark.parametrize(
        ("method", "body", "framing"),
        [
            ("GET", None, b""), ("HEAD", None, b""), ("OPTIONS", None, b""), ("GET", b"", b"Content-Length: 0\r\n"),
            ("POST", None, b"Content-Length: 0\r\n"), ("DELETE", None, b"Content-Length: 0\r\n"),
            ("GET", b"x", b"Content-Length: 1\r\n"), ("PUT", Streamed(7), b"Content-Length: 7\r\n"),
            ("PUT", Streamed(None), b"Transfer-Encoding: chunked\r\n"),
            ("PUT", Streamed(0), b"Content-Length: 0\r\n"),
        ],
    )  # fmt: skip
    def test_framing_of_the_body(self, method: str, body, framing: bytes) -> None:
        assert head(method=method, body=body).partition(b"Host: h:8000\r\n")[2] == framing + b"\r\n"

    @pytest.mark.parametrize(
        ("value", "sent"), [("é", b"\xe9"), ("\xa0", b"\xa0"), ("я", "я".encode()), ("a\tb", b"a\tb")]
    )
    def test_bytes_of_values_are_those_of_the_caller_or_utf8(self, value: str, sent: bytes) -> None:
        assert b"\r\nA: " + sent + b"\r\n" in head(("A", value))

    @pytest.mark.parametrize(
        ("host", "port", "authority"),
        [
            ("h", 8000, "h:8000"),
            ("h", 80, "h"),
            ("h", 443, "h"),
            ("::1", 8000, "[::1]:8000"),
            ("1.1.1.1", 443, "1.1.1.1"),
        ],
    )
    def test_host_of_an_address(self, host: str, port: int, authority: str) -> None:
        assert Address(host, port, trusted=False).authority == authority
        assert f"\r\nHost: {authority}\r\n".encode() in head(host=authority)


class TestRefused:
    @pytest.mark.parametrize("name", ["", "a b", "a:", "a\r\nb", "a\0", "é", " a", "a ", "(a)", "a" * 70 + " "])
    def test_invalid_name(self, name: str) -> None:
        with pytest.raises(InvalidRequestError):
            head((name, "1"))

    @pytest.mark.parametrize(
        "value", ["a\r\nB: c", "a\nB: c", "a\rB", "\0", "a\x0bb", "\x7f", "\x1f", "я\r\nB: c", "\ud800"]
    )
    def test_invalid_value(self, value: str) -> None:
        with pytest.raises(InvalidRequestError):
            head(("A", value))

    @pytest.mark.parametrize(
        "name",
        ["Connection", "CONTENT-LENGTH", "transfer-encoding", "Host", "TE", "Trailer", "Upgrade", "Keep-Alive", "Expect",
         "Proxy-Connection", "Proxy-Authorization", "HTTP2-Settings"],
    )  # fmt: skip
    def test_header_that_is_for_one_connection_or_that_the_client_sets(self, name: str) -> None:
        with pytest.raises(InvalidRequestError):
            head((name, "1"))

    @pytest.mark.parametrize(
        "target", ["", "a", "*", "http://a/", "/a b", "/a\r\nB: c", "/é", "/a#b", "/\0", "/a HTTP/1.1\r\n\r\nGET /b"]
    )
    def test_invalid_target(self, target: str) -> None:
        with pytest.raises(InvalidRequestError):
            head(target=target)

    @pytest.mark.parametrize("method", ["", "get", "GET ", "GET /", "G\r\n"])
    def test_invalid_method(self, method: str) -> None:
        with pytest.raises(InvalidRequestError):
            head(method=method)

    @pytest.mark.parametrize("host", ["", "a b", "a\r\nB: c", "a/b", "u@a", "[::1", "a:b", "é"])
    def test_invalid_host(self, host: str) -> None:
        with pytest.raises(InvalidRequestError):
            head(host=host)


class Parsed:
    def __init__(self) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        self.messages = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name, value))

    def on_message_complete(self) -> None:
        self.messages += 1


class TestAnyHeaders:
    @given(st.lists(st.tuples(st.text(max_size=4), st.text(max_size=6)), max_size=4), st.text(max_size=6))
    def test_head_is_refused_or_read_as_given(self, headers: list[tuple[str, str]], path: str) -> None:
        """Nothing that a header or a path contains adds a header or a request."""
        try:
            sent = head(*headers, target="/" + path, body=b"")
        except InvalidRequestError:
            return
        parsed = Parsed()
        parser = httptools.HttpRequestParser(parsed)
        parser.feed_data(sent)
        assert parsed.messages == 1
        assert [name.decode() for name, _ in parsed.headers] == [
            "Host",
            *(name for name, _ in headers),
            "Content-Length",
        ]
