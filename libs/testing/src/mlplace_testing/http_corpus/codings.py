"""Transfer-Encoding: which codings are known, and what a length beside one means."""

from typing import Final

from mlplace_testing.http_corpus.model import (
    HOST,
    PATH,
    REFUSED,
    SMUGGLED,
    SMUGGLED_TOO,
    Case,
    accepted,
    chunked,
    everywhere,
    get,
    got,
    message,
    post,
    posted,
    served,
)

_CODING: Final = "RFC 9112, 6.1"
_NAMES: Final = "RFC 9112, 7"
_BOTH: Final = "RFC 9112, 6.3"
_BODY: Final = b"5\r\nhello\r\n0\r\n\r\n"
_EMPTY: Final = b"0\r\n\r\n"
_HELLO: Final = served(posted(b"hello"))

_UNKNOWN: Final = {
    "nothing": "",
    "a comma": ",",
    "a letter before": "xchunked",
    "a digit behind": "chunked1",
    "a letter missing": "chunke",
    "another one": "cow",
    "identity": "identity",
    "gzip alone": "gzip",
    "gzip, chunked": "gzip, chunked",
    "identity, chunked": "identity, chunked",
    "chunked, identity": "chunked, identity",
    "chunked, gzip": "chunked, gzip",
    "chunked, chunked": "chunked, chunked",
    "two words": "chunked chunked",
    "a parameter": "chunked;q=1",
    "double quotes": '"chunked"',
    "single quotes": "'chunked'",
    "brackets": "[chunked]",
    "a colon": ":chunked",
    "a vertical tab before": "\x0bchunked",
    "a vertical tab behind": "chunked\x0b",
    "a form feed before": "\x0cchunked",
    "a null before": "\0chunked",
    "a null behind": "chunked\0",
    "a carriage return behind": "chunked\r",
    "a non-breaking space": "\xa0chunked",
    "a soft hyphen": "chunked\xad",
    "a letter that folds to k": "chun\xe2\x84\xaaed",
}

_BESIDE: Final = {
    "length, then chunked": ("Content-Length: 5", "Transfer-Encoding: chunked"),
    "chunked, then length": ("Transfer-Encoding: chunked", "Content-Length: 5"),
    "length of zero": ("Transfer-Encoding: chunked", "Content-Length: 0"),
    "length between two codings": ("Transfer-Encoding: chunked", "Content-Length: 5", "Transfer-Encoding: chunked"),
    "length and an unknown coding": ("Content-Length: 5", "Transfer-Encoding: xchunked"),
    "length and identity": ("Content-Length: 5", "Transfer-Encoding: identity"),
    "length and an empty coding": ("Content-Length: 5", "Transfer-Encoding:"),
    "length and a coding that ends otherwise": ("Content-Length: 5", "Transfer-Encoding: chunked, identity"),
}

