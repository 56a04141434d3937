"""Reading an answer: where it ends, what is refused, and that splitting it changes nothing."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlpgateway.instances.http.client.answer import AnswerReader
from mlpgateway.instances.http.client.errors import InvalidAnswerError

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


class Heard:
    def __init__(self) -> None:
        self.told: list[tuple[int, int | None]] = []
        self.headers: tuple[tuple[bytes, bytes], ...] = ()
        self.body = b""

    def head(self, status: int, headers: tuple[tuple[bytes, bytes], ...], length: int | None) -> None:
        self.told.append((status, length))
        self.headers = headers

    def part(self, data: bytes) -> None:
        assert len(self.told) == 1
        self.body += data

    def end(self) -> None:
        raise AssertionError("the connection tells the end")

    def failed(self, error: Exception) -> None:
        raise AssertionError("the connection tells the failure")


def read(pieces: Iterable[bytes], *, bodiless: bool = False) -> tuple[AnswerReader, Heard]:
    heard = Heard()
    reader = AnswerReader(heard, bodiless=bodiless)
    for piece in pieces:
        if piece:
            reader.feed(piece)
    return reader, heard


def summary(pieces: Iterable[bytes], *, bodiless: bool = False) -> object:
    try:
        reader, heard = read(pieces, bodiless=bodiless)
    except InvalidAnswerError:
        return "invalid"
    return heard.told, heard.headers, heard.body, reader.complete, reader.reusable, reader.until_closed


# Answer, and: status and length, body, whether it is complete, whether its connection may be used again.
ANSWERS = {
    "length": (OK + b"Content-Length: 5\r\n\r\nhello", (200, 5), b"hello", True, True),
    "empty": (OK + b"Content-Length: 0\r\n\r\n", (200, 0), b"", True, True),
    "chunks": (CHUNKED + b'3\r\nabc\r\nA;x="y"\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n', (200, None), b"abc0123456789", True, True),
    "no chunk": (CHUNKED + b"0\r\n\r\n", (200, None), b"", True, True),
    "until closed": (OK + b"\r\nhello", (200, None), b"hello", False, False),
    "no content": (b"HTTP/1.1 204 No Content\r\n\r\n", (204, 0), b"", True, True),
    "not modified, with the length of another answer": (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", (304, 0), b"", True, True),
    "no content, in chunks": (b"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", (204, 0), b"", True, False),
    "interim": (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + OK + b"Content-Length: 1\r\n\r\nx", (200, 1), b"x", True, True),
    "close": (OK + b"Connection: close\r\nContent-Length: 1\r\n\r\nx", (200, 1), b"x", True, False),
    "old": (b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", (200, 1), b"x", True, False),
    "old, kept": (b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", (200, 1), b"x", True, True),
    "no reason": (b"HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", (404, 0), b"", True, True),
    "offered upgrade": (OK + b"Upgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 1\r\n\r\nx", (200, 1), b"x", True, True),
    "two answers": ((OK + b"Content-Length: 1\r\n\r\nx") * 2, (200, 1), b"x", True, False),
    "two answers in chunks": ((CHUNKED + b"1\r\nx\r\n0\r\n\r\n") * 2, (200, None), b"x", True, False),
    "bytes behind": (OK + b"Content-Length: 1\r\n\r\nxy", (200, 1), b"x", True, False),
    "bytes behind nothing": (OK + b"Content-Length: 0\r\n\r\nx", (200, 0), b"", True, False),
    "garbage behind chunks": (CHUNKED + b"0\r\n\r\n\0\0", (200, None), b"", True, False),
    "empty line behind chunks": (CHUNKED + b"1\r\nx\r\n0\r\n\r\n\r\n", (200, None), b"x", True, False),
    "empty line behind trailers": (CHUNKED + b"0\r\nTrailer: 1\r\n\r\n\r\n", (200, None), b"", True, False),
    "line end behind chunks": (CHUNKED + b"0\r\n\r\n\n", (200, None), b"", True, False),
    "chunk of line ends": (CHUNKED + b"4\r\n\r\n\r\n\r\n0\r\n\r\n", (200, None), b"\r\n\r\n", True, True),
    "empty value, spaces": (OK + b"A:\r\nB: \t c \t\r\nContent-Length: 0\r\n\r\n", (200, 0), b"", True, True),
}  # fmt: skip

INVALID = {
    "two lengths": OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "one length twice": OK + b"Content-Length: 1\r\nContent-Length: 1\r\n\r\na",
    "list of lengths": OK + b"Content-Length: 1, 1\r\n\r\na",
    "length and chunks": OK + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and length": OK + b"Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n",
    "negative length": OK + b"Content-Length: -1\r\n\r\n",
    "signed length": OK + b"Content-Length: +1\r\n\r\na",
    "hexadecimal length": OK + b"Content-Length: 0x1\r\n\r\na",
    "underscore in length": OK + b"Content-Length: 1_0\r\n\r\na",
    "no length": OK + b"Content-Length:\r\n\r\na",
    "huge length": OK + b"Content-Length: 99999999999999999999\r\n\r\n",
    "length of nineteen digits": OK + b"Content-Length: 9223372036854775808\r\n\r\n",
    "other coding": OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "coding twice": OK + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "unknown coding": OK + b"Transfer-Encoding: xchunked\r\n\r\n",
    "identity": OK + b"Transfer-Encoding: identity\r\n\r\n",
    "chunks of HTTP/1.0": b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "folded header": OK + b"A: b\r\n c: d\r\nContent-Length: 0\r\n\r\n",
    "folded with tab": OK + b"A: b\r\n\tc\r\nContent-Length: 0\r\n\r\n",
    "space before header": OK + b" A: b\r\nContent-Length: 0\r\n\r\n",
    "space before colon": OK + b"Content-Length : 0\r\n\r\n",
    "NUL in value": OK + b"A: b\0c\r\nContent-Length: 0\r\n\r\n",
    "NUL in name": OK + b"A\0: b\r\nContent-Length: 0\r\n\r\n",
    "control in value": OK + b"A: \x01\r\nContent-Length: 0\r\n\r\n",
    "no name": OK + b": b\r\nContent-Length: 0\r\n\r\n",
    "no colon": OK + b"abc\r\nContent-Length: 0\r\n\r\n",
    "space in name": OK + b"a b: c\r\nContent-Length: 0\r\n\r\n",
    "carriage return in value": OK + b"A: b\rc: d\r\nContent-Length: 0\r\n\r\n",
    "line feed alone": OK + b"A: b\nContent-Length: 0\r\n\r\n",
    "line feed alone in status line": b"HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n",
    "HTTP/2": b"HTTP/2.0 200 OK\r\n\r\n",
    "HTTP/0.9": b"HTTP/0.9 200 OK\r\n\r\n",
    "HTTP/1.2": b"HTTP/1.2 200 OK\r\n\r\n",
    "lower case": b"http/1.1 200 OK\r\n\r\n",
    "another protocol": b"ICY 200 OK\r\n\r\n",
    "a request": b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "empty lines before": b"\r\n\r\n" + OK + b"\r\n",
    "an empty line before": b"\r\n" + OK + b"\r\n",
    "status of two digits": b"HTTP/1.1 20 OK\r\n\r\n",
    "status of four digits": b"HTTP/1.1 2000 OK\r\n\r\n",
    "status that HTTP does not have": b"HTTP/1.1 600 OK\r\nContent-Length: 0\r\n\r\n",
    "no status": b"HTTP/1.1 OK\r\n\r\n",
    "switch of protocols": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    "chunk size with sign": CHUNKED + b"+1\r\na\r\n0\r\n\r\n",
    "chunk size with prefix": CHUNKED + b"0x1\r\na\r\n0\r\n\r\n",
    "chunk size with space": CHUNKED + b"1 \r\na\r\n0\r\n\r\n",
    "negative chunk": CHUNKED + b"-1\r\na\r\n0\r\n\r\n",
    "huge chunk": CHUNKED + b"fffffffffffffffff\r\na",
    "no chunk size": CHUNKED + b"\r\na\r\n",
    "chunk longer than its size": CHUNKED + b"1\r\nab\r\n0\r\n\r\n",
    "line feed alone behind chunk size": CHUNKED + b"1\na\r\n0\r\n\r\n",
    "line feed alone behind chunk": CHUNKED + b"1\r\na\n0\r\n\r\n",
    "line feed in extension": CHUNKED + b"1;a\nb\r\na\r\n0\r\n\r\n",
    "NUL in extension": CHUNKED + b"1;\0\r\na\r\n0\r\n\r\n",
    "folded trailer": CHUNKED + b"0\r\nA: b\r\n c\r\n\r\n",
    "length as trailer": CHUNKED + b"0\r\nContent-Length: 1\r\n\r\n",
}  # fmt: skip


class TestAnswers:
    @pytest.mark.parametrize("name", ANSWERS)
    def test_end_body_and_reuse(self, name: str) -> None:
        data, head, body, complete, reusable = ANSWERS[name]
        reader, heard = read([data])
        assert (heard.told, heard.body) == ([head], body)
        assert (reader.complete, reader.reusable) == (complete, reusable)

    @pytest.mark.parametrize("name", ANSWERS)
    def test_splitting_at_any_byte_changes_nothing(self, name: str) -> None:
        data = ANSWERS[name][0]
        whole = summary([data])
        for at in range(len(data) + 1):
            assert summary([data[:at], data[at:]]) == whole, data[:at]
        assert summary(data[at : at + 1] for at in range(len(data))) == whole

    @pytest.mark.parametrize("framing", [b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n"])
    def test_answer_to_head_has_no_body(self, framing: bytes) -> None:
        reader, heard = read([OK + framing + b"\r\n"], bodiless=True)
        assert (heard.told, heard.body, reader.complete, reader.reusable) == ([(200, 0)], b"", True, True)
        assert heard.headers == ((framing.partition(b":")[0], framing.partition(b": ")[2].strip()),)

    def test_body_of_an_answer_to_head_is_not_read_and_ends_the_connection(self) -> None:
        reader, heard = read([OK + b"Content-Length: 5\r\n\r\nhello"], bodiless=True)
        assert (heard.body, reader.complete, reader.reusable) == (b"", True, False)

    def test_headers_keep_their_order_case_and_bytes(self) -> None:
        _, heard = read([OK + b"B: \xff\x80\r\na: 1\r\nB: 2\r\nContent-Length: 0\r\n\r\n"])
        assert heard.headers == ((b"B", b"\xff\x80"), (b"a", b"1"), (b"B", b"2"), (b"Content-Length", b"0"))

    def test_dropped_answer_tells_nothing_more(self) -> None:
        for begun in (CHUNKED + b"1\r\na\r\n", OK + b"Content-Length: 3\r\n\r\na", OK + b"\r\na"):
            reader, heard = read([begun])
            reader.drop()
            reader.feed(b"1\r\nb\r\n")
            assert heard.body == b"a"


class TestInvalid:
    @pytest.mark.parametrize("name", INVALID)
    def test_answer_is_refused(self, name: str) -> None:
        with pytest.raises(InvalidAnswerError):
            read([INVALID[name]])

    @pytest.mark.parametrize("name", INVALID)
    def test_answer_is_refused_however_it_is_split(self, name: str) -> None:
        data = INVALID[name]
        assert summary(data[at : at + 1] for at in range(len(data))) == "invalid"
        assert all(summary([data[:at], data[at:]]) == "invalid" for at in range(len(data)))


def bytes_until_refused(begun: bytes, endless: bytes) -> int:
    """Returns how many bytes an endless answer sends until it is refused."""
    reader = AnswerReader(Heard(), bodiless=False)
    reader.feed(begun)
    for number in range(2**20 // len(endless) + 1):
        try:
            reader.feed(endless)
        except InvalidAnswerError:
            return number * len(endless)
    raise AssertionError("it was not refused")


class TestLimits:
    @pytest.mark.parametrize("size", [1000, 65536, 200_000])
    def test_endless_head_is_refused(self, size: int) -> None:
        assert bytes_until_refused(OK, b"A: " + b"b" * size) < 300_000

    @pytest.mark.parametrize("more", [b"A: " + b"b" * 17_000, b"\r\n".join([b"A: b"] * 129)])
    def test_large_header_and_many_headers_are_refused(self, more: bytes) -> None:
        with pytest.raises(InvalidAnswerError):
            read([OK + more + b"\r\nContent-Length: 0\r\n\r\n"])

    def test_large_headers_within_the_limit_pass(self) -> None:
        lines = b"".join(b"A: " + b"b" * 15_000 + b"\r\n" for _ in range(4))
        assert read([OK + lines + b"Content-Length: 0\r\n\r\n"])[0].complete

    def test_endless_interim_answers_are_refused(self) -> None:
        hint = b"HTTP/1.1 103 Early Hints\r\n\r\n"
        assert bytes_until_refused(hint, hint) < 20 * len(hint)

    def test_large_interim_answers_are_refused(self) -> None:
        hint = b"HTTP/1.1 103 Early Hints\r\nLink: " + b"a" * 15_000 + b"\r\n\r\n"
        assert bytes_until_refused(hint, hint) < 80_000

    @pytest.mark.parametrize(
        ("begun", "endless"),
        [(b"1;", b"a" * 1000), (b"0\r\n", b"A: b\r\n"), (b"0\r\nA: ", b"b" * 1000), (b"", b"0" * 1000)],
        ids=["extension", "trailers", "trailer", "zeros"],
    )
    def test_endless_framing_is_refused(self, begun: bytes, endless: bytes) -> None:
        assert bytes_until_refused(CHUNKED + b"4\r\nbody\r\n" + begun, endless) < 70_000

    def test_chunks_with_large_extensions_are_refused(self) -> None:
        assert bytes_until_refused(CHUNKED, b"1;" + b"a" * 1000 + b"\r\nx\r\n") < 70_000

    def test_chunks_of_one_byte_pass(self) -> None:
        reader, heard = read([CHUNKED, *[b"1\r\nx\r\n"] * 20_000, b"0\r\n\r\n"])
        assert (reader.complete, len(heard.body)) == (True, 20_000)


@st.composite
def split(draw: st.DrawFn) -> tuple[bytes, bool, list[bytes]]:
    """An answer with random edits, and its pieces."""
    data = draw(st.sampled_from([answer[0] for answer in ANSWERS.values()] + list(INVALID.values())))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.binary(max_size=3)) + data[at + draw(st.integers(0, 3)) :]
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    return data, draw(st.booleans()), [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


class TestAnyBytes:
    @pytest.mark.fuzz
    @settings(deadline=None)
    @given(split())
    def test_only_one_error_and_no_effect_of_splitting(self, made: tuple[bytes, bool, list[bytes]]) -> None:
        """Bytes behind an answer in chunks may come before or after its end is noticed; both end the connection."""
        data, bodiless, pieces = made
        assert summary(pieces, bodiless=bodiless) == summary([data], bodiless=bodiless)
