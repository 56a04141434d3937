"""The file that keeps the demo's API key and passwords between starts."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from mlplace_kit.ids import random_alphanumeric
from mlplace_runtime.private_files import write_private
from standalone.demo.content import DEMO_USERS
from standalone.problems import BrokenDataError

_LENGTH = 16


class DemoState(BaseModel):
    """`passwords` maps logins to passwords; users who chose another one are missing.

    `api_key` is None until the demo is complete. `told`: a person has seen the passwords. `retired`: no user has the
    well-known password of former versions. `called`: the samples were sent. A complete demo is not created again: what
    a user removed stays removed.
    """

    model_config = ConfigDict(frozen=True)

    api_key: str | None = None
    passwords: dict[str, str] | None = None
    told: bool = False
    retired: bool = False
    called: bool = False

    @classmethod
    def begin(cls) -> "DemoState":
        return cls(passwords={user.login: new_password() for user in DEMO_USERS})


def new_password() -> str:
    return random_alphanumeric(_LENGTH)


class DemoFile:
    """The file can be read only by its owner."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> DemoState | None:
        """None if there is no demo yet. Raises BrokenDataError."""
        if not self.path.exists():
            return None
        try:
            return DemoState.model_validate_json(self.path.read_text())
        except ValidationError as error:
            raise BrokenDataError(str(self.path), "not the demo's state") from error

    def write(self, state: DemoState) -> DemoState:
        write_private(self.path, state.model_dump_json(indent=2))
        return state