_REPEATED: Final = {
    "chunked twice": ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
    "chunked, then identity": ("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
    "identity, then chunked": ("Transfer-Encoding: identity", "Transfer-Encoding: chunked"),
    "chunked, then unknown": ("Transfer-Encoding: chunked", "Transfer-Encoding: cow"),
    "empty, then chunked": ("Transfer-Encoding:", "Transfer-Encoding: chunked"),
}

_DISGUISED: Final = {
    "blank before its colon": ("Transfer-Encoding : chunked",),
    "tab before its colon": ("Transfer-Encoding\t: chunked",),
    "a blank before its name": ("X: y", " Transfer-Encoding: chunked"),
    "on a folded line": ("Transfer-Encoding:", " chunked"),
    "within a folded word": ("Transfer-Encoding: chu", "\tnked"),
    "behind a line feed alone": ("X: y\nTransfer-Encoding: chunked",),
    "behind a carriage return alone": ("X: y\rTransfer-Encoding: chunked",),
    "behind a null": ("X: y\0Transfer-Encoding: chunked",),
    "a null in its name": ("Transfer\0-Encoding: chunked",),
    "a carriage return before its name": ("\rTransfer-Encoding: chunked",),
    "behind an empty name": (": Transfer-Encoding: chunked",),
}

_SERVED_BOTH: Final = served(posted(), SMUGGLED_TOO)
_ACCEPTED: Final = {
    "a carriage return behind": accepted("carriage returns at the end of a line", edge=_SERVED_BOTH),
    "behind a line feed alone": accepted("line feeds alone in a head", edge=_SERVED_BOTH),
}
_NO_EMPTY_ELEMENTS: Final = everywhere("empty elements of a list", REFUSED)

CASES: Final = (
    *(
        Case(
            f"coding: {name}",
            post(f"Transfer-Encoding: {value}", body=_EMPTY + SMUGGLED),
            REFUSED,
            _NAMES,
            _ACCEPTED.get(name),
        )
        for name, value in _UNKNOWN.items()
    ),
    *(Case(f"coding: {name}", post(*lines, body=_EMPTY + SMUGGLED), REFUSED, _BOTH) for name, lines in _BESIDE.items()),
    *(
        Case(f"coding: {name}", post(*lines, body=_EMPTY + SMUGGLED), REFUSED, _CODING)
        for name, lines in _REPEATED.items()
    ),
    *(
        Case(f"coding: {name}", post(*lines, body=_EMPTY + SMUGGLED), REFUSED, "RFC 9112, 5", _ACCEPTED.get(name))
        for name, lines in _DISGUISED.items()
    ),
    Case("coding: chunked", chunked(_BODY), _HELLO, _CODING),
    Case("coding: chunked in upper case", post("Transfer-Encoding: CHUNKED", body=_BODY), _HELLO, _NAMES),
    Case("coding: its name in lower case", post("transfer-encoding: Chunked", body=_BODY), _HELLO, _NAMES),
    Case(
        "coding: tab and blanks around",
        post("Transfer-Encoding:\t chunked \t", body=_BODY),
        _HELLO,
        "RFC 9112, 5.1",
        everywhere("tabs around a value", REFUSED),
    ),
    Case(
        "coding: an empty element of the list behind",
        post("Transfer-Encoding: chunked,", body=_BODY),
        _HELLO,
        "RFC 9110, 5.6.1",
        _NO_EMPTY_ELEMENTS,
    ),
    Case(
        "coding: an empty element of the list before",
        post("Transfer-Encoding: , chunked", body=_BODY),
        _HELLO,
        "RFC 9110, 5.6.1",
        _NO_EMPTY_ELEMENTS,
    ),
    Case("coding: of a GET", get("Transfer-Encoding: chunked", body=_BODY), served(got(b"hello")), _CODING),
    Case(
        "coding: chunks over a request",
        chunked(b"%x\r\n%b\r\n0\r\n\r\n" % (len(SMUGGLED), SMUGGLED)),
        served(posted(SMUGGLED)),
        _CODING,
    ),
    Case(
        "coding: another name",
        post("Transfer_Encoding: chunked", body=SMUGGLED),
        served(posted(), SMUGGLED_TOO),
        "RFC 9110, 5.1",
    ),
    Case(
        "coding: of the content",
        post("Content-Encoding: chunked", body=SMUGGLED),
        served(posted(), SMUGGLED_TOO),
        _CODING,
    ),
    Case(
        "coding: of the answer", post("TE: chunked", body=SMUGGLED), served(posted(), SMUGGLED_TOO), "RFC 9110, 10.1.4"
    ),
    Case(
        "coding: in HTTP/1.0",
        message(f"POST {PATH} HTTP/1.0", f"Host: {HOST}", "Transfer-Encoding: chunked", body=_EMPTY + SMUGGLED),
        REFUSED,
        _CODING,
    ),
    Case(
        "coding: in HTTP/1.0, with a length",
        message(
            f"POST {PATH} HTTP/1.0",
            f"Host: {HOST}",
            "Content-Length: 5",
            "Transfer-Encoding: chunked",
            "Connection: keep-alive",
            body=_EMPTY + SMUGGLED,
        ),
        REFUSED,
        _CODING,
    ),
)
