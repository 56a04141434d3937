"""Chunks of conversations that are joined to one answer, and what large answers may hold."""

import asyncio
import gc
import json
from collections.abc import Awaitable
from typing import Any, cast

import msgspec
import orjson
import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.handler import begin_shape
from mlpgateway.call.json_text import FEW_VALUES, MOST_VALUES
from mlpgateway.entry.adapters.openai import chat
from mlpgateway.entry.adapters.openai.chunks import Joined, as_chunk, with_text_arguments
from mlpgateway.entry.adapters.openai.conversations import MOST_ITEMS, read_conversation
from mlpgateway.entry.adapters.openai.embeddings import _as_embeddings
from mlpgateway.entry.adapters.openai.envelope import CHAT, Envelope
from mlpgateway.entry.adapters.openai.objects import text_in, with_data
from mlpgateway.errors.gate import UnexpectedAnswer

PROBABILITIES = [{"token": "a", "logprob": -0.25, "top_logprobs": [{"token": "b"}] * 20}] * 3000


def payload(value: object) -> Payload:
    return Payload(json=json.dumps(value))


def delta(said: dict[str, object], place: int = 0, **fields: object) -> dict[str, object]:
    return {"choices": [{"index": place, "delta": said, **fields}]}


def delta_of_end() -> dict[str, object]:
    return delta({}, finish_reason="stop")


def chunk_of(answer: Answer) -> object:
    return json.loads(bytes(text_in(answer.payload)))


def joined(*chunks: object) -> Any:
    whole = Joined(CHAT)
    for chunk in chunks:
        whole.add(payload(chunk))
    return json.loads(msgspec.json.encode(whole.whole()))


def called(id_: str | None, arguments: str, **place: int) -> dict[str, object]:
    return delta({"tool_calls": [{"id": id_, "function": {"name": "f", "arguments": arguments}, **place}]})


class TestJoined:
    def test_many_chunks_are_joined_at_once(self) -> None:
        """Joining each chunk with all the text so far would take many minutes."""
        piece = {"content": "😀" * 1000, "tool_calls": [{"index": 0, "function": {"arguments": "é" * 1000}}]}
        chunk, whole = Payload(json=orjson.dumps(delta(piece)).decode()), Joined(CHAT)
        for _ in range(20_000):
            whole.add(chunk)
        message: Any = cast("Any", whole.whole()["choices"])[0]["message"]
        assert len(message["content"]) == 20_000_000
        assert len(message["tool_calls"][0]["function"]["arguments"]) == 20_000_000

    @pytest.mark.parametrize("place", [{}, {"index": 0}], ids=["no place", "one place"])
    def test_calls_with_different_ids_are_different(self, place: dict[str, int]) -> None:
        whole = joined(called("a", "{1", **place), called(None, "2}", **place), called("b", "{}", **place))
        calls = whole["choices"][0]["message"]["tool_calls"]
        assert [(call["id"], call["function"]["arguments"]) for call in calls] == [("a", "{12}"), ("b", "{}")]

    def test_another_id_in_each_chunk_is_no_other_call(self) -> None:
        """As early servers of SGLang send them."""
        pieces = ({"name": "f", "arguments": ""}, {"name": None, "arguments": "{1"}, {"arguments": "2}"})
        chunks = [
            delta({"tool_calls": [{"index": 0, "id": id_, "function": piece}]})
            for id_, piece in zip("abc", pieces, strict=True)
        ]
        (call,) = joined(*chunks)["choices"][0]["message"]["tool_calls"]
        assert (call["id"], call["function"]) == ("a", {"name": "f", "arguments": "{12}"})

    def test_calls_at_different_places_are_different(self) -> None:
        whole = joined(called("a", "1", index=0), called("b", "2", index=1), called(None, "3", index=0))
        calls = whole["choices"][0]["message"]["tool_calls"]
        assert [call["function"]["arguments"] for call in calls] == ["13", "2"]

    def test_a_function_call_of_the_older_form_is_joined(self) -> None:
        pieces = ({"name": "f", "arguments": "{"}, {"arguments": "}"})
        whole = joined(*(delta({"function_call": piece}) for piece in pieces))
        assert whole["choices"][0]["message"]["function_call"] == {"name": "f", "arguments": "{}"}

    def test_probabilities_of_all_tokens_stay(self) -> None:
        tokens = ["a", "b", "c"]
        chunks = [delta({"content": it}, logprobs={"content": [{"token": it, "logprob": -1.0}]}) for it in tokens]
        whole = joined(*chunks, delta({}, logprobs=None), delta({}, logprobs={"content": [], "refusal": None}))
        assert [it["token"] for it in whole["choices"][0]["logprobs"]["content"]] == tokens
        assert whole["choices"][0]["logprobs"]["refusal"] is None
        assert "logprobs" not in joined(delta({"content": "a"}))["choices"][0]

    def test_parts_of_content_stay(self) -> None:
        one, two = {"type": "text", "text": "one"}, {"type": "image_url", "image_url": {"url": "a"}}
        whole = joined(delta({"content": [one]}), delta({"content": "more"}), delta({"content": [two]}))
        assert whole["choices"][0]["message"]["content"] == [one, {"type": "text", "text": "more"}, two]

    def test_an_empty_chunk_is_one(self) -> None:
        assert joined({"choices": []})["choices"] == []

    def test_choices_have_their_order(self) -> None:
        whole = joined(delta({"content": "b"}, 1), delta({"content": "a"}, 0))
        assert [choice["index"] for choice in whole["choices"]] == [0, 1]

    def test_too_many_different_fields_are_refused(self) -> None:
        chunks = [{"choices": [], **{f"own{number}-{at}": 1 for at in range(1000)}} for number in range(51)]
        with pytest.raises(UnexpectedAnswer):
            joined(*chunks)
        assert len(joined(*chunks[:1] * 100)) == 1002


