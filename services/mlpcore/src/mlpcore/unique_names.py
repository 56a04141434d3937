from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import IntegrityError

from mlplace_kit.errors import NameAlreadyExists

_UNIQUE_VIOLATION = "23505"


@contextmanager
def unique_name(entity: str, name: str) -> Generator[None]:
    """Wraps a flush whose only unique constraint is on the name. Raises NameAlreadyExists.

    What breaks a constraint of another kind is raised as it is.
    The name is taken before: after a failed flush the object can no longer be read.
    """
    try:
        yield
    except IntegrityError as error:
        if getattr(error.orig, "sqlstate", None) != _UNIQUE_VIOLATION:
            raise
        raise NameAlreadyExists(entity=entity, name=name) from error
