"""Interfaces through which features call features of a higher layer.

`registry.PORTS` names the implementations; `CoreState` hands them on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

INACTIVE: Final = "INACTIVE"


class ImageUsers(Protocol):
    async def users_of(self, image_id: int) -> int:
        """Counts the live models of all accounts that use the image."""
        ...


@dataclass(frozen=True, slots=True)
class ModelObserved:
    """`state` is RUNNING, STARTING, SLEEPING, REMOVING or INACTIVE. `start_seconds`: the mean of measured starts."""

    state: str
    start_seconds: float | None


UNOBSERVED: Final = ModelObserved(INACTIVE, None)


class ModelStates(Protocol):
    async def states_of(self, model_ids: Sequence[int]) -> Mapping[int, ModelObserved]:
        """Returns what is seen of the models, in one query. A missing model is INACTIVE."""
        ...


class InstanceStopper(Protocol):
    async def stop_all(self, *, account_id: int, model_id: int) -> None:
        """Ends the instances of a model that is being deleted, in the caller's transaction."""
        ...


class InstanceStarter(Protocol):
    async def start_one(self, *, model_id: int) -> None:
        """Starts an instance in the caller's transaction. Raises HostingTypeUnavailable, InstanceLimitExceeded."""
        ...


class GroupUsers(Protocol):
    async def users_of(self, group_id: int) -> int:
        """How many live models refer to the resource group, in any account."""
        ...


class ModelSecrets(Protocol):
    async def missing(self, *, account_id: int, model_id: int | None, names: frozenset[str]) -> frozenset[str]:
        """Returns the names that are no secret of the model or its account, and locks the other secrets.

        `model_id` is None for a model that is being created.
        """
        ...

    async def forget(self, *, account_id: int, model_id: int) -> None:
        """Deletes the secrets of a model that is being deleted, in the caller's transaction."""
        ...

    async def copy(self, *, account_id: int, source: int, target: int) -> None:
        """Copies the secrets of model `source` to model `target` of the same account, in the caller's transaction."""
        ...


class AlwaysInactive:
    async def states_of(self, model_ids: Sequence[int]) -> Mapping[int, ModelObserved]:
        return dict.fromkeys(model_ids, UNOBSERVED)


class NothingToStop:
    async def stop_all(self, *, account_id: int, model_id: int) -> None:
        """No feature runs instances."""


class NothingToStart:
    async def start_one(self, *, model_id: int) -> None:
        """No feature runs instances."""


class NoSecrets:
    async def missing(self, *, account_id: int, model_id: int | None, names: frozenset[str]) -> frozenset[str]:
        """No feature keeps secrets."""
        return names if account_id or model_id else frozenset()

    async def forget(self, *, account_id: int, model_id: int) -> None:
        """Nothing to forget."""

    async def copy(self, *, account_id: int, source: int, target: int) -> None:
        """Nothing to copy."""
