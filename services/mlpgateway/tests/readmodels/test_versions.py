"""The promise of all read models: the newest version wins in any order of arrival."""

import itertools

import pytest

from mlpgateway.readmodels.all import ReadModels
from mlplace_contracts.events import BalanceChanged, InstanceChanged
from mlplace_kit.money import Currency
from mlplace_kit.names import PathRef

NER, RENAMED = PathRef(None, "ner"), PathRef(None, "renamed")


@pytest.fixture
def revoked() -> list[int]:
    return []


@pytest.fixture
def read_models(revoked: list[int]) -> ReadModels:
    return ReadModels.empty(revoked=revoked.append)


def instance(version: int, *, token: str = "t", accepts: bool = True, purpose: str = "serve") -> InstanceChanged:
    return InstanceChanged(
        version=version, instance_id=9, model_id=500, account_id=1, token_hash=token, accepts_connections=accepts,
        purpose=purpose,
    )  # fmt: skip


class TestModels:
    def test_any_order_of_arrival_ends_in_the_newest_state(self, kit) -> None:
        history = [
            kit.model_changed(version=1),
            kit.model_changed(version=2, name="renamed"),
            kit.model_changed(version=3, name="renamed", active=False),
            kit.model_changed(version=4, publicity=kit.PRIVATE),
        ]
        for order in itertools.permutations(history):
            read_models = ReadModels.empty(revoked=lambda _: None)
            for event in (*order, *order):
                read_models.apply(event)
            assert read_models.models.find(kit.ACME, NER) == history[3]
            assert read_models.models.find(kit.ACME, RENAMED) is None

    def test_name_taken_over_by_another_model_leads_to_that_model(self, read_models: ReadModels, kit) -> None:
        read_models.apply(kit.model_changed(1, "ner", version=1))
        read_models.apply(kit.model_changed(2, "ner", version=1))
        read_models.apply(kit.model_changed(1, "ner", version=2, active=False))
        found = read_models.models.find(kit.ACME, NER)
        assert found is not None
        assert found.model_id == 2


class TestInstances:
    def test_token_leads_to_its_instance_until_it_is_replaced(self, read_models: ReadModels, kit) -> None:
        read_models.apply(kit.model_changed())
        read_models.apply(instance(1))
        entry = read_models.instances.by_token_hash("t")
        assert entry is not None
        assert (entry.instance_id, entry.model_name, entry.accepts_connections) == (9, "ner", True)
        read_models.apply(instance(2, token="new"))
        assert read_models.instances.by_token_hash("t") is None

    @pytest.mark.parametrize(
        ("purpose", "serves"), [("serve", True), ("fit", False), ("develop", False), ("new", False)]
    )
    def test_only_an_instance_whose_purpose_is_known_to_be_serving_serves(
        self, read_models: ReadModels, purpose: str, serves: bool
    ) -> None:
        read_models.apply(instance(1, purpose=purpose))
        entry = read_models.instances.by_token_hash("t")
        assert (entry is not None and entry.serves) is serves

    def test_revoked_instance_is_reported(self, read_models: ReadModels, revoked: list[int]) -> None:
        read_models.apply(instance(2, accepts=False))
        read_models.apply(instance(1))
        entry = read_models.instances.by_token_hash("t")
        assert entry is not None
        assert (entry.accepts_connections, revoked) == (False, [9])


class TestBalances:
    def test_latest_event_in_either_currency_counts(self, read_models: ReadModels) -> None:
        heard: list[BalanceChanged] = []
        read_models.balances.watch(heard.append)

        def change(currency: Currency, version: int, *, blocked: bool) -> None:
            read_models.apply(
                BalanceChanged(
                    version=version, account_id=1, currency=currency, main_nano=0, income_nano=0, blocked=blocked
                )
            )

        change(Currency.RUBLE, 1, blocked=True)
        assert read_models.balances.is_blocked(1)
        change(Currency.TOKEN, 1, blocked=False)
        assert not read_models.balances.is_blocked(1)
        change(Currency.RUBLE, 1, blocked=True)
        assert not read_models.balances.is_blocked(1)
        assert [event.currency for event in heard] == ["RUBLE", "TOKEN"]
