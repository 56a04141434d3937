from collections.abc import Generator
from contextlib import contextmanager

import asyncpg
from sqlalchemy.exc import IntegrityError

from mlplace_kit.errors import NameAlreadyExists


@contextmanager
def unique_name(entity: str, name: str) -> Generator[None]:
    """Wraps a flush. Raises NameAlreadyExists when the name breaks a unique constraint, whose last column it must be.

    Violations of other constraints pass through. Takes the name as an argument because the object cannot be read after
    a failed flush.
    """
    try:
        yield
    except IntegrityError as error:
        broken = getattr(error.orig, "__cause__", None)
        if not (isinstance(broken, asyncpg.UniqueViolationError) and str(broken.constraint_name).endswith("_name")):
            raise
        raise NameAlreadyExists(entity=entity, name=name) from error
