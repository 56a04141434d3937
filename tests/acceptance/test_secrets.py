"""A secret reaches an instance, and nobody can read it."""

import base64
import hashlib
import hmac

import httpx

from tests.acceptance.conftest import Platform

FILE = {"file_base64": base64.b64encode(b"one two").decode(), "fileName": "a.txt"}
ACME = "/api/mlpcore/account/acme"


def signature(platform: Platform) -> str:
    with platform.client(**{"MLP-API-KEY": platform.api_key}) as caller:
        answer = caller.post("/api/mlpgateway/account/acme/model/file-facts/predict", json=FILE, timeout=120)
    facts = answer.raise_for_status().json()
    assert facts["sha256"] == hashlib.sha256(b"one two").hexdigest()
    return str(facts["signature"])


def test_the_demo_signs_with_a_secret_that_its_owner_cannot_read(platform: Platform, owner: httpx.Client) -> None:
    assert len(signature(platform)) == 64
    (secret,) = owner.get(f"{ACME}/secret").raise_for_status().json()
    assert (secret["name"], [used["modelName"] for used in secret["usedBy"]]) == ("SIGNING_KEY", ["file-facts"])
    assert "value" not in secret
    model = owner.get(f"{ACME}/model/file-facts").raise_for_status().json()
    assert model["secretEnv"] == {"SIGNING_KEY": "SIGNING_KEY"}


def test_instances_that_start_after_a_change_get_the_new_value(platform: Platform, owner: httpx.Client) -> None:
    before = signature(platform)
    (secret,) = owner.get(f"{ACME}/secret").raise_for_status().json()
    owner.post(f"{ACME}/secret/{secret['secretId']}", json={"value": "rotated"}).raise_for_status()
    assert signature(platform) == before
    owner.post(f"{ACME}/model/file-facts/instances", json=0).raise_for_status()
    expected = hmac.digest(b"rotated", b"one two", "sha256").hex()
    for _ in range(20):  # the old instance finishes its calls first
        if signature(platform) == expected:
            return
    assert signature(platform) == expected
