import time

import pytest

from mlplace_kit.masking import MASK, MaskedValueError, holds_mask, is_secret_name, masked, masked_text, with_kept


class TestNames:
    @pytest.mark.parametrize(
        "name",
        [
            "OPENAI_API_KEY", "MLP_SERVICE_TOKEN", "tokenOfMine", "ClientSecret", "DB_PASSWORD", "PGPASSWD", "AWS_CREDENTIALS",
            "private_pem", "apiKey", "db-pass", "DB_PWD", "SENTRY_DSN", "Authorization", "basicAuth", "key", "AUTHTOKEN",
            "TOKENIZER_KEY", "session-cookie", "AccountKey",
        ],
    )  # fmt: skip
    def test_a_name_of_a_secret_is_recognised(self, name: str) -> None:
        assert is_secret_name(name)

    @pytest.mark.parametrize(
        "name",
        ["LEVEL", "TOKENIZERS_PARALLELISM", "tokenizer", "keywords", "AUTHOR", "COMPASS", "public_key", "GREETING", ""],
    )
    def test_a_harmless_name_is_not_a_secret(self, name: str) -> None:
        assert not is_secret_name(name)


class TestTexts:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("plain words", "plain words"),
            ("postgresql://u:p@ss:w/d@h/x", f"postgresql://u:{MASK}@h/x"),
            ("amqp://:secret@h", f"amqp://:{MASK}@h"),
            ("https://0123456789abcdef@git.example/x", f"https://{MASK}@git.example/x"),
            ("https://user@git.example/x", "https://user@git.example/x"),
            ("http://host:80/x", "http://host:80/x"),
            ("host=h password=p dbname=d", f"host=h password={MASK} dbname=d"),
            ("--api-key=xyz", f"--api-key={MASK}"),
            ("--level=info", "--level=info"),
            ("https://h/x?token=abc&page=2", f"https://h/x?token={MASK}&page=2"),
            ("-----BEGIN RSA PRIVATE KEY-----\nabc", MASK),  # pragma: allowlist secret
            ("use sk-0123456789abcdefghij now", f"use {MASK} now"),
            ("Bearer 0123456789abcdef", MASK),
            (f"7.8.{'a' * 40}", MASK),
            ("eyJhbGciOiJI.eyJzdWIiOiIx.abcdefgh_-", MASK),
        ],
    )
    def test_a_secret_is_masked_and_other_text_is_shown(self, text: str, shown: str) -> None:
        assert masked_text(text) == shown

    @pytest.mark.parametrize("text", ["://:" * 60_000, "a" * 250_000, "k=" * 120_000, "eyJ" * 80_000, "@://" * 60_000])
    def test_hostile_text_takes_linear_time(self, text: str) -> None:
        """An algorithm of quadratic time would take minutes."""
        began = time.process_time()
        masked_text(text)
        assert time.process_time() - began < 10

    def test_masking_twice_changes_nothing(self) -> None:
        once = masked({"API_KEY": "x", "URL": "http://u:p@h", "FLAGS": ["--token=t", "-e", "A=b"]})
        assert masked(once) == once


class TestDocuments:
    def test_secrets_are_masked_at_any_position(self) -> None:
        document = {
            "model": "bert", "max_tokens": 100, "api": {"apiKey": "k", "url": "http://u:p@h/"},
            "credentials": {"user": "u", "rest": ["a", {"b": "c"}]},
            "env": [{"name": "DB_PASSWORD", "value": "p"}, {"name": "LEVEL", "value": "info"}],
            "args": ["--token", "t", "--level", "info"], "empty_key": "",
        }  # fmt: skip
        assert masked(document) == {
            "model": "bert", "max_tokens": 100, "api": {"apiKey": MASK, "url": f"http://u:{MASK}@h/"},
            "credentials": {"user": MASK, "rest": [MASK, {"b": MASK}]},
            "env": [{"name": "DB_PASSWORD", "value": MASK}, {"name": "LEVEL", "value": "info"}],
            "args": ["--token", MASK, "--level", "info"], "empty_key": "",
        }  # fmt: skip


class TestKeeping:
    STORED: dict[str, object] = {  # noqa: RUF012  never changed
        "API_KEY": "k", "URL": "http://u:p@h", "LEVEL": "info",
        "env": [{"name": "A_KEY", "value": "a"}, {"name": "B_KEY", "value": "b"}],
    }  # fmt: skip

    def test_masked_document_sent_back_keeps_stored_values(self) -> None:
        assert with_kept(masked(self.STORED), self.STORED) == self.STORED

    def test_each_mask_restores_its_own_value(self) -> None:
        sent = {"API_KEY": MASK, "URL": f"http://u:{MASK}@h", "LEVEL": "debug", "NEW": "x"}
        assert with_kept(sent, self.STORED) == {"API_KEY": "k", "URL": "http://u:p@h", "LEVEL": "debug", "NEW": "x"}

    def test_entries_of_a_list_are_found_by_their_visible_content(self) -> None:
        sent = {"env": [{"name": "B_KEY", "value": MASK}]}
        assert with_kept(sent, self.STORED) == {"env": [{"name": "B_KEY", "value": "b"}]}

    @pytest.mark.parametrize(
        ("sent", "path"),
        [
            ({"OTHER_KEY": MASK}, "OTHER_KEY"),
            ({"URL": f"http://u:{MASK}@evil"}, "URL"),
            ({"LEVEL": f"x{MASK}"}, "LEVEL"),
            ({"env": [{"name": "C_KEY", "value": MASK}]}, "env.0"),
            ([MASK], ""),
        ],
    )
    def test_mask_is_never_stored_as_a_value(self, sent: object, path: str) -> None:
        with pytest.raises(MaskedValueError) as caught:
            with_kept(sent, self.STORED)
        assert caught.value.path == path

    def test_mask_of_ambiguous_entries_is_refused(self) -> None:
        stored = {"keys": ["a", "b"]}
        assert with_kept({"keys": [MASK, MASK]}, stored) == stored
        with pytest.raises(MaskedValueError):
            with_kept({"keys": [MASK]}, stored)

    def test_a_mask_is_found_at_any_depth(self) -> None:
        assert holds_mask({"a": [{"b": f"http://u:{MASK}@h"}]})
        assert not holds_mask({"a": [1, None, "x"]})
