import json
from pathlib import Path

import pytest

from mlplace_agent.backoff import Backoff
from mlplace_agent.capture import Capture
from mlplace_agent.config import ConfigurationError, DockerOptions, load_config
from mlplace_agent.identity import Credentials, StateFolder, load_credentials, store_credentials
from mlplace_agent.runtimes.containers import container_options
from mlplace_contracts.internal.hosting import DesiredInstance


class TestBackoff:
    def test_doubles_up_to_a_minute_and_resets_after_a_long_run(self) -> None:
        backoff = Backoff()
        assert [backoff.after(0.1) for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
        assert backoff.after(61) == 1


class TestCapture:
    def test_keeps_the_newest_bytes_and_counts_all(self) -> None:
        capture = Capture(kept_bytes=10)
        capture.write(b"0123456789abcdef")
        assert capture.end == 16
        assert capture.read(0, 100) == (6, "6789abcdef")

    def test_never_splits_a_character(self) -> None:
        capture = Capture(kept_bytes=5)
        capture.write("яяяя".encode())
        offset, text = capture.read(0, 3)
        assert (offset, text) == (4, "я")
        assert capture.read(offset + 2, 3) == (6, "я")

    def test_joins_a_character_split_over_two_writes(self) -> None:
        capture = Capture()
        capture.write("я".encode()[:1])
        capture.write("я".encode()[1:])
        assert capture.read(0, 10) == (0, "я")

    def test_replaces_invalid_utf8(self) -> None:
        capture = Capture()
        capture.write(b"a\0b\xff", final=True)
        assert capture.read(0, 100)[1] == "a\ufffdb\ufffd"

    def test_consecutive_reads_return_consecutive_pieces(self) -> None:
        capture = Capture()
        capture.write(b"x" * 100)
        first, text = capture.read(0, 60)
        assert capture.read(first + len(text), 60) == (60, "x" * 40)


class TestConfig:
    @pytest.mark.parametrize(
        "change", [{"unknown": 1}, {"heartbeat_seconds": 0}, {"programs": {"a": {"command": []}}}, {"account_id": 1}]
    )
    def test_refuses_unknown_keys_and_invalid_values(self, tmp_path: Path, change: dict[str, object]) -> None:
        path = tmp_path / "agent.json"
        path.write_text(json.dumps({"platform_url": "http://localhost", "state_dir": "/tmp/x", **change}))
        with pytest.raises(ConfigurationError):
            load_config(path)

    def test_a_missing_file_gives_a_clear_error(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="cannot read"):
            load_config(tmp_path / "none.json")


class TestCredentials:
    def test_only_the_owner_can_read_them_and_they_are_bound_to_the_platform(self, tmp_path: Path) -> None:
        path = tmp_path / "agent.json"
        path.write_text(json.dumps({"platform_url": "http://one/", "state_dir": str(tmp_path)}))
        config = load_config(path)
        assert load_credentials(config) is None
        known = Credentials(platform_url="http://one/", account_id=1, server_id=2, secret="s")
        store_credentials(config, known)
        assert (tmp_path / "credentials.json").stat().st_mode & 0o777 == 0o600
        assert load_credentials(config) == known
        path.write_text(json.dumps({"platform_url": "http://two/", "state_dir": str(tmp_path)}))
        assert load_credentials(load_config(path)) is None

    def test_refuses_a_second_agent_in_the_same_folder(self, tmp_path: Path) -> None:
        with (
            StateFolder(tmp_path, patience_seconds=0),
            pytest.raises(ConfigurationError, match="another agent"),
            StateFolder(tmp_path, patience_seconds=0),
        ):
            pass


class TestContainerOptions:
    def test_grant_no_privileges_and_set_hard_limits(self) -> None:
        instance = DesiredInstance(
            instance_id=7, generation=3, account_id=1, model_id=2, image="a/b:1",
            platform_env={"MLP_ACCOUNT_ID": "1"}, service_env={"MLP_ACCOUNT_ID": "9", "OWN": "x"},
            memory_bytes=1000, milli_cpu=250,
        )  # fmt: skip
        options = container_options(instance, DockerOptions(network_mode="none"), server_id=4)
        assert options["environment"] == {"MLP_ACCOUNT_ID": "1", "OWN": "x"}
        assert (options["cap_drop"], options["security_opt"]) == (["ALL"], ["no-new-privileges"])
        assert (options["privileged"], options["pids_limit"], options["network_mode"]) == (False, 512, "none")
        assert (options["mem_limit"], options["memswap_limit"], options["nano_cpus"]) == (1000, 1000, 250_000_000)
        assert set(options["labels"].values()) == {"4", "7", "3"}  # type: ignore[attr-defined]
