"""Five models of two accounts, made through the API."""

import httpx
import pytest

from mlplace_testing.world import World


@pytest.fixture
async def models(client: httpx.AsyncClient, publisher: World) -> tuple[int, ...]:
    """Their ids: the first, third and fifth are acme's and run `acme/i:1`, the others globex's and run `globex/i:1`."""
    made: list[int] = []
    images: dict[str, dict[str, int]] = {}
    for number in range(5):
        account, people = (("acme", publisher.owner), ("globex", publisher.stranger))[number % 2]
        path = f"/api/mlpcore/account/{account}"
        if account not in images:
            answer = await client.post(f"{path}/image", json={"name": "i", "image": f"{account}/i:1"}, headers=people)
            images[account] = answer.json()["id"]
        body = {
            "modelName": f"m{number}", "imageId": images[account]["imageId"], "hostingType": "INTERNAL",
            "imageAccountId": images[account]["accountId"],
        }  # fmt: skip
        answer = await client.post(f"{path}/model", json=body, headers=people)
        assert answer.status_code == 200, answer.text
        made.append(answer.json()["id"]["modelId"])
    return tuple(made)
