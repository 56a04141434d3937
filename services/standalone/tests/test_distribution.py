import ast
import os
from pathlib import Path

import pytest

from standalone import command
from standalone.distribution import DISTRIBUTION, Distribution, user_data_dir
from standalone.problems import PortBusyError, UnusableFolderError

CHECKOUT = Distribution(web_interface=None)
WHEEL = Distribution(web_interface=Path("/site-packages/standalone/web_interface"))


class TestCheckout:
    def test_these_tests_run_in_one(self) -> None:
        assert DISTRIBUTION == CHECKOUT

    def test_data_and_web_interface_are_where_make_has_them(self) -> None:
        assert (CHECKOUT.data_dir(), CHECKOUT.frontend_dir) == (Path(".data"), Path("frontend/dist"))

    def test_people_type_make(self) -> None:
        assert CHECKOUT.run_with("grpc-port", 9090) == "make run GRPC_PORT=9090"
        assert CHECKOUT.reset(Path("/anywhere")) == "make reset"


class TestWheel:
    def test_the_web_interface_is_its_own_wherever_it_is_started(self) -> None:
        assert WHEEL.frontend_dir == WHEEL.web_interface

    def test_data_of_root_belong_to_the_system(self) -> None:
        own = Path("/var/lib/mlplace") if os.geteuid() == 0 else user_data_dir(os.environ)
        assert WHEEL.data_dir() == own

    @pytest.mark.parametrize(
        ("environment", "folder"),
        [
            ({"HOME": "/home/ada"}, "/home/ada/.local/share/mlplace"),
            ({"HOME": "/home/ada", "XDG_DATA_HOME": "/data/ada"}, "/data/ada/mlplace"),
            ({"HOME": "/home/ada", "XDG_DATA_HOME": "relative"}, "/home/ada/.local/share/mlplace"),
            ({"HOME": "/home/ada", "XDG_DATA_HOME": ""}, "/home/ada/.local/share/mlplace"),
        ],
    )
    def test_data_of_others_are_where_their_desktop_keeps_such(self, environment: dict[str, str], folder: str) -> None:
        assert user_data_dir(environment) == Path(folder)

    def test_people_type_mlplace(self) -> None:
        assert WHEEL.run_with("grpc-port", 9090) == "mlplace run --grpc-port 9090"

    def test_reset_names_the_folder_unless_it_is_the_usual_one(self) -> None:
        usual = WHEEL.data_dir()
        assert usual is not None
        assert WHEEL.reset(usual) == "mlplace reset"
        assert WHEEL.reset(Path("/srv/data")) == "mlplace reset --data-dir /srv/data"


class TestSentences:
    def test_a_busy_port_comes_with_a_command_for_another(self) -> None:
        assert "`make run PORT=9080`" in str(PortBusyError(8080, "port", CHECKOUT))
        assert "`mlplace run --port 9080`" in str(PortBusyError(8080, "port", WHEEL))

    def test_the_other_port_is_one_that_can_be_used(self) -> None:
        assert "`mlplace run --port 64525`" in str(PortBusyError(65525, "port", WHEEL))

    def test_a_folder_that_cannot_be_used_comes_with_a_command_for_another(self) -> None:
        sentence = str(UnusableFolderError("/srv", "read-only file system", WHEEL))
        assert sentence.endswith("(read-only file system); choose another with `mlplace run --data-dir FOLDER`.")


class TestOldPython:
    @pytest.mark.parametrize("version", [(3, 8, 19), (3, 10, 14)])
    def test_is_told_which_one_is_needed(self, version: tuple[int, ...]) -> None:
        found = ".".join(map(str, version))
        assert f"needs Python 3.11 or newer (found: {found})" in command.too_old(version)

    @pytest.mark.parametrize("version", [(3, 11, 0), (3, 14, 1)])
    def test_one_that_is_not_old_is_told_nothing(self, version: tuple[int, ...]) -> None:
        assert not command.too_old(version)

    def test_can_read_the_command(self) -> None:
        source = Path(command.__file__)
        ast.parse(source.read_text(), feature_version=(3, 7))
        assert not (source.parent / "__init__.py").read_text(), "it is read before the command is"
