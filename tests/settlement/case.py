"""One scenario's accounts, keys, model and instances, created for it, and the money that it moved."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

import httpx

from mlplace_contracts.events import (
    AccountChanged,
    AccountLimitsChanged,
    ApiKeyChanged,
    InstanceChanged,
    ModelBilling,
    ModelChanged,
    ModelPublicity,
    ModelTimeouts,
)
from mlplace_kit.credentials import new_credential
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_testing.waiting import eventually
from tests.settlement.installation import PATIENCE, Installation
from tests.settlement.instance import Instance, Script
from tests.settlement.paths import PREDICT, Path
from tests.settlement.table import PRICE, UNITS, Figures

MONEY = 100 * PRICE
_versions = count(1)
Values = Mapping[str, object]


@dataclass
class Case:
    """Create it with `open`. `owner` has the model; `payer` has MONEY and a key to call it."""

    installation: Installation
    owner: int = 0
    payer: int = 0
    model: int = 0
    key: str = ""
    instances: list[Instance] = field(default_factory=list)
    _tokens: list[str] = field(default_factory=list)
    _key: ApiKeyChanged | None = None
    _model: ModelChanged | None = None

    async def open(
        self,
        *,
        money: int = MONEY,
        billing: Values | None = None,
        model: Values | None = None,
        key: Values | None = None,
        limits: Values | None = None,
        publicity: Values | None = None,
        predict_seconds: int = 60,
        start_seconds: int = 60,
    ) -> None:
        """Publish all events and wait until the gateway knows them."""
        base = 1_000_000_000 + 1000 * next(self.installation.numbers)
        self.owner, self.payer, self.model = base + 1, base + 2, base + 3
        terms = {"enabled": True, "unit": "calls", "unit_price_nano": PRICE, "currency": "RUBLE", "free_unit_quota": 0}
        shown = {"is_public": True, "hidden": False, "public_testing_allowed": False}
        changed = model_changed(
            self.owner,
            self.model,
            billing=ModelBilling.model_validate({**terms, **(billing or {})}),
            publicity=ModelPublicity.model_validate({**shown, **(publicity or {})}),
            timeouts=ModelTimeouts(pod_start=start_seconds, predict=predict_seconds, fit=60),
            **(model or {}),
        )
        event, self.key = self.key_of(self.payer, **(key or {}))
        self._key, self._model = event, changed
        await self.installation.publish(
            *(account_changed(account_id) for account_id in (self.owner, self.payer)),
            *(limits_changed(account_id, **(limits or {})) for account_id in (self.owner, self.payer)),
            changed,
            event,
            *(self._instance_changed(base + 10 + number) for number in range(2)),
        )
        if money:
            await self.installation.refill(self.payer, money)
        await self.known()

    def key_of(self, account_id: int, **about: object) -> tuple[ApiKeyChanged, str]:
        number = next(self.installation.numbers)
        secret = new_credential(account_id=account_id, object_id=number).text
        values: dict[str, object] = {
            "version": 1, "key_id": number, "account_id": account_id, "name": "k", "permissions": ("predict",),
            "allowed_models": None, "expires_at": None, "active": True,
            "key_hash": self.installation.hasher.digest(secret), **about,
        }  # fmt: skip
        return ApiKeyChanged.model_validate(values), secret

    async def delete_key(self) -> None:
        """Delete the payer's key."""
        assert self._key is not None
        await self.installation.publish(self._key.model_copy(update={"version": 2, "active": False}))

    async def make_private(self) -> None:
        """Take the model from all but its owner."""
        assert self._model is not None
        await self.change_model(publicity=self._model.publicity.model_copy(update={"is_public": False}))

    async def change_model(self, **about: object) -> None:
        assert self._model is not None
        await self.installation.publish(self._model.model_copy(update={"version": next(_versions), **about}))

    async def another_key(self, account_id: int, **about: object) -> str:
        event, secret = self.key_of(account_id, **about)
        await self.installation.publish(event)
        await self.known()
        return secret

    def _instance_changed(self, instance_id: int) -> InstanceChanged:
        token = new_credential(account_id=self.owner, object_id=instance_id).text
        self._tokens.append(token)
        return InstanceChanged(
            version=1, instance_id=instance_id, model_id=self.model, account_id=self.owner,
            token_hash=self.installation.hasher.digest(token), accepts_connections=True,
        )  # fmt: skip

    async def known(self) -> None:
        """Wait until the gateway has handled earlier events: it reads all its topics in one order."""
        witness = 2_000_000_000 + next(self.installation.numbers)
        event, secret = self.key_of(self.owner)
        await self.installation.publish(event, model_changed(self.owner, witness, prototype=True))

        async def code() -> object:
            url = PREDICT.url(self.installation.gateway.url, self.owner, witness)
            found = await self.installation.client.post(url, json={}, headers={"MLP-API-KEY": secret})
            return found.json().get("code")

        await eventually(code, until=lambda text: text == "mlp.gate.prototype_not_callable", seconds=PATIENCE)

    async def give_credit(self) -> None:
        """Give the payer credit and wait until mlpbilling knows: it reads limits independently of the gateway."""
        await self.installation.publish(limits_changed(self.payer, features=("mlp_billing.no_blocking",)))
        query = "SELECT no_blocking FROM billing_account WHERE account_id = $1"
        await eventually(lambda: self.installation.billing_books.fetchval(query, self.payer), seconds=PATIENCE)

    async def serve(self, script: Script, *, takes_batches: bool = False) -> Instance:
        token = self._tokens[len(self.instances)]
        instance = Instance(self.installation.grpc_address, token, script, takes_batches=takes_batches)
        self.instances.append(instance)
        await instance.connected()
        return instance

    async def call(self, path: Path = PREDICT, **headers: str) -> httpx.Response:
        """Uses the payer's key unless `headers` (with underscores for hyphens) say otherwise."""
        named = {name.replace("_", "-"): value for name, value in headers.items()} or {"MLP-API-KEY": self.key}
        url = path.url(self.installation.gateway.url, self.owner, self.model)
        sent = path.content(self.owner, self.model)
        return await self.installation.client.request(path.method, url, headers=named, **sent)

    async def begin_in_background(self, path: Path = PREDICT) -> str:
        """Returns the URL of the prediction."""
        answer = await self.call(path, MLP_API_KEY=self.key, Prefer="respond-async")
        assert answer.status_code == 202, answer.text
        return f"{self.installation.gateway.url}{answer.json()['urls']['get']}"

    async def refused(self, status: int, code: str, path: Path = PREDICT, **headers: str) -> None:
        answer = await self.call(path, **headers)
        assert answer.status_code == status, answer.text
        body = answer.json()
        assert body.get("error", body)["code"] == code

    async def close(self) -> None:
        await asyncio.gather(*(instance.close() for instance in self.instances))

    def session(self) -> str:
        """A session cookie of a member of the payer's account."""
        people = self.installation.people
        return people.user(people.account(self.payer, f"account-{self.payer}"))["Cookie"]

    async def settled(self) -> None:
        """Wait until all recorded usage is charged.

        A free call is recorded after it. When that call is charged, mlpbilling has read all earlier usage, and each
        payer's usage is handled separately.
        """
        await self.installation.no_call_in_progress()
        marker, request_id = self.installation.marker, f"settled-{next(self.installation.numbers)}"

        async def marked() -> int:
            return (await marker.call(MLP_API_KEY=marker.key, Z_requestId=request_id)).status_code

        async def charged() -> int:
            query = "SELECT count(*) FROM usage WHERE request_id = $1"
            return int(await self.installation.billing_books.fetchval(query, request_id))

        await eventually(marked, until=lambda status: status == 200, seconds=PATIENCE)
        await eventually(charged, seconds=PATIENCE)
        await eventually(self.installation.usages_waiting, until=lambda number: number == 0, seconds=PATIENCE)

    async def spent(self, account_id: int) -> int:
        """The sum of all charges of the account."""
        billing_records = self.installation.billing_books
        refilled = "SELECT coalesce(sum(amount_nano), 0)::bigint FROM refill WHERE account_id = $1"
        main = "SELECT coalesce(sum(main_nano), 0)::bigint FROM balance WHERE account_id = $1"
        return await billing_records.fetchval(refilled, account_id) - await billing_records.fetchval(main, account_id)

    async def figures(self) -> Figures:
        """The money moved from payer to owner. Only the payer may have had other movements."""
        billing_records = self.installation.billing_books
        rows = await billing_records.fetch(
            "SELECT model_account_id, charged_nano, free_units FROM usage WHERE payer_account_id = $1", self.payer
        )
        charged = sum(row["charged_nano"] for row in rows)
        assert await self.spent(self.payer) == charged, "the balance has lost what usage says was charged"
        income = "SELECT coalesce(sum(income_nano), 0)::bigint FROM balance WHERE account_id = $1"
        mine = [row for row in rows if row["model_account_id"] == self.owner]
        return Figures(
            pays=sum(row["charged_nano"] for row in mine),
            earns=await billing_records.fetchval(income, self.owner),
            usages=len(mine),
            free_units=sum(row["free_units"] for row in mine),
        )


