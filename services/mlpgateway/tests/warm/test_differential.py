"""The differential proof: what callers, instances, money, limits and metrics see is the same with the warm path and
without it, whatever happens in between.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from mlplace_contracts.events import (
    AccountChanged,
    ApiKeyChanged,
    Event,
    ModelChanged,
    PredictConfigChanged,
    UsageRecorded,
)
from services.mlpgateway.tests.warm.scenario import (
    EVENTS,
    LISTING,
    PAID,
    SITE,
    SPENDING,
    WEB,
    Player,
    Step,
    around,
    scenario,
)
from services.mlpgateway.tests.warm.site import counts, usage_of

SEEDS, LENGTH = 8, 120


class Played:
    """What one site made of a scenario."""

    def __init__(self) -> None:
        self.seen: list[object] = []
        self.usage: list[dict[str, object]] = []
        self.counts: dict[str, int] = {}
        self.left: dict[str, object] = {}
        self.money: list[tuple[int, int, int, int]] = []
        self.warm = self.warm_over_http = self.warm_chats = self.warm_passed_on = 0


@pytest.fixture
def play(open_site, kit, clock):
    async def played(steps: Sequence[Step], prefix: str, *, warm: bool, forgotten: type[Event] | None = None) -> Played:
        found, before, now = Played(), counts(), clock.now()
        async with open_site(warm=warm, forgotten=forgotten) as site:
            player = Player(site, kit, clock, prefix)
            player.set_up()
            await player.play(steps)
            found.seen, found.left = player.seen, site.left()
            if site.counted is not None:
                found.warm, found.warm_over_http = site.counted.begun, site.counted.over_http
                found.warm_chats, found.warm_passed_on = site.counted.chats, site.counted.passed_on
            events = [event for event in await site.world.usage() if isinstance(event, UsageRecorded)]
            own = [event for event in events if event.request_id.startswith(prefix)]
            found.usage = [row | {"request_id": str(row["request_id"])[len(prefix) :]} for row in usage_of(own)]
            await site.world.components.leases.release_all()
            billing = site.world.billing
            last = dict(billing.released)
            found.money = sorted(
                (billing.reservations[key][0].model_id, told.spent_nano, told.spent_free_units, told.in_progress_nano)
                for key, told in last.items()
            )
        found.counts = {name: value for name, value in (counts() - before).items() if value}
        clock.advance(now - clock.now())
        return found

    return played


async def call_with_money(player: Player, **about: Any) -> object:
    """Calls, and waits until there is money for the next call: it may go either way without."""
    answer = await player.call(**about)
    await player.site.leased()
    return answer


def different(one: Played, other: Played) -> list[str]:
    """Returns what differs, the first step first."""
    found = [
        f"step {place // 2}: {ours!r} but {theirs!r}"
        for place, (ours, theirs) in enumerate(zip(one.seen, other.seen, strict=True))
        if ours != theirs
    ]
    found += [f"usage: {a} but {b}" for a, b in zip(one.usage, other.usage, strict=False) if a != b]
    if len(one.usage) != len(other.usage):
        found.append(f"{len(one.usage)} but {len(other.usage)} usages")
    names = sorted({*one.counts, *other.counts})
    found += [
        f"{name}: {one.counts.get(name, 0)} but {other.counts.get(name, 0)}"
        for name in names
        if one.counts.get(name, 0) != other.counts.get(name, 0)
    ]
    found += [f"left: {one.left} but {other.left}"] if one.left != other.left else []
    found += [f"money: {one.money} but {other.money}"] if one.money != other.money else []
    return found


class TestBothWays:
    @pytest.mark.parametrize("seed", range(SEEDS))
    async def test_calls_and_events_have_the_same_effects(self, play, seed: int) -> None:
        steps = scenario(seed, LENGTH)
        ordinary = await play(steps, "ordinary.", warm=False)
        warm = await play(steps, "warm-way.", warm=True)
        found = different(ordinary, warm)
        assert not found, "\n".join(found[:3])
        assert warm.warm >= LENGTH // 8, "too few calls were warm to prove anything"
        assert min(warm.warm_over_http, warm.warm_chats) >= LENGTH // 40
        assert warm.warm_passed_on >= 1
        assert set(warm.left.values()) == {0}

    @pytest.mark.parametrize("model", [PAID, WEB])
    async def test_limit_on_spending_has_the_same_effects(self, play, model: int) -> None:
        """Errors, losses and answers, until the limit refuses."""
        actions = ("echo", "error-500", "headers", "break-once", "parts", "error-400", "echo", "echo", "echo")
        steps: list[Step] = [partial(Player.call, key=SPENDING, model=model, do=do, shape="plain") for do in actions]
        ordinary = await play(steps, "ordinary.", warm=False)
        warm = await play(steps, "warm-way.", warm=True)
        assert different(ordinary, warm) == []
        assert "429" in str(warm.seen[-2])[:20]
        assert warm.warm >= 5

    async def test_long_answers_are_joined_alike(self, play) -> None:
        """It takes several turns of the event loop, and a task."""
        steps: list[Step] = [
            partial(call_with_money, key=0, model=PAID, do=do, shape="chat")
            for do in ("echo", "long-parts", "long-error", "long-parts", "echo")
        ]
        ordinary = await play(steps, "ordinary.", warm=False)
        warm = await play(steps, "warm-way.", warm=True)
        assert different(ordinary, warm) == []
        assert ("2 2 2" in str(warm.seen[2]), "no luck" in str(warm.seen[4])) == (True, True)
        assert (warm.warm_chats, len(warm.usage)) == (4, 4)
        assert set(warm.left.values()) == {0}

    async def test_end_mark_without_content_is_not_the_answer(self, play) -> None:
        steps: list[Step] = [
            partial(call_with_money, key=0, model=PAID, do=do, shape="plain")
            for do in ("echo", "empty-end", "empty-end")
        ]
        ordinary = await play(steps, "ordinary.", warm=False)
        warm = await play(steps, "warm-way.", warm=True)
        assert different(ordinary, warm) == []
        assert "empty-end" in str(warm.seen[-2])
        assert warm.warm == 2

    @pytest.mark.parametrize(("model", "shape"), [(PAID, "plain"), (WEB, "plain"), (WEB, "passed-on")])
    async def test_pages_of_other_sites_are_judged_alike(self, play, model: int, shape: str) -> None:
        """Also by a key that has just been served on the warm path."""
        asked = {"plain": ("origin", "other-origin", "own-origin", "preflight"), "passed-on": ("passed-on-origin",)}
        shapes = (shape, *asked[shape], "chat-origin", shape)
        steps: list[Step] = [
            partial(Player.call, key=key, model=model, do="echo", shape=each) for key in (0, LISTING) for each in shapes
        ]
        ordinary = await play(steps, "ordinary.", warm=False)
        warm = await play(steps, "warm-way.", warm=True)
        assert different(ordinary, warm) == []
        listed = str(warm.seen[2 * (len(shapes) + 1)])
        assert f"access-control-allow-origin: {SITE}" in listed
        assert warm.warm >= 3

    @pytest.mark.parametrize(("model", "shape"), [(PAID, "plain"), (WEB, "plain"), (WEB, "passed-on")])
    @pytest.mark.parametrize("event", EVENTS)
    async def test_event_takes_effect_at_once_while_a_call_is_in_progress(
        self, play, event: str, model: int, shape: str
    ) -> None:
        steps = around(EVENTS[event], model, shape)
        ordinary = await play(steps, "ordinary.", warm=False)
        warm = await play(steps, "warm-way.", warm=True)
        assert different(ordinary, warm) == []
        assert warm.warm >= 3
        assert set(warm.left.values()) == {0}

    @pytest.mark.parametrize(
        ("forgotten", "event", "model", "shape"),
        [
            (forgotten, event, model, shape)
            for forgotten, event in (
                (ApiKeyChanged, "the key is revoked"),
                (ModelChanged, "the price changes"),
                (ModelChanged, "the model becomes private"),
                (AccountChanged, "the account is closed"),
                (PredictConfigChanged, "the model gets a config"),
            )
            for model, shape in ((PAID, "plain"), (WEB, "plain"), (WEB, "passed-on"))
            if not (shape == "passed-on" and forgotten is PredictConfigChanged)  # they have no config
        ],
    )
    async def test_a_verdict_that_outlives_an_event_is_noticed(
        self, play, forgotten: type[Event], event: str, model: int, shape: str
    ) -> None:
        """The proof itself: with a rule broken, the twins differ."""
        steps = around(EVENTS[event], model, shape)
        ordinary = await play(steps, "ordinary.", warm=False)
        assert different(ordinary, await play(steps, "warm-way.", warm=True, forgotten=forgotten))