def large(arguments: object, content: object = "a, b", **choice: object) -> dict[str, object]:
    """Returns an answer whose values would take long to build."""
    call = {"id": "c", "function": {"name": "f", "arguments": arguments}}
    return {
        "id": "x", "usage": {"total_tokens": 1}, "own": [1.5] * FEW_VALUES, "choices": [{
            "index": 0, "finish_reason": "stop", "logprobs": {"content": PROBABILITIES}, **choice,
            "message": {"role": "assistant", "content": content, "tool_calls": [call, {"type": "custom"}]},
        }],
    }  # fmt: skip


TABLE = "1,2,3\n" * FEW_VALUES
CONTENTS = {"text": TABLE, "parts": [{"type": "text", "text": TABLE}, {"type": "text", "text": "b"}]}
ARGUMENTS = {"object": {"table": TABLE}, "list": [1.5] * FEW_VALUES, "text": json.dumps({"table": TABLE}), "none": None}


class TestLarge:
    @pytest.mark.parametrize("content", CONTENTS)
    @pytest.mark.parametrize("arguments", ARGUMENTS)
    def test_all_of_it_arrives(self, arguments: str, content: str) -> None:
        sent, content = ARGUMENTS[arguments], CONTENTS[content]
        said = large(sent, content)
        answer = Answer(payload(said), {})
        whole: Any = json.loads(bytes(text_in(with_text_arguments(answer).payload)))
        chunk: Any = json.loads(bytes(text_in(as_chunk(answer).payload)))
        message, delta = whole["choices"][0]["message"], chunk["choices"][0]["delta"]
        for heard in (message, delta):
            told = heard["tool_calls"][0]["function"]["arguments"]
            assert (told if sent is None or isinstance(sent, str) else json.loads(told)) == sent
            assert (heard["content"], "function" in heard["tool_calls"][1]) == (content, False)
        assert chunk["choices"][0]["logprobs"]["content"] == PROBABILITIES
        assert (chunk["own"], chunk["usage"]) == (said["own"], said["usage"])
        together = joined(chunk, delta_of_end())["choices"][0]
        assert together["message"]["content"] == content
        assert together["message"]["tool_calls"][0]["function"]["arguments"] == (told or "")
        assert together["logprobs"]["content"] == PROBABILITIES

    def test_members_that_are_passed_on_are_not_built(self) -> None:
        body: Any = read_conversation(payload(large({"numbers": [1.5] * FEW_VALUES})), "chat")
        (choice,) = body["choices"]
        values = body["own"], choice["logprobs"], choice["message"]["tool_calls"][0]["function"]["arguments"]
        assert all(isinstance(value, msgspec.Raw) for value in values)
        assert body["usage"] == {"total_tokens": 1}

    @pytest.mark.parametrize(
        "text",
        [
            '{"choices":[],' + ",".join(f'"{name}":1' for name in range(3 * FEW_VALUES)) + "}",
            '{"choices":[' + '{"a":[1,2,3,4]},' * MOST_ITEMS + "{}]}",
            '{"choices":[],"own":[' + "1," * MOST_VALUES + "1]}",
            '{"choices":[{"message":{' + ",".join(f'"{name}":1' for name in range(3 * FEW_VALUES)) + "}}]}",
            "[" + "1," * FEW_VALUES + "1]",
        ],
        ids=["fields", "choices", "values", "fields of a message", "a list"],
    )
    def test_too_many_values_are_refused(self, text: str) -> None:
        with pytest.raises(UnexpectedAnswer):
            read_conversation(Payload(json=text), "chat")

    def test_an_empty_error_is_none_however_large_the_rest_is(self) -> None:
        said = {"own": [[1] * 100] * 200, "choices": [], "error": {}}
        assert chunk_of(as_chunk(Answer(payload(said), {}, partial=True))) == said

    def test_lists_of_very_many_objects_are_refused(self) -> None:
        around = Envelope("r", "m", CHAT, streamed=False).around
        objects = "{}," * 100_000 + "{}"
        with pytest.raises(UnexpectedAnswer):
            around(Answer(Payload(json=f'{{"choices":[{objects}]}}'), {}))
        with pytest.raises(UnexpectedAnswer):
            with_data(Answer(Payload(json=f'{{"data":[{objects}]}}'), {}), "images")
        null = '{"choices":[],"id":null,' + ",".join(f'"{name}":1' for name in range(3 * FEW_VALUES)) + "}"
        with pytest.raises(UnexpectedAnswer):
            around(Answer(Payload(json=null), {}))
        assert around(Answer(Payload(json='{"choices":[' + "{}," * 2047 + "{}]}"), {})).payload.json

    def test_lists_of_all_chunks_stay_text(self) -> None:
        whole, part = Joined(CHAT), payload(delta({"content": [[]] * 1000}, own=[[]] * 1000))
        for _ in range(100):
            whole.add(part)
        (choice,) = cast("Any", whole.whole()["choices"])
        assert isinstance(choice["own"], msgspec.Raw)
        assert len(json.loads(bytes(choice["message"]["content"]))) == 100_000


