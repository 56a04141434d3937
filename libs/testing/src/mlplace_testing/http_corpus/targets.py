"""Request targets and Host: which of them name one resource, and where two of them differ."""

from typing import Final

from mlplace_testing.http_corpus.model import (
    DECLINED,
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
    accepted,
    everywhere,
    got,
    message,
    request_line,
    served,
)

_TARGET: Final = "RFC 9112, 3.2"
_HOST: Final = "RFC 9112, 3.2"
_ABSOLUTE: Final = "RFC 9112, 3.2.2"
_FORM: Final = "RFC 9112, 3.2.3"
_STAR: Final = "RFC 9112, 3.2.4"
_PATH: Final = "RFC 3986, 3.3"
_VALUE: Final = "RFC 9110, 7.2"
_SPACES: Final = "RFC 9112, 3"
_SERVED: Final = served(got())

_TARGETS_REFUSED: Final = {
    "no slash": "api",
    "a query alone": "?x",
    "an authority": "edge.test:80",
    "a star": "*",
    "nothing": "",
    "a fragment": f"{PATH}#x",
    "a fragment behind a query": f"{PATH}?x#y",
    "a null": f"{PATH}\0",
    "a carriage return": f"{PATH}\r",
    "a delete character": f"{PATH}\x7f",
    "an escape character": f"{PATH}\x1b",
    "a tab": f"{PATH}\tx",
    "a blank": f"{PATH} x",
    "a letter of Latin-1": f"{PATH}\xe9",
    "letters of UTF-8": f"{PATH}\xc3\xa9",
    "another scheme": f"ftp://{HOST}{PATH}",
    "a scheme without slashes": f"http:{PATH}",
    "a user before the host": f"http://user@{HOST}{PATH}",
    "no host": f"http://{PATH}",
    "another host than Host": f"http://other.test{PATH}",
    "another port than Host": f"http://{HOST}:81{PATH}",
    "a host that Host continues": f"http://edge{PATH}",
}

_TARGETS_SERVED: Final = {
    "a query": f"{PATH}?a=b",
    "a query with everything": f"{PATH}?a=/../b//%2f?c:@!$&'()*+,;=-._~",
    "an encoded letter": "/api/mlpcore/c%61se",
    "an encoded blank": "/api/mlpcore/a%20b",
    "an encoded line end in a query": f"{PATH}?a=%0d%0aX:%20y",
    "parameters": f"{PATH};a=b",
}

# Well-formed, and two readers may resolve them differently.
_PATHS: Final = {
    "two slashes at the start": "//api/mlpcore/case",
    "a host at the start": "//other.test/api/mlpcore/case",
    "two slashes": "/api/mlpcore//case",
    "a dot": "/api/mlpcore/./case",
    "two dots": "/api/mlpcore/../mlpcore/case",
    "two dots at the end": "/api/mlpcore/case/..",
    "encoded dots": "/api/mlpcore/%2e%2e/mlpcore/case",
    "an encoded slash": "/api/mlpcore/a%2fb",
    "an encoded backslash": "/api/mlpcore/a%5cb",
    "an encoded null": "/api/mlpcore/a%00",
    "an encoded line end": "/api/mlpcore/a%0d%0aX:%20y",
}

_HOSTS_REFUSED: Final = {
    "nothing": "",
    "blanks": "  ",
    "a list": "edge.test, other.test",
    "two words": "edge.test other.test",
    "a user": "user@edge.test",
    "a path": "edge.test/x",
    "a query": "edge.test?x",
    "a fragment": "edge.test#x",
    "a scheme": "http://edge.test",
    "a port of letters": "edge.test:http",
    "two ports": "edge.test:80:81",
    "a signed port": "edge.test:+80",
    "a port alone": ":80",
    "a null": "edge.test\0",
    "a carriage return": "edge.test\r",
    "a letter beyond ASCII": "\xe9dge.test",
    "brackets without an end": "[::1",
    "brackets around a name": "[edge.test]",
    "quotes": '"edge.test"',
    "a backslash": "edge.test\\x",
}

_HOSTS_SERVED: Final = {
    "a port": "edge.test:8080",
    "upper case": "EDGE.test",
    "a dot at the end": "edge.test.",
    "an underscore": "my_edge.test",
    "an address": "127.0.0.1:80",
    "an address of IPv6": "[::1]:80",
    "blanks around": "  edge.test ",
}


