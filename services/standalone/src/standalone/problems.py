"""Errors that keep the platform from starting. Each is one sentence that says what to do."""


class CannotStartError(Exception):
    """Its text is shown to the user without a traceback."""


class PortBusyError(CannotStartError):
    def __init__(self, port: int, variable: str) -> None:
        super().__init__(
            f"Port {port} is in use by another program; choose another with `make run {variable}={port + 1000}`."
        )


class AddressUnusableError(CannotStartError):
    def __init__(self, host: str, port: int, problem: str) -> None:
        super().__init__(f"The platform cannot listen on {host}, port {port} ({problem}); choose another HOST or PORT.")


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
            "restore it from a backup, start with --no-demo, or start over with `make reset`."
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
    def __init__(self, folder: str, problem: str) -> None:
        super().__init__(f"{folder} cannot be used as the data folder ({problem}); choose another.")


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
            f"{path} cannot be read ({problem}); restore it from a backup, or start over with `make reset`."
        )
