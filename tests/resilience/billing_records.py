"""Compares mlpbilling's records of a load with what its callers saw."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import httpx

from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually
from tests.resilience.load import Outcome

_PRICE = 0.01  # price of the demo's greeting
_SECONDS = 120
_MODEL = "greeting"


class Databases(Protocol):
    def query(self, database: str, statement: str) -> list[list[str]]: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """What the caller sees: the balance in units of currency, and today's calls of the demo's greeting."""

    balance: float
    calls: int


class BillingRecords:
    def __init__(self, platform: Platform, databases: Databases) -> None:
        self._platform = platform
        self._databases = databases

    def standing(self) -> Standing:
        with self._platform.signed_in("demo@example.org") as client:
            return self._standing(client)

    def _standing(self, client: httpx.Client) -> Standing:
        account = f"/api/mlpbilling/account/{self._platform.account_of(client)}"
        balance = client.get(f"{account}/balance/short").raise_for_status().json()["overallBalanceCurrency"]
        spending = client.get(f"{account}/details/spending", params={"period": "DAY"}).raise_for_status().json()
        return Standing(balance, sum(item["callsCount"] for item in spending["items"] if item["name"] == _MODEL))

    def standing_if_served(self) -> Standing | None:
        """None if the request is refused as retryable, as may happen at the moment when a replica ends."""
        try:
            return self.standing()
        except httpx.HTTPStatusError as error:
            if error.response.status_code != httpx.codes.SERVICE_UNAVAILABLE or not error.response.json().get("code"):
                raise
            return None

    def usages(self, prefix: str) -> Counter[str]:
        """The number of usages for each request id that starts with `prefix`."""
        statement = f"SELECT request_id FROM usage WHERE request_id LIKE '{prefix}-%'"
        return Counter(row[0] for row in self._databases.query("mlpbilling", statement))

    def settled(self, prefix: str, outcomes: Sequence[Outcome]) -> Counter[str]:
        """The usages of a finished load, once none of its answered calls is missing. Raises TimeoutError."""

        def missing() -> list[str]:
            written = self.usages(prefix)
            return [outcome.request_id for outcome in outcomes if outcome.answered and not written[outcome.request_id]]

        eventually(missing, until=lambda ids: not ids, seconds=_SECONDS, every=1)
        return self.usages(prefix)

    def check(self, before: Standing, prefix: str, outcomes: Sequence[Outcome]) -> None:
        """No usage is lost, duplicated or from a refused call; balance, report and ledger agree."""
        written = self.settled(prefix, outcomes)
        assert [request_id for request_id, count in written.items() if count > 1] == []
        charged = [o for o in outcomes if written[o.request_id]]
        assert [o for o in charged if not o.answered and not o.undecided] == []
        expected = round(before.balance - _PRICE * written.total(), 6)
        with self._platform.signed_in("demo@example.org") as client:  # once: attempts to sign in are limited
            after = eventually(
                lambda: self._standing(client), until=lambda now: round(now.balance, 6) == expected, seconds=_SECONDS
            )
        assert after.calls - before.calls == written.total()
        assert self.verification()["sound"] is True

    def verification(self) -> dict[str, object]:
        """The ledger's self-check, requested as an administrator."""
        with self._platform.signed_in("admin@example.org") as client:
            return client.get("/api/mlpbilling/admin/ledger/verification").raise_for_status().json()
