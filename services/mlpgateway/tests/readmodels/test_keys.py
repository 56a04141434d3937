"""Which origins live keys list."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from mlpgateway.readmodels.keys import Keys
from mlplace_contracts.events import ApiKeyChanged
from mlplace_kit.clock import ManualClock

SITE = "https://example.com"


class Walked(dict[int, dict[int, ApiKeyChanged]]):
    """Counts the accounts that a search looks at."""

    seen = 0

    def items(self) -> Iterator[tuple[int, dict[int, ApiKeyChanged]]]:  # type: ignore[override]  # a search needs no more
        for item in super().items():
            self.seen += 1
            yield item


@pytest.fixture
def listing(world, kit, clock):
    def make(account_id: int, *, lives: bool) -> ApiKeyChanged:
        event, _ = world.key_event(
            account_id, allowed_origins=(SITE,), expires_at=clock.now() + timedelta(days=1 if lives else -1)
        )
        return event

    return make


def counted(keys: Keys) -> Walked:
    walked = keys._by_origin[SITE] = Walked(keys._by_origin[SITE])
    return walked


def test_search_ends_with_the_first_live_key(listing, clock: ManualClock) -> None:
    keys = Keys()
    for account_id in range(1, 51):
        keys.apply(listing(account_id, lives=True))
    walked = counted(keys)
    assert keys.any_lists(SITE, clock.now(), lambda _account_id: False)
    assert walked.seen == 1


def test_expired_keys_are_looked_at_once(listing, clock: ManualClock) -> None:
    keys = Keys()
    for account_id in range(1, 51):
        keys.apply(listing(account_id, lives=account_id == 50))
    walked = counted(keys)
    for seen in (50, 51):
        assert keys.any_lists(SITE, clock.now(), lambda _account_id: False)
        assert walked.seen == seen


def test_closed_accounts_keep_theirs(listing, clock: ManualClock) -> None:
    keys = Keys()
    keys.apply(listing(1, lives=True))
    assert not keys.any_lists(SITE, clock.now(), lambda _account_id: True)
    assert keys.any_lists(SITE, clock.now(), lambda _account_id: False)
