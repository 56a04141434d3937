"""Errors of a database that a start reports to the user."""


class NewerSchemaError(RuntimeError):
    """The database has a schema revision of a newer version of the platform."""

    def __init__(self, database: str, revision: str) -> None:
        super().__init__(
            f"the data of {database} was written by a newer version of MLPlace (revision {revision}); "
            "start that version, or restore a backup made before the upgrade"
        )
