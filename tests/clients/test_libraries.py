"""Libraries that are built on OpenAI's client or speak its API: LangChain, LiteLLM, instructor."""

from collections.abc import Callable

import pytest

from tests.clients.models import RECORDING, base64_of, picture_of, sound_of, transcript_of
from tests.clients.served import Served
from tests.clients.started import Answers

PERSON = {"name": "Ada", "age": 36}
WITH_ADDRESSES = {**PERSON, "addresses": [{"city": "Ada"}] * 2}
VECTORS = [[7, 2, 0.5], [5, 1, 0.5]]


class TestLangChain:
    @pytest.fixture
    def answers(self, python_client: Callable[[str], Answers]) -> Answers:
        return python_client("langchain")

    def test_invoke_returns_text_usage_and_model(self, answers: Answers, served: Served) -> None:
        assert answers["invoke"] == {
            "text": "You said: good morning", "tokens": 8, "finish_reason": "stop", "model_name": served.models["chat"],
        }  # fmt: skip
        assert answers["invoke_async"] == "You said: good morning"

    def test_stream_comes_in_parts(self, answers: Answers) -> None:
        assert answers["stream"] == {"text": "You said: good morning", "parts": 4}
        assert answers["stream_with_usage"] == 6

    def test_batch_keeps_the_order(self, answers: Answers) -> None:
        assert answers["batch"] == [f"You said: {number}" for number in range(10)]

    def test_tools_are_called_and_answered(self, answers: Answers) -> None:
        assert answers["tools"] == ["weather", {"city": "Ada"}, "The tool said: sun in Ada"]

    def test_structured_output_by_tools_and_by_schema(self, answers: Answers) -> None:
        assert answers["structured"] == [PERSON, PERSON]

    def test_embeddings_of_documents_and_queries(self, answers: Answers) -> None:
        assert answers["embeddings"] == [*VECTORS, VECTORS[0]]

    def test_errors_are_of_the_classes_that_it_has_for_them(self, answers: Answers) -> None:
        wrong, busy = answers.refusal("wrong_key"), answers.refusal("busy")
        assert (wrong["raised"], wrong["status"]) == ("OpenAIAuthenticationError", 401)
        assert (busy["raised"], busy["status"], busy["retry_after"]) == ("OpenAIRateLimitError", 429, "1")
        assert answers["busy_with_retries"] == "You said: busy, langchain, with retries"


class TestLiteLLM:
    @pytest.fixture
    def answers(self, python_client: Callable[[str], Answers]) -> Answers:
        return python_client("litellm")

    def test_completion_returns_text_and_usage(self, answers: Answers, served: Served) -> None:
        whole = answers["completion"]
        assert (whole["text"], whole["tokens"]) == ("You said: good morning", 6)
        assert whole["model"].endswith(served.models["chat"])
        assert answers["completion_async"] == "You said: good morning"

    def test_stream_comes_in_parts_with_its_usage(self, answers: Answers) -> None:
        assert answers["stream"] == {"text": "You said: good morning", "parts": 4, "tokens": 6}

    def test_tools_are_called(self, answers: Answers) -> None:
        assert answers["tools"] == ["weather", '{"city": "Ada"}']

    def test_other_models_are_called_with_its_other_functions(self, answers: Answers) -> None:
        assert answers["embedding"] == VECTORS
        assert answers["image"] == base64_of(picture_of("a cat"))
        assert answers["speech"] == base64_of(sound_of("hello", "any"))
        assert answers["transcription"] == transcript_of(RECORDING, "en")

    @pytest.mark.parametrize(
        ("case", "raised", "status"),
        [
            ("wrong_key", "AuthenticationError", 401),
            ("wrong_model", "NotFoundError", 404),
            ("wrong_request", "BadRequestError", 400),
            ("busy", "RateLimitError", 429),
        ],
    )
    def test_an_error_is_of_the_class_that_it_has_for_it(
        self, answers: Answers, case: str, raised: str, status: int
    ) -> None:
        refusal = answers.refusal(case)
        assert (refusal["raised"], refusal["status"]) == (raised, status)

    def test_a_busy_model_is_asked_again(self, answers: Answers) -> None:
        assert answers["busy_with_retries"] == "You said: busy, litellm, with retries"


class TestInstructor:
    @pytest.fixture
    def answers(self, python_client: Callable[[str], Answers]) -> Answers:
        return python_client("instructor")

    @pytest.mark.parametrize("mode", ["by_tools", "by_json", "by_json_schema", "by_tools_async"])
    def test_an_answer_is_an_object_of_the_class(self, answers: Answers, mode: str) -> None:
        assert answers[mode] == WITH_ADDRESSES

    def test_an_object_grows_while_it_is_streamed(self, answers: Answers) -> None:
        grown = answers["in_parts"]
        assert grown["parts"] > 1
        assert grown["last"] == WITH_ADDRESSES

    def test_objects_of_a_list_come_one_by_one(self, answers: Answers) -> None:
        assert answers["one_by_one"] == [{"city": "Ada"}] * 2
