"""Maps the scenarios that the table names to functions."""

from collections.abc import Awaitable, Callable, Mapping
from types import ModuleType

from tests.settlement import (
    answered,
    broken,
    cached,
    capped,
    cost_told,
    failed,
    failing,
    http_lost,
    http_models,
    idempotent,
    keyed,
    leaving,
    money,
    predicted,
    refused,
    refused_at_entries,
    repeated,
    unserved,
    visitors,
)
from tests.settlement.case import Case
from tests.settlement.table import ROWS

Scenario = Callable[[Case], Awaitable[None]]


def _named(name: str) -> Scenario:
    modules: tuple[ModuleType, ...] = (
        answered, broken, cached, capped, failed, http_lost, http_models, idempotent, leaving, money, predicted, refused,
        repeated, visitors,
    )  # fmt: skip
    found = [
        vars(module)[name] for module in modules if getattr(vars(module).get(name), "__module__", "") == module.__name__
    ]
    if len(found) != 1:
        raise LookupError(f"{name} is the name of {len(found)} scenarios")
    return found[0]


OF_ENTRIES: Mapping[str, Scenario] = {
    name: scenario
    for module in (unserved, cost_told, failing, http_lost, http_models, keyed, leaving, predicted, refused_at_entries)
    for name, scenario in module.SCENARIOS.items()
}
SCENARIOS: Mapping[str, Scenario] = {name: OF_ENTRIES.get(name) or _named(name) for row in ROWS for name in row.cases}
