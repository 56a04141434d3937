"""Pages and changes of rows, and downloads in other types."""

import httpx
import pytest

from mlpcore.state import CoreState
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"


async def made(
    client: httpx.AsyncClient, world: World, data_type: str, content: bytes
) -> tuple[str, dict[str, object]]:
    answer = await client.post(
        f"{ACME}/dataset/raw",
        params={"name": "d", "dataType": data_type},
        files={"file": ("x", content)},
        headers=world.owner,
    )
    assert answer.status_code == 200, answer.text
    return f"{ACME}/dataset/{answer.json()['id']['datasetId']}", answer.json()


TABLES = [
    ("plain/texts", b"0\n1\n2\n", [["0"], ["1"], ["2"]]),
    ("json/texts", b'{"texts": ["0", "1", "2"]}', [["0"], ["1"], ["2"]]),
    ("csv/faq", b"answer,question,x\na,0,\na,1,\na,2,\n", [["a", "0", ""], ["a", "1", ""], ["a", "2", ""]]),
    (
        "json/tts-dictionary",
        b'{"dictionary": [{"original": "0", "replacement": "a"}, {"original": "1", "replacement": "b"}]}',
        [["0", "a"], ["1", "b"]],
    ),
]


class TestRows:
    @pytest.mark.parametrize(("data_type", "content", "rows"), TABLES)
    async def test_pages_show_all_rows(
        self, client: httpx.AsyncClient, world: World, data_type: str, content: bytes, rows: list[list[str]]
    ) -> None:
        path, info = await made(client, world, data_type, content)
        shown: list[list[str]] = []
        for first in range(0, len(rows), 2):
            page = (await client.get(f"{path}/rows?first={first}&size=2", headers=world.owner)).json()
            assert (page["total"], page["version"], page["columns"]) == (len(rows), 1, info["columns"])
            shown += page["rows"]
        assert shown == rows

    @pytest.mark.parametrize("first", [3, 9_007_199_254_740_990])
    async def test_page_behind_the_last_row_is_empty_and_reads_nothing(
        self, client: httpx.AsyncClient, world: World, state: CoreState, first: int
    ) -> None:
        path, _ = await made(client, world, "plain/texts", b"0\n1\n2\n")
        async for batch in state.objects.entries("datasets"):
            for stored in batch:
                await state.objects.delete(stored.key)
        page = await client.get(f"{path}/rows?first={first}", headers=world.owner)
        assert page.status_code == 200, page.text
        assert (page.json()["rows"], page.json()["total"], page.json()["first"]) == ([], 3, first)

    async def test_changes_apply_together(self, client: httpx.AsyncClient, world: World) -> None:
        path, _ = await made(client, world, "json/texts", b'{"texts": ["a", "b", "c"]}')
        body = {
            "version": 1,
            "changes": [{"row": 0, "values": ["A"]}, {"row": 1, "values": None}],
            "added": [["\u043d\u043e\u0432\u044b\u0439"]],
        }
        changed = (await client.post(f"{path}/rows", json=body, headers=world.owner)).json()
        assert (changed["rows"], changed["version"]) == (3, 2)
        content = (await client.get(f"{path}/content", headers=world.owner)).json()
        assert content == {"texts": ["A", "c", "\u043d\u043e\u0432\u044b\u0439"]}
        late = await client.post(f"{path}/rows", json=body, headers=world.owner)
        assert (late.status_code, late.json()["code"]) == (409, "mlp.core.conflict")

    async def test_wrong_changes_are_refused(self, client: httpx.AsyncClient, world: World) -> None:
        path, _ = await made(client, world, "csv/texts-and-labels", b"a,b\n")
        body = {"version": 1, "changes": [{"row": 1, "values": ["a", "b"]}, {"row": 0, "values": ["a"]}]}
        answer = await client.post(f"{path}/rows", json=body, headers=world.owner)
        assert list(answer.json()["args"]) == ["changes.0.row", "changes.1.values"]
        nul = {"version": 1, "added": [["a\u0000", "b"]]}
        assert (await client.post(f"{path}/rows", json=nul, headers=world.owner)).status_code == 400

    async def test_content_without_rows_is_refused(self, client: httpx.AsyncClient, world: World) -> None:
        path, _ = await made(client, world, "json/any", b"{}")
        answer = await client.get(f"{path}/rows", headers=world.owner)
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.dataset_not_table")

    async def test_rows_are_added_to_an_empty_dataset(self, client: httpx.AsyncClient, world: World) -> None:
        body = {"name": "e", "dataType": "xlsx/faq"}
        info = (await client.post(f"{ACME}/dataset/empty", json=body, headers=world.owner)).json()
        path = f"{ACME}/dataset/{info['id']['datasetId']}"
        assert (await client.get(f"{path}/rows", headers=world.owner)).json()["columns"] == ["question", "answer"]
        added = {"version": 1, "added": [["q", "=a"]]}
        assert (await client.post(f"{path}/rows", json=added, headers=world.owner)).status_code == 200
        csv = await client.get(f"{path}/content?type=csv/faq", headers=world.owner)
        assert csv.content == b"question,answer\r\nq,'=a\r\n"


class TestDownload:
    async def test_content_is_converted(self, client: httpx.AsyncClient, world: World) -> None:
        path, info = await made(client, world, "csv/faq", b"question,answer,topic\nq,a,t\n")
        assert info["allowedTypes"] == ["json/faq", "csv/faq", "xlsx/faq"]
        json = await client.get(f"{path}/content?type=json/faq", headers=world.owner)
        assert json.json() == {"items": [{"question": "q", "answer": "a", "topic": "t"}]}
        xlsx = await client.get(f"{path}/content?type=xlsx/faq", headers=world.owner)
        assert xlsx.content.startswith(b"PK")
        assert xlsx.headers["content-disposition"].startswith('attachment; filename="d.xlsx"')
        assert int(xlsx.headers["content-length"]) == len(xlsx.content)

    async def test_other_contents_are_no_target(self, client: httpx.AsyncClient, world: World) -> None:
        path, _ = await made(client, world, "csv/faq", b"question,answer\nq,a\n")
        for wanted in ("json/texts", "nothing", "json/faq\u202e"):
            answer = await client.get(f"{path}/content", params={"type": wanted}, headers=world.owner)
            assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.dataset_not_convertible")
        texts, _ = await made_texts(client, world)
        refused = await client.get(f"{texts}/content?type=plain/texts", headers=world.owner)
        assert (refused.json()["args"]["problem"], refused.json()["args"]["line"]) == ("line_break", "1")


async def made_texts(client: httpx.AsyncClient, world: World) -> tuple[str, object]:
    body = {"name": "t", "dataType": "json/texts", "content": '{"texts": ["a\\nb"]}'}
    info = (await client.post(f"{ACME}/dataset", json=body, headers=world.owner)).json()
    return f"{ACME}/dataset/{info['id']['datasetId']}", info
