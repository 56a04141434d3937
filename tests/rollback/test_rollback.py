"""`helm rollback` runs the previous release on the tables of this one: migrations only expand them."""

from pathlib import Path

import httpx
import pytest

from mlplace_runtime.db.errors import NewerSchemaError
from mlplace_runtime.db.migrations import upgrade
from tests.rollback.conftest import Open
from tests.rollback.people import call_and_pay, instance, publish, refill, register, sign_in
from tests.rollback.release import Stores


@pytest.mark.own_database  # mlpcore makes partitions as it runs
@pytest.mark.timeout(240)
class TestRollback:
    async def test_the_previous_release_does_not_know_the_tables(
        self, previous_code: list[Path], stores: Stores
    ) -> None:
        for service, urls in stores.databases.items():
            (package,) = [path / service for path in previous_code if (path / service).exists()]
            with pytest.raises(NewerSchemaError):
                await upgrade(urls.owner_url, package / "migrations")

    async def test_it_serves_what_this_release_wrote_and_then_this_one_what_it_wrote(
        self, this_release: Open, the_previous_release: Open, tmp_path: Path
    ) -> None:
        with httpx.Client(timeout=60) as ann, httpx.Client(timeout=60) as bob, httpx.Client(timeout=60) as eve:
            async with this_release() as release:
                owner = register(release, ann, "ann")
                environment = publish(owner, "greeting")
                customer = register(release, bob, "bob")
                refill(customer, 10)
                keys = [customer.key("new")]
            with instance(environment, tmp_path):
                async with the_previous_release() as release:
                    owner, customer = sign_in(release, ann, "ann"), sign_in(release, bob, "bob")
                    call_and_pay(owner, customer, keys)
                    register(release, eve, "eve")
                    publish(owner, "farewell")
                    keys.append(customer.key("old"))
                    call_and_pay(owner, customer, keys)
                async with this_release() as release:
                    owner, customer = sign_in(release, ann, "ann"), sign_in(release, bob, "bob")
                    sign_in(release, eve, "eve")
                    assert owner.get("mlpcore", f"account/{owner.account}/model/farewell").is_success
                    call_and_pay(owner, customer, keys)
