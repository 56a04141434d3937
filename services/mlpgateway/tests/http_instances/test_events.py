"""Server-sent events of instances: lines, fields and names (WHATWG HTML Standard, section 9.2; `docs/http-instances.md`)."""

import json
import time

import pytest

from mlpgateway.errors.calls import BrokenAnswer
from mlpgateway.instances.http.answer_body import FEW_LINES, body_of
from mlplace_gateproto import codes
from services.mlpgateway.tests.entries import STREAMED, WHOLE

TYPE = "text/event-stream"
HEADERS = ((b"Content-Type", TYPE.encode()), (b"Transfer-Encoding", b"chunked"))
PART = '{"choices":[{"index":0,"delta":{"content":"a"}}]}'
CHATS = ["openaiChatCompletions", "openaiCompletions", "openaiDirectChatCompletions"]
NO_FIELDS = {
    "a page": "<html>gone</html>",
    "an error": '{"error":{"message":"busy"}}',
    "a field of another name": "status: failed",
    "a field with another case": "Data: 1",
    "a field after a blank": " data: 1",
    "a word": "dat",
}
BODY = b'\xef\xbb\xbf: hi\n\ndata: {"a":\ndata:1}\nid: 7\n\n\ndata\n\ndata\ndata: 2\ndata:\n\nretry: 1\n \ndata:3\n\n'
PARTS = ['{"a":\n1}', "\n2\n", "3"]


def parts(*pieces: bytes, most: int = 1000) -> list[str | None]:
    """Returns the parts of an answer without the mark of its end."""
    body = body_of(200, HEADERS, most, whole=False)
    found = [answer for piece in pieces for few in body.few(piece) for answer in body.piece(few)]
    if not found or not found[-1].last:
        found += body.end()
    return [answer.payload.json for answer in found][:-1]


class TestLines:
    @pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
    @pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"], ids=repr)
    def test_each_kind_of_line_end_counts_once_however_the_body_is_split(self, end, size) -> None:
        body = BODY.replace(b"\n", end)
        assert parts(*(body[at : at + size] for at in range(0, len(body), size))) == PARTS

    def test_kinds_may_be_mixed(self) -> None:
        assert parts(b"data: [1,\r", b"", b"\ndata: 2,\rdata: 3]\n\r", b"data: 4\r\n\r", b"\n", b"\ndata: 5") == [
            "[1,\n2,\n3]", "4", "5",
        ]  # fmt: skip

    def test_blank_line_counts_at_once(self) -> None:
        """The next event may come much later."""
        body = body_of(200, HEADERS, 1000, whole=False)
        assert [answer.payload.json for answer in body.piece(b"data: 1\r\r")] == ["1"]
        assert [*body.piece(b"\n")] == []

    @pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"], ids=repr)
    def test_one_turn_reads_few_lines(self, end) -> None:
        body = body_of(200, HEADERS, 1000, whole=False)
        lines = b"data: 1" + end
        assert [*body.few(lines * 2 * FEW_LINES)] == [lines * FEW_LINES] * 2

    @pytest.mark.parametrize("end", [b"\r", b"\r\n"], ids=repr)
    def test_cost_of_many_lines_and_of_a_long_one_is_linear(self, end) -> None:
        began = time.process_time()
        for line in (b"data: 1" + end + end, b"x"):
            body = b"data: " + line * 2_000_000 if line == b"x" else line * 100_000
            pieces = (body[at : at + 2048] for at in range(0, len(body), 2048))
            try:
                parts(*pieces, most=2**30)
            except BrokenAnswer:
                assert line == b"x"
        assert time.process_time() - began < 5


