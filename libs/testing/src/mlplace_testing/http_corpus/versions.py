"""Versions and methods."""

from typing import Final

from mlplace_testing.http_corpus.model import (
    HOST,
    KEPT_AT_THE_EDGE,
    PATH,
    REFUSED,
    SMUGGLED,
    SMUGGLED_TOO,
    WITHOUT_A_WORD,
    Accepted,
    Case,
    End,
    Outcome,
    Request,
    accepted,
    get,
    got,
    message,
    request_line,
    served,
)

_VERSION: Final = "RFC 9112, 2.3"
_NUMBER: Final = "RFC 9110, 2.5"
_METHOD: Final = "RFC 9110, 9.1"
_KEPT: Final = "RFC 9112, 9.3"

_REFUSED: Final = {
    "none": f"GET {PATH}",
    "none, but a blank": f"GET {PATH} ",
    "0.9": f"GET {PATH} HTTP/0.9",
    "2.0": f"GET {PATH} HTTP/2.0",
    "3.0": f"GET {PATH} HTTP/3.0",
    "1": f"GET {PATH} HTTP/1",
    "1.": f"GET {PATH} HTTP/1.",
    ".1": f"GET {PATH} HTTP/.1",
    "1.01": f"GET {PATH} HTTP/1.01",
    "01.1": f"GET {PATH} HTTP/01.1",
    "1.10": f"GET {PATH} HTTP/1.10",
    "1.1x": f"GET {PATH} HTTP/1.1x",
    "1,1": f"GET {PATH} HTTP/1,1",
    "+1.1": f"GET {PATH} HTTP/+1.1",
    "a blank in it": f"GET {PATH} HTTP/1 .1",
    "a blank before its slash": f"GET {PATH} HTTP /1.1",
    "lower case": f"GET {PATH} http/1.1",
    "a letter missing": f"GET {PATH} HTP/1.1",
    "another protocol": f"GET {PATH} HTTPS/1.1",
    "the protocol of radio streams": f"SOURCE {PATH} ICE/1.0",
    "the protocol of media servers": f"DESCRIBE {PATH} RTSP/1.0",
    "the preface of HTTP/2": "PRI * HTTP/2.0",
}

_SERVED: Final = ("POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_UNKNOWN: Final = {
    "lower case": "get",
    "mixed case": "Get",
    "a word": "HELLO",
    "one letter": "G",
    "a longer word": "GETX",
}
_NO_TOKEN: Final = {
    "an equals sign": "G=T",
    "a colon": "GET:",
    "a letter beyond ASCII": "G\xc9T",
    "a null": "GE\0T",
    "brackets": "(GET)",
}


def _as_http10(method: str) -> Accepted:
    return accepted("other protocols of the same form", server=served(Request(method, PATH), end=End.CLOSES))


_ACCEPTED: Final[dict[str, Accepted]] = {
    "none": WITHOUT_A_WORD,
    "none, but a blank": WITHOUT_A_WORD,
    "the protocol of radio streams": _as_http10("SOURCE"),
    "the protocol of media servers": _as_http10("DESCRIBE"),
    "1.01": KEPT_AT_THE_EDGE,
    "1.10": KEPT_AT_THE_EDGE,
}
_NOT_IMPLEMENTED: Final = Outcome((SMUGGLED_TOO,), End.DECLINES)
_UNREAD_AT_THE_EDGE: Final = frozenset({"lower case", "mixed case"})


def _unread(*, edge: bool) -> Accepted:
    """Accepts that the parser gives up; `edge`: nginx's, too."""
    return accepted("unknown methods", server=REFUSED, edge=REFUSED if edge else None)


CASES: Final = (
    *(
        Case(f"version: {name}", request_line(line) + SMUGGLED, REFUSED, _VERSION, _ACCEPTED.get(name))
        for name, line in _REFUSED.items()
    ),
    Case(
        "version: a later minor one",
        request_line(f"GET {PATH} HTTP/1.2") + SMUGGLED,
        served(got(), SMUGGLED_TOO),
        _NUMBER,
        accepted("later minor versions", server=REFUSED, edge=Outcome((SMUGGLED_TOO,), End.DECLINES)),
    ),
    Case("version: 1.0", request_line(f"GET {PATH} HTTP/1.0") + SMUGGLED, served(got(), end=End.CLOSES), _KEPT),
    Case(
        "version: 1.0 of media servers",
        request_line(f"GET {PATH} RTSP/1.0") + SMUGGLED,
        REFUSED,
        _VERSION,
        _as_http10("GET"),
    ),
    Case(
        "version: 1.0 that keeps the connection",
        message(f"GET {PATH} HTTP/1.0", f"Host: {HOST}", "Connection: keep-alive") + SMUGGLED,
        served(got(), SMUGGLED_TOO),
        _KEPT,
        accepted("HTTP/1.0 that keeps the connection", server=served(got(), end=End.CLOSES)),
    ),
    *(
        Case(
            f"method: {name}",
            message(f"{name} {PATH} HTTP/1.1", f"Host: {HOST}", "Content-Length: 0"),
            served(Request(name, PATH)),
            _METHOD,
        )
        for name in _SERVED
    ),
    *(
        Case(
            f"method: {name}",
            request_line(f"{method} {PATH} HTTP/1.1") + SMUGGLED,
            _NOT_IMPLEMENTED,
            _METHOD,
            _unread(edge=name in _UNREAD_AT_THE_EDGE),
        )
        for name, method in _UNKNOWN.items()
    ),
    *(
        Case(f"method: {name}", request_line(f"{method} {PATH} HTTP/1.1") + SMUGGLED, REFUSED, _METHOD)
        for name, method in _NO_TOKEN.items()
    ),
    Case("method: none", request_line(f" {PATH} HTTP/1.1") + SMUGGLED, REFUSED, _METHOD),
    Case(
        "method: HEAD, then a request",
        request_line(f"HEAD {PATH} HTTP/1.1") + SMUGGLED,
        served(Request("HEAD", PATH), SMUGGLED_TOO),
        "RFC 9112, 6.3",
    ),
    Case(
        "method: TRACE",
        request_line(f"TRACE {PATH} HTTP/1.1"),
        REFUSED,
        "RFC 9110, 9.3.8",
        accepted("TRACE", server=served(Request("TRACE", PATH))),
    ),
    Case(
        "method: one of another protocol",
        request_line(f"DESCRIBE {PATH} HTTP/1.1") + SMUGGLED,
        _NOT_IMPLEMENTED,
        _METHOD,
        _unread(edge=False),
    ),
    Case("method: an override in a field has no effect", get("X-HTTP-Method-Override: DELETE"), served(got()), _METHOD),
)
