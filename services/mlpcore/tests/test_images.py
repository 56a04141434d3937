import asyncio

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlpcore.features.images.schemas import is_image_address
from mlpcore.state import CoreState
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
GLOBEX = "/api/mlpcore/account/globex"


async def _image(
    client: httpx.AsyncClient, headers: dict[str, str], url: str = ACME, **data: object
) -> dict[str, object]:
    body = {"name": "ner", "image": "registry.example:5000/acme/ner:1.0", "accessMode": "private"} | data
    answer = await client.post(f"{url}/image", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    made: dict[str, object] = answer.json()
    return made


def _path(image: dict[str, object], url: str = ACME) -> str:
    pk = image["id"]
    assert isinstance(pk, dict)
    return f"{url}/image/{pk['imageId']}"


class TestCreate:
    async def test_created_image_is_returned(self, client: httpx.AsyncClient, world: World) -> None:
        made = await _image(client, world.owner)
        assert made["imageAccountName"] == "acme"
        assert made["image"] == "registry.example:5000/acme/ner:1.0"
        assert (await client.get(_path(made), headers=world.owner)).json() == made

    async def test_concurrent_creations_with_one_name_succeed_once(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        body = {"name": "ner", "image": "acme/ner"}
        posts = [client.post(f"{ACME}/image", json=body, headers=world.owner) for _ in range(5)]
        answers = await asyncio.gather(*posts)
        assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]
        refused = next(answer for answer in answers if answer.status_code == 409)
        assert refused.json()["code"] == "mlp.core.name_already_exists"
        await _image(client, world.stranger, GLOBEX, name="ner")

    async def test_account_has_a_limited_number_of_images(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        object.__setattr__(state.settings, "images_per_account", 3)
        bodies = [{"name": f"n{number}", "image": "acme/ner"} for number in range(6)]
        answers = await asyncio.gather(
            *(client.post(f"{ACME}/image", json=body, headers=world.owner) for body in bodies)
        )
        assert sorted(answer.status_code for answer in answers) == [200] * 3 + [403] * 3
        refused = next(answer.json() for answer in answers if answer.status_code == 403)
        assert (refused["code"], refused["args"]) == ("mlp.core.image_limit_exceeded", {"limit": "3", "used": "3"})
        await _image(client, world.stranger, GLOBEX)  # others have their own limit
        made = next(answer.json() for answer in answers if answer.status_code == 200)
        changed = await client.post(_path(made), json=made | {"image": "acme/ner:2"}, headers=world.owner)
        assert changed.status_code == 200
        assert (await client.delete(_path(made), headers=world.owner)).status_code == 200
        await _image(client, world.owner)

    @pytest.mark.parametrize(
        "address",
        ["", "acme/Upper", "a b", "a;rm -rf /", "$(id)", "`id`", "a|b", "a&b", "-v/etc:/etc", "a:tag:tag", "a@sha256:12",
         "http://x/y", "a//b", "a/../b", "x" * 600, "a\nb", "ghcr.io/", "a:"],
    )  # fmt: skip
    async def test_invalid_address_is_refused(self, client: httpx.AsyncClient, world: World, address: str) -> None:
        answer = await client.post(f"{ACME}/image", json={"name": "n", "image": address}, headers=world.owner)
        assert (answer.status_code, list(answer.json()["args"])) == (400, ["image"])

    @pytest.mark.parametrize(
        "address",
        ["ubuntu", "acme/ner", "ghcr.io/a/b-c/d_e:v1", "localhost:5000/x@sha256:" + "a" * 64, "r.io/a__b:1-2_3.4"],
    )
    def test_valid_address_is_accepted(self, address: str) -> None:
        assert is_image_address(address)

    @given(st.text(max_size=80))
    def test_valid_address_contains_no_shell_metacharacter(self, text: str) -> None:
        if is_image_address(text):
            assert not set(text) & set(" ;|&$`<>()'\"\\\n\t*?[]{}!#~")
            assert not text.startswith("-")


class TestVisibility:
    @pytest.mark.parametrize(("mode", "status"), [("private", 404), ("restricted", 200), ("public", 200)])
    async def test_other_accounts_see_only_shared_images(
        self, client: httpx.AsyncClient, world: World, mode: str, status: int
    ) -> None:
        made = await _image(client, world.owner, accessMode=mode)
        answer = await client.get(_path(made), headers=world.stranger)
        assert answer.status_code == status
        if mode == "restricted":
            assert answer.json()["image"] == ""
        assert (await client.get(_path(made), headers=world.admin)).status_code == 200
        assert (await client.get(_path(made))).status_code == 401

    @pytest.mark.parametrize(
        ("belonging", "expected"),
        [
            ("ALL", ["g-public", "g-restricted", "private", "public", "restricted"]),
            ("MINE", ["private", "public", "restricted"]),
            ("MINE_PUBLIC", ["public"]),
            ("MINE_RESTRICTED", ["restricted"]),
            ("MINE_PRIVATE", ["private"]),
            ("NOT_MINE", ["g-public", "g-restricted"]),
        ],
    )
    async def test_list_is_filtered_by_belonging(
        self, client: httpx.AsyncClient, world: World, belonging: str, expected: list[str]
    ) -> None:
        for mode in ("private", "public", "restricted"):
            await _image(client, world.owner, name=mode, accessMode=mode)
            await _image(client, world.stranger, GLOBEX, name=f"g-{mode}", accessMode=mode)
        url = f"{ACME}/image-v2?belonging={belonging}&sort=name,asc"
        body = (await client.get(url, headers=world.owner)).json()
        assert [record["name"] for record in body["records"]] == expected
        assert body["paging"]["totalElements"] == len(expected)

    async def test_deprecated_list_pages_and_searches(self, client: httpx.AsyncClient, world: World) -> None:
        for number in range(5):
            await _image(client, world.owner, name=f"image-{number}")
        url = f"{ACME}/image?onlyMy=true&name=MAGE-&page=1&size=2"
        body = (await client.get(url, headers=world.owner)).json()
        assert [record["name"] for record in body["records"]] == ["image-2", "image-1"]
        assert body["paging"] == {"totalElements": 5, "totalPages": 3, "pageNumber": 1, "pageSize": 2}


class TestChange:
    async def test_every_field_is_updated(self, client: httpx.AsyncClient, world: World) -> None:
        made = await _image(client, world.owner)
        wanted = made | {"name": "ner2", "image": "acme/ner:2", "accessMode": "public"}
        assert (await client.post(_path(made), json=wanted, headers=world.owner)).json() == wanted

    async def test_taken_name_and_wrong_id_are_refused(self, client: httpx.AsyncClient, world: World) -> None:
        first, second = await _image(client, world.owner), await _image(client, world.owner, name="other")
        taken = await client.post(_path(second), json=second | {"name": "ner"}, headers=world.owner)
        assert taken.status_code == 409
        confused = await client.post(_path(second), json=second | {"id": first["id"]}, headers=world.owner)
        assert list(confused.json()["args"]) == ["id"]

    async def test_image_of_another_account_looks_missing(self, client: httpx.AsyncClient, world: World) -> None:
        made = await _image(client, world.owner, accessMode="public")
        path = _path(made, GLOBEX)
        answers = [
            await client.post(path, json={"name": "n", "image": "x/y"}, headers=world.stranger),
            await client.delete(path, headers=world.stranger),
            await client.delete(f"{GLOBEX}/image/999", headers=world.stranger),
        ]
        assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(404, "mlp.core.not_found")}

    async def test_image_is_deleted_only_when_no_model_uses_it(self, client: httpx.AsyncClient, world: World) -> None:
        made = await _image(client, world.owner, accessMode="public")
        body = {"modelName": "m", "imageId": made["id"]["imageId"]}  # type: ignore[index]  # JSON of a known shape
        used = await client.post(f"{GLOBEX}/model", json=body, headers=world.stranger)
        assert used.status_code == 200
        refused = await client.delete(_path(made), headers=world.owner)
        assert (refused.status_code, refused.json()["code"]) == (409, "mlp.core.in_use")
        assert (refused.json()["args"]["use"], refused.json()["args"]["count"]) == ("services", "1")
        own = await client.post(f"{ACME}/model", json=body | {"modelName": "mine"}, headers=world.owner)
        assert own.status_code == 200
        both = (await client.delete(_path(made), headers=world.owner)).json()
        assert both["message"] == "the image is in use: mine and 1 more services"
        assert (both["args"]["use"], both["args"]["names"], both["args"]["count"]) == ("named_and_more", "mine", "1")
        await client.delete(f"{ACME}/model/mine", headers=world.owner)
        await client.delete(f"{GLOBEX}/model/m", headers=world.stranger)
        assert (await client.delete(_path(made), headers=world.owner)).status_code == 200
        assert (await client.get(_path(made), headers=world.owner)).status_code == 404
