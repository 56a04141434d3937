"""Requests of all kinds, callers who leave, and rights that end, at every entry over HTTP.

A new entry takes part by its row in `entries.py`.
"""

import asyncio
import base64
import gzip
from dataclasses import replace
from typing import Any

import orjson
import pytest

from mlplace_contracts.events import ModelPublicity
from mlplace_contracts.limits import KeyLimits
from mlplace_kit.errors import ContentEncodingNotSupported, MalformedRequest
from mlplace_kit.pricing import BillingUnit
from services.mlpgateway.tests.entries import ENTRIES, IN_EVENTS, STREAMED, Answers, Entry, raw
from services.mlpgateway.tests.revocations import ENDS, End

OVER_HTTP = {name: entry for name, entry in ENTRIES.items() if entry.path} | dict(STREAMED)
CALLS = {name: entry for name, entry in OVER_HTTP.items() if entry.answers is not Answers.NONE}
READ = {
    name: entry
    for name, entry in CALLS.items()
    if entry.body is not None and not entry.form and entry.answers is not Answers.UNSEEN
}
"""Entries that read a body of JSON."""
READ_HERE = {name: entry for name, entry in CALLS.items() if entry.answers is not Answers.UNSEEN}
"""Entries whose answers the gate reads."""
IN_PARTS = {name: entry for name, entry in CALLS.items() if entry.answers in {Answers.PARTS, Answers.UNSEEN}}
CHUNK = {"choices": [{"index": 0, "delta": {"content": "a"}, "message": {"content": "a"}}]}
WHOLE = orjson.dumps({
    "text": "1", "audio_base64": base64.b64encode(bytes(512)).decode(), "embedded_texts": [{"vector": [1]}],
    "data": [{"b64_json": "aGk="}], **CHUNK,
})  # fmt: skip
SOUND = bytes([1]) * 512
BEGUN = (
    "text/event-stream",
    b"data: " + orjson.dumps({**CHUNK, "audio_base64": base64.b64encode(SOUND).decode()}) + b"\n\n",
)
"""The first part of an answer in any form."""
SENT_IN_PARTS = [name for name, end in ENDS.items() if end not in {End.WHOLE, End.MESSAGE, End.NONE}]
SPEECH = [name for name in SENT_IN_PARTS if ENDS[name] is End.CUT and name != "httpInterface"]
PRICES = {BillingUnit.CALLS: 10, BillingUnit.CUSTOM: 30}
"""What a part costs that reports three units, by the model's unit."""
BROKEN = {
    "half a pair": lambda body: body[:-1] + b',"x":"\\ud800"}',
    "no number": lambda body: body[:-1] + b',"x":NaN}',
    "cut": lambda body: body[:-1],
    "two values": lambda body: body + b" {}",
    "no UTF-8": lambda body: body[:-1] + b',"x":"\xff"}',
    "UTF-16": lambda body: body.decode().encode("utf-16"),
}

AS_IT_IS = {"predict", "servletPredict", "tryWithoutSigningIn"}
"""Entries whose body is the model's own request."""
OF_LLMS = [name for name in READ if name.startswith(("openaiChat", "openaiCompletions", "openaiDirect"))]


def _another(value: object) -> object:
    """Returns another value of the same type."""
    return [] if isinstance(value, list) else 7 if isinstance(value, int) else "8"


@pytest.fixture
def site(over_wire, kit, instance, tools):
    """Returns a function that opens a world whose model serves an entry."""
    instance.says = ("application/json", WHOLE)

    def opened(entry: Entry, **changed: object) -> Any:
        public = ModelPublicity(is_public=True, hidden=False, public_testing_allowed=True)
        about = {
            "http": tools.HTTP, "billing": kit.CALLS, "publicity": public, "visitor_calls_per_day": 1000, **changed,
        }  # fmt: skip
        over_wire.world.know(kit.model_changed(name="m", task_type=entry.task_type, **about))
        return over_wire.world

    return opened


async def post(world: Any, entry: Entry, content: bytes, **headers: str) -> Any:
    return await world.client.post(entry.path, content=content, headers={**world.key(), **headers})


def code_of(answer: Any) -> str:
    body = answer.json()
    return str(body.get("error", body)["code"])


