"""Random calls and events, the same for each site that plays them."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any

from mlplace_contracts.events import (
    BalanceChanged,
    ModelBatches,
    ModelBilling,
    ModelHttp,
    ModelPriorityQueue,
    ModelRetries,
    PredictConfigChanged,
)
from mlplace_contracts.limits import KeyLimits, RequestRule, SizeRule, SpendingRule
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit
from services.mlpgateway.tests.warm.site import heard_by, masked

DAY = 86_400
ACTIONS = (
    "echo", "echo", "echo", "headers", "parts", "bytes", "error-400", "error-500", "wrong-kind", "break-once", "large",
    "cut", "moved",
)  # fmt: skip
SHAPES = (
    *["plain"] * 14, "bearer", "traced", "unknown-header", "priority", "query", "not-json", "long",
    *["chat"] * 9, "chat-config", "chat-config", "chat-inner", "chat-invalid", "chat-bare-key", "chat-old-path",
    *["passed-on"] * 8, "passed-on-bearer", "passed-on-query", "passed-on-headers",
    "origin", "other-origin", "preflight", "chat-origin", "passed-on-origin",
    "two-segments", "no-key", "wrong-key", "close", "old", "get", "empty", "twice", "max-price", "chunked",
)  # fmt: skip
_CALLED = (0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 8, 8, 9)
_CALM = 12
SITE = "https://site.example"
SPENDING = 3
"""The key with a limit on spending. What its limit leases from the store is a matter of time, so it plays alone."""
LISTING = 10
"""The key that lists an origin."""
_PLACE = "/api/mlpgateway/account/acme/model/{}/predict"
_PASSED_ON = "/api/mlpgateway/account/acme/model/{}/http/v1/do"
_CHAT = "/api/adapters/openai/v1/chat/completions"
_TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
_WRONG = "1000000002.999.wrong-wrong-wrong-wrong-wrong-wrong"  # pragma: allowlist secret


@dataclass
class Model:
    number: int
    name: str
    about: dict[str, object] = field(default_factory=dict[str, object])


@dataclass
class Key:
    secret: str
    event: Any


class Player:
    """Plays a scenario on one site. `seen` is what callers and instances saw, step by step."""

    def __init__(self, site: Any, kit: Any, clock: ManualClock, prefix: str) -> None:
        self.site = site
        self.kit = kit
        self.clock = clock
        self.prefix = prefix
        self.seen: list[object] = []
        self._numbers = count(1)
        self._versions = count(100)
        self._instances = count(9000)
        self.models = _models()
        self.keys: list[Key] = []

    # ---- The stage

    def set_up(self) -> None:
        for model in self.models:
            self._know_model(model)
        for about in self._key_kinds():
            event, secret = self.site.world.key_event(about.pop("account_id", self.kit.DEMO), **about)
            self.site.world.know(event)
            self.keys.append(Key(secret, event))
        for place, model in enumerate(self.models):
            if model.name != "absent":
                self.come(place)

    def _replace_lost(self) -> None:
        """Calls that break instances would soon leave none."""
        running = {instance.model_id for instance in self.site.instances}
        for place, model in enumerate(self.models):
            if model.name != "absent" and model.number not in running:
                self.come(place)

    def _restore(self) -> None:
        """Lets callers and models work again: after a few events, hardly any call would be answered."""
        self.block(False)
        self.change_account(self.kit.DEMO, "demo", active=True)
        self.limit_account(100_000, None)
        for key in range(len(self.keys)):
            self.change_key(key, active=True)
        for model in range(len(self.models)):
            self.change_model(model, {"active": True, "publicity": self.kit.PUBLIC})

    def _know_model(self, model: Model, **about: object) -> None:
        model.about |= about
        self.site.world.know(self.kit.model_changed(model.number, model.name, **model.about))

    def _key_kinds(self) -> list[dict[str, Any]]:
        def limited(**limits: object) -> dict[str, Any]:
            return {"limits": KeyLimits(**limits)}  # type: ignore[arg-type]

        spending = SpendingRule(
            amount_nano=55, currency=Currency.RUBLE, period="DAY", period_seconds=DAY, available_immediately=True,
            since=self.clock.now(),
        )  # fmt: skip
        return [
            {},
            limited(requests=RequestRule(calls=8, period="DAY", period_seconds=DAY)),
            limited(size=SizeRule(most=60, unit="BYTES")),
            limited(spending=(spending,)),
            {"allowed_models": (501,)},
            {"expires_at": self.clock.now() + timedelta(hours=1)},
            {"permissions": ("read",)},
            {"max_price_nano": 5},
            {"account_id": self.kit.ACME},
            limited(llms=("acme/paid",)),
            {"allowed_origins": (SITE,)},
        ]

    # ---- Steps

    async def play(self, steps: Sequence[Callable[["Player"], Awaitable[object]]]) -> None:
        for number, step in enumerate(steps):
            if number % 4 == 0:
                self._replace_lost()
            if number % _CALM == 0:
                self._restore()
            await self.site.settled()
            self.seen.append(await step(self))
            heard, self.site.heard[:] = [self._plain(each) for each in self.site.heard], []
            self.seen.append((heard, self._buckets()))

    def _buckets(self) -> list[object]:
        """Returns what is held and left of the limits that refill slowly."""
        found: list[object] = []
        for key in self.keys:
            limits: KeyLimits | None = key.event.limits
            names = [f"key:{key.event.key_id}:calls:DAY"]
            for rule in limits.spending if limits else ():
                began = int(rule.since.timestamp() * 1000)
                names.append(f"key:{key.event.key_id}:spending:DAY:RUBLE:{began}")
            leased = [self.site.world.components.bucket_leases.find(name) for name in names]
            found += [(each.held, int(each.available() + 0.01)) for each in leased if each is not None]
        return found

    def _plain(self, each: tuple[dict[str, str], str, str, int]) -> object:
        headers, *rest = each
        return sorted((name, self._same(value)) for name, value in headers.items()), rest

    def _same(self, text: str) -> str:
        return text.replace(self.prefix, "")

    async def call(self, key: int, model: int, do: str, shape: str) -> str:
        request = self.request(self.keys[key].secret, self.models[model].name, do, shape)
        if shape == "two-segments":
            async with self.site.connection() as (reader, writer):
                at = request.index(b"\r\n\r\n") + 7
                writer.write(request[:at])
                await writer.drain()
                await asyncio.sleep(0.005)
                writer.write(request[at:])
                return self._response(await heard_by(reader))
        return self._response(await self.site.call(request))

    def _response(self, response: bytes) -> str:
        return self._same(masked(response))

    def request(self, secret: str, model: str, do: str, shape: str) -> bytes:
        body = json.dumps({"do": do, "text": "Привет" * (20 if shape == "long" else 1)}, ensure_ascii=False).encode()
        if shape in {"not-json", "empty"}:
            body = b"{no" if shape == "not-json" else b""
        if shape.startswith("chat"):
            body = _conversation(model, do, shape)
        path = _PLACE.format(model) + ("?dataType=x" if shape == "query" else "")
        if shape.startswith("chat"):
            path = "/api/adapters/chat-gpt" if shape == "chat-old-path" else _CHAT
        if shape.startswith("passed-on"):
            path = _PASSED_ON.format(model) + ("?a=b" if shape == "passed-on-query" else "")
        method = {"get": "GET", "preflight": "OPTIONS"}.get(shape, "POST")
        lines = [f"{method} {path} HTTP/1.{0 if shape == 'old' else 1}", "host: gate"]
        lines += [f"Z-requestId: {self.prefix}{next(self._numbers):05d}", "user-agent: test"]
        lines += [f"{name}: {value}" for name, value in _headers(secret, shape)]
        if shape == "chunked":
            lines.append("transfer-encoding: chunked")
            body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
        else:
            lines.append(f"content-length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode() + body

    async def around(self, key: int, model: int, event: Callable[["Player"], None], shape: str = "plain") -> object:
        """An event while a call is in progress, and a call after it."""
        self.site.holding.clear()
        first = asyncio.create_task(self.call(key, model, "hold", shape))
        holding = asyncio.create_task(self.site.holding.wait())
        await asyncio.wait({first, holding}, return_when=asyncio.FIRST_COMPLETED)
        holding.cancel()
        event(self)
        await self.site.settled()
        second = await self.call(key, model, "echo", shape)
        for instance in self.site.instances:
            instance.release()
        return await first, second

    # ---- Events

    def change_key(self, key: int, **about: object) -> None:
        known = self.keys[key]
        known.event = known.event.model_copy(update={"version": next(self._versions), **about})
        self.site.world.know(known.event)

    def change_model(self, model: int, about: Mapping[str, object]) -> None:
        self._know_model(self.models[model], **about)

    def change_config(self, model: int, active: bool) -> None:
        self.site.world.know(
            PredictConfigChanged(
                version=next(self._versions),
                config_id=1,
                account_id=self.kit.ACME,
                model_id=self.models[model].number,
                is_default=True,
                config='{"own": 1}',
                active=active,
            )
        )

    def change_account(self, account: int, name: str, *, active: bool) -> None:
        self.site.world.know(self.kit.account_changed(account, name, active=active))

    def limit_account(self, per_second: int, networks: tuple[str, ...] | None) -> None:
        event = self.kit.limits_changed(self.kit.DEMO, per_second)
        self.site.world.know(event.model_copy(update={"allowed_networks": networks}))

    def block(self, blocked: bool) -> None:
        self.site.world.know(
            BalanceChanged(
                version=next(self._versions),
                account_id=self.kit.DEMO,
                currency=Currency.RUBLE,
                main_nano=1,
                income_nano=0,
                blocked=blocked,
            )
        )

    def go(self, model: int) -> None:
        """One instance leaves: one with a call in progress if there is any."""
        found = [each for each in self.site.instances if each.model_id == self.models[model].number]
        for instance in sorted(found, key=lambda each: -each.active)[:1]:
            instance.leave("gone")

    def come(self, model: int) -> None:
        known = self.models[model]
        make = self.site.http_instance if "http" in known.about else self.site.instance
        make(next(self._instances), known.number, self.kit.ACME)


def _conversation(model: str, do: str, shape: str) -> bytes:
    said: dict[str, object] = {"model": f"acme/{model}", "messages": [{"role": "user", "content": do}]}
    if shape == "chat-config":
        said |= {"temperature": 0.5, "tools": [], "user": "я"}
    if shape == "chat-inner":
        said["model"] = f"acme/{model}/small"
    if shape == "chat-invalid":
        del said["messages"]
    return json.dumps(said).encode()


def _headers(secret: str, shape: str) -> list[tuple[str, str]]:
    key = [("MLP-API-KEY", secret)]
    return {
        "bearer": [("Authorization", f"Bearer {secret}")],
        "passed-on-bearer": [("Authorization", f"Bearer {secret}")],
        "passed-on-headers": [
            *key,
            ("Authorization", "Basic YQ=="),
            ("X-Request-Id", "7"),
            ("X-Forwarded-Host", "a"),
            ("Accept", "я"),
        ],
        "chat-bare-key": [("Authorization", secret)],
        "traced": [*key, ("traceparent", _TRACE), ("tracestate", "a=b")],
        "unknown-header": [*key, ("X-Unknown", "1")],
        "priority": [*key, ("Z-Priority", "7"), ("Content-Hidden", "true")],
        **{each: [*key, ("Origin", SITE)] for each in ("origin", "chat-origin", "passed-on-origin")},
        "other-origin": [*key, ("Origin", "https://other.example")],
        "own-origin": [*key, ("Origin", "http://gate")],
        "preflight": [("Origin", SITE), ("Access-Control-Request-Method", "POST")],
        "no-key": [],
        "wrong-key": [("MLP-API-KEY", _WRONG)],
        "close": [*key, ("Connection", "close")],
        "twice": [*key, ("MLP-API-KEY", "another")],
        "max-price": [*key, ("MLP-MAX-PRICE", "0.000000001")],
    }.get(shape, key)


def _models() -> list[Model]:
    paid = ModelBilling(
        enabled=True, unit=BillingUnit.CALLS, unit_price_nano=10, currency=Currency.RUBLE, free_unit_quota=0
    )
    queue = ModelPriorityQueue(enabled=True, concurrency=2)
    http = ModelHttp(port=80, page="/health", only=True)
    return [
        Model(500, "ner"),
        Model(501, "paid", {"billing": paid}),
        Model(502, "queued", {"billing": paid, "priority_queue": queue, "retries": ModelRetries(most=1)}),
        Model(503, "custom", {"billing": paid.model_copy(update={"unit": BillingUnit.CUSTOM})}),
        Model(504, "composite", {"composite": True}),
        Model(505, "absent"),
        Model(506, "batched", {"batches": ModelBatches(size=2, wait_ms=1)}),
        Model(507, "free-units", {"billing": paid.model_copy(update={"free_unit_quota": 3})}),
        Model(508, "web", {"billing": paid, "http": http}),
        Model(509, "web-queued", {"http": http, "priority_queue": queue, "retries": ModelRetries(most=1)}),
    ]


Step = Callable[[Player], Awaitable[object]]


def scenario(seed: int, length: int) -> list[Step]:
    """Returns random steps. Most are calls; some events happen while a call is in progress."""
    dice = random.Random(seed)
    steps: list[Step] = []
    for _ in range(length):
        key, model = dice.choice((0, 0, 0, 0, 0, 1, 1, 2, 4, 5, 6, 7, 8, 9, 10)), dice.choice(_CALLED)
        match dice.randrange(10):
            case 0:
                steps.append(_event(_random_event(dice, key, model)))
            case 1:
                steps.append(_around(key, dice.choice((0, 1, 2, 4, 7, 8, 9)), dice))
            case _:
                steps.append(_call(key, model, dice.choice(ACTIONS), dice.choice(SHAPES)))
    return steps


def _call(key: int, model: int, do: str, shape: str) -> Step:
    return lambda player: player.call(key, model, do, shape)


def _event(happen: Callable[[Player], None]) -> Step:
    async def step(player: Player) -> None:
        happen(player)

    return step


def _around(key: int, model: int, dice: random.Random) -> Step:
    event, shape = _random_event(dice, key, model), dice.choice(("plain", "passed-on"))
    return lambda player: player.around(key, model, event, shape)


def _random_event(dice: random.Random, key: int, model: int) -> Callable[[Player], None]:
    price = {"billing": _models()[1].about["billing"].model_copy(update={"unit_price_nano": dice.randrange(0, 30)})}  # type: ignore[attr-defined]
    small = KeyLimits(requests=RequestRule(calls=dice.randrange(1, 6), period="DAY", period_seconds=DAY))
    on, minutes = dice.random() < 0.75, timedelta(minutes=dice.choice((1, 20)))
    networks = None if on else ("10.0.0.0/8",)
    private = {"publicity": {"is_public": False, "hidden": False, "public_testing_allowed": False}}
    choices: list[Callable[[Player], None]] = [
        lambda player: player.change_key(key, active=on),
        lambda player: player.change_key(key, limits=small),
        lambda player: player.change_key(key, allowed_origins=(SITE,) if on else ()),
        lambda player: player.change_key(key, allowed_models=None if on else (model,)),
        lambda player: player.change_model(model, {"active": on}),
        lambda player: player.change_model(model, price if model not in {3, 5} else {}),
        lambda player: player.change_model(model, {"composite": on}),
        lambda player: player.change_model(model, private if not on else {"publicity": player.kit.PUBLIC}),
        lambda player: player.change_config(model, on),
        lambda player: player.change_account(player.kit.DEMO, "demo", active=on),
        lambda player: player.change_account(player.kit.OTHER, "other", active=on),
        lambda player: player.limit_account(100_000, networks),
        lambda player: player.block(not on),
        lambda player: player.go(model),
        lambda player: player.come(model),
        lambda player: player.clock.advance(minutes),
    ]
    return dice.choice(choices)


_PRIVATE = {"publicity": {"is_public": False, "hidden": False, "public_testing_allowed": False}}
PAID, WEB = 1, 8
EVENTS: Mapping[str, Callable[[Player, int], None]] = {
    "the key is revoked": lambda player, _: player.change_key(0, active=False),
    "the key gets a limit": lambda player, _: player.change_key(0, limits=_limited(1)),
    "the key may call other models only": lambda player, _: player.change_key(0, allowed_models=(999,)),
    "the key lists an origin": lambda player, _: player.change_key(0, allowed_origins=(SITE,)),
    "the key expires": lambda player, _: player.change_key(0, expires_at=player.clock.now()),
    "the price changes": lambda player, model: player.change_model(
        model,
        {"billing": _models()[PAID].about["billing"].model_copy(update={"unit_price_nano": 25})},  # type: ignore[attr-defined]
    ),
    "the model becomes private": lambda player, model: player.change_model(model, _PRIVATE),
    "the model is deleted": lambda player, model: player.change_model(model, {"active": False}),
    "the model gets batches": lambda player, model: player.change_model(
        model, {"batches": ModelBatches(size=2, wait_ms=1)}
    ),
    "the model gets a queue": lambda player, model: player.change_model(
        model, {"priority_queue": ModelPriorityQueue(enabled=True, concurrency=3)}
    ),
    "the model gets a config": lambda player, model: player.change_config(model, active=True),
    "the account is closed": lambda player, _: player.change_account(player.kit.DEMO, "demo", active=False),
    "the owner is renamed": lambda player, _: player.change_account(player.kit.ACME, "emca", active=True),
    "the account is blocked": lambda player, _: player.block(True),
    "the account may not call from here": lambda player, _: player.limit_account(100_000, ("10.0.0.0/8",)),
    "the account may make no calls": lambda player, _: player.limit_account(0, None),
    "the instance leaves": lambda player, model: player.go(model),
    "another instance comes, and the first leaves": lambda player, model: (player.come(model), player.go(model))[1],
    "the gate closes": lambda player, _: player.site.world.components.admission.close(),
}


def _limited(calls: int) -> KeyLimits:
    return KeyLimits(requests=RequestRule(calls=calls, period="DAY", period_seconds=DAY))


def around(event: Callable[[Player, int], None], model: int, shape: str = "plain") -> list[Step]:
    """Returns calls of one key and model before the event, during it and after it."""
    before = [_call(0, model, do, shape) for do in ("echo", "echo", "headers")]
    after = [_call(0, model, do, shape) for do in ("echo", "headers")]
    return [*before, lambda player: player.around(0, model, partial(_happen, event, model), shape), *after]


def _happen(event: Callable[[Player, int], None], model: int, player: Player) -> None:
    event(player, model)
