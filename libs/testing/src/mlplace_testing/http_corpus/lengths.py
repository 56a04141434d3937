"""Content-Length: its syntax, its repetition, and what it covers."""

from typing import Final

from mlplace_testing.http_corpus.model import (
    PATH,
    REFUSED,
    SMUGGLED,
    SMUGGLED_TOO,
    Case,
    End,
    Request,
    accepted,
    get,
    got,
    message,
    post,
    posted,
    served,
)

_FIELD: Final = "RFC 9110, 8.6"
_LENGTH: Final = "RFC 9112, 6.3"
_HELLO: Final = served(posted(b"hello"))

_MALFORMED: Final = {
    "a plus sign": "+5",
    "a minus sign": "-5",
    "a minus sign before zero": "-0",
    "hexadecimal": "0x5",
    "a fraction": "5.0",
    "an exponent": "5e0",
    "a group of digits": "1_0",
    "a blank between digits": "5 5",
    "a tab between digits": "5\t5",
    "a semicolon behind": "5;",
    "quotes": '"5"',
    "letters": "five",
    "letters behind": "5x",
    "a comma behind": "5,",
    "a comma before": ",5",
    "a list of equal lengths": "5, 5",
    "a list of different lengths": "5, 6",
    "a list with zero": "0, 5",
    "a vertical tab behind": "5\x0b",
    "a form feed before": "\x0c5",
    "a null behind": "5\0",
    "a carriage return behind": "5\r",
    "a non-breaking space": "\xa05",
    "superscript digits": "\xb2",
    "digits of another script": "\xd9\xa5",
    "two to the 64th": str(2**64),
    "two to the 64th and five": str(2**64 + 5),
    "a hundred digits": "9" * 100,
    "nothing": "",
    "blanks": "   ",
}

_ACCEPTED: Final = {
    "a carriage return behind": accepted(
        "carriage returns at the end of a line", edge=served(posted(b"hello"), SMUGGLED_TOO)
    ),
}

CASES: Final = (
    *(
        Case(
            f"length: {name}",
            post(f"Content-Length: {value}", body=b"hello" + SMUGGLED),
            REFUSED,
            _FIELD,
            _ACCEPTED.get(name),
        )
        for name, value in _MALFORMED.items()
    ),
    Case("length: plain", post("Content-Length: 5", body=b"hello"), _HELLO, _FIELD),
    Case("length: no blank before it", post("Content-Length:5", body=b"hello"), _HELLO, "RFC 9112, 5"),
    Case(
        "length: blanks and tabs around",
        post("Content-Length: \t5 \t", body=b"hello"),
        _HELLO,
        "RFC 9112, 5.1",
        accepted("tabs around a value", edge=REFUSED),
    ),
    Case("length: name in lower case", post("content-length: 5", body=b"hello"), _HELLO, "RFC 9110, 5.1"),
    Case("length: leading zeros", post("Content-Length: 005", body=b"hello"), _HELLO, _FIELD),
    Case(
        "length: it is never octal",
        post("Content-Length: 010", body=b"0123456789"),
        served(posted(b"0123456789")),
        _FIELD,
    ),
    Case(
        "length: many leading zeros",
        post(f"Content-Length: {'0' * 40}5", body=b"hello"),
        _HELLO,
        _FIELD,
    ),
    Case("length: zero", post("Content-Length: 0"), served(posted()), _FIELD),
    Case(
        "length: zero, then a request",
        post("Content-Length: 0", body=SMUGGLED),
        served(posted(), SMUGGLED_TOO),
        _LENGTH,
    ),
    Case("length: none means no body", post(), served(posted()), _LENGTH),
    Case("length: none, but bytes follow", post(body=b"hello\r\n\r\n"), served(posted(), end=End.REFUSES), _LENGTH),
    Case(
        "length: it covers a request",
        post(f"Content-Length: {len(SMUGGLED)}", body=SMUGGLED),
        served(posted(SMUGGLED)),
        _LENGTH,
    ),
    Case(
        "length: it ends within a request",
        post("Content-Length: 4", body=SMUGGLED),
        served(posted(SMUGGLED[:4]), end=End.REFUSES),
        _LENGTH,
    ),
    Case("length: twice the same", post("Content-Length: 5", "Content-Length: 5", body=b"hello"), REFUSED, _LENGTH),
    Case("length: two", post("Content-Length: 5", "Content-Length: 0", body=b"hello" + SMUGGLED), REFUSED, _LENGTH),
    Case("length: two, zero first", post("Content-Length: 0", "Content-Length: 5", body=SMUGGLED), REFUSED, _LENGTH),
    Case(
        "length: two, one malformed", post("Content-Length: 5", "Content-Length: +5", body=b"hello"), REFUSED, _LENGTH
    ),
    Case("length: two, one empty", post("Content-Length:", "Content-Length: 5", body=b"hello"), REFUSED, _LENGTH),
    Case(
        "length: blank before its colon", post("Content-Length : 5", body=b"hello" + SMUGGLED), REFUSED, "RFC 9112, 5.1"
    ),
    Case(
        "length: tab before its colon", post("Content-Length\t: 5", body=b"hello" + SMUGGLED), REFUSED, "RFC 9112, 5.1"
    ),
    Case("length: on a folded line", post("Content-Length:", " 5", body=b"hello" + SMUGGLED), REFUSED, "RFC 9112, 5.2"),
    Case("length: folded digits", post("Content-Length: 5", " 5", body=b"hello" + SMUGGLED), REFUSED, "RFC 9112, 5.2"),
    Case("length: a null in its name", post("Content\0-Length: 5", body=b"hello" + SMUGGLED), REFUSED, "RFC 9110, 5.1"),
    Case(
        "length: another name",
        post("Content_Length: 5", body=SMUGGLED),
        served(posted(), SMUGGLED_TOO),
        "RFC 9110, 5.1",
    ),
    Case("length: of a GET", get("Content-Length: 5", body=b"hello"), served(got(b"hello")), "RFC 9110, 9.3.1"),
    Case(
        "length: of a GET, over a request",
        get(f"Content-Length: {len(SMUGGLED)}", body=SMUGGLED),
        served(got(SMUGGLED)),
        "RFC 9110, 9.3.1",
    ),
    Case(
        "length: of a HEAD",
        message(f"HEAD {PATH} HTTP/1.1", "Host: edge.test", "Content-Length: 5", body=b"hello"),
        served(Request("HEAD", PATH, b"hello")),
        "RFC 9110, 9.3.2",
    ),
    Case(
        "length: of a DELETE",
        message(f"DELETE {PATH} HTTP/1.1", "Host: edge.test", "Content-Length: 5", body=b"hello"),
        served(Request("DELETE", PATH, b"hello")),
        "RFC 9110, 9.3.5",
    ),
    Case(
        "length: in HTTP/1.0",
        message(f"POST {PATH} HTTP/1.0", "Host: edge.test", "Content-Length: 5", body=b"hello"),
        served(posted(b"hello"), end=End.CLOSES),
        _LENGTH,
    ),
)
