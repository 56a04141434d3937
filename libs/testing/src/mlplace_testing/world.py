"""Two accounts with all kinds of people, for tests of access."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from mlplace_contracts.enums import Role
from mlplace_contracts.events import AccountChanged
from mlplace_contracts.internal.identity import AccountEntry
from mlplace_testing.identities import Identities

Teller = Callable[..., Awaitable[None]]
"""Passes events to a service's consumer of accounts."""


@dataclass(frozen=True)
class World:
    """`owner` and `user` (role MLP_USER) belong to acme, `stranger` owns globex. People are request headers."""

    acme: AccountEntry
    globex: AccountEntry
    owner: dict[str, str]
    user: dict[str, str]
    stranger: dict[str, str]
    admin: dict[str, str]
    internal: dict[str, str]


def world_of(identities: Identities, acme: AccountEntry, globex: AccountEntry) -> World:
    return World(
        acme=acme,
        globex=globex,
        owner=identities.user(acme),
        user=identities.user(acme, role=Role.USER),
        stranger=identities.user(globex),
        admin=identities.user(superadmin=True),
        internal=identities.internal,
    )


def account_changed(entry: AccountEntry, **changes: object) -> AccountChanged:
    """Returns the event with which accountsadmin publishes the account."""
    values = {"version": 1, "email": "owner@example.org", "language": "EN", **entry.model_dump(), **changes}
    return AccountChanged.model_validate(values)
