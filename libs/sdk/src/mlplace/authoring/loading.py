"""Imports the object that the command line names."""

import importlib
import sys
from pathlib import Path

from mlplace.errors import DeclarationError


def load(reference: str) -> object:
    """Imports ``module:object``, also from the working directory. Raises ``DeclarationError`` if it does not exist."""
    module_name, _, path = reference.partition(":")
    if not module_name or not path:
        raise DeclarationError(f"{reference!r} is not of the form module:object")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found: object = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise DeclarationError(f"there is no module {error.name}") from error
    for name in path.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            raise DeclarationError(f"{module_name} has no {path}") from None
    return found
