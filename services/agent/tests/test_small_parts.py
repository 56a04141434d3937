import json
from pathlib import Path

import pytest

from mlplace_agent.backoff import Backoff
from mlplace_agent.capture import Capture
from mlplace_agent.config import ConfigurationError, DockerOptions, load_config
from mlplace_agent.identity import (
    FORMER_CONTAINERS,
    Credentials,
    StateFolder,
    agent_id,
    load_credentials,
    store_credentials,
)
from mlplace_agent.runtimes.container_options import container_options
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
            StateFolder(tmp_path, timeout_seconds=0),
            pytest.raises(ConfigurationError, match="another agent"),
            StateFolder(tmp_path, timeout_seconds=0),
        ):
            pass


class TestAgentId:
    def test_it_is_created_once_and_differs_between_folders(self, tmp_path: Path) -> None:
        with (
            StateFolder(tmp_path / "one", timeout_seconds=0) as one,
            StateFolder(tmp_path / "two", timeout_seconds=0) as two,
        ):
            known = agent_id(one)
            assert len({known, agent_id(one), agent_id(two)}) == 2
        with StateFolder(tmp_path / "one", timeout_seconds=0) as again:
            assert agent_id(again) == known
        assert (tmp_path / "one" / "agent-id").stat().st_mode & 0o777 == 0o600

    def test_only_an_agent_of_the_first_release_may_have_left_containers(self, tmp_path: Path) -> None:
        with StateFolder(tmp_path / "fresh", timeout_seconds=0) as fresh:
            agent_id(fresh)
        with StateFolder(tmp_path / "fresh", timeout_seconds=0) as again:
            agent_id(again)
        assert not (tmp_path / "fresh" / FORMER_CONTAINERS).exists()
        with StateFolder(tmp_path / "former", timeout_seconds=0):
            pass
        with StateFolder(tmp_path / "former", timeout_seconds=0) as former:
            agent_id(former)
        assert (tmp_path / "former" / FORMER_CONTAINERS).exists()

    def test_a_damaged_id_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "agent-id").write_text("")
        with StateFolder(tmp_path, timeout_seconds=0) as folder, pytest.raises(ConfigurationError, match="damaged"):
            agent_id(folder)


class TestContainerOptions:
    def test_grant_no_privileges_and_set_hard_limits(self) -> None:
        instance = DesiredInstance(
            instance_id=7, generation=3, account_id=1, model_id=2, image="a/b:1",
            platform_env={"MLP_ACCOUNT_ID": "1"}, service_env={"MLP_ACCOUNT_ID": "9", "OWN": "x"},
            memory_bytes=1000, milli_cpu=250,
        )  # fmt: skip
        options = container_options(instance, DockerOptions(network_mode="none"), agent_id="0123456789abcdef")
        no_gpus = {"CUDA_VISIBLE_DEVICES": "", "NVIDIA_VISIBLE_DEVICES": "void"}
        assert options["environment"] == {"MLP_ACCOUNT_ID": "1", "OWN": "x", **no_gpus}
        assert (options["cap_drop"], options["security_opt"]) == (["ALL"], ["no-new-privileges"])
        assert (options["privileged"], options["pids_limit"], options["network_mode"]) == (False, 512, "none")
        assert (options["mem_limit"], options["memswap_limit"], options["cpu_shares"]) == (1000, 1000, 256)
        assert "nano_cpus" not in options
        assert options["device_requests"] == []
        assert set(options["labels"].values()) == {"0123456789abcdef", "7", "3"}  # type: ignore[attr-defined]
        assert options["name"] == "mlp-1-2-7-01234567"
