import hmac

import pytest

from mlplace_kit.credentials import KeyedHasher, new_credential, parse_credential


class TestCredential:
    def test_written_credential_is_read_back(self) -> None:
        made = new_credential(account_id=1000000001, object_id=7)
        assert parse_credential(made.text) == made

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "1.2",
            "1.2." + "a" * 39,
            "1.2." + "a" * 41,
            "1.2." + "é" * 40,
            "a.2." + "a" * 40,
            "1.2.%s\n" % ("a" * 40),
        ],
    )
    def test_text_of_another_form_is_none(self, text: str) -> None:
        assert parse_credential(text) is None

    def test_repr_hides_the_secret(self) -> None:
        made = new_credential(account_id=1, object_id=2)
        assert made.secret not in repr(made)


class TestKeyedHasher:
    def test_keys_that_share_a_prefix_differ(self) -> None:
        hasher = KeyedHasher(b"0123456789abcdef")
        assert hasher.digest("a" * 50 + "b") != hasher.digest("a" * 50 + "c")

    @pytest.mark.parametrize("secret", [b"s" * 16, b"s" * 64, b"s" * 65, b"s" * 200])
    def test_is_hmac_sha_256(self, secret: bytes) -> None:
        expected = hmac.new(secret, "ключ".encode(), "sha256").hexdigest()
        assert [KeyedHasher(secret).digest("ключ") for _ in range(2)] == [expected, expected]

    def test_another_secret_gives_another_digest(self) -> None:
        assert KeyedHasher(b"0123456789abcdef").digest("x") != KeyedHasher(b"0123456789abcdeg").digest("x")

    def test_a_short_secret_is_refused(self) -> None:
        with pytest.raises(ValueError, match="16 bytes"):
            KeyedHasher(b"short")
