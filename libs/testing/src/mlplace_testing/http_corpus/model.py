"""What a case of the corpus sends and what must come of it, at any server."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

HOST: Final = "edge.test"
PATH: Final = "/api/mlpcore/case"
SMUGGLED_PATH: Final = "/api/mlpcore/smuggled"
SMUGGLED: Final = f"GET {SMUGGLED_PATH} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
"""A whole request. Where it lies in a body, or behind something refused, nobody may answer it."""


class Front(StrEnum):
    SERVER = "server"
    """The HTTP server of a process."""
    ALL_IN_ONE = "all-in-one"
    """The same server, with what answers without ASGI and what routes to the services by path."""
    EDGE = "edge"
    """The proxy of the distributed shape, with the same server behind it."""


class End(StrEnum):
    """What becomes of the connection."""

    GOES_ON = "goes on"
    """The server answers a further request on it."""
    CLOSES = "closes"
    """The server closes it after the last answer."""
    REFUSES = "refuses"
    """The server answers with an error of its own, closes, and takes nothing of the rest as a request."""
    DECLINES = "declines"
    """The server answers with an error of its own; it knows where the request ends, and answers a further one."""


@dataclass(frozen=True, slots=True)
class Request:
    """One that reaches the application: its target has no scheme and no host."""

    method: str
    target: str
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Outcome:
    requests: tuple[Request, ...]
    end: End


@dataclass(frozen=True, slots=True)
class Accepted:
    """What comes at some fronts instead of the outcome. `row` is the row of docs/http.md that says why."""

    row: str
    at: Mapping[Front, Outcome]


@dataclass(frozen=True, slots=True)
class Case:
    """`rule` is the part of a standard that decides, and `outcome` what it demands.

    Where it leaves a choice, the outcome is the stricter one.
    """

    name: str
    sent: bytes
    outcome: Outcome
    rule: str
    accepted: Accepted | None = None

    def expected(self, front: Front) -> Outcome:
        return self.outcome if self.accepted is None else self.accepted.at.get(front, self.outcome)


REFUSED: Final = Outcome((), End.REFUSES)
DECLINED: Final = Outcome((), End.DECLINES)


def served(*requests: Request, end: End = End.GOES_ON) -> Outcome:
    return Outcome(requests, end)


def got(body: bytes = b"", *, target: str = PATH, method: str = "GET") -> Request:
    return Request(method, target, body)


def posted(body: bytes = b"") -> Request:
    return Request("POST", PATH, body)


SMUGGLED_TOO: Final = Request("GET", SMUGGLED_PATH)


def accepted(
    row: str, *, server: Outcome | None = None, all_in_one: Outcome | None = None, edge: Outcome | None = None
) -> Accepted:
    """Without an outcome of its own, the all-in-one shape has that of its server."""
    given = {Front.SERVER: server, Front.ALL_IN_ONE: all_in_one or server, Front.EDGE: edge}
    return Accepted(row, {front: outcome for front, outcome in given.items() if outcome is not None})


def everywhere(row: str, outcome: Outcome) -> Accepted:
    return accepted(row, server=outcome, edge=outcome)


KEPT_AT_THE_EDGE: Final = accepted("refusals that keep the connection", edge=Outcome((SMUGGLED_TOO,), End.DECLINES))
"""Its path or its host is what the edge refuses, or the server behind it refuses: where it ends is clear."""
WITHOUT_A_WORD: Final = accepted("HTTP/0.9", edge=Outcome((), End.CLOSES))


def get(*lines: str | bytes, body: bytes = b"") -> bytes:
    return message(f"GET {PATH} HTTP/1.1", f"Host: {HOST}", *lines, body=body)


def post(*lines: str | bytes, body: bytes = b"") -> bytes:
    return message(f"POST {PATH} HTTP/1.1", f"Host: {HOST}", *lines, body=body)


def chunked(body: bytes, *lines: str | bytes) -> bytes:
    """A request whose body consists of these bytes, whatever chunks they are."""
    return post("Transfer-Encoding: chunked", *lines, body=body)


def request_line(line: str | bytes, *lines: str | bytes) -> bytes:
    return message(line, f"Host: {HOST}", *lines)


def message(*lines: str | bytes, body: bytes = b"") -> bytes:
    """These lines, each with its end, and an empty one before the body."""
    octets = (line.encode("latin-1") if isinstance(line, str) else line for line in lines)
    return b"".join(line + b"\r\n" for line in octets) + b"\r\n" + body
