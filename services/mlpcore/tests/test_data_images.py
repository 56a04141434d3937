"""Data images, and the mounts of models that refer to them."""

import asyncio
from typing import Any

import httpx
import pytest

from mlpcore.state import CoreState
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
GLOBEX = "/api/mlpcore/account/globex"


async def made(client: httpx.AsyncClient, headers: dict[str, str], url: str = ACME, **data: object) -> dict[str, Any]:
    body = {"name": "weights", "image": "registry.example/acme/weights:1", "sourcePath": "/weights"} | data
    answer = await client.post(f"{url}/data-image", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def path_of(image: dict[str, Any], url: str = ACME) -> str:
    return f"{url}/data-image/{image['id']['imageId']}"


def mount(image: dict[str, Any], target: str = "/data", **others: object) -> dict[str, Any]:
    ids = image["id"]
    return {"dataImageAccountId": ids["accountId"], "dataImageId": ids["imageId"], "targetPath": target, **others}


async def model(
    client: httpx.AsyncClient, headers: dict[str, str], *mounts: dict[str, Any], url: str = ACME, **fields: object
) -> httpx.Response:
    body = {"modelName": "m", "dataImageMounts": list(mounts), **fields}
    return await client.post(f"{url}/model", json=body, headers=headers)


class TestDataImages:
    async def test_created_one_is_read_listed_and_changed(self, client: httpx.AsyncClient, world: World) -> None:
        image = await made(client, world.owner)
        assert image == {
            "id": image["id"],
            "name": "weights",
            "imageAccountName": "acme",
            "image": "registry.example/acme/weights:1",
            "sourcePath": "/weights",
            "accessMode": "private",
        }
        assert (await client.get(path_of(image), headers=world.owner)).json() == image
        wanted = image | {"name": "w2", "image": "acme/w:2", "sourcePath": "/w/v2", "accessMode": "public"}
        assert (await client.post(path_of(image), json=wanted, headers=world.owner)).json() == wanted
        listed = (await client.get(f"{ACME}/data-image?name=W2&sort=sourcePath,desc", headers=world.owner)).json()
        assert listed["records"] == [wanted]
        log = (await client.get(f"{path_of(image)}/logs", headers=world.owner)).json()
        assert [entry["code"] for entry in log] == ["DATA_IMAGE_CHANGED", "DATA_IMAGE_CREATED"]
        assert log[0]["args"]["sourcePathChange"] == ["/weights", "/w/v2"]

    async def test_account_has_a_limited_number_of_them(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        object.__setattr__(state.settings, "data_images_per_account", 3)
        bodies = [{"name": f"n{number}", "image": "acme/w", "sourcePath": "/w"} for number in range(6)]
        answers = await asyncio.gather(
            *(client.post(f"{ACME}/data-image", json=body, headers=world.owner) for body in bodies)
        )
        assert sorted(answer.status_code for answer in answers) == [200] * 3 + [403] * 3
        refused = next(answer.json() for answer in answers if answer.status_code == 403)
        assert refused["code"] == "mlp.core.data_image_limit_exceeded"
        assert refused["args"] == {"limit": "3", "used": "3"}
        await made(client, world.stranger, GLOBEX)  # others have their own limit
        image = {"name": "n", "image": "acme/w"}  # images are counted apart
        assert (await client.post(f"{ACME}/image", json=image, headers=world.owner)).status_code == 200
        first = next(answer.json() for answer in answers if answer.status_code == 200)
        assert (await client.delete(path_of(first), headers=world.owner)).status_code == 200
        await made(client, world.owner)

    @pytest.mark.parametrize("path", ["", "weights", "/", "/a/../b", "/a b", "/a/$(id)", "/a\x00", "/" + "x" * 600])
    async def test_folder_that_is_no_plain_path_is_refused(
        self, client: httpx.AsyncClient, world: World, path: str
    ) -> None:
        body = {"name": "n", "image": "acme/w", "sourcePath": path}
        answer = await client.post(f"{ACME}/data-image", json=body, headers=world.owner)
        assert (answer.status_code, list(answer.json()["args"])) == (400, ["sourcePath"])

    async def test_address_name_and_id_are_checked(self, client: httpx.AsyncClient, world: World) -> None:
        first, second = await made(client, world.owner), await made(client, world.owner, name="other")
        taken = await client.post(path_of(second), json=second | {"name": "weights"}, headers=world.owner)
        assert (taken.status_code, taken.json()["code"]) == (409, "mlp.core.name_already_exists")
        confused = await client.post(path_of(second), json=second | {"id": first["id"]}, headers=world.owner)
        assert list(confused.json()["args"]) == ["id"]
        wrong = await client.post(path_of(second), json=second | {"image": "a;rm -rf /"}, headers=world.owner)
        assert list(wrong.json()["args"]) == ["image"]

    @pytest.mark.parametrize(("mode", "status"), [("private", 404), ("restricted", 200), ("public", 200)])
    async def test_other_accounts_see_only_shared_ones(
        self, client: httpx.AsyncClient, world: World, mode: str, status: int
    ) -> None:
        image = await made(client, world.owner, accessMode=mode)
        answer = await client.get(path_of(image), headers=world.stranger)
        assert answer.status_code == status
        if mode == "restricted":
            assert (answer.json()["image"], answer.json()["sourcePath"]) == ("", "/weights")
        listed = (await client.get(f"{GLOBEX}/data-image", headers=world.stranger)).json()["records"]
        assert len(listed) == (0 if mode == "private" else 1)
        assert (await client.get(f"{GLOBEX}/data-image?onlyMy=true", headers=world.stranger)).json()["records"] == []
        assert (await client.get(path_of(image))).status_code == 401

    async def test_hidden_address_does_not_decide_the_order(self, client: httpx.AsyncClient, world: World) -> None:
        hidden = await made(client, world.owner, accessMode="restricted", image="m/hidden")
        for name, address in (("below", "a/own"), ("above", "z/own")):
            await made(client, world.stranger, GLOBEX, name=name, image=address)
        for way in ("asc", "desc"):
            listed = (await client.get(f"{GLOBEX}/data-image?sort=image,{way}", headers=world.stranger)).json()
            names = [record["name"] for record in listed["records"]]
            assert names == (["weights", "below", "above"] if way == "asc" else ["above", "below", "weights"])
        assert hidden["image"] == "m/hidden"

    async def test_one_of_another_account_looks_missing(self, client: httpx.AsyncClient, world: World) -> None:
        path = path_of(await made(client, world.owner, accessMode="public"), GLOBEX)
        body = {"name": "n", "image": "x/y", "sourcePath": "/z"}
        answers = [
            await client.post(path, json=body, headers=world.stranger),
            await client.delete(path, headers=world.stranger),
            await client.get(f"{path}/logs", headers=world.stranger),
        ]
        assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(404, "mlp.core.not_found")}

    async def test_is_deleted_only_when_no_model_of_any_account_mounts_it(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        image = await made(client, world.owner, accessMode="public")
        assert (await model(client, world.stranger, mount(image), url=GLOBEX)).status_code == 200
        refused = await client.delete(path_of(image), headers=world.owner)
        assert (refused.status_code, refused.json()["code"]) == (409, "mlp.core.in_use")
        assert (refused.json()["args"]["use"], refused.json()["args"]["count"]) == ("services", "1")
        await client.delete(f"{GLOBEX}/model/m", headers=world.stranger)
        await model(client, world.owner, mount(image), modelName="mine")
        named = (await client.delete(path_of(image), headers=world.owner)).json()["args"]
        assert (named["use"], named["names"]) == ("named", "mine")
        await client.delete(f"{ACME}/model/mine", headers=world.owner)
        assert (await client.delete(path_of(image), headers=world.owner)).status_code == 200
        assert (await client.get(path_of(image), headers=world.owner)).status_code == 404


class TestMounts:
    async def test_model_shows_its_mounts_with_name_address_and_folder(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        image = await made(client, world.owner)
        sent = mount(image, dataImage="forged", dataImageName="forged", sourcePath="/forged")
        answer = await model(client, world.owner, sent)
        assert answer.status_code == 200, answer.text
        shown = (await client.get(f"{ACME}/model/m", headers=world.owner)).json()["dataImageMounts"]
        described = {"dmId": 1, "dataImage": image["image"], "dataImageName": "weights", "sourcePath": "/weights"}
        assert shown == [{**mount(image), **described}]
        number = image["id"]["imageId"]
        used = (await client.get(f"{ACME}/model?dataImageId={number}", headers=world.owner)).json()["records"]
        assert [record["modelName"] for record in used] == ["m"]

    async def test_others_do_not_see_them(self, client: httpx.AsyncClient, publisher: World) -> None:
        await model(client, publisher.owner, mount(await made(client, publisher.owner)))
        await client.post(f"{ACME}/model/m/public-settings", json={"isPublic": True}, headers=publisher.owner)
        assert (await client.get(f"{ACME}/model/m", headers=publisher.stranger)).json()["dataImageMounts"] == []

    async def test_address_of_a_restricted_one_stays_hidden(self, client: httpx.AsyncClient, world: World) -> None:
        image = await made(client, world.owner, accessMode="restricted")
        await model(client, world.stranger, mount(image), url=GLOBEX)
        (shown,) = (await client.get(f"{GLOBEX}/model/m", headers=world.stranger)).json()["dataImageMounts"]
        assert (shown["dataImage"], shown["dataImageName"]) == ("", "weights")

    async def test_private_one_of_another_account_looks_missing(self, client: httpx.AsyncClient, world: World) -> None:
        image = await made(client, world.owner)
        answer = await model(client, world.stranger, mount(image), url=GLOBEX)
        missing = await model(client, world.stranger, mount(image) | {"dataImageId": 999_999}, url=GLOBEX)
        assert answer.status_code == missing.status_code == 400
        assert answer.json()["args"] == missing.json()["args"]
        assert list(answer.json()["args"]) == ["dataImageMounts.0.dataImageId"]

    async def test_the_account_named_must_be_the_data_images(self, client: httpx.AsyncClient, world: World) -> None:
        image = await made(client, world.owner)
        answer = await model(client, world.owner, mount(image) | {"dataImageAccountId": 999})
        assert list(answer.json()["args"]) == ["dataImageMounts.0.dataImageId"]

    async def test_sending_back_what_was_read_changes_nothing_after_the_owner_made_it_private(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        image = await made(client, world.owner, accessMode="public")
        await model(client, world.stranger, mount(image), url=GLOBEX)
        await client.post(path_of(image), json=image | {"accessMode": "private"}, headers=world.owner)
        shown = (await client.get(f"{GLOBEX}/model/m", headers=world.stranger)).json()
        body = {"modelName": "m", "dataImageMounts": shown["dataImageMounts"]}
        again = await client.post(f"{GLOBEX}/model/m", json=body, headers=world.stranger)
        assert again.status_code == 200, again.text
        assert again.json()["dataImageMounts"] == shown["dataImageMounts"]

    @pytest.mark.parametrize(
        ("targets", "field"),
        [
            (["/proc/x"], "0.targetPath"),
            (["/dev"], "0.targetPath"),
            (["/a", "/a/"], "1.targetPath"),
            (["/a/b", "/a"], "1.targetPath"),
            (["/a", "/a/b/c"], "1.targetPath"),
            (["/volume/inside"], "0.targetPath"),
        ],
    )
    async def test_paths_must_not_overlap_nor_hide_the_systems(
        self, client: httpx.AsyncClient, world: World, targets: list[str], field: str
    ) -> None:
        image = await made(client, world.owner)
        volume = {"mountPath": "/volume", "sizeInGb": 1, "storageClass": "fast"}
        mounts = [mount(image, target) for target in targets]
        answer = await model(client, world.owner, *mounts, persistentVolumes=[volume])
        assert (answer.status_code, list(answer.json()["args"])) == (400, [f"dataImageMounts.{field}"])

    async def test_volume_must_not_come_over_a_mount(self, client: httpx.AsyncClient, world: World) -> None:
        await model(client, world.owner, mount(await made(client, world.owner)))
        volume = {"mountPath": "/data/inner", "sizeInGb": 1, "storageClass": "fast"}
        body = {"modelName": "m", "persistentVolumes": [volume]}
        answer = await client.post(f"{ACME}/model/m", json=body, headers=world.owner)
        assert (answer.status_code, list(answer.json()["args"])) == (400, ["dataImageMounts.0.targetPath"])
        beside = {"modelName": "m", "persistentVolumes": [volume | {"mountPath": "/other"}]}
        assert (await client.post(f"{ACME}/model/m", json=beside, headers=world.owner)).status_code == 200
        shown = (await client.get(f"{ACME}/model/m", headers=world.owner)).json()
        assert [each["targetPath"] for each in shown["dataImageMounts"]] == ["/data"]

    async def test_key_that_is_limited_to_models_keeps_mounts_and_image_and_names_no_others(
        self, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        first, second = await made(client, world.owner), await made(client, world.owner, name="other")
        image = {"name": "own", "image": "acme/own"}
        image_id = (await client.post(f"{ACME}/image", json=image, headers=world.owner)).json()["id"]["imageId"]
        model_id = (await model(client, world.owner, mount(first))).json()["id"]["modelId"]
        key = identities.api_key(world.acme, allowed_models=(model_id,))
        for wanted, field in (
            ({"dataImageMounts": [mount(second)]}, "dataImageMounts.0.dataImageId"),
            ({"imageId": image_id}, "imageId"),
        ):
            refused = await client.post(f"{ACME}/model/m", json={"modelName": "m", **wanted}, headers=key)
            assert (refused.status_code, list(refused.json()["args"])) == (400, [field])
        kept = {"modelName": "m", "dataImageMounts": [mount(first, "/elsewhere")]}
        assert (await client.post(f"{ACME}/model/m", json=kept, headers=key)).status_code == 200

    async def test_strangers_do_not_learn_which_public_services_mount_it(
        self, client: httpx.AsyncClient, publisher: World
    ) -> None:
        image = await made(client, publisher.owner)
        await model(client, publisher.owner, mount(image))
        await client.post(f"{ACME}/model/m/public-settings", json={"isPublic": True}, headers=publisher.owner)
        path = f"/api/mlpcore/models?dataImageId={image['id']['imageId']}"
        assert (await client.get(path)).json()["records"] == []
        assert (await client.get(path, headers=publisher.stranger)).json()["records"] == []
        assert len((await client.get(path, headers=publisher.owner)).json()["records"]) == 1

    async def test_paths_beside_each_other_are_fine(self, client: httpx.AsyncClient, world: World) -> None:
        image = await made(client, world.owner)
        assert (await model(client, world.owner, mount(image, "/a"), mount(image, "/ab"))).status_code == 200


class TestClones:
    @pytest.mark.parametrize(("mode", "status"), [("private", 400), ("restricted", 200), ("public", 200)])
    async def test_clone_of_a_foreign_prototype_brings_what_its_account_may_mount(
        self, client: httpx.AsyncClient, publisher: World, mode: str, status: int
    ) -> None:
        image = await made(client, publisher.owner, accessMode=mode)
        await model(client, publisher.owner, mount(image), prototype=True)
        await client.post(f"{ACME}/model/m/public-settings", json={"isPublic": True}, headers=publisher.owner)
        answer = await client.post(f"{ACME}/model/m/clone?name=copy", headers=publisher.stranger)
        assert answer.status_code == status, answer.text
        if status == 200:
            assert [m["dataImageId"] for m in answer.json()["dataImageMounts"]] == [image["id"]["imageId"]]
        else:
            assert list(answer.json()["args"]) == ["dataImageMounts.0.dataImageId"]

    async def test_clone_of_an_own_service_keeps_a_mount_whose_owner_has_made_it_private(
        self, client: httpx.AsyncClient, publisher: World
    ) -> None:
        image = await made(client, publisher.stranger, GLOBEX, accessMode="public")
        await model(client, publisher.owner, mount(image))
        await client.post(path_of(image, GLOBEX), json=image | {"accessMode": "private"}, headers=publisher.stranger)
        answer = await client.post(f"{ACME}/model/m/clone?name=copy", headers=publisher.owner)
        assert answer.status_code == 200, answer.text
        assert len(answer.json()["dataImageMounts"]) == 1
