"""What is kept of the demo between starts: its key, and the passwords of its people."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from mlplace_kit.ids import random_alphanumeric
from mlplace_runtime.private_files import write_private
from standalone.demo.content import DEMO_USERS
from standalone.problems import BrokenDataError

_LENGTH = 16


class DemoState(BaseModel):
    """`passwords` by login, of those whose password is known here. `api_key` is None until the demo is finished.

    `told` says that a person was shown the passwords, `retired` that none of former versions is left. Nothing that a
    user removed comes back.
    """

    model_config = ConfigDict(frozen=True)

    api_key: str | None = None
    passwords: dict[str, str] | None = None
    told: bool = False
    retired: bool = False

    @classmethod
    def begin(cls) -> "DemoState":
        return cls(passwords={user.login: new_password() for user in DEMO_USERS})


def new_password() -> str:
    return random_alphanumeric(_LENGTH)


class DemoFile:
    """Readable by its owner only."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> DemoState | None:
        """None when there is no demo yet. Raises BrokenDataError."""
        if not self.path.exists():
            return None
        try:
            return DemoState.model_validate_json(self.path.read_text())
        except ValidationError as error:
            raise BrokenDataError(str(self.path), "not the demo's state") from error

    def write(self, state: DemoState) -> DemoState:
        write_private(self.path, state.model_dump_json(indent=2))
        return state
