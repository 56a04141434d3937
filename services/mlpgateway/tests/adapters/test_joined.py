"""Chunks of conversations that are joined to one answer, and what large answers may hold."""

import asyncio
import gc
import json
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import msgspec
import orjson
import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.handler import begin_shape
from mlpgateway.call.json_text import FEW_VALUES, MOST_VALUES, is_json
from mlpgateway.entry.adapters.openai import chat, tool_calls
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


@contextmanager
def counted_json() -> Iterator[list[str]]:
    """Yields the texts that are looked at whole."""
    looked_at: list[str] = []

    def look(text: str) -> bool:
        looked_at.append(text)
        return is_json(text)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tool_calls, "is_json", look)
        yield looked_at


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

    @pytest.mark.parametrize("index", [{}, {"index": 0}, {"index": 0.0}], ids=["none", "one", "a fraction"])
    def test_calls_are_found_by_their_ids(self, index: dict[str, float]) -> None:
        begun = [delta({"tool_calls": [{"id": id_, "function": {"name": id_}, **index}]}) for id_ in "ab"]
        more = [delta({"tool_calls": [{"id": id_, "function": {"arguments": id_}, **index}]}) for id_ in "abab"]
        calls = joined(*begun, *more)["choices"][0]["message"]["tool_calls"]
        assert [(call["id"], call["function"]["arguments"]) for call in calls] == [("a", "aa"), ("b", "bb")]

    def test_an_id_alone_begins_a_call(self) -> None:
        named = [{"name": name, "arguments": "{}"} for name in "fg"]
        chunks: list[dict[str, object]] = [{"id": "a", "function": named[0]}, {"id": "b"}, {"function": named[1]}]
        calls = joined(*(delta({"tool_calls": [chunk]}) for chunk in chunks))["choices"][0]["message"]["tool_calls"]
        assert [(call["id"], call["function"]) for call in calls] == [("a", named[0]), ("b", named[1])]

    @pytest.mark.parametrize("id_", [None, ""])
    def test_whole_calls_without_ids_are_different(self, id_: str | None) -> None:
        """As converters from Gemini send them."""
        given = '{"x":1}'
        calls = joined(*(called(id_, given, index=0) for _ in range(2)))["choices"][0]["message"]["tool_calls"]
        assert [call["function"]["arguments"] for call in calls] == [given, given]

    def test_a_name_in_each_chunk_begins_no_other_call(self) -> None:
        """As some servers of NVIDIA send them."""
        chunks = [called(None, piece, index=0) for piece in ('{"x":', "{}", "}", "")]
        (call,) = joined(*chunks)["choices"][0]["message"]["tool_calls"]
        assert call["function"] == {"name": "f", "arguments": '{"x":{}}'}

    def test_arguments_are_read_whole_a_few_times_only(self) -> None:
        """Reading all of them with each piece would take minutes."""
        with counted_json() as looks:
            joined(*[called(None, '{"a":}', index=0)] * 1000)
        assert len(looks) == 100
        with counted_json() as looks:
            joined(called(None, "x" * 70_000, index=0), *[called(None, "{}", index=0)] * 3)
        assert looks == []

    @pytest.mark.parametrize("last", ["", "\n"])
    def test_blank_arguments_begin_no_call_and_end_none(self, last: str) -> None:
        one = joined(called(None, "{}", index=0), called(None, last, index=0))["choices"][0]["message"]["tool_calls"]
        assert [call["function"]["arguments"] for call in one] == ["{}" + last]
        pieces = called(None, "{}", index=0), delta({"tool_calls": [{"index": 0, "function": {"arguments": last}}]})
        two = joined(*pieces, called(None, "{}", index=0))["choices"][0]["message"]["tool_calls"]
        assert [call["function"]["arguments"] for call in two] == ["{}" + last, "{}"]

    def test_an_empty_piece_with_another_id_begins_no_call(self) -> None:
        pieces = [
            {"name": "f", "arguments": ""},
            {"arguments": '{"x":'},
            {"name": None, "arguments": ""},
            {"arguments": "1}"},
        ]
        chunks = [{"index": 0, "id": f"c{at}", "function": piece} for at, piece in enumerate(pieces)]
        (call,) = joined(*(delta({"tool_calls": [chunk]}) for chunk in chunks))["choices"][0]["message"]["tool_calls"]
        assert (call["id"], call["function"]) == ("c0", {"name": "f", "arguments": '{"x":1}'})

    def test_a_known_id_goes_on_at_another_index_unless_it_names_a_tool(self) -> None:
        begun = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x":'}}
        more = {"index": 1, "id": "a", "function": {"arguments": "1}"}}
        other = {"index": 2, "id": "a", "function": {"name": "g", "arguments": "{}"}}
        whole = joined(*(delta({"tool_calls": [chunk]}) for chunk in (begun, more, other)))
        calls = whole["choices"][0]["message"]["tool_calls"]
        assert [call["function"] for call in calls] == [
            {"name": "f", "arguments": '{"x":1}'}, {"name": "g", "arguments": "{}"}
        ]  # fmt: skip

    @pytest.mark.parametrize(("id_", "arguments"), [(None, ""), (None, "{}"), ("null", "{}")])
    def test_another_name_begins_another_call(self, id_: str | None, arguments: str) -> None:
        chunks = [{"index": 0, "id": id_, "function": {"name": name, "arguments": arguments}} for name in "fg"]
        calls = joined(*(delta({"tool_calls": [chunk]}) for chunk in chunks))["choices"][0]["message"]["tool_calls"]
        assert [call["function"]["name"] for call in calls] == ["f", "g"]

    def test_empty_texts_and_nulls_replace_nothing(self) -> None:
        first = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "{"}}
        empty = {"index": 0, "id": "", "type": "", "function": {"name": "", "arguments": "}"}}
        begun = delta({"role": "assistant", "tool_calls": [first]}, finish_reason="stop")
        more = delta({"role": "", "tool_calls": [empty]}, finish_reason="")
        whole = joined({**begun, "system_fingerprint": "fp"}, {**more, "system_fingerprint": None})
        (choice,) = whole["choices"]
        assert (whole["system_fingerprint"], choice["finish_reason"]) == ("fp", "stop")
        assert choice["message"]["role"] == "assistant"
        (call,) = choice["message"]["tool_calls"]
        assert call == {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}

    def test_a_message_after_deltas_repeats_them(self) -> None:
        """As MiniMax ends a stream."""
        end = {"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ab"}}]}
        whole = joined(delta({"content": "a"}), delta({"content": "b"}), end)
        assert whole["choices"][0]["message"]["content"] == "ab"
        for empty in ({"role": "assistant"}, {"role": "assistant", "content": ""}):
            end = {"choices": [{"index": 0, "delta": {}, "message": empty}]}
            assert joined(delta({"content": "a"}), end)["choices"][0]["message"]["content"] == "a"
        pieces = [{"choices": [{"message": {"content": piece}}]} for piece in "ab"]
        assert joined(*pieces)["choices"][0]["message"]["content"] == "ab"

    def test_inputs_of_custom_tools_are_joined(self) -> None:
        begin = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "f", "input": "a"}}
        more = [{"index": 0, "custom": {"input": piece}} for piece in "bc"]
        whole = joined(*(delta({"tool_calls": [chunk]}) for chunk in (begin, *more)))
        (call,) = whole["choices"][0]["message"]["tool_calls"]
        assert call == {"id": "a", "type": "custom", "custom": {"name": "f", "input": "abc"}}

    def test_lists_in_pieces_are_joined(self) -> None:
        chunks = [delta({"annotations": [{"at": at}]}, token_ids=[at]) for at in range(3)]
        (choice,) = joined(*chunks)["choices"]
        assert (choice["token_ids"], choice["message"]["annotations"]) == ([0, 1, 2], [{"at": 0}, {"at": 1}, {"at": 2}])

    def test_names_of_a_message_do_not_come_in_pieces(self) -> None:
        chunk = delta({"id": "m1", "type": "text", "content": "a"})
        assert joined(chunk, chunk)["choices"][0]["message"] == {
            "role": "assistant", "content": "aa", "id": "m1", "type": "text"
        }  # fmt: skip

    def test_a_sound_is_joined(self) -> None:
        pieces: list[dict[str, object]] = [
            {"id": "a", "data": "AA"}, {"data": "BB", "transcript": "a"}, {"transcript": "b"}, {"expires_at": 1}
        ]  # fmt: skip
        (choice,) = joined(*(delta({"audio": piece}) for piece in pieces))["choices"]
        assert choice["message"]["audio"] == {"id": "a", "expires_at": 1, "data": "AABB", "transcript": "ab"}

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
            "message": {
                "role": "assistant", "content": content, "tool_calls": [call, {"type": "custom"}],
                "function_call": {"name": "g", "arguments": arguments},
            },
        }],
    }  # fmt: skip