def _at(target: str) -> bytes:
    return request_line(f"GET {target} HTTP/1.1")


def _of(*hosts: str) -> bytes:
    return message(f"GET {PATH} HTTP/1.1", *(f"Host: {host}" for host in hosts))


_BOTH: Final = served(got(), SMUGGLED_TOO)
_ACCEPTED_TARGETS: Final[dict[str, Accepted]] = {
    "a fragment": KEPT_AT_THE_EDGE,
    "another scheme": KEPT_AT_THE_EDGE,
    "another host than Host": KEPT_AT_THE_EDGE,
    "another port than Host": KEPT_AT_THE_EDGE,
    "a host that Host continues": KEPT_AT_THE_EDGE,
    "a fragment behind a query": KEPT_AT_THE_EDGE,
    "a letter of Latin-1": KEPT_AT_THE_EDGE,
    "letters of UTF-8": KEPT_AT_THE_EDGE,
}
_ACCEPTED_PATHS: Final[dict[str, Accepted]] = {
    "an encoded null": accepted("escapes", server=served(got(target="/api/mlpcore/a%00")), edge=REFUSED),
}
_ACCEPTED_HOSTS: Final[dict[str, Accepted]] = {
    "a carriage return": accepted("carriage returns at the end of a line", edge=_BOTH),
    **dict.fromkeys(
        (
            "a user", "a query", "a fragment", "a port of letters", "two ports", "a signed port",
            "a letter beyond ASCII", "brackets without an end", "brackets around a name", "quotes", "a backslash",
        ),
        KEPT_AT_THE_EDGE,
    ),
}  # fmt: skip


def _passed_on(target: str) -> Accepted:
    """The all-in-one shape has no page and no service at paths that begin with two slashes."""
    return accepted(
        "paths", server=served(got(target=target)), all_in_one=DECLINED if target.startswith("//") else None
    )


