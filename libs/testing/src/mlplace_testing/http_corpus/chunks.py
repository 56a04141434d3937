"""Chunks: their sizes, extensions, ends and trailers."""

from typing import Final

from mlplace_testing.http_corpus.model import (
    REFUSED,
    SMUGGLED,
    SMUGGLED_TOO,
    Accepted,
    Case,
    End,
    accepted,
    chunked,
    posted,
    served,
)

_SIZE: Final = "RFC 9112, 7.1"
_EXTENSION: Final = "RFC 9112, 7.1.1"
_TRAILER: Final = "RFC 9112, 7.1.2"
_REST: Final = b"\r\nhello\r\n0\r\n\r\n"
_LAST: Final = b"5\r\nhello\r\n0\r\n"
_HELLO: Final = served(posted(b"hello"))
_BOTH: Final = served(posted(b"hello"), SMUGGLED_TOO)
_LENIENT: Final = accepted("lenient chunks", edge=_BOTH)
_UNREAD: Final = accepted("unread trailers", edge=_BOTH)

_SIZES: Final = {
    "nothing": b"",
    "0x": b"0x5",
    "a plus sign": b"+5",
    "a minus sign": b"-5",
    "a blank before": b" 5",
    "a tab before": b"\t5",
    "a blank behind": b"5 ",
    "a tab behind": b"5\t",
    "a group of digits": b"0_5",
    "a fraction": b"5.0",
    "a list": b"5,5",
    "no hexadecimal digit": b"g",
    "letters behind": b"5h",
    "quotes": b'"5"',
    "a null behind": b"5\0",
    "a vertical tab behind": b"5\x0b",
    "two to the 64th and five": b"10000000000000005",
    "sixty-eight bits": b"f0000000000000005",
    "a hundred digits": b"5" * 100,
    "a carriage return behind": b"5\r",
    "a line feed before": b"\n5",
}

_EXTENSIONS_REFUSED: Final = {
    "no semicolon": b"5 a",
    "a line feed in it": b"5;a\nb",
    "a carriage return in it": b"5;a\rb",
    "a null in it": b"5;a\0b",
    "a line feed in its quotes": b'5;a="b\nc"',
    "quotes without an end": b'5;a="b',
    "a line feed behind a backslash": b'5;a="b\\\nc"',
}

_EXTENSIONS_SERVED: Final = {
    "a name": b"5;a",
    "a value": b"5;a=b",
    "a value in quotes": b'5;a="b c"',
    "two": b"5;a=b;c",
    "an escape in quotes": b'5;a="b\\"c"',
}

_ENDS: Final = {
    "a line feed alone after a size": b"5\nhello\r\n0\r\n\r\n",
    "a line feed alone after the data": b"5\r\nhello\n0\r\n\r\n",
    "a carriage return alone after a size": b"5\rhello\r\n0\r\n\r\n",
    "a carriage return alone after the data": b"5\r\nhello\r0\r\n\r\n",
    "nothing after the data": b"5\r\nhello0\r\n\r\n",
    "two letters instead of the end of the data": b"5\r\nhelloXX0\r\n\r\n",
    "more data than the size": b"3\r\nhello\r\n0\r\n\r\n",
    "less data than the size": b"7\r\nhello\r\n0\r\n\r\n",
    "an empty line between chunks": b"5\r\nhello\r\n\r\n0\r\n\r\n",
    "a line feed alone after the last size": b"5\r\nhello\r\n0\n\r\n",
    "a line feed alone at the end": b"5\r\nhello\r\n0\r\n\n",
    "a carriage return alone at the end": b"5\r\nhello\r\n0\r\n\r",
}

_TRAILERS_REFUSED: Final = {
    "no colon": b"trailer\r\n\r\n",
    "blank before the colon": b"A : b\r\n\r\n",
    "a blank before the name": b" A: b\r\n\r\n",
    "a folded line": b"A: b\r\n c\r\n\r\n",
    "an empty name": b": b\r\n\r\n",
    "a null in its value": b"A: b\0\r\n\r\n",
    "a carriage return in its value": b"A: b\rc\r\n\r\n",
    "a line feed alone behind it": b"A: b\n\r\n",
    "a request in its place": b"",
}

