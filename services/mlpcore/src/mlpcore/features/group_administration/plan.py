"""Plans which services move from one resource group to which others."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Target:
    """A group that services may move to. `public`: those of every account, else only of its own one."""

    group_id: int
    name: str
    account_id: int
    public: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """`moves`: model and its new group, account by account. `groups`: accounts and services by new group. `stay`:
    accounts whose services stay, because no target takes them or because of the limit.
    """

    moves: Sequence[tuple[int, int]]
    groups: Mapping[int, tuple[int, int]]
    stay: Sequence[int] = field(default_factory=list[int])


def plan(
    services: Sequence[tuple[int, int]],
    targets: Sequence[Target],
    users: Mapping[int, Collection[int]],
    *,
    most_accounts: int | None,
) -> Plan:
    """`services`: account and model, sorted. `users`: the accounts with services in each target.

    All services of an account move to the same group: the one that the account uses already, else the one with the
    fewest accounts. Accounts are considered by their ids, at most `most_accounts` of them move.
    """
    by_account = defaultdict[int, list[int]](list)
    for account_id, model_id in services:
        by_account[account_id].append(model_id)
    accounts = {target.group_id: set(users.get(target.group_id, ())) for target in targets}
    moves: list[tuple[int, int]] = []
    groups: dict[int, tuple[int, int]] = {}
    stay: list[int] = []
    moved = 0
    for account_id, models in by_account.items():
        open_to = [target for target in targets if target.public or target.account_id == account_id]
        if not open_to or (most_accounts is not None and moved >= most_accounts):
            stay.append(account_id)
            continue
        best = min(
            open_to,
            key=lambda it: (account_id not in accounts[it.group_id], len(accounts[it.group_id]), it.group_id),
        ).group_id
        accounts[best].add(account_id)
        moves += [(model_id, best) for model_id in models]
        before = groups.get(best, (0, 0))
        groups[best] = (before[0] + 1, before[1] + len(models))
        moved += 1
    return Plan(moves, groups, stay)