CUSTOM: Values = {"unit": "custom", "unit_price_nano": PRICE // UNITS}
DIRECT: Values = {"unit": "direct"}


def model_changed(owner: int, model_id: int, **about: object) -> ModelChanged:
    values: dict[str, object] = {
        "version": next(_versions), "model_id": model_id, "model_name": f"model-{model_id}", "account_id": owner,
        "account_name": f"account-{owner}", "task_type": "custom", "active": True, "prototype": False,
        "fittable": False, "composite": False, "hosting_type": "EXTERNAL", "reject_if_inactive": True,
        "timeouts": ModelTimeouts(pod_start=60, predict=60, fit=60),
        "billing": ModelBilling(enabled=False, unit=BillingUnit.CALLS, unit_price_nano=1, currency=Currency.RUBLE, free_unit_quota=0),
        "publicity": ModelPublicity(is_public=True, hidden=False, public_testing_allowed=False), **about,
    }  # fmt: skip
    return ModelChanged.model_validate(values)


def account_changed(account_id: int) -> AccountChanged:
    return AccountChanged(
        version=next(_versions), account_id=account_id, short_name=f"account-{account_id}", display_name="Account",
        owner_user_id=1, email="a@example.org", language="EN", active=True,
    )  # fmt: skip


def limits_changed(account_id: int, **about: object) -> AccountLimitsChanged:
    values: dict[str, object] = {
        "version": next(_versions), "account_id": account_id, "predict_per_sec": 100_000, "fit_per_minute": 5,
        "features": (), **about,
    }  # fmt: skip
    return AccountLimitsChanged.model_validate(values)
