from datetime import UTC, datetime, timedelta

import pytest

from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.passes import PagePass

HASHER = KeyedHasher(b"a secret for tests only")
NOW = datetime(2026, 1, 2, tzinfo=UTC)
PASS = PagePass.until(NOW, account_id=1, owner_id=2, model_id=3)


class TestPagePass:
    def test_pass_is_valid_for_an_hour(self) -> None:
        text = PASS.signed(HASHER)
        assert PagePass.read(text, HASHER, NOW + timedelta(minutes=59)) == PASS
        assert PagePass.read(text, HASHER, NOW + timedelta(minutes=60)) is None

    @pytest.mark.parametrize(
        ("old", "new"), [("page-1-", "page-9-"), ("-2-3-", "-2-4-"), ("page-", "pass-"), ("-3-", "-3--")]
    )
    def test_changed_pass_is_none(self, old: str, new: str) -> None:
        assert PagePass.read(PASS.signed(HASHER).replace(old, new, 1), HASHER, NOW) is None

    @pytest.mark.parametrize("text", ["", "page-", "page-1-2-3-4", "page-1-2-3-4-" + "0" * 64, "x" * 5000])
    def test_unsigned_text_is_none(self, text: str) -> None:
        assert PagePass.read(text, HASHER, NOW) is None

    def test_pass_of_another_installation_is_none(self) -> None:
        assert PagePass.read(PASS.signed(HASHER), KeyedHasher(b"another secret, for tests"), NOW) is None
