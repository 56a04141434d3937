from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import IntegrityError

from mlplace_kit.errors import NameAlreadyExists


@contextmanager
def unique_name(entity: str, name: str) -> Generator[None]:
    """Around a flush whose only unique constraint is of the name. Raises NameAlreadyExists.

    The name is taken before: after a failed flush the object can no longer be read.
    """
    try:
        yield
    except IntegrityError as error:
        raise NameAlreadyExists(entity=entity, name=name) from error
