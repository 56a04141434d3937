"""Reasons why the embedded server cannot run, each as one sentence for the user."""

from pathlib import Path


class EmbeddedServerError(RuntimeError):
    """Its message is shown to the user as it is, without a traceback."""


class StartInterruptedError(EmbeddedServerError):
    def __init__(self) -> None:
        super().__init__("The start of the databases was interrupted.")


class ServerFailedError(EmbeddedServerError):
    def __init__(self, what: str, reason: str, log: Path) -> None:
        super().__init__(f"{what}: {reason or 'it wrote nothing'} (the full output is in {log}).")


class DatabaseDiskFullError(EmbeddedServerError):
    def __init__(self, folder: Path) -> None:
        super().__init__(f"The disk of {folder} is full; free some space and start again.")


class ServerSilentError(EmbeddedServerError):
    def __init__(self, seconds: float, log: Path) -> None:
        super().__init__(
            f"PostgreSQL neither became ready nor did anything for {seconds:g} s; the end of {log} shows why."
        )


class FolderInUseError(EmbeddedServerError):
    def __init__(self, folder: Path, pid: int) -> None:
        super().__init__(
            f"Process {pid} uses the databases in {folder} and does not end; stop it (kill -INT {pid}) and start again."
        )


class ForeignFolderError(EmbeddedServerError):
    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder} contains something other than databases; move it away or use another data folder.")


class OtherVersionError(EmbeddedServerError):
    def __init__(self, folder: Path, found: str, ours: str) -> None:
        super().__init__(
            f"The databases in {folder} are of PostgreSQL {found}, and this version of MLPlace has PostgreSQL {ours}; "
            "start the version that created them, or use another data folder."
        )


class PathTooLongError(EmbeddedServerError):
    def __init__(self, folder: Path, longest: int) -> None:
        super().__init__(
            f"The path {folder} is too long for the databases' socket on this system, which allows {longest} "
            "bytes; use a data folder with a shorter path."
        )


class NamelessUserError(EmbeddedServerError):
    def __init__(self, user_id: int) -> None:
        super().__init__(
            f"The user {user_id} has no name on this system, and PostgreSQL needs one; add the user to /etc/passwd."
        )


class NoSystemUserError(EmbeddedServerError):
    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            f"PostgreSQL does not run as root, and the system user {name} for it could not be created ({reason}); "
            "start MLPlace as an ordinary user, or create that user."
        )


class FolderUnreachableError(EmbeddedServerError):
    def __init__(self, blocking: Path, name: str) -> None:
        super().__init__(
            f"PostgreSQL does not run as root, and its system user {name} may not enter {blocking}; "
            f"start MLPlace as an ordinary user, or put it where every user may enter."
        )
