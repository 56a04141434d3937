"""`helm upgrade` changes the tables while the previous release serves: no call of it fails, and this release goes on."""

import threading
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx
import pytest

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import upgrade
from mlplace_runtime.process import SERVICES
from mlplace_testing.ports import free_port
from tests.acceptance.waiting import eventually
from tests.rollback.conftest import MIGRATIONS, Open
from tests.rollback.people import PRICE, Person, call, call_and_pay, instance, publish, refill, register, sign_in
from tests.rollback.release import Stores

_SOME = 5
_MONEY = 10_000
_PAUSE = 0.15
"""Seconds between two calls: an account may make ten in a second."""


@pytest.fixture
async def stores(
    embedded_postgres: EmbeddedPostgres, previous_code: list[Path], tmp_path: Path
) -> AsyncIterator[Stores]:
    """Databases of the previous release, which both releases get."""
    names = {service: f"{service}_previous" for service in SERVICES}
    databases = {service: await embedded_postgres.service_database(service, name) for service, name in names.items()}
    for service, urls in databases.items():
        (package,) = [path / service for path in previous_code if (path / service).exists()]
        await upgrade(urls.owner_url, package / "migrations")
    yield Stores(databases, tmp_path, f"127.0.0.1:{free_port()}")
    for name in names.values():
        await embedded_postgres.drop(name)


class Use(AbstractContextManager["Use"]):
    """During the block the customer calls, and the owner reads and changes the model, again and again."""

    def __init__(self, owner: Person, customer: Person, key: str) -> None:
        self._owner, self._customer, self._key = owner, customer, key
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=work) for work in (self._call, self._change)]
        self.calls: list[str] = []
        self.changes: list[str] = []

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def some_more(self) -> None:
        """Returns when some more calls and changes have ended."""
        calls, changes = len(self.calls) + _SOME, len(self.changes) + _SOME
        eventually(lambda: len(self.calls) >= calls and len(self.changes) >= changes)

    def _call(self) -> None:
        release = self._owner.release
        path = "api/mlpgateway/account/ann/model/greeting/predict"
        with httpx.Client(timeout=60, headers={"MLP-API-KEY": self._key}) as client:
            while not self._stop.wait(_PAUSE):
                answer = client.post(f"{release.url('mlpgateway')}/{path}", json={"name": "Ann"})
                self.calls.append("" if answer.is_success else answer.text)

    def _change(self) -> None:
        path = f"account/{self._owner.account}/model/greeting"
        while not self._stop.is_set():
            try:
                self._owner.get("mlpcore", path).raise_for_status()
                title = f"Greeting {len(self.changes)}"
                self._owner.post("mlpcore", path, {"modelName": "greeting", "displayName": title})
                self._customer.money()
            except httpx.HTTPStatusError as error:
                self.changes.append(error.response.text)
            else:
                self.changes.append("")


@pytest.mark.own_database
@pytest.mark.timeout(300)
class TestUpgrade:
    async def test_no_call_fails_while_the_tables_change_and_this_release_goes_on(
        self, the_previous_release: Open, this_release: Open, stores: Stores, tmp_path: Path
    ) -> None:
        with ExitStack() as stack:
            ann, bob = (stack.enter_context(httpx.Client(timeout=60)) for _ in range(2))
            async with the_previous_release() as release:
                owner, customer = register(release, ann, "ann"), register(release, bob, "bob")
                stack.enter_context(instance(publish(owner, "greeting"), tmp_path))
                refill(customer, _MONEY)
                keys = [customer.key("old")]
                call(release, keys[0], owner="ann", model="greeting")
                with Use(owner, customer, keys[0]) as use:
                    use.some_more()
                    for service, urls in stores.databases.items():
                        await upgrade(urls.owner_url, MIGRATIONS[service])
                        use.some_more()
                assert (set(use.calls), set(use.changes)) == ({""}, {""})
                left = _MONEY - PRICE * (len(use.calls) + 1)
                eventually(lambda: customer.money()[0] == left)
            async with this_release() as release:
                owner, customer = sign_in(release, ann, "ann"), sign_in(release, bob, "bob")
                keys.append(customer.key("new"))
                call_and_pay(owner, customer, keys)
                assert owner.get("mlpcore", f"account/{owner.account}/model/greeting").json()["displayName"] == (
                    f"Greeting {len(use.changes) - 1}"
                )
