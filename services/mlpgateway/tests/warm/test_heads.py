"""Which requests have a head without anything unusual."""

import pytest

from mlpgateway.warm.heads import named, plain_head

HEADERS = [(b"mlp-api-key", b"1.1.secret"), (b"content-length", b"2")]


def is_plain(target: str, *headers: tuple[bytes, bytes]) -> bool:
    return plain_head(target.encode(), [*HEADERS, *headers], "192.0.2.1") is not None


class TestTargets:
    @pytest.mark.parametrize("path", ["openai/chat/completions", "openai/v1/chat/completions", "chat-gpt"])
    def test_conversations_are_plain(self, path: str) -> None:
        assert is_plain(f"/api/adapters/{path}")

    @pytest.mark.parametrize("path", ["openai/completions", "openai-direct/chat/completions", "openai/models", "tts"])
    def test_other_adapters_are_not(self, path: str) -> None:
        assert not is_plain(f"/api/adapters/{path}")

    def test_path_of_a_predict_call_is_plain(self) -> None:
        assert is_plain("/api/mlpgateway/account/acme/model/ner-ru/predict")
        assert is_plain("/api/mlpgateway/account/10/model/20/predict")

    @pytest.mark.parametrize("account", ["010", "0", "00000000010"])
    def test_other_spellings_of_an_id_are_not(self, account: str) -> None:
        assert not is_plain(f"/api/mlpgateway/account/{account}/model/20/predict")
        assert not is_plain(f"/api/mlpgateway/account/20/model/{account}/predict")

    @pytest.mark.parametrize("model", ["m" * 300, "м", "007", "0"])
    def test_names_in_bodies_are_bounded_like_targets(self, model: str) -> None:
        assert named("acme", model) is None
        assert named(model, "ner") is None
        assert named("acme", "ner") is not None

    def test_requests_of_pages_are_not(self) -> None:
        """Their key may list the origins whose pages may call with it."""
        path = "/api/mlpgateway/account/acme/model/ner-ru/predict"
        assert is_plain(path, (b"referer", b"https://site.example/"))
        assert not is_plain(path, (b"origin", b"https://site.example"))

    def test_targets_that_anybody_could_make_large_are_not(self) -> None:
        assert not is_plain(f"/api/mlpgateway/account/acme/model/{'m' * 300}/predict")
