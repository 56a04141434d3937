"""Uploads of datasets: broken off, wrong, too large; nothing is left of them."""

import asyncio
import hashlib
import io
import zipfile
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
from fastapi import FastAPI

from mlpcore.features.buckets.sweeping import sweep as sweep_buckets
from mlpcore.features.datasets.sweeping import sweep
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
BOUNDARY = "b0undary"
HEAD = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="x.json"\r\n\r\n'.encode()
TAIL = f"\r\n--{BOUNDARY}--\r\n".encode()
FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
JSON = b'{"texts": ["a", "b"]}'


async def stored(state: CoreState) -> list[str]:
    return await state.objects.list("datasets")


async def send(client: httpx.AsyncClient, world: World, body: bytes, **query: str) -> httpx.Response:
    wanted = {"name": "d", "dataType": "json/texts"} | query
    return await client.post(f"{ACME}/dataset/raw", params=wanted, content=body, headers={**world.owner, **FORM})


async def upload(client: httpx.AsyncClient, world: World, content: bytes, data_type: str) -> httpx.Response:
    query = {"name": "d", "dataType": data_type}
    return await client.post(f"{ACME}/dataset/raw", params=query, files={"file": ("x", content)}, headers=world.owner)


async def nothing_is_left(client: httpx.AsyncClient, world: World, state: CoreState) -> bool:
    listed = (await client.get(f"{ACME}/dataset", headers=world.owner)).json()
    storage = (await client.get(f"{ACME}/dataset-storage", headers=world.owner)).json()
    return (listed, await stored(state), storage["usedBytes"]) == ([], [], 0)


