"""Secrets are sent only for the start of an instance."""

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


async def test_server_gets_secrets_until_it_reports_the_instance(
    client: httpx.AsyncClient, publisher: World, agent: AgentTwin, secret_id: int
) -> None:
    await client.post(f"{MODEL}/instances", json=1, headers=publisher.owner)
    whole = {"GREETING": "it's $HOME", "API_SECRET": "s", "OPENAI_API_KEY": "first-canary"}
    await agent.beat()  # its response counts as lost
    ((number, wanted),) = (await agent.beat()).items()
    assert wanted.service_env == whole
    assert wanted.platform_env["MLP_SERVICE_TOKEN"]
    (told,) = (await agent.beat(report(number, ReportedPhase.STARTING))).values()
    assert (told.service_env, told.command_flags, told.platform_env["MLP_SERVICE_TOKEN"]) == ({}, (), "")
    (again,) = (await agent.beat(report(number, ReportedPhase.RUNNING, generation=1))).values()
    assert again.service_env == whole


async def test_new_value_reaches_only_later_starts(
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


async def test_no_response_about_an_instance_contains_a_secret(
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