class TestTurns:
    @staticmethod
    async def others_turns(made: Answer | Awaitable[Answer]) -> int:
        """Returns how often another task has its turn meanwhile."""
        turns, over = 0, False

        async def other() -> None:
            nonlocal turns
            while not over:
                turns += 1
                await asyncio.sleep(0)

        beside = asyncio.create_task(other())
        if not isinstance(made, Answer):
            await made
        over = True
        await beside
        return turns

    async def test_many_chunks_take_several_turns(self) -> None:
        chunks = [payload(delta({"content": "a" * 1000}))] * 1000
        answer = Answer(payload(delta({}, finish_reason="stop")), {}, before=tuple(chunks), partial=True)
        assert await self.others_turns(chat._whole(answer, lambda whole: whole)) > 10

    async def test_many_vectors_take_several_turns(self) -> None:
        answer = Answer(payload({"embedded_texts": [{"vector": [0.5] * 1000}] * 100}), {})
        assert await self.others_turns(_as_embeddings(answer, 100, form="float", name="m")) > 5

    async def test_answer_that_nobody_waits_for_leaves_nothing(self) -> None:
        """Its caller has left: warnings are errors here."""
        chunks = [payload(delta({"content": "a" * 1000}))] * 100
        answer = Answer(payload(delta({})), {}, before=tuple(chunks), partial=True)
        begin_shape(answer, lambda whole: chat._whole(whole, lambda finished: finished))
        gc.collect()

    async def test_small_answers_take_none(self) -> None:
        answer = Answer(payload(delta({}, finish_reason="stop")), {}, before=(payload(delta({"content": "a"})),))
        assert isinstance(chat._whole(answer, lambda whole: whole), Answer)