class TestStrangers:
    @pytest.mark.parametrize("name", [name for name in CALLS if name != "tryWithoutSigningIn"])
    async def test_is_told_how_to_identify(self, site, instance, name) -> None:
        """RFC 9110, section 11.6.1."""
        entry = CALLS[name]
        for headers in ({}, {"MLP-API-KEY": "1.2.nobodys"}):
            answer = await entry.send(site(entry).client, headers)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert instance.seen == []


class TestCodings:
    @pytest.mark.parametrize("name", READ_HERE)
    async def test_an_instance_that_compresses_by_default_is_told_not_to(self, site, instance, name) -> None:
        """RFC 9110, section 12.5.3: whoever sends no Accept-Encoding accepts every coding."""
        world, instance.compresses = site(READ_HERE[name]), True
        answer = await READ_HERE[name].send(world.client, world.key())
        assert (answer.status_code, len(await world.usage())) == (200, 1)


class TestBodies:
    @pytest.mark.parametrize("name", READ)
    async def test_byte_order_mark_is_no_part_of_it(self, site, instance, name) -> None:
        entry = READ[name]
        world, content = site(entry), orjson.dumps(entry.body)
        for begins in (b"", b"\xef\xbb\xbf"):
            assert (await post(world, entry, begins + content)).status_code == 200
        assert instance.seen[0][3] == instance.seen[1][3]

    @pytest.mark.parametrize("name", READ)
    async def test_what_is_no_json_is_refused(self, site, instance, name) -> None:
        entry = READ[name]
        world, content = site(entry), orjson.dumps(entry.body)
        for kind, broken in BROKEN.items():
            answer = await post(world, entry, broken(content))
            assert (answer.status_code, code_of(answer)) == (400, MalformedRequest.code), kind
        assert (instance.seen, await world.usage()) == ([], [])

    @pytest.mark.parametrize("escaped", [False, True])
    @pytest.mark.parametrize("name", READ)
    async def test_last_value_of_a_repeated_field_is_the_one_that_is_sent(self, site, instance, name, escaped) -> None:
        """Where the body is the model's own request, it gets the text as it is."""
        entry = READ[name]
        world, content = site(entry), orjson.dumps(entry.body)
        first = {field: _another(value) for field, value in (entry.body or {}).items()}
        before = orjson.dumps(first)[1:-1]
        if escaped:
            before = b'"\\u%04x' % before[1] + before[2:]
        repeated = b"{" + before + b"," + content[1:]
        for sent in (content, repeated):
            assert (await post(world, entry, sent)).status_code == 200
        plain, seen = (request[3] for request in instance.seen)
        assert seen == (repeated if name in AS_IT_IS else plain)

    @pytest.mark.parametrize("name", OF_LLMS)
    async def test_language_model_that_is_allowed_is_the_one_that_is_sent(self, site, instance, name) -> None:
        entry = CALLS[name]
        world = site(replace(entry, task_type="chat-completion"))
        key = world.key(limits=KeyLimits(llms=("gpt",)))
        body = orjson.dumps({field: value for field, value in (entry.body or {}).items() if field != "model"})[1:]
        for one, last, status in (("other", "gpt", 200), ("gpt", "other", 403)):
            content = b'{"model":"acme/m/%b","model":"acme/m/%b",' % (one.encode(), last.encode()) + body
            assert (await world.client.post(entry.path, content=content, headers=key)).status_code == status
        ((_, _, _, sent),) = instance.seen
        assert (sent.count(b'"model"'), orjson.loads(sent)["model"]) == (1, "gpt")

    @pytest.mark.parametrize("name", [*READ, *(name for name, entry in CALLS.items() if entry.form)])
    async def test_what_is_compressed_is_refused(self, site, instance, name) -> None:
        entry = CALLS[name]
        kind = "multipart/form-data; boundary=b" if entry.form else "application/json"
        coded = {"Content-Encoding": "gzip", "Content-Type": kind}
        answer = await post(site(entry), entry, gzip.compress(orjson.dumps(entry.body)), **coded)
        assert (answer.status_code, code_of(answer)) == (415, ContentEncodingNotSupported.code)
        assert instance.seen == []


class TestStreams:
    @pytest.mark.parametrize(
        "name", [name for name in READ if name.startswith(("openai", "ttsByBody", "postTts")) and name not in STREAMED]
    )
    async def test_who_asks_for_a_stream_gets_one_or_a_refusal(self, site, instance, name) -> None:
        entry = READ[name]
        world = site(entry)
        asked = {**(entry.body or {}), "stream": True}
        answer = await world.client.post(entry.path, json=asked, headers=world.key())
        if name in IN_EVENTS:
            assert answer.headers["content-type"].startswith("text/event-stream")
        else:
            assert (answer.status_code, "stream" in answer.text, instance.seen) == (400, True, [])
        asked["stream"] = False
        if not name.endswith(("ttsByBody", "postTts")):
            assert (await world.client.post(entry.path, json=asked, headers=world.key())).status_code == 200


