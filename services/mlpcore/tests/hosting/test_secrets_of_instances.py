"""Secrets reach an instance when it starts, and nothing else at any time."""

from collections.abc import Awaitable, Callable

import httpx
import pytest

from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_testing.agents import AgentTwin, report
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
MODEL = f"{ACME}/model/greeting"
Told = Callable[..., Awaitable[None]]


@pytest.fixture
async def secret_id(client: httpx.AsyncClient, publisher: World, model_id: int) -> int:
    body = {"name": "LLM", "value": "first-canary"}
    made = await client.post(f"{ACME}/secret", json=body, headers=publisher.owner)
    changed = {"modelName": "greeting", "secretEnv": {"OPENAI_API_KEY": "LLM"}}
    assert (await client.post(MODEL, json=changed, headers=publisher.owner)).status_code == 200
    return int(made.json()["secretId"])


async def test_a_server_gets_them_until_it_speaks_of_the_instance(
    client: httpx.AsyncClient, publisher: World, agent: AgentTwin, secret_id: int
) -> None:
    await client.post(f"{MODEL}/instances", json=1, headers=publisher.owner)
    whole = {"GREETING": "it's $HOME", "API_SECRET": "s", "OPENAI_API_KEY": "first-canary"}
    await agent.beat()  # and this answer was lost
    ((number, wanted),) = (await agent.beat()).items()
    assert wanted.service_env == whole
    assert wanted.platform_env["MLP_SERVICE_TOKEN"]
    (told,) = (await agent.beat(report(number, ReportedPhase.STARTING))).values()
    assert (told.service_env, told.command_flags, told.platform_env["MLP_SERVICE_TOKEN"]) == ({}, (), "")
    (again,) = (await agent.beat(report(number, ReportedPhase.RUNNING, generation=1))).values()
    assert again.service_env == whole


async def test_a_new_value_is_for_the_next_start(
    client: httpx.AsyncClient, publisher: World, agent: AgentTwin, secret_id: int
) -> None:
    await client.post(f"{MODEL}/instances", json=1, headers=publisher.owner)
    (first,) = await agent.beat()
    await client.post(f"{ACME}/secret/{secret_id}", json={"value": "second-canary"}, headers=publisher.owner)
    await client.post(f"{MODEL}/instances", json=2, headers=publisher.owner)
    desired = await agent.beat(report(first, ReportedPhase.RUNNING))
    given = {number: one.service_env.get("OPENAI_API_KEY") for number, one in desired.items()}
    assert given.pop(first) is None
    assert list(given.values()) == ["second-canary"]


async def test_no_answer_about_an_instance_shows_one(
    client: httpx.AsyncClient, publisher: World, agent: AgentTwin, secret_id: int
) -> None:
    await client.post(f"{MODEL}/instances", json=1, headers=publisher.owner)
    (number,) = await agent.beat()
    external = await client.post(f"{MODEL}/external", headers=publisher.owner)
    assert external.json()["withheldVariables"] == ["API_SECRET", "OPENAI_API_KEY"]
    texts = [external.text]
    for place in ("environment", "events", "laststate", "timing", "file/logs"):
        answer = await client.get(f"{MODEL}/instance/{number}/{place}", headers=publisher.owner)
        assert answer.status_code == 200, answer.text
        texts.append(answer.text)
    for path in (MODEL, f"{MODEL}/external", f"{MODEL}/instance", f"{MODEL}/status", f"{MODEL}/logs", f"{ACME}/secret"):
        answer = await client.get(path, headers=publisher.owner)
        texts.append(answer.text)
    assert "first-canary" not in "".join(texts)
