"""OpenAI's own clients, for Python and for JavaScript: the same cases, and the same answers."""

import json

import pytest

from tests.clients.models import RECORDING, base64_of, picture_of, sound_of, transcript_of
from tests.clients.served import Served
from tests.clients.started import Answers

WAV_HEADER_BYTES = 44


@pytest.fixture(params=["Python", "JavaScript"])
def answers(request: pytest.FixtureRequest) -> Answers:
    if request.param == "Python":
        return request.getfixturevalue("python_client")("openai")
    return request.getfixturevalue("javascript_client")


class TestChat:
    def test_an_answer_has_what_clients_read(self, answers: Answers, served: Served) -> None:
        assert answers["chat"] == {
            "text": "You said: good morning", "finish_reason": "stop", "tokens": 6, "model": served.models["chat"],
            "object": "chat.completion", "has_request_id": True,
        }  # fmt: skip

    def test_parallel_calls_get_their_own_answers(self, answers: Answers) -> None:
        assert answers["chat_in_parallel"] == [f"You said: {number}" for number in range(20)]

    def test_a_stream_has_parts_of_one_id_and_ends_with_the_usage(self, answers: Answers) -> None:
        assert answers["stream"] == {"text": "You said: good morning", "parts": 4, "tokens": 6, "ids": 1}

    def test_tools_are_called_and_answered(self, answers: Answers) -> None:
        assert answers["tools"] == ["weather", '{"city": "Ada"}', "The tool said: sun"]
        assert answers["tools_in_stream"] == ["weather", '{"city": "Ada"}']

    def test_the_schema_of_an_answer_reaches_the_model(self, answers: Answers) -> None:
        assert json.loads(answers["schema"]) == {"name": "Ada", "age": 36}

    def test_a_prompt_is_completed(self, answers: Answers) -> None:
        assert answers["completion"] == "You said: good morning"


class TestOtherModels:
    def test_vectors_are_the_same_as_numbers_and_as_base64(self, answers: Answers) -> None:
        assert answers["embeddings"] == [[7, 2, 0.5], [5, 1, 0.5], [7, 2, 0.5]]

    def test_models_are_listed_and_found_by_name(self, answers: Answers, served: Served) -> None:
        assert answers["models"] == {"all": True, "one": served.models["chat"]}

    def test_images_come_as_base64(self, answers: Answers) -> None:
        assert answers["images"] == [base64_of(picture_of("a cat", number)) for number in range(2)]

    def test_speech_is_a_wav_file_or_bare_samples(self, answers: Answers) -> None:
        sound = base64_of(sound_of("hello", "any"))
        assert answers["speech"] == {"begins": "RIFF", "header": WAV_HEADER_BYTES, "pcm": sound, "wav": sound}

    def test_a_recording_is_transcribed(self, answers: Answers) -> None:
        assert answers["transcription"] == transcript_of(RECORDING, "en")


class TestRefusals:
    @pytest.mark.parametrize(
        ("case", "raised", "status", "code"),
        [
            ("wrong_key", "AuthenticationError", 401, "mlp.gate.unauthorized"),
            ("wrong_model", "NotFoundError", 404, "mlp.gate.account_not_found"),
            ("wrong_request", "BadRequestError", 400, "mlp.core.validation_error"),
            ("absent_api", "NotFoundError", 404, "mlp.core.route_not_found"),
            ("compressed_speech", "BadRequestError", 400, "mlp.gate.audio_format_not_supported"),
            ("broken_model", "InternalServerError", 500, "clients.broken"),
            ("busy", "RateLimitError", 429, "clients.busy"),
        ],
    )
    def test_an_error_is_of_the_class_that_the_client_has_for_it(
        self, answers: Answers, case: str, raised: str, status: int, code: str
    ) -> None:
        refusal = answers.refusal(case)
        assert (refusal["raised"], refusal["status"], refusal["code"]) == (raised, status, code)

    def test_a_busy_model_is_asked_again_after_the_time_that_it_says(self, answers: Answers) -> None:
        assert answers.refusal("busy")["retry_after"] == "1"
        busy = answers["busy_with_retries"]
        assert 0.9 <= busy["waited"] < 5
        assert busy["text"].startswith("You said: busy")

    def test_a_key_beyond_its_limit_waits_as_long_as_the_platform_says(self, answers: Answers) -> None:
        limited = answers["limited_key"]
        assert (limited["code"], limited["type"]) == ("mlp.gate.key_limit_exceeded", "rate_limit_error")
        assert 1 <= limited["retry_after"] <= 60
        assert limited["text"] == "You said: again"


class TestLeaving:
    """The model notices when a caller does not wait for the end of its answer."""

    def test_in_a_stream(self, answers: Answers) -> None:
        assert answers["leaving"] == {"heard": 5, "noticed": 1}

    def test_by_a_timeout(self, answers: Answers) -> None:
        impatient = answers["impatient"]
        assert impatient["noticed"] == 1
        assert impatient["raised"] in {"APITimeoutError", "APIConnectionTimeoutError"}


class TestPython:
    """What the client for JavaScript does not have, or has in the same function."""

    @pytest.fixture
    def python(self, request: pytest.FixtureRequest) -> Answers:
        return request.getfixturevalue("python_client")("openai")

    def test_its_helper_for_streams_reads_them(self, python: Answers) -> None:
        helped = python["stream_helper"]
        assert helped["text"] == "You said: good morning"
        assert {"chunk", "content.delta", "content.done"} <= set(helped["kinds"])

    def test_it_counts_its_retries(self, python: Answers) -> None:
        assert python["busy_with_retries"]["retries"] == 1

    def test_speech_comes_in_parts(self, python: Answers) -> None:
        assert python["speech_in_parts"] == base64_of(sound_of("hello", "any"))
