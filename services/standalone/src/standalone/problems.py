"""Errors that keep the platform from starting. Each is one sentence that says what to do."""

from pathlib import Path

from standalone.distribution import DISTRIBUTION, Distribution

_LAST_PORT = 65_525
_PORT_STEP = 1000


class CannotStartError(Exception):
    """Its text is shown to the user without a traceback."""


class PortBusyError(CannotStartError):
    """`option` is the command line option that sets the port."""

    def __init__(self, port: int, option: str, distribution: Distribution = DISTRIBUTION) -> None:
        other = port + _PORT_STEP if port + _PORT_STEP <= _LAST_PORT else port - _PORT_STEP
        super().__init__(
            f"Port {port} is in use by another program; choose another with `{distribution.run_with(option, other)}`."
        )


class AddressUnusableError(CannotStartError):
    def __init__(self, host: str, port: int, problem: str) -> None:
        super().__init__(f"The platform cannot listen on {host}, port {port} ({problem}); choose another host or port.")


class OthersDataError(CannotStartError):
    def __init__(self, folder: str, owner: str) -> None:
        super().__init__(f"{folder} belongs to {owner}; start MLPlace as that user, or use another data folder.")


class ForeignDataError(CannotStartError):
    def __init__(self, folder: str) -> None:
        super().__init__(
            f"{folder} is not a data folder of MLPlace and was not changed; remove it yourself if you want to."
        )


class DemoPasswordsLostError(CannotStartError):
    def __init__(self, path: str) -> None:
        super().__init__(
            f"The demo accounts exist, but {path} with their passwords is missing; "
            f"restore it from a backup, start with --no-demo, or start over with `{_reset(path)}`."
        )


class AlreadyRunningError(CannotStartError):
    def __init__(self, folder: str) -> None:
        super().__init__(f"MLPlace is already running on the data in {folder}; stop it first, or use another folder.")


class ServiceSilentError(CannotStartError):
    def __init__(self, service: str) -> None:
        super().__init__(f"The demo cannot be set up because {service} does not answer; check its log.")


class DemoSilentError(CannotStartError):
    def __init__(self) -> None:
        super().__init__("The demo's instances are not connected yet; check the logs of the agent.")


class NothingThereError(CannotStartError):
    def __init__(self, folder: str) -> None:
        super().__init__(f"There is no data in {folder}; start MLPlace there first.")


class UnusableFolderError(CannotStartError):
    def __init__(self, folder: str, problem: str, distribution: Distribution = DISTRIBUTION) -> None:
        how = f" with `{distribution.run_with('data-dir', 'FOLDER')}`" if distribution.is_wheel else ""
        super().__init__(f"{folder} cannot be used as the data folder ({problem}); choose another{how}.")


class NoHomeError(CannotStartError):
    def __init__(self) -> None:
        super().__init__(
            "This user has no home folder to keep data in; "
            f"choose a folder with `{DISTRIBUTION.run_with('data-dir', 'FOLDER')}`."
        )


class DiskFullError(CannotStartError):
    def __init__(self, folder: str, free_mb: int, needed_mb: int) -> None:
        super().__init__(f"The disk of {folder} has {free_mb} MB left and {needed_mb} MB are needed; free some space.")


class NewerDataError(CannotStartError):
    def __init__(self, folder: str, found: int, known: int) -> None:
        super().__init__(
            f"The data in {folder} was written by a newer version of MLPlace (format {found}, this one reads {known}); "
            "update MLPlace, or use another data folder."
        )


class BrokenDataError(CannotStartError):
    def __init__(self, path: str, problem: str) -> None:
        super().__init__(
            f"{path} cannot be read ({problem}); restore it from a backup, or start over with `{_reset(path)}`."
        )


def _reset(path: str) -> str:
    """Returns the command that deletes all data in the folder of this file."""
    return DISTRIBUTION.reset(Path(path).parent)
