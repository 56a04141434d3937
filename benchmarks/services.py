"""Models with each feature of the hot path."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from benchmarks.content import BODY, CALLER, OWNER, Content, add_service, external_instance, new_key, signed_in
from benchmarks.platform_stack import Stack
from benchmarks.processes import module

WORK_MS = 20
QUEUED_WORK_MS = 100
BATCH_SIZE, BATCH_WAIT_MS = 8, 5
_CONNECTED_SECONDS = 60.0
_MANY = 10**9

_QUEUE = {"enabled": True, "concurrencyLevel": 1000}
SETTINGS: Mapping[str, Mapping[str, object]] = {
    "bare": {},
    "full": {"priorityQueue": _QUEUE, "retriesConfig": {"maxRetries": 1, "timeoutsMs": [], "maxRetriesPerInstance": 1}},
    "single": {},
    "batched": {"batchesConfig": {"batchSize": BATCH_SIZE, "timeWaitMs": BATCH_WAIT_MS}},
    "queued": {"priorityQueue": {"enabled": True, "concurrencyLevel": 1}, "timeouts": {"predictTimeoutSec": 600}},
    "sleeper": {"rejectRequestsIfInactive": False, "timeouts": {"podStartTimeoutSec": 600}},
}
_WORKERS: Mapping[str, int] = {"single": WORK_MS, "batched": WORK_MS, "queued": QUEUED_WORK_MS}
KEY_LIMITS: Mapping[str, object] = {
    "requestLimit": _MANY, "requestLimitPeriod": "DAY", "maxRequestSize": _MANY, "maxRequestSizeUnit": "BYTES",
    "expenseLimit": _MANY,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Services:
    """`tokens` maps models to tokens of their instances. `limited` is a key with all kinds of limits."""

    tokens: Mapping[str, str]
    key: str
    limited: str

    def path(self, name: str) -> str:
        return f"/api/mlpgateway/account/owner/model/{name}/predict"

    def headers(self, name: str) -> dict[str, str]:
        return {"MLP-API-KEY": self.limited if name == "full" else self.key}


async def add(stack: Stack, content: Content) -> Services:
    """Start all instances except the sleeper's, and wait until they answer."""
    tokens: dict[str, str] = {}
    async with signed_in(stack, OWNER) as owner:
        for name, settings in SETTINGS.items():
            await add_service(owner, content.owner_id, name, settings, priced=name == "full")
            tokens[name] = await external_instance(owner, content.owner_id, name)
    async with signed_in(stack, CALLER) as caller:
        limited = await new_key(caller, content.caller_id, **KEY_LIMITS)
    for name, token in tokens.items():
        if name in _WORKERS:
            command = module("benchmarks.subjects.worker_instance", stack.gate_port, _WORKERS[name])
            stack.start(command, MLP_SERVICE_TOKEN=token)
        elif name != "sleeper":
            stack.start(module("benchmarks.subjects.echo_instance", stack.gate_port), MLP_SERVICE_TOKEN=token)
    services = Services(tokens, content.caller_key, limited)
    await _until_all_answer(stack, services)
    return services


async def _until_all_answer(stack: Stack, services: Services) -> None:
    deadline = time.monotonic() + _CONNECTED_SECONDS
    async with httpx.AsyncClient(base_url=stack.services["mlpgateway"].url, timeout=60) as client:
        for name in services.tokens:
            while name != "sleeper":
                answer = await client.post(services.path(name), content=BODY, headers=services.headers(name))
                if answer.is_success:
                    break
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{name}: {answer.text}")
                await asyncio.sleep(0.2)
