from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import IntegrityError

from mlplace_kit.errors import NameAlreadyExists


@contextmanager
def unique_name(entity: str, name: str) -> Generator[None]:
    """Wraps a flush whose only unique constraint is on the name. Raises NameAlreadyExists.

    Takes the name as an argument because the object cannot be read after a failed flush.
    """
    try:
        yield
    except IntegrityError as error:
        raise NameAlreadyExists(entity=entity, name=name) from error
