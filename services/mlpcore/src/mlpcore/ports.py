"""Interfaces through which features call features of a higher layer.

`registry.PORTS` names the implementations; `CoreState` hands them on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final, Protocol

from mlpcore.starts import Start

INACTIVE: Final = "INACTIVE"


@dataclass(frozen=True, slots=True)
class Users:
    """`names` are the account's own live models that use an object; `others` counts those of other accounts."""

    names: Sequence[str]
    others: int


class ImageUsers(Protocol):
    async def users_of(self, *, account_id: int, image_id: int) -> Users:
        """Returns the live models that use the account's image of this kind."""
        ...


class ServiceZones(Protocol):
    async def write(self, *, account_id: int, zone: str) -> None:
        """Writes the account's new time zone into the configurations of its models.

        Only the previous release reads it there: its processes may still run, or run again.
        """
        ...


class DatasetUsers(Protocol):
    async def users_of(self, *, account_id: int, dataset_id: int) -> Users:
        """Returns the live models that are trained with the account's dataset."""
        ...


class OtherStorage(Protocol):
    async def used_bytes(self, account_id: int) -> int:
        """Returns the bytes that the account stores beside its datasets."""
        ...

    async def keep_for_readers(self, *, account_id: int, key: str, size: int, now: datetime, most: int) -> bool:
        """Lets a sweep delete the object of a replaced content when its readers have had time to open it.

        Returns False, and keeps nothing, if the account's bytes that wait for the sweep would exceed `most`.
        """
        ...

    async def kept_for_readers(self, keys: Sequence[str]) -> frozenset[str]:
        """Returns those of the object keys that wait for the sweep."""
        ...


@dataclass(frozen=True, slots=True)
class ModelObserved:
    """`state` is RUNNING, STARTING, SLEEPING, REMOVING or INACTIVE. `start_seconds`: the mean of measured starts.

    `connected` and `expected` count instances: those that answer, and these with those that are starting. `waits`: the
    model is STARTING, but no server takes any of them. `start`: how far a STARTING model is; None if nothing is known
    to start, like an instance that its owner runs, or one on a silent server.
    """

    state: str
    start_seconds: float | None
    connected: int
    expected: int
    waits: bool
    start: Start | None


UNOBSERVED: Final = ModelObserved(INACTIVE, None, 0, 0, waits=False, start=None)


class ModelStates(Protocol):
    async def states_of(self, model_ids: Sequence[int]) -> Mapping[int, ModelObserved]:
        """Returns what is seen of the models, in one query. A missing model is INACTIVE."""
        ...


class InstanceStopper(Protocol):
    async def stop_all(self, *, account_id: int, model_id: int) -> None:
        """Ends the instances of a model that is being deleted, in the caller's transaction."""
        ...

    async def stop_hosted(self, *, account_id: int, model_id: int, reason: str) -> None:
        """Ends the model's instances on the platform, in the caller's transaction, which has locked the model.

        Those that the owner runs stay. `reason`: what the history of the instances says.
        """
        ...


class InstanceStarter(Protocol):
    async def start_one(self, *, model_id: int) -> None:
        """Starts an instance in the caller's transaction. Raises HostingTypeUnavailable, InstanceLimitExceeded."""
        ...


class ModelRestarter(Protocol):
    async def restart_of_image(
        self, *, account_id: int, image_id: int, image_name: str, only: frozenset[int] | None
    ) -> int:
        """Begins to replace the instances of the account's models with the image. Returns the number of models.

        `only`: of these models; None: of all.
        """
        ...


class GroupUsers(Protocol):
    async def users_of(self, group_id: int) -> int:
        """How many live models refer to the resource group, in any account."""
        ...


class ServerUsers(Protocol):
    async def has_instances(self, server_id: int) -> bool:
        """Says whether an instance of any account is on the server, one that is being removed included."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateOffer:
    """What a server of a template gets, for the account that asks.

    `price` per `period`, a name of TariffPeriod; `cost`: None if it is unknown, or another account's business.
    `capacity`: what the server will have, as {cpu, memory, disk, gpu_models}; None if nobody has said.
    """

    raw_configuration: str
    description: str
    price: Decimal
    period: str | None
    cost: Decimal | None
    currency: str | None
    capacity: Mapping[str, object] | None


class ServerTemplates(Protocol):
    async def offer(self, *, account_id: int, template_id: int, kind: str) -> TemplateOffer | None:
        """Returns what the template gives, if the account may use it and it is for groups of this type."""
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


class NoInstances:
    async def has_instances(self, server_id: int) -> bool:
        """No feature runs instances."""
        return server_id < 0


class AlwaysInactive:
    async def states_of(self, model_ids: Sequence[int]) -> Mapping[int, ModelObserved]:
        return dict.fromkeys(model_ids, UNOBSERVED)


class NoTemplates:
    async def offer(self, *, account_id: int, template_id: int, kind: str) -> TemplateOffer | None:
        """No feature keeps templates."""
        del account_id, template_id, kind
        return None


class NothingToStop:
    async def stop_all(self, *, account_id: int, model_id: int) -> None:
        """No feature runs instances."""

    async def stop_hosted(self, *, account_id: int, model_id: int, reason: str) -> None:
        """No feature runs instances."""


class NothingToStart:
    async def start_one(self, *, model_id: int) -> None:
        """No feature runs instances."""


class NothingToRestart:
    async def restart_of_image(
        self, *, account_id: int, image_id: int, image_name: str, only: frozenset[int] | None
    ) -> int:
        """No feature runs instances."""
        del account_id, image_id, image_name, only
        return 0


class NoSecrets:
    async def missing(self, *, account_id: int, model_id: int | None, names: frozenset[str]) -> frozenset[str]:
        """No feature keeps secrets."""
        return names if account_id or model_id else frozenset()

    async def forget(self, *, account_id: int, model_id: int) -> None:
        """Nothing to forget."""

    async def copy(self, *, account_id: int, source: int, target: int) -> None:
        """Nothing to copy."""