class TestForm:
    async def test_upload_broken_off_anywhere_leaves_nothing(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        whole = HEAD + JSON + TAIL
        for cut in range(0, len(whole) - 2, 7):
            answer = await send(client, world, whole[:cut])
            assert answer.status_code == 400, cut
        assert await nothing_is_left(client, world, state)
        assert (await send(client, world, whole)).status_code == 200

    async def test_pieces_of_any_size_make_the_same_file(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        whole = HEAD + JSON + TAIL

        async def pieces() -> AsyncIterator[bytes]:
            for number in range(len(whole)):
                yield whole[number : number + 1]

        answer = await client.post(
            f"{ACME}/dataset/raw?name=d&dataType=json/texts", content=pieces(), headers={**world.owner, **FORM}
        )
        assert answer.json()["sha256"] == hashlib.sha256(JSON).hexdigest()

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            (HEAD + JSON + b"\r\n" + HEAD + JSON + TAIL, 400),  # the same part twice
            (HEAD.replace(b'"file"', b'"other"') + JSON + TAIL, 400),
            (TAIL.removeprefix(b"\r\n"), 400),
            (b"no form", 400),
            (HEAD + TAIL, 400),  # an empty file
            (HEAD.replace(b"x.json", b"../x.json") + JSON + TAIL, 400),
            (HEAD.replace(b"x.json", b"%2e%2e%2fx") + JSON + TAIL, 400),
            (HEAD.replace(b"x.json", "x\u202enosj".encode()) + JSON + TAIL, 400),
            (HEAD.replace(b"x.json", b"\xff") + JSON + TAIL, 400),
            (HEAD.replace(b"\r\n\r\n", b"\r\nX: " + b"a" * 10_000 + b"\r\n\r\n") + JSON + TAIL, 400),
        ],
    )  # fmt: skip
    async def test_wrong_forms_are_refused(
        self, client: httpx.AsyncClient, world: World, state: CoreState, body: bytes, status: int
    ) -> None:
        assert (await send(client, world, body)).status_code == status
        assert await nothing_is_left(client, world, state)

    async def test_other_content_types_are_refused(self, client: httpx.AsyncClient, world: World) -> None:
        for kind in ("application/json", "multipart/form-data", "multipart/form-data; boundary=" + "b" * 71):
            headers = {**world.owner, "Content-Type": kind}
            answer = await client.post(f"{ACME}/dataset/raw?name=d", content=JSON, headers=headers)
            assert answer.status_code == 415

    async def test_digest_is_compared(self, client: httpx.AsyncClient, world: World, state: CoreState) -> None:
        whole, digest = HEAD + JSON + TAIL, hashlib.sha256(JSON).hexdigest()
        wrong = await send(client, world, whole, sha256="0" * 64)
        assert (wrong.json()["code"], wrong.json()["args"]["actual"]) == ("mlp.core.dataset_digest_differs", digest)
        assert (await send(client, world, whole, sha256="x")).status_code == 400
        assert await nothing_is_left(client, world, state)
        assert (await send(client, world, whole, sha256=digest)).status_code == 200

    async def test_strangers_and_members_upload_nothing(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        for headers, status in ((FORM, 401), ({**world.stranger, **FORM}, 403)):
            answer = await client.post(f"{ACME}/dataset/raw?name=d", content=HEAD + JSON + TAIL, headers=headers)
            assert answer.status_code == status
        assert await nothing_is_left(client, world, state)


def bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(12):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", bytes(50_000_000))
    return packed.getvalue()


class TestContent:
    @pytest.mark.parametrize(
        ("data_type", "content", "place", "problem"),
        [
            ("json/texts", b'{"texts": ["a",\n  1]}', ("2", "3"), "shape"),
            ("json/texts", b'["a"]', ("1", "1"), "shape"),
            ("json/any", b"[1,\n2,]", ("2", "3"), "not_json"),
            ("json/any", b"[" * 100_000, ("1", "1"), "too_deep"),
            ("json/any", b'["\\ud800"]', ("1", "1"), "surrogate"),
            ("json/any", b'["\\u0000"]', ("1", "1"), "nul"),
            ("json/any", b'["a\n\x00"]', ("2", "1"), "nul"),
            ("json/any", b'"a\n\xff"', ("2", "1"), "not_utf8"),
            ("json/any", b'"' + b"a" * 2_000_000 + b'"', ("1", "1"), "record_too_large"),
            ("json/any", b"PK\x03\x04", ("1", "1"), "archive"),
            ("json/lines", b'{"a": 1}\n[]\n', ("2", "1"), "shape"),
            ("json/lines", b'{"a": 1}\n{"b"}\n', ("2", "5"), "not_json"),
            ("json/tts-dictionary", b'{"dictionary": [{"original": "a"}]}', ("1", "17"), "shape"),
            ("plain/texts", b"a\nb\xffc\n", ("2", "2"), "not_utf8"),
            ("plain/texts", b"a" * 2_000_000, ("1", "1"), "record_too_large"),
            ("plain/texts", b"\xed\xa0\x80", ("1", "1"), "not_utf8"),
            ("csv/faq", b"a,b\n", ("1", "1"), "header"),
            ("csv/faq", b"question,answer,answer\n", ("1", "3"), "duplicate_column"),
            ("csv/faq", b"question,answer\na,b\nc\n", ("3", "2"), "row_width"),
            ("csv/faq", b'question,answer\n"a,b\n', ("2", "1"), "quote"),
            ("csv/texts-and-labels", b"," * 999_999, ("1", "101"), "too_many_columns"),
            ("csv/texts-and-labels", b'"\n",' * 600_000, ("1", "1"), "record_too_large"),
            ("xlsx/faq", b"PK\x03\x04 not really", ("1", "1"), "not_xlsx"),
            ("xlsx/faq", b"question,answer\n", ("1", "1"), "not_xlsx"),
        ],
    )  # fmt: skip
    async def test_wrong_content_is_refused_with_its_place(
        self, client: httpx.AsyncClient, world: World, state: CoreState,
        data_type: str, content: bytes, place: tuple[str, str], problem: str,
    ) -> None:  # fmt: skip
        answer = await upload(client, world, content, data_type)
        body = answer.json()
        assert (answer.status_code, body["code"]) == (400, "mlp.core.dataset_content_invalid"), body
        assert (body["args"]["problem"], (body["args"]["line"], body["args"]["column"])) == (problem, place)
        assert await nothing_is_left(client, world, state)

    async def test_archive_that_unpacks_to_too_much_is_refused(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        answer = await upload(client, world, bomb(), "xlsx/faq")
        assert answer.json()["args"]["problem"] == "archive_too_large"
        assert await nothing_is_left(client, world, state)

    async def test_suspicious_content_has_a_warning(self, client: httpx.AsyncClient, world: World) -> None:
        made = (await upload(client, world, b"question,answer\n=1+1,\n", "csv/faq")).json()
        assert made["warning"] == (
            "1 empty values, the first in line 2, column answer; "
            "1 values that spreadsheets read as formulas, the first in line 2, column question"
        )
        assert made["warnings"] == [
            {"code": "empty_values", "args": {"number": "1", "line": "2", "column": "answer"}},
            {"code": "formulas", "args": {"number": "1", "line": "2", "column": "question"}},
        ]

    @pytest.mark.parametrize(
        ("data_type", "content", "code"),
        [
            ("csv/texts-and-labels", b"text,label\n", "no_rows"),
            ("json/lines", b"\n", "no_lines"),
            ("json/any", b" ", "empty"),
            ("json/caila-intents", b"1", "unusual_document"),
        ],
    )
    async def test_content_that_says_nothing_has_a_warning(
        self, client: httpx.AsyncClient, world: World, data_type: str, content: bytes, code: str
    ) -> None:
        made = (await upload(client, world, content, data_type)).json()
        assert [each["code"] for each in made["warnings"]] == [code]

    async def test_refused_content_keeps_the_old_one(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        made = (await send(client, world, HEAD + JSON + TAIL)).json()
        url = f"{ACME}/dataset/{made['id']['datasetId']}"
        refused = await client.post(f"{url}/content", files={"file": ("x", b"{")}, headers=world.owner)
        assert refused.status_code == 400
        assert (await client.get(url, headers=world.owner)).json() == made
        assert (await client.get(f"{url}/content", headers=world.owner)).content == JSON
        assert len(await stored(state)) == 1


class TestSize:
    async def test_only_uploads_may_be_larger_than_other_bodies(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        large = b'["' + b"a" * 500_000 + b'"' + b" " * state.settings.max_body_bytes + b"]"
        assert (await upload(client, world, large, "json/any")).status_code == 200
        body = {"name": "n", "content": large.decode()}
        assert (await client.post(f"{ACME}/dataset", json=body, headers=world.owner)).status_code == 413

    async def test_larger_dataset_than_the_platform_takes_is_refused(
        self, app: FastAPI, state: CoreState, client: httpx.AsyncClient, world: World
    ) -> None:
        small = replace(state, settings=state.settings.model_copy(update={"dataset_bytes": 100}))
        app.state.service = small
        refused = await upload(client, world, b'["' + b"a" * 100 + b'"]', "json/any")
        assert (refused.json()["code"], refused.json()["args"]["limit"]) == ("mlp.core.dataset_too_large", "100")
        assert await nothing_is_left(client, world, state)

    async def test_account_has_a_few_transfers_at_once(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        with ExitStack() as places:
            for _ in range(state.transfers.of_account):
                places.enter_context(state.transfers.place(world.acme.account_id))
            refused = await upload(client, world, JSON, "json/any")
        assert (refused.status_code, refused.json()["code"]) == (429, "mlp.core.too_many_transfers")
        assert (await upload(client, world, JSON, "json/any")).status_code == 200


class TestLimit:
    async def _limit(self, client: httpx.AsyncClient, world: World, limit: str) -> None:
        url = f"/api/mlpcore/admin/account/{world.acme.account_id}/limits"
        current = (await client.get(f"/api/mlpcore/account/{world.acme.account_id}", headers=world.owner)).json()
        answer = await client.post(url, json={**current["limits"], "storageLimit": limit}, headers=world.admin)
        assert answer.status_code == 200, answer.text

    async def test_account_stores_no_more_than_its_limit(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        await self._limit(client, world, "100")
        sixty = b'["' + b"a" * 56 + b'"]'
        posts = [
            client.post(f"{ACME}/dataset/raw?name=n{n}", files={"file": ("x", sixty)}, headers=world.owner)
            for n in range(4)
        ]
        answers = await asyncio.gather(*posts)
        assert sorted(answer.status_code for answer in answers) == [200, 413, 413, 413]
        refused = next(answer.json() for answer in answers if answer.status_code == 413)
        assert refused["code"] == "mlp.core.storage_limit_exceeded"
        assert (refused["args"]["name"], refused["args"]["limit"]) == ("storageLimit", "100")
        storage = (await client.get(f"{ACME}/dataset-storage", headers=world.owner)).json()
        most = state.settings.dataset_bytes
        assert storage == {"limitBytes": 100, "usedBytes": 60, "datasets": 1, "datasetLimitBytes": most}
        assert len(await stored(state)) == 1

    async def test_replaced_content_makes_room(self, client: httpx.AsyncClient, world: World) -> None:
        await self._limit(client, world, "100")
        made = (await upload(client, world, b'["' + b"a" * 56 + b'"]', "json/any")).json()
        url = f"{ACME}/dataset/{made['id']['datasetId']}"
        for size, status in ((100, 200), (101, 413), (14, 200)):
            content = b'["' + b"a" * (size - 4) + b'"]'
            answer = await client.post(f"{url}/content", files={"file": ("x", content)}, headers=world.owner)
            assert answer.status_code == status
        storage = (await client.get(f"{ACME}/dataset-storage", headers=world.owner)).json()
        listed = (await client.get(f"{ACME}/dataset", headers=world.owner)).json()
        assert storage["usedBytes"] == sum(each["size"] for each in listed) == 14


class TestReplacedContent:
    async def test_readers_may_open_it_for_fifteen_minutes(
        self, client: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock
    ) -> None:
        url = f"{ACME}/dataset/{(await send(client, world, HEAD + JSON + TAIL)).json()['id']['datasetId']}"
        (earlier,) = await stored(state)
        for content in (b'{"texts": ["b"]}', b'{"texts": ["c"]}'):
            answer = await client.post(f"{url}/content", files={"file": ("x", content)}, headers=world.owner)
            assert answer.status_code == 200, answer.text
        clock.advance(timedelta(minutes=14))
        await sweep(state, young=timedelta(0))
        await sweep_buckets(state)
        assert (await state.objects.get(earlier), len(await stored(state))) == (JSON, 3)
        clock.advance(timedelta(minutes=1))
        await sweep_buckets(state)
        assert len(await stored(state)) == 1
        assert (await client.get(f"{url}/content", headers=world.owner)).json() == {"texts": ["c"]}

    async def test_frequent_changes_keep_no_more_than_the_limit_of_the_account(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        current = (await client.get(ACME, headers=world.owner)).json()
        limits = {**current["limits"], "storageLimit": str(2 * len(JSON))}
        await client.post("/api/mlpcore/admin/account/acme/limits", json=limits, headers=world.admin)
        url = f"{ACME}/dataset/{(await send(client, world, HEAD + JSON + TAIL)).json()['id']['datasetId']}"
        for _ in range(4):
            answer = await client.post(f"{url}/content", files={"file": ("x", JSON)}, headers=world.owner)
            assert answer.status_code == 200, answer.text
        assert len(await stored(state)) == 3


class TestSweep:
    async def test_object_without_a_row_is_deleted_when_it_is_old(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        """A process that ends between the object and its row leaves this behind."""
        await send(client, world, HEAD + JSON + TAIL)
        kept = await stored(state)
        await state.objects.put("datasets/1/orphan", b"x")
        await sweep(state)
        assert len(await stored(state)) == 2
        await sweep(state, young=timedelta(0))
        assert await stored(state) == kept

    async def test_object_whose_row_was_deleted_first_is_swept(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        """A process that ends between the deletion of the row and of the object leaves this behind."""
        made = (await send(client, world, HEAD + JSON + TAIL)).json()
        key = (await stored(state))[0]
        await client.delete(f"{ACME}/dataset/{made['id']['datasetId']}", headers=world.owner)
        assert await stored(state) == []
        await state.objects.put(key, JSON)
        await sweep(state, young=timedelta(0))
        assert await stored(state) == []
