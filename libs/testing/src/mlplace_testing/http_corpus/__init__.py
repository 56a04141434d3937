"""Requests of HTTP/1.1 that servers read differently, and what must come of each at every front of the platform."""

from typing import Final

from mlplace_testing.http_corpus import chunks, codings, connections, fields, lengths, targets, versions
from mlplace_testing.http_corpus.model import Case

CASES: Final[tuple[Case, ...]] = (
    *lengths.CASES,
    *codings.CASES,
    *chunks.CASES,
    *fields.CASES,
    *targets.CASES,
    *versions.CASES,
    *connections.CASES,
)
