from dataclasses import dataclass

from mlpcore.features.datasets.formats.findings import Finding, finding


@dataclass(frozen=True, slots=True)
class Content:
    """A content that was checked, and the object that holds it."""

    key: str | None
    size: int
    sha256: str | None
    rows: int | None
    columns: list[str] | None
    warnings: tuple[Finding, ...]


EMPTY = Content(key=None, size=0, sha256=None, rows=None, columns=None, warnings=(finding("empty"),))
