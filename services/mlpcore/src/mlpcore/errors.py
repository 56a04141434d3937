"""Errors that several features of mlpcore raise."""

from collections.abc import Sequence
from typing import Final

from mlplace_kit.errors import DomainError

_NAMES_SHOWN: Final = 10


class InUse(DomainError):
    """`use` is the kind of `by`: services (with `count`), named (with `names`), named_and_more (with both), servers,
    reserve or public.
    """

    code = "mlp.core.in_use"
    status = 409
    message = "{entity} is in use: {by}"


def in_use_by_services(entity: str, names: Sequence[str], *, others: int = 0) -> InUse:
    """`names`: services that the caller may know. `others`: the number of further ones."""
    shown, more = ", ".join(names[:_NAMES_SHOWN]), max(0, len(names) - _NAMES_SHOWN) + others
    if not shown:
        return InUse(entity=entity, by=f"{more} services", use="services", count=str(more))
    if more == 0:
        return InUse(entity=entity, by=shown, use="named", names=shown)
    return InUse(
        entity=entity, by=f"{shown} and {more} more services", use="named_and_more", names=shown, count=str(more)
    )


class LicenseLimitExceeded(DomainError):
    """`why` is own_services, expired or usage: `reason` for programs."""

    code = "mlp.core.license_limit_exceeded"
    status = 403
    message = "the licence of this installation does not allow this: {reason}"


class TooManyCalculations(DomainError):
    code = "mlp.core.too_many_calculations"
    status = 429
    message = "another calculation is in progress; try again in a few seconds"
    retry_after_seconds = 2.0


class TooManyChanges(DomainError):
    code = "mlp.core.too_many_changes"
    status = 429
    message = "too many changes of instances wait for each other; try again in a few seconds"
    retry_after_seconds = 2.0
