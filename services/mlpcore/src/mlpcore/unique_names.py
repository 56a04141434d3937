from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import IntegrityError

from mlplace_kit.errors import NameAlreadyExists

_UNIQUE_VIOLATION = "23505"


@contextmanager
def unique_name(entity: str, name: str) -> Generator[None]:
    """Wraps a flush whose only unique constraint is on the name. Raises NameAlreadyExists.

    Violations of other kinds of constraints pass through. Takes the name as an argument because the object cannot be
    read after a failed flush.
    """
    try:
        yield
    except IntegrityError as error:
        if getattr(error.orig, "sqlstate", None) != _UNIQUE_VIOLATION:
            raise
        raise NameAlreadyExists(entity=entity, name=name) from error