TABLE = "1,2,3\n" * FEW_VALUES
PARTS = [{"type": "text", "text": '"' * FEW_VALUES}, *[{"type": "text", "text": "b"}] * FEW_VALUES]
CONTENTS = {"text": TABLE, "parts": PARTS}
CALLING = json.dumps(delta({"tool_calls": [{"a": [1] * 60}]})["choices"])[1:-1]
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
        assert message["function_call"] == {"name": "g", "arguments": message["tool_calls"][0]["function"]["arguments"]}
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
            '{"choices":[' + '{"a":[1,2,3,4,5,6,7,8,9]},' * MOST_ITEMS + "{}]}",
            '{"choices":[' + '{"delta":{"tool_calls":[{"a":[1,2,3,4,5,6,7,8,9]}]}},' * MOST_ITEMS + "{}]}",
            f'{{"choices":[{",".join([CALLING] * (MOST_ITEMS - 100))},{{}}]}}',
            '{"choices":[],"own":[' + "1," * MOST_VALUES + "1]}",
            '{"choices":[{"message":{' + ",".join(f'"{name}":1' for name in range(3 * FEW_VALUES)) + "}}]}",
            "[" + "1," * FEW_VALUES + "1]",
        ],
        ids=["fields", "choices", "calls", "choices and calls", "values", "fields of a message", "a list"],
    )
    def test_too_many_values_are_refused(self, text: str) -> None:
        with pytest.raises(UnexpectedAnswer):
            read_conversation(Payload(json=text), "chat")

    @pytest.mark.parametrize("error", [{}, [], "", 0, 0.0, False, None])
    def test_an_empty_error_is_none_however_large_the_rest_is(self, error: object) -> None:
        said = {"own": [1] * (FEW_VALUES - 100), "more": [1] * 200, "error": error, "choices": []}
        assert joined(said)["choices"] == []

    def test_what_is_built_of_a_large_answer_is_bounded(self) -> None:
        """Short lists and objects are built as long as all of them together are few."""
        body = read_conversation(payload({f"own{at}": [1] * 500 for at in range(100)} | {"choices": []}), "chat")
        built = [value for value in body.values() if isinstance(value, list)]
        assert 10 < len(built) < 25

    def test_lists_of_very_many_objects_are_refused(self) -> None:
        around = Envelope("r", "m", CHAT, streamed=False).around
        objects = "{}," * 100_000 + "{}"
        tokens = [{"token": "{", "top_logprobs": [{"token": "{"}] * 20}] * 10_000
        choice = {"message": {"content": "{" * 200_000}, "logprobs": {"content": tokens}}
        long = payload({"id": "a", "object": CHAT, "created": 1, "model": "m", "choices": [choice]})
        assert around(Answer(long, {})).payload.json == long.json
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


