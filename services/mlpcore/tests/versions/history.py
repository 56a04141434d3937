"""A service whose settings change, and its versions."""

from typing import Any

import httpx

from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
MODEL = f"{ACME}/model"
GREETING = f"{MODEL}/greeting"
VERSIONS = f"{GREETING}/versions"
SEEN = ("kind", "restoredVersion", "changes")


async def made(client: httpx.AsyncClient, world: World, **fields: object) -> int:
    """Creates the service; returns its id."""
    answer = await client.post(MODEL, json={"modelName": "greeting", **fields}, headers=world.owner)
    assert answer.status_code == 200, answer.text
    return int(answer.json()["id"]["modelId"])


async def change(client: httpx.AsyncClient, world: World, path: str = "", /, **fields: object) -> None:
    body = fields if path else {"modelName": "greeting", **fields}
    answer = await client.post(f"{GREETING}{path}", json=body, headers=world.owner)
    assert answer.status_code == 200, answer.text


async def page(client: httpx.AsyncClient, world: World, path: str = VERSIONS, **query: int | str) -> dict[str, Any]:
    answer = await client.get(path, params=query, headers=world.owner)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def versions(client: httpx.AsyncClient, world: World, path: str = VERSIONS) -> list[dict[str, Any]]:
    """Returns all versions, the newest first."""
    records: list[dict[str, Any]] = (await page(client, world, path, size=1000))["records"]
    return records


async def restoring(client: httpx.AsyncClient, world: World, number: int) -> list[dict[str, Any]]:
    """Returns what restoring the version would change now."""
    found: list[dict[str, Any]] = (await page(client, world, f"{VERSIONS}/{number}"))["restoring"]
    return found


async def restore(client: httpx.AsyncClient, headers: dict[str, str], number: int) -> httpx.Response:
    return await client.post(f"{VERSIONS}/{number}/restore", headers=headers)


async def settings(client: httpx.AsyncClient, world: World) -> dict[str, Any]:
    answer = await client.get(GREETING, headers=world.owner)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def shown(field: str, before: object, after: object) -> dict[str, object]:
    return {
        "field": field, "hidden": False, "before": before, "after": after, "beforeLength": None, "afterLength": None,
    }  # fmt: skip


def hidden(field: str) -> dict[str, object]:
    return shown(field, None, None) | {"hidden": True}
