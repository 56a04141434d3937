"""Settings that are database URLs."""

from typing import Annotated

from pydantic import AfterValidator


def _checked(url: str) -> str:
    """Raises ValueError. What SQLAlchemy says of a URL may quote its password, so that is not repeated."""
    # Programs that only show their settings do not load it.
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        if url:
            make_url(url)
    except (ArgumentError, ValueError):
        raise ValueError("no database URL; in a password, write @ as %40, : as %3A, / as %2F and % as %25") from None
    return url


DatabaseUrl = Annotated[str, AfterValidator(_checked)]
