"""Looks up installed versions."""

from importlib.metadata import PackageNotFoundError, version

_WHOLE = "mlplace"
"""The wheel of `make package`, which contains all packages of the platform."""


def installed_version(package: str) -> str:
    """Returns the version of `package` or of the wheel that contains it. Raises PackageNotFoundError."""
    try:
        return version(package)
    except PackageNotFoundError:
        return version(_WHOLE)
