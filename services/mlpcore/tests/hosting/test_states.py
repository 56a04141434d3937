from typing import ClassVar

import pytest
import yaml

from mlpcore.features.instances.launching.environment import compose_file, docker_command
from mlpcore.features.instances.states import TRANSITIONS, IllegalTransition, InstanceState, model_state, transition
from mlpcore.features.servers.configuration import read_configuration
from mlplace_kit.errors import ValidationFailed

S = InstanceState


class TestTransition:
    @pytest.mark.parametrize("current", list(S))
    def test_staying_is_always_allowed(self, current: S) -> None:
        assert transition(current, current) is current

    @pytest.mark.parametrize("current", list(S))
    @pytest.mark.parametrize("wanted", list(S))
    def test_only_listed_transitions_are_allowed(self, current: S, wanted: S) -> None:
        if wanted is current or wanted in TRANSITIONS[current]:
            assert transition(current, wanted) is wanted
        else:
            with pytest.raises(IllegalTransition):
                transition(current, wanted)

    def test_removal_is_final(self) -> None:
        assert TRANSITIONS[S.REMOVING] == {S.DELETED}
        assert TRANSITIONS[S.DELETED] == frozenset()

    def test_every_live_state_allows_removal(self) -> None:
        assert all(S.REMOVING in TRANSITIONS[s] for s in (S.IDLE, S.SCHEDULED, S.STARTED, S.FAILED))


class TestModelState:
    @pytest.mark.parametrize(
        ("connected", "expected", "state"), [(1, 3, "RUNNING"), (0, 1, "STARTING"), (0, 0, "INACTIVE")]
    )
    def test_state_follows_from_connected_and_expected_instances(
        self, connected: int, expected: int, state: str
    ) -> None:
        assert model_state(connected=connected, expected=expected) == state


class TestCommands:
    ENV: ClassVar = {"A": "it's $HOME `id`", "HOSTNAME": "$(hostname)"}

    def test_command_quotes_values_for_the_shell_except_the_hostname(self) -> None:
        command = docker_command("acme/i:1", self.ENV)
        assert command == (
            "docker run -d --restart always -e 'A=it'\"'\"'s $HOME `id`' -e \"HOSTNAME=$(hostname)\" acme/i:1"
        )

    def test_compose_file_escapes_variables(self) -> None:
        text = compose_file("m", "acme/i:1", self.ENV)
        assert "it's $$HOME `id`" in text
        assert "HOSTNAME" not in text

    @pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
    def test_platform_on_the_loopback_is_reached_as_the_host_of_the_container(self, host: str) -> None:
        environment = {"MLP_REST_URL": f"http://{host}:9001", "MLP_GRPC_HOST": f"{host}:9011", "A": "localhost:1"}
        environment["MLP_GRPC_HOSTS"] = f"{host}:9011,gate.example.org:443"
        command = docker_command("acme/i:1", environment)
        network = '$(test "$(uname)" = Linux && echo --network host --add-host host.docker.internal:127.0.0.1)'
        assert command == (
            f"docker run -d --restart always {network} -e MLP_REST_URL=http://host.docker.internal:9001 "
            "-e MLP_GRPC_HOST=host.docker.internal:9011 -e A=localhost:1 "
            "-e MLP_GRPC_HOSTS=host.docker.internal:9011,gate.example.org:443 acme/i:1"
        )
        service = yaml.safe_load(compose_file("m", "acme/i:1", environment))["services"]["m"]
        assert (service["network_mode"], service["extra_hosts"]) == ("host", ["host.docker.internal:127.0.0.1"])
        assert service["environment"]["MLP_GRPC_HOST"] == "host.docker.internal:9011"

    def test_platform_with_an_address_of_its_own_is_reached_there(self) -> None:
        environment = {"MLP_REST_URL": "https://ml.example.org", "MLP_GRPC_HOST": "ml.example.org:443"}
        assert "--network" not in docker_command("acme/i:1", environment)
        assert list(yaml.safe_load(compose_file("m", "acme/i:1", environment))["services"]["m"]) == [
            "image", "restart", "environment"
        ]  # fmt: skip

    def test_withheld_variable_is_listed_without_a_value(self) -> None:
        environment = {"API_SECRET": "********", "GREETING": "hi"}
        command = docker_command("acme/i:1", environment, withheld=["API_SECRET"])
        assert command == "docker run -d --restart always -e API_SECRET -e GREETING=hi acme/i:1"
        text = compose_file("m", "acme/i:1", environment, withheld=["API_SECRET"])
        assert yaml.safe_load(text)["services"]["m"]["environment"] == {"API_SECRET": None, "GREETING": "hi"}


class TestServerConfiguration:
    def test_valid_configuration_is_read(self) -> None:
        found = read_configuration("provider: hosting_server\nlabels: {zone: a}\nmaxInstances: 3\n")
        assert (found.labels, found.max_instances) == ({"zone": "a"}, 3)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "- a list",
            "provider: docker",
            "provider: hosting_server\nunknown: 1",
            "provider: hosting_server\nmaxInstances: '3'",
            "provider: hosting_server\nlabels: {since: 2001-99-99}",
            "a: &x [1]\nb: [*x, *x]",
            "!!python/object/apply:os.system [id]",
            "[" * 5000,
            "provider: hosting_server\n#" + "x" * 70_000,
            "provider: [",
            "a: \x01",
        ],
    )
    def test_invalid_configuration_is_refused(self, text: str) -> None:
        with pytest.raises(ValidationFailed):
            read_configuration(text)
