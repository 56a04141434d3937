"""Tells a checkout from an installed wheel: the default folders and the commands that users type."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_WEB_INTERFACE = Path(__file__).parent / "web_interface"
"""Exists only in a wheel."""
_CHECKOUT_DATA = Path(".data")
_ROOT_DATA = Path("/var/lib/mlplace")


@dataclass(frozen=True, slots=True)
class Distribution:
    """`web_interface` is the folder inside a wheel; None in a checkout, where `make` starts the platform."""

    web_interface: Path | None

    @property
    def is_wheel(self) -> bool:
        return self.web_interface is not None

    @property
    def program(self) -> str:
        return "mlplace" if self.is_wheel else "python -m standalone"

    @property
    def frontend_dir(self) -> Path:
        return self.web_interface or Path("frontend/dist")

    def data_dir(self) -> Path | None:
        """Returns the default data folder, or None if the user has no home folder."""
        if not self.is_wheel:
            return _CHECKOUT_DATA
        return _ROOT_DATA if os.geteuid() == 0 else user_data_dir(os.environ)

    def run_with(self, option: str, value: object) -> str:
        """Returns the command that starts the platform with an option, for example `grpc-port`."""
        if self.is_wheel:
            return f"mlplace run --{option} {value}"
        return f"make run {option.replace('-', '_').upper()}={value}"

    def reset(self, folder: Path) -> str:
        """Returns the command that deletes the data in `folder`."""
        if not self.is_wheel:
            return "make reset"
        return "mlplace reset" if folder == self.data_dir() else f"mlplace reset --data-dir {folder}"


def user_data_dir(environment: Mapping[str, str]) -> Path | None:
    """Returns the folder of the XDG base directory specification, or None if the user has no home folder.

    The specification says to ignore relative paths.
    """
    chosen = Path(environment.get("XDG_DATA_HOME", ""))
    if chosen.is_absolute():
        return chosen / "mlplace"
    try:
        home = Path(environment["HOME"]) if environment.get("HOME") else Path.home()
    except RuntimeError:
        return None
    return home / ".local/share/mlplace"


DISTRIBUTION = Distribution(_WEB_INTERFACE if _WEB_INTERFACE.is_dir() else None)