CASES: Final = (
    *(
        Case(f"target: {name}", _at(target) + SMUGGLED, REFUSED, _TARGET, _ACCEPTED_TARGETS.get(name))
        for name, target in _TARGETS_REFUSED.items()
    ),
    *(
        Case(f"target: {name}", _at(target), served(got(target=target)), _TARGET)
        for name, target in _TARGETS_SERVED.items()
    ),
    *(
        Case(f"target: {name}", _at(target), DECLINED, _PATH, _ACCEPTED_PATHS.get(name, _passed_on(target)))
        for name, target in _PATHS.items()
    ),
    Case("target: with its host", _at(f"http://{HOST}{PATH}?a"), served(got(target=f"{PATH}?a")), _ABSOLUTE),
    Case("target: with its host in upper case", _at(f"HTTP://EDGE.TEST{PATH}"), _SERVED, _ABSOLUTE),
    Case(
        "target: with its host and port",
        message(f"GET http://{HOST}:80{PATH} HTTP/1.1", f"Host: {HOST}:80"),
        _SERVED,
        _ABSOLUTE,
    ),
    Case(
        "target: with a host of HTTP/1.0",
        message(f"GET http://{HOST}{PATH} HTTP/1.0"),
        served(got(), end=End.CLOSES),
        _ABSOLUTE,
    ),
    Case("target: with a host, but no Host", message(f"GET http://{HOST}{PATH} HTTP/1.1") + SMUGGLED, REFUSED, _HOST),
    Case(
        "target: a host without a path",
        _at(f"http://{HOST}") + SMUGGLED,
        served(got(target="/"), SMUGGLED_TOO),
        _ABSOLUTE,
        accepted("a host without a path", server=REFUSED, edge=Outcome((SMUGGLED_TOO,), End.DECLINES)),
    ),
    Case(
        "target: a star of OPTIONS",
        request_line("OPTIONS * HTTP/1.1") + SMUGGLED,
        served(got(method="OPTIONS", target="*"), SMUGGLED_TOO),
        _STAR,
        everywhere("a star", REFUSED),
    ),
    Case(
        "target: a tunnel", message("CONNECT edge.test:443 HTTP/1.1", "Host: edge.test:443") + SMUGGLED, REFUSED, _FORM
    ),
    Case("target: a tunnel to a path", request_line(f"CONNECT {PATH} HTTP/1.1") + SMUGGLED, REFUSED, _FORM),
    Case(
        "target: a broken escape",
        _at("/api/mlpcore/%zz"),
        REFUSED,
        "RFC 3986, 2.1",
        accepted("escapes", server=served(got(target="/api/mlpcore/%zz"))),
    ),
    Case("target: a null in an absolute one", _at(f"http://{HOST}\0{PATH}") + SMUGGLED, REFUSED, _TARGET),
    Case(
        "target: marks that a URI does not know",
        _at(f'{PATH}?a="<>^`{{|}}'),
        served(got(target=f'{PATH}?a="<>^`{{|}}')),
        "RFC 3986, 2",
    ),
    Case("target: a backslash", _at(f"{PATH}\\x"), DECLINED, _PATH, _passed_on(f"{PATH}\\x")),
    *(
        Case(f"host: {name}", _of(host) + SMUGGLED, REFUSED, _VALUE, _ACCEPTED_HOSTS.get(name))
        for name, host in _HOSTS_REFUSED.items()
    ),
    *(Case(f"host: {name}", _of(host), _SERVED, _VALUE) for name, host in _HOSTS_SERVED.items()),
    Case("host: none", _of() + SMUGGLED, REFUSED, _HOST),
    Case("host: two", _of("edge.test", "other.test") + SMUGGLED, REFUSED, _HOST),
    Case("host: twice the same", _of("edge.test", "edge.test") + SMUGGLED, REFUSED, _HOST),
    Case("host: two, one empty", _of("", "edge.test") + SMUGGLED, REFUSED, _HOST),
    Case(
        "host: blank before its colon",
        message(f"GET {PATH} HTTP/1.1", "Host : edge.test") + SMUGGLED,
        REFUSED,
        "RFC 9112, 5.1",
    ),
    Case("host: folded", message(f"GET {PATH} HTTP/1.1", "Host:", " edge.test") + SMUGGLED, REFUSED, "RFC 9112, 5.2"),
    Case("host: none in HTTP/1.0", message(f"GET {PATH} HTTP/1.0"), served(got(), end=End.CLOSES), _HOST),
    Case(
        "host: two in HTTP/1.0",
        message(f"GET {PATH} HTTP/1.0", "Host: a.test", "Host: b.test") + SMUGGLED,
        REFUSED,
        _HOST,
    ),
    Case(
        "host: a tab behind",
        _of("edge.test\t") + SMUGGLED,
        served(got(), SMUGGLED_TOO),
        _VALUE,
        accepted("tabs around a value", edge=REFUSED),
    ),
    Case(
        "host: an empty port",
        _of("edge.test:"),
        _SERVED,
        _VALUE,
        accepted("an empty port", server=REFUSED, edge=DECLINED),
    ),
    Case("spaces: two before the target", request_line(f"GET  {PATH} HTTP/1.1") + SMUGGLED, _BOTH, _SPACES),
    Case("spaces: two before the version", request_line(f"GET {PATH}  HTTP/1.1") + SMUGGLED, _BOTH, _SPACES),
    Case(
        "spaces: one behind the version",
        request_line(f"GET {PATH} HTTP/1.1 ") + SMUGGLED,
        REFUSED,
        _SPACES,
        KEPT_AT_THE_EDGE,
    ),
    Case("spaces: a tab before the target", request_line(f"GET\t{PATH} HTTP/1.1") + SMUGGLED, REFUSED, _SPACES),
    Case("spaces: a tab before the version", request_line(f"GET {PATH}\tHTTP/1.1") + SMUGGLED, REFUSED, _SPACES),
    Case(
        "spaces: a vertical tab before the version",
        request_line(f"GET {PATH}\x0bHTTP/1.1") + SMUGGLED,
        REFUSED,
        _SPACES,
    ),
    Case(
        "spaces: a carriage return before the version",
        request_line(f"GET {PATH}\rHTTP/1.1") + SMUGGLED,
        REFUSED,
        _SPACES,
    ),
    Case(
        "spaces: a line feed before the version",
        request_line(f"GET {PATH}\nHTTP/1.1") + SMUGGLED,
        REFUSED,
        _SPACES,
        WITHOUT_A_WORD,
    ),
)