class TestHead:
    @pytest.mark.parametrize("name", [name for name in OVER_HTTP if name != "httpInterface"])
    async def test_it_calls_no_model(self, site, instance, name) -> None:
        entry = OVER_HTTP[name]
        world = site(entry)
        target = f"{entry.path}?{entry.query}"
        answer = await world.client.head(target, headers=world.key(permissions=("predict", "read")))
        assert answer.status_code == (405 if name in CALLS else 200)
        at_another_service = name == "servletPredict"
        assert ("HEAD" in answer.headers.get("allow", "")) == at_another_service
        assert (answer.content, instance.seen, await world.usage()) == (b"", [], [])


class TestVersions:
    @pytest.mark.parametrize("name", OVER_HTTP)
    async def test_caller_of_http_1_0_gets_no_chunks(self, site, over_wire, name) -> None:
        entry = OVER_HTTP[name]
        headers = site(entry).key(permissions=("predict", "read", "write"))
        async with raw(over_wire.port, entry, headers, version="1.0") as caller:
            head, _, body = (await caller.rest()).partition(b"\r\n\r\n")
        assert head.split()[1] in {b"200", b"204"}
        assert b"transfer-encoding" not in head.lower()
        assert not body.endswith(b"0\r\n\r\n")


class TestEnd:
    @pytest.mark.parametrize("name", CALLS)
    async def test_work_for_a_caller_who_leaves_is_stopped(self, site, over_wire, instance, tools, name) -> None:
        """A caller who waits for a whole answer pays for no part of it. Such a caller sees no part, so the second time
        the gate may not have read it: `test_leaving.py` says the same of parts that it has read.
        """
        entry = CALLS[name]
        world = site(entry)
        instance.hangs = True
        for begun in (None, *([BEGUN] if ENDS[name] is End.WHOLE else [])):
            instance.says = begun
            instance.seen.clear()
            instance.cancelled.clear()
            async with raw(over_wire.port, entry, world.key()):
                await tools.until(lambda: len(instance.seen) == 1)
            async with asyncio.timeout(60):
                await instance.cancelled.wait()
            await tools.until(lambda: world.components.admission.held == 0)
        assert await world.usage() == []

    @pytest.mark.parametrize("unit", PRICES)
    @pytest.mark.parametrize("name", SENT_IN_PARTS)
    async def test_caller_who_leaves_after_a_part_pays_for_it(
        self, site, over_wire, instance, kit, tools, name, unit
    ) -> None:
        entry, price = CALLS[name], PRICES[unit]
        world = site(entry, billing=kit.CALLS.model_copy(update={"unit": unit}))
        instance.hangs, instance.says, instance.headers = True, BEGUN, {"Z-custom-billing": "3"}
        async with raw(over_wire.port, entry, world.key()) as caller, asyncio.timeout(60):
            await caller.reader.readuntil(SOUND if name in SPEECH else b'"content":"a"')
        async with asyncio.timeout(60):
            await instance.cancelled.wait()
        await tools.until(lambda: world.components.admission.held == 0)
        assert [usage.amount_nano for usage in await world.usage()] == [price]

    @pytest.mark.parametrize("name", IN_PARTS)
    async def test_stream_of_a_deleted_key_ends(self, site, over_wire, instance, name) -> None:
        entry = IN_PARTS[name]
        world = site(entry)
        event, secret = world.key_event()
        world.know(event)
        instance.hangs = True
        instance.says = ("text/event-stream", b"data: " + orjson.dumps(CHUNK) + b"\n\n")
        async with raw(over_wire.port, entry, {"MLP-API-KEY": secret, "Connection": "close"}) as caller:
            async with asyncio.timeout(60):
                await caller.reader.readuntil(b'"content":"a"')
            world.know(event.model_copy(update={"version": 2, "active": False}))
            await world.components.pipeline.open_streams.look()
            rest = await caller.rest()
        async with asyncio.timeout(60):
            await instance.cancelled.wait()
        assert b"mlp.gate.unauthorized" in rest or entry.answers is Answers.UNSEEN
        assert len(await world.usage()) == 1
