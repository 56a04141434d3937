import io
import json
import logging

import pytest
import structlog

from mlplace_kit.credentials import new_credential
from mlplace_runtime.secrets import UnreadableSecretError, Vault
from mlplace_runtime.telemetry import current
from mlplace_runtime.telemetry.logs import REDACTED, redact


class TestVault:
    def test_opens_a_sealed_secret_only_for_its_purpose(self) -> None:
        vault = Vault(b"k" * 32)
        sealed = vault.seal("the token", purpose="instance:7")
        assert vault.open(sealed, purpose="instance:7") == "the token"
        with pytest.raises(UnreadableSecretError):
            vault.open(sealed, purpose="instance:8")
        with pytest.raises(UnreadableSecretError):
            Vault(b"x" * 32).open(sealed, purpose="instance:7")

    def test_opens_secrets_of_a_former_key_and_seals_with_the_new_one(self) -> None:
        old, new = b"o" * 32, b"n" * 32
        sealed = Vault(old).seal("the token", purpose="p")
        vault = Vault(new, old)
        assert vault.open(sealed, purpose="p") == "the token"
        assert Vault(new).open(vault.seal("another", purpose="p"), purpose="p") == "another"

    def test_seals_again_only_what_a_former_key_sealed(self) -> None:
        old, new = b"o" * 32, b"n" * 32
        vault = Vault(new, old)
        sealed = Vault(old).seal("the token", purpose="p")
        assert vault.needs_resealing(sealed, purpose="p")
        again = vault.reseal(sealed, purpose="p")
        assert Vault(new).open(again, purpose="p") == "the token"
        assert not vault.needs_resealing(again, purpose="p")
        assert vault.has_older_keys
        assert not Vault(new).has_older_keys

    @pytest.mark.parametrize("damaged", [b"", b"short", bytes(12), bytes(40)])
    def test_damaged_secret_is_unreadable(self, damaged: bytes) -> None:
        vault = Vault(b"n" * 32, b"o" * 32)
        with pytest.raises(UnreadableSecretError):
            vault.open(damaged, purpose="p")
        with pytest.raises(UnreadableSecretError):
            vault.reseal(damaged, purpose="p")
        with pytest.raises(UnreadableSecretError):
            vault.needs_resealing(damaged, purpose="p")

    def test_secret_of_another_purpose_is_not_sealed_again(self) -> None:
        sealed = Vault(b"o" * 32).seal("the token", purpose="p")
        with pytest.raises(UnreadableSecretError):
            Vault(b"n" * 32, b"o" * 32).reseal(sealed, purpose="q")

    def test_seals_the_same_secret_differently_each_time(self) -> None:
        vault = Vault(b"k" * 32)
        assert vault.seal("a", purpose="p") != vault.seal("a", purpose="p")


class TestRedact:
    def test_redacts_secrets_by_name_and_keys_by_form(self) -> None:
        key = new_credential(account_id=1000000001, object_id=3).text
        entry = redact(None, "info", {"event": f"called with {key}", "api_key": "abc", "size": 3})
        assert entry == {"event": f"called with {REDACTED}", "api_key": REDACTED, "size": 3}


class TestConfigure:
    def test_logs_are_json_lines_that_carry_the_request(self) -> None:
        from mlplace_runtime.telemetry.logs import configure_logs

        root = logging.getLogger()
        before, configured = (root.handlers[:], root.level), structlog.get_config()
        output = io.StringIO()
        try:
            configure_logs(stream=output)
            served = current.begin(current.ServedRequest("r-1", "test", f"00-{'a' * 32}-{'b' * 16}-01"))
            structlog.get_logger("mlplace").info("thing_happened", password="x", line="a\nb")
            current.end(served)
            structlog.get_logger("mlplace").info("other_thing_happened")
        finally:
            root.handlers[:] = before[0]
            root.setLevel(before[1])
            structlog.configure(**configured)
        lines = output.getvalue().splitlines()
        assert len(lines) == 2
        entry, after = json.loads(lines[0]), json.loads(lines[1])
        assert (entry["event"], entry["request_id"], entry["password"]) == ("thing_happened", "r-1", REDACTED)
        assert (entry["service"], entry["trace_id"]) == ("test", "a" * 32)
        assert not {"request_id", "service", "trace_id"} & set(after)
