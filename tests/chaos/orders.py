"""What people order of a platform that may be killed at any moment, and what they may expect afterwards."""

from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Self

import httpx

from mlpcore.features.accounts.schemas import DEFAULT_LIMITS, AccountLimitsData
from standalone.demo.content import ADMIN, OWNER
from tests.acceptance.conftest import Platform
from tests.chaos.installation import OWN_GROUP
from tests.chaos.launcher import demo_services

MODELS = tuple(service.name for service in demo_services())
CALLED = MODELS[0]
"""The model that the load calls. A call wakes it up when it has no instance."""
_ROOMY = DEFAULT_LIMITS.model_copy(update={"base_model_instance_limit": 20})
_REFUSED = frozenset({403, 409})
_UNCERTAIN = frozenset({500, 502, 503, 504})


class Orders(AbstractContextManager["Orders"]):
    """`possible`: the numbers of instances that may be requested of each model: several after an order without answer."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._exit = ExitStack()
        self.possible: dict[str, set[int]] = {model: {0} for model in MODELS}

    def __enter__(self) -> Self:
        self._owner = self._exit.enter_context(self._platform.signed_in(OWNER.login))
        self._admin = self._exit.enter_context(self._platform.signed_in(ADMIN.login))
        self._account = self._platform.account_of(self._owner)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exit.close()

    def place(self, model: str, count: int) -> bool:
        """Like `request` for a model that is not one of MODELS."""
        return self._send(self._owner, f"{self._of(model)}/instances", count) is True

    def request(self, model: str, count: int) -> bool:
        """Returns whether the platform accepted the number of instances."""
        wanted = {count, 1} if model == CALLED and count == 0 else {count}
        answer = self._send(self._owner, f"{self._of(model)}/instances", count)
        if answer is None:
            self.possible[model] |= wanted
        elif answer:
            self.possible[model] = wanted
        return answer is True

    def replace(self, model: str) -> bool:
        """Returns whether the platform began to replace the model's instances."""
        return self._send(self._owner, f"{self._of(model)}/rolling-update", None) is True

    def limit(self, *, instances: int = 20, cores: str = "4") -> bool:
        """Returns whether the platform accepted the owner's limits."""
        given = {"base_model_instance_limit": instances, "cpu_limit": cores}
        limits = AccountLimitsData.model_validate({**_ROOMY.model_dump(), **given})
        body = limits.model_dump(mode="json", by_alias=True)
        return self._send(self._admin, f"/api/mlpcore/admin/account/{self._account}/limits", body) is True

    @staticmethod
    def _send(client: httpx.Client, path: str, body: object) -> bool | None:
        """Returns whether the platform accepted the order; None if nobody knows.

        Raises HTTPStatusError for an answer that no order may get.
        """
        try:
            answer = client.post(path, json=body, timeout=10)
        except httpx.TransportError:
            return None
        if answer.status_code in _REFUSED:
            return False
        if answer.status_code in _UNCERTAIN:
            return None
        answer.raise_for_status()
        return True

    def requested(self, model: str) -> int:
        answer = self._owner.get(f"{self._of(model)}/instances").raise_for_status()
        return int(answer.json()["hostingServerRequested"])

    def statuses(self, model: str) -> list[str]:
        """The total status of each instance that is not deleted."""
        listed = self._owner.get(f"{self._of(model)}/instance").raise_for_status().json()["instances"]
        statuses = [str(instance["statusInfo"]["totalStatus"]) for instance in listed]
        return [status for status in statuses if status != "DELETED"]

    def servers(self) -> list[dict[str, object]]:
        """The owner's servers, with what they have and what is allocated."""
        path = f"/api/mlpcore/account/{self._account}/resource-groups/{OWN_GROUP}/capacity"
        return list(self._owner.get(path).raise_for_status().json()["servers"])

    def answer(self, model: str) -> httpx.Response:
        """Calls the model as its owner."""
        path = f"/api/mlpgateway/account/{self._account}/model/{model}/predict"
        return self._owner.post(path, json={"name": "Ada"} if model == CALLED else {"text": "one two"})

    def _of(self, model: str) -> str:
        return f"/api/mlpcore/account/{self._account}/model/{model}"
