"""The machine's clock jumps by an hour, ahead and back, while callers call."""

import asyncio
import json

import httpx
import pytest

from tests.attacks.preloads import Deceived

_CALLS = 40


class TestClockJump:
    @pytest.mark.parametrize("seconds", [3600, -3600, 0], ids=["ahead", "back by two", "to where it was"])
    async def test_clock_jump_of_an_hour_refuses_no_call(self, deceived_platform: Deceived, seconds: int) -> None:
        """Paid calls continue, and people stay signed in."""
        target = deceived_platform.target
        key = json.loads((target.data / "demo.json").read_text())["api_key"]
        path = "/api/mlpgateway/account/acme/model/greeting/predict"
        async with httpx.AsyncClient(base_url=target.url, headers={"MLP-API-KEY": key}, timeout=60) as client:
            await _call(client, path)
            deceived_platform.clock.shift(seconds)
            for _ in range(_CALLS):
                await _call(client, path)
                await asyncio.sleep(0.1)


async def _call(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.post(path, json={"name": "Ada"})
    assert answer.status_code == 200, answer.text