class TestFields:
    @pytest.mark.parametrize("said", NO_FIELDS)
    @pytest.mark.parametrize("end", ["", "\n", "\n\n", "\ndata: [DONE]\n\n"], ids=repr)
    def test_line_that_is_no_field_breaks_the_answer(self, said, end) -> None:
        with pytest.raises(BrokenAnswer, match="no field"):
            parts(f"data: 1\n\n{NO_FIELDS[said]}{end}".encode())

    @pytest.mark.parametrize("said", [": <html>", ":", "id: <html>", "id", "retry: soon", " ", "\t"], ids=repr)
    def test_what_says_nothing_of_the_answer_is_not_read(self, said) -> None:
        assert parts(f"data: 1\n{said}\n\n{said}\ndata: 2\n\n".encode()) == ["1", "2"]

    @pytest.mark.parametrize("said", NO_FIELDS)
    @pytest.mark.parametrize("name", [*CHATS, *STREAMED, "predict"])
    async def test_broken_answer_is_an_error_and_free(self, hosted, instance, kit, tools, name, said) -> None:
        entry = {**WHOLE, **STREAMED}[name]
        hosted.know(kit.model_changed(name="m", http=tools.HTTP, billing=kit.CALLS, task_type=entry.task_type))
        instance.says = (TYPE, f"data: {PART}\n\n{NO_FIELDS[said]}\n\ndata: [DONE]\n\n".encode())
        answer = await entry.send(hosted.client, hosted.key())
        assert (codes.INTERNAL_ERROR in answer.text, "[DONE]" in answer.text) == (True, False)
        assert await hosted.usage() == []


class TestEnd:
    @pytest.mark.parametrize("mark", ["[DONE] ", "[DONE]\t", " [DONE]", "[DONE]\ndata:", "[DONE]"], ids=repr)
    @pytest.mark.parametrize("end", ["", "\n\n", "\n\ndata: 2\n\n"], ids=repr)
    def test_mark_may_have_blanks_around_it(self, mark, end) -> None:
        assert parts(f"data: 1\n\ndata: {mark}{end}".encode()) == ["1"]

    def test_mark_with_more_than_blanks_is_none(self) -> None:
        with pytest.raises(BrokenAnswer):
            parts(b"data: 1\n\ndata: [DONE] 2\n\n")

    @pytest.mark.parametrize("said", ["event: end\n\n", "event: end\ndata: 2\n\n", "event:end \r\r"], ids=repr)
    def test_event_of_that_name_needs_no_data_and_nothing_is_read_after_it(self, said) -> None:
        assert parts(f"data: 1\n\n{said}data: 3\n\n".encode()) == ["1"]

    @pytest.mark.parametrize("said", ["data:", "data: ", "data:  ", "data"], ids=repr)
    def test_event_of_blanks_is_left_out(self, said) -> None:
        assert parts(f"data: 1\n\n{said}\n\ndata: 2\n\n".encode()) == ["1", "2"]


class TestNames:
    @pytest.mark.parametrize("name", ["message", "content_block_delta", "pings", "Ping"])
    def test_event_of_any_other_name_is_a_part(self, name) -> None:
        assert parts(f"event: {name}\ndata: 1\n\n".encode()) == ["1"]

    @pytest.mark.parametrize("data", ['data: {"type":"ping"}\n', "data: now\n", "data: [DONE]\n", ""])
    def test_ping_is_left_out(self, data) -> None:
        ping = f"event: ping\n{data}\n"
        assert parts(f"{ping}data: 1\n\n{ping}data: 2\n\n{ping}".encode()) == ["1", "2"]

    def test_name_is_that_of_one_event(self) -> None:
        assert parts(b"event: ping\n\ndata: 1\n\nevent: ping\nevent\ndata: 2\n\n") == ["1", "2"]

    def test_answer_of_pings_alone_is_empty(self) -> None:
        with pytest.raises(BrokenAnswer, match="empty"):
            parts(b"event: ping\ndata: {}\n\n")

    @pytest.mark.parametrize("name", [*CHATS, *(f"{name}, streamed" for name in CHATS)])
    async def test_ping_changes_no_conversation(self, hosted, instance, kit, tools, name) -> None:
        hosted.know(kit.model_changed(name="m", http=tools.HTTP, billing=kit.CALLS, task_type="chat-completion"))
        ping = 'event: ping\ndata: {"type":"ping"}\n\n'
        instance.says = (TYPE, f"{ping}data: {PART}\n\n{ping}data: [DONE]\n\n".encode())
        answer = await {**WHOLE, **STREAMED}[name].send(hosted.client, hosted.key())
        said = answer.text.removeprefix("data: ").partition("\n\n")[0]
        assert (answer.status_code, len(json.loads(said)["choices"]), "ping" in answer.text) == (200, 1, False)
        assert len(await hosted.usage()) == 1
