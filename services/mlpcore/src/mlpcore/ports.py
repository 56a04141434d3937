"""What features ask of features above them: who answers is named by `registry.PORTS`, and handed on by the state."""

from collections.abc import Mapping, Sequence
from typing import Protocol

INACTIVE = "INACTIVE"


class ImageUsers(Protocol):
    async def users_of(self, image_id: int) -> int:
        """How many live models are built from the image, in any account."""
        ...


class ModelStates(Protocol):
    async def states_of(self, model_ids: Sequence[int]) -> Mapping[int, str]:
        """RUNNING, STARTING, SLEEPING or REMOVING of each model; one that is not named is INACTIVE. One query."""
        ...


class InstanceStopper(Protocol):
    async def stop_all(self, *, account_id: int, model_id: int) -> None:
        """The model is being deleted: its instances end. In the caller's transaction."""
        ...


class InstanceStarter(Protocol):
    async def start_one(self, *, model_id: int) -> None:
        """Raises HostingTypeUnavailable, InstanceLimitExceeded. In the caller's transaction."""
        ...


class ResourceGroupNames(Protocol):
    async def deployable(self, *, account_id: int, name: str) -> bool:
        """Whether the account may run services in the group of this name."""
        ...


class ModelSecrets(Protocol):
    async def missing(self, *, account_id: int, model_id: int | None, names: frozenset[str]) -> frozenset[str]:
        """Those of the names that are no secret of the model or its account. The others stay until the transaction
        ends. `model_id` is None for a model that is not there yet.
        """
        ...

    async def forget(self, *, account_id: int, model_id: int) -> None:
        """The model is being deleted, and its own secrets with it. In the caller's transaction."""
        ...

    async def copy(self, *, account_id: int, source: int, target: int) -> None:
        """The model `target`, of the same account, gets the secrets of `source`. In the caller's transaction."""
        ...


class AlwaysInactive:
    async def states_of(self, model_ids: Sequence[int]) -> Mapping[int, str]:
        return dict.fromkeys(model_ids, INACTIVE)


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


class AnyGroup:
    async def deployable(self, *, account_id: int, name: str) -> bool:
        return bool(account_id and name)