class TestVendorParts:
    """Parts of `openai-direct`."""

    @staticmethod
    def whole(*parts: object) -> Any:
        answers = [payload(part) for part in parts]
        made = chat._in_its_format(Answer(answers[-1], {}, before=tuple(answers[:-1])))
        assert isinstance(made, Answer)
        return json.loads(bytes(text_in(made.payload)))

    def test_parts_are_joined_from_the_first_chunk_on(self) -> None:
        text = {"object": "text_completion", "choices": [{"text": "a"}]}
        whole = self.whole({"type": "ping"}, {"choices": None, "usage": {"total_tokens": 1}}, text, text)
        assert (whole["object"], whole["choices"][0]["text"]) == ("text_completion", "aa")

    def test_of_parts_without_chunks_the_last_one_counts(self) -> None:
        assert self.whole({"type": "begin"}, {"type": "end"}) == {"type": "end"}

    def test_error_in_the_middle_is_one(self) -> None:
        with pytest.raises(UnexpectedAnswer):
            self.whole({"type": "begin"}, {"error": {"message": "no"}}, {"type": "end"})


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

    async def test_a_turn_has_few_parts(self) -> None:
        empty = (payload({"choices": []}),) * 10_000
        for shape in (lambda answer: chat._whole(answer, lambda whole: whole), chat._in_its_format):
            assert await self.others_turns(shape(Answer(empty[0], {}, before=empty, partial=True))) >= 10_000 // 256

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
