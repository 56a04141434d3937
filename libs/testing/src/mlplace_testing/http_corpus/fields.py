"""Field lines: their ends, names and values."""

from typing import Final

from mlplace_testing.http_corpus.model import (
    HOST,
    KEPT_AT_THE_EDGE,
    PATH,
    REFUSED,
    SMUGGLED,
    SMUGGLED_TOO,
    Accepted,
    Case,
    accepted,
    get,
    got,
    served,
)

_LINES: Final = "RFC 9112, 2.2"
_NAMES: Final = "RFC 9110, 5.1"
_VALUES: Final = "RFC 9110, 5.5"
_COLON: Final = "RFC 9112, 5.1"
_FOLD: Final = "RFC 9112, 5.2"
_START: Final = f"GET {PATH} HTTP/1.1".encode()
_HOST: Final = f"Host: {HOST}".encode()
_SERVED: Final = served(got())

_NAMES_REFUSED: Final = {
    "nothing": "",
    "a blank in it": "A B",
    "a blank behind": "A ",
    "a tab behind": "A\t",
    "a null": "A\0B",
    "a carriage return": "A\rB",
    "an escape character": "A\x1bB",
    "a delete character": "A\x7fB",
    "a letter beyond ASCII": "\xef",
    "letters of UTF-8": "\xc3\xa9",
    "an at sign": "A@B",
    "a bracket": "A[B",
    "a parenthesis": "A(B",
    "a comma": "A,B",
    "a slash": "A/B",
    "quotes": '"A"',
    "a semicolon": "A;B",
    "an equals sign": "A=B",
    "a brace": "A{B",
    "a backslash": "A\\B",
}

_NAMES_SERVED: Final = {
    "all marks of a token": "!#$%&'*+-.^_`|~",
    "digits": "123",
    "one letter": "a",
    "an underscore": "A_B",
}

_VALUES_REFUSED: Final = {
    "a null": "a\0b",
    "a null at the end": "a\0",
    "a carriage return": "a\rb",
    "a carriage return at the end": "a\r",
    "a line feed": "a\nb",
    "a bell": "a\x07b",
    "an escape character": "a\x1bb",
    "a backspace": "\x08",
    "a vertical tab": "a\x0bb",
    "a delete character": "a\x7fb",
}

_VALUES_SERVED: Final = {
    "nothing": "",
    "blanks": "   ",
    "a tab in it": "a\tb",
    "a letter of Latin-1": "\xe9",
    "letters of UTF-8": "\xc3\xa9",
    "octets of no encoding": "\xff\xfe",
    "a colon": ":",
    "quotes without an end": '"a',
    "a request line": f"GET {PATH} HTTP/1.1",
}

_BOTH: Final = served(got(), SMUGGLED_TOO)
_DROPPED: Final = accepted("malformed names", edge=_BOTH)
_LINE_FEED: Final = accepted("line feeds alone in a head", edge=_BOTH)
_CARRIAGE_RETURN: Final = accepted("carriage returns at the end of a line", edge=_BOTH)
_REFUSED_NAMES: Final = (
    "nothing",
    "a blank in it",
    "a blank behind",
    "a tab behind",
    "a null",
    "a carriage return",
    "an escape character",
    "a delete character",
)
"""Malformed names that the edge refuses too."""
_ACCEPTED_VALUES: Final[dict[str, Accepted]] = {
    "a carriage return at the end": _CARRIAGE_RETURN,
    "a line feed": _LINE_FEED,
    "a bell": KEPT_AT_THE_EDGE,
    "an escape character": KEPT_AT_THE_EDGE,
    "a backspace": KEPT_AT_THE_EDGE,
    "a vertical tab": KEPT_AT_THE_EDGE,
    "a delete character": KEPT_AT_THE_EDGE,
}

CASES: Final = (
    *(
        Case(
            f"name: {name}",
            get(f"{value}: x", body=SMUGGLED),
            REFUSED,
            _NAMES,
            None if name in _REFUSED_NAMES else _DROPPED,
        )
        for name, value in _NAMES_REFUSED.items()
    ),
    *(Case(f"name: {name}", get(f"{value}: x"), _SERVED, _NAMES) for name, value in _NAMES_SERVED.items()),
    *(
        Case(f"value: {name}", get(f"A: {value}", body=SMUGGLED), REFUSED, _VALUES, _ACCEPTED_VALUES.get(name))
        for name, value in _VALUES_REFUSED.items()
    ),
    *(Case(f"value: {name}", get(f"A: {value}"), _SERVED, _VALUES) for name, value in _VALUES_SERVED.items()),
    Case("line: no colon", get("A", body=SMUGGLED), REFUSED, _COLON, _DROPPED),
    Case("line: folded", get("A: b", " c", body=SMUGGLED), REFUSED, _FOLD),
    Case("line: folded with a tab", get("A: b", "\tc", body=SMUGGLED), REFUSED, _FOLD),
    Case("line: folded to nothing", get("A: b", " ", body=SMUGGLED), REFUSED, _FOLD),
    Case("line: a folded name", get("A", " : b", body=SMUGGLED), REFUSED, _FOLD),
    Case("line: a blank before the first", _START + b"\r\n " + _HOST + b"\r\n\r\n" + SMUGGLED, REFUSED, _LINES),
    Case(
        "line: a blank line before the first", _START + b"\r\n \r\n" + _HOST + b"\r\n\r\n" + SMUGGLED, REFUSED, _LINES
    ),
    Case(
        "line: ends with a line feed alone",
        _START + b"\r\n" + _HOST + b"\nA: b\r\n\r\n" + SMUGGLED,
        REFUSED,
        _LINES,
        _LINE_FEED,
    ),
    Case(
        "line: all end with a line feed alone", _START + b"\n" + _HOST + b"\n\n" + SMUGGLED, REFUSED, _LINES, _LINE_FEED
    ),
    Case(
        "line: the last ends with a line feed alone",
        _START + b"\r\n" + _HOST + b"\r\n\n" + SMUGGLED,
        REFUSED,
        _LINES,
        _LINE_FEED,
    ),
    Case(
        "line: the first ends with a line feed alone",
        _START + b"\n" + _HOST + b"\r\n\r\n" + SMUGGLED,
        REFUSED,
        _LINES,
        _LINE_FEED,
    ),
    Case(
        "line: the first ends with a carriage return alone",
        _START + b"\r" + _HOST + b"\r\n\r\n" + SMUGGLED,
        REFUSED,
        _LINES,
    ),
    Case(
        "line: ends with a carriage return alone",
        _START + b"\r\n" + _HOST + b"\rA: b\r\n\r\n" + SMUGGLED,
        REFUSED,
        _LINES,
    ),
    Case(
        "line: the head ends with a carriage return alone",
        _START + b"\r\n" + _HOST + b"\r\n\r" + SMUGGLED,
        REFUSED,
        _LINES,
    ),
    Case(
        "line: two carriage returns at the end",
        _START + b"\r\n" + _HOST + b"\r\r\n\r\n" + SMUGGLED,
        REFUSED,
        _LINES,
        _CARRIAGE_RETURN,
    ),
    Case("line: empty ones before the request", b"\r\n\r\n" + get(), _SERVED, _LINES),
    Case("line: a blank before the request", b" " + get(body=SMUGGLED), REFUSED, _LINES),
    Case("line: a null before the request", b"\0" + get(body=SMUGGLED), REFUSED, _LINES),
    Case("line: a byte order mark before the request", b"\xef\xbb\xbf" + get(body=SMUGGLED), REFUSED, _LINES),
)