_TRAILERS_SERVED: Final = {
    "plain": b"A: b",
    "a length": b"Content-Length: 50",
    "a coding": b"Transfer-Encoding: chunked",
    "a host": b"Host: other.test",
    "the end of the connection": b"Connection: close",
}

_ACCEPTED: Final[dict[str, Accepted]] = dict.fromkeys(
    (
        "a blank behind",
        "a tab behind",
        "no semicolon",
        "a null in it",
        "quotes without an end",
        "a line feed alone after a size",
        "a line feed alone after the data",
        "a line feed alone after the last size",
        "a line feed alone at the end",
    ),
    _LENIENT,
)
_FRAMING: Final = accepted("trailers that frame", server=REFUSED)
_ACCEPTED_TRAILERS: Final[dict[str, Accepted | None]] = {
    "plain": None,
    "a host": None,
    "a length": _FRAMING,
    "a coding": _FRAMING,
    "the end of the connection": accepted("trailers that frame", server=served(posted(b"hello"), end=End.CLOSES)),
    "a request in its place": accepted("unread trailers", edge=_HELLO),
    "a carriage return in its value": None,
}

CASES: Final = (
    *(
        Case(f"chunk size: {name}", chunked(size + _REST + SMUGGLED), REFUSED, _SIZE, _ACCEPTED.get(name))
        for name, size in _SIZES.items()
    ),
    *(
        Case(f"chunk extension: {name}", chunked(line + _REST + SMUGGLED), REFUSED, _EXTENSION, _ACCEPTED.get(name))
        for name, line in _EXTENSIONS_REFUSED.items()
    ),
    *(
        Case(f"chunk extension: {name}", chunked(line + _REST), _HELLO, _EXTENSION)
        for name, line in _EXTENSIONS_SERVED.items()
    ),
    Case(
        "chunk extension: blanks around its semicolon",
        chunked(b"5 ; a" + _REST),
        _HELLO,
        _EXTENSION,
        accepted("blanks before an extension", server=REFUSED),
    ),
    Case("chunk extension: of the last chunk", chunked(b"5\r\nhello\r\n0;a=b\r\n\r\n"), _HELLO, _EXTENSION),
    Case("chunk extension: no name", chunked(b"5;" + _REST + SMUGGLED), REFUSED, _EXTENSION, _LENIENT),
    *(
        Case(f"chunk end: {name}", chunked(body + SMUGGLED), REFUSED, _SIZE, _ACCEPTED.get(name))
        for name, body in _ENDS.items()
    ),
    *(
        Case(
            f"trailer: {name}",
            chunked(_LAST + lines + SMUGGLED),
            REFUSED,
            _TRAILER,
            _ACCEPTED_TRAILERS.get(name, _UNREAD),
        )
        for name, lines in _TRAILERS_REFUSED.items()
    ),
    *(
        Case(
            f"trailer: {name}",
            chunked(_LAST + line + b"\r\n\r\n" + SMUGGLED),
            _BOTH,
            _TRAILER,
            _ACCEPTED_TRAILERS.get(name),
        )
        for name, line in _TRAILERS_SERVED.items()
    ),
    Case("chunk: two", chunked(b"2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"), _HELLO, _SIZE),
    Case(
        "chunk: letters of both cases",
        chunked(b"a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n"),
        served(posted(b"0123456789" * 2)),
        _SIZE,
    ),
    Case("chunk: leading zeros", chunked(b"0000000005" + _REST), _HELLO, _SIZE),
    Case("chunk: more zeros than digits fit", chunked(b"0" * 30 + b"5" + _REST), _HELLO, _SIZE),
    Case("chunk: zeros as the last size", chunked(b"5\r\nhello\r\n000\r\n\r\n"), _HELLO, _SIZE),
    Case("chunk: line ends are data", chunked(b"4\r\n\r\n\r\n\r\n0\r\n\r\n"), served(posted(b"\r\n\r\n")), _SIZE),
    Case("chunk: none but the last", chunked(b"0\r\n\r\n" + SMUGGLED), served(posted(), SMUGGLED_TOO), _SIZE),
)
