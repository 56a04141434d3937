"""State that all features of the running service share. Kept at `app.state.service`; routers take it as `StateDep`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.answer_waits import AnswerWaits
from mlpcore.calculations import Calculations
from mlpcore.change_turns import ChangeTurns
from mlpcore.licensing.policy import LicensePolicy, NoLicenseNeeded
from mlpcore.licensing.watch import LicenseWatch
from mlpcore.outgoing_mail import OutgoingMails
from mlpcore.ports import (
    AlwaysInactive,
    DatasetUsers,
    GroupUsers,
    ImageUsers,
    InstanceStarter,
    InstanceStopper,
    ModelRestarter,
    ModelSecrets,
    ModelStates,
    NoInstances,
    NoSecrets,
    NoTemplates,
    NothingToRestart,
    NothingToStart,
    NothingToStop,
    OtherStorage,
    ServerTemplates,
    ServerUsers,
    ServiceZones,
)
from mlpcore.settings import MlpcoreSettings
from mlpcore.transfers import ObjectTransfers, Transfers
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.times import SharedTime, database_time
from mlplace_runtime.mail import Mailer
from mlplace_runtime.objectstore import ObjectStore
from mlplace_runtime.objectstore.stores import open_memory
from mlplace_runtime.people import NobodyKnown, People
from mlplace_runtime.secrets import Vault
from mlplace_runtime.service import state_of

Republisher = Callable[[AsyncSession, Clock], Awaitable[int]]
"""Writes the current state of all objects of one kind into the outbox again. Returns how many events it wrote."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Factories of the implementations of `mlpcore.ports`; each call makes one for one session."""

    image_users: Callable[[AsyncSession], ImageUsers]
    data_image_users: Callable[[AsyncSession], ImageUsers]
    dataset_users: Callable[[AsyncSession], DatasetUsers]
    other_storage: Callable[[AsyncSession], OtherStorage]
    group_users: Callable[[AsyncSession], GroupUsers]
    service_zones: Callable[[AsyncSession], ServiceZones]
    server_users: Callable[[AsyncSession], ServerUsers] = field(default=lambda _: NoInstances())
    server_templates: Callable[[AsyncSession], ServerTemplates] = field(default=lambda _: NoTemplates())
    model_states: Callable[[AsyncSession, Clock], ModelStates] = field(default=lambda _, __: AlwaysInactive())
    instance_stopper: Callable[[AsyncSession, Clock], InstanceStopper] = field(default=lambda _, __: NothingToStop())
    instance_starter: Callable[[AsyncSession, "CoreState"], InstanceStarter] = field(
        default=lambda _, __: NothingToStart()
    )
    model_restarter: Callable[[AsyncSession, "CoreState"], ModelRestarter] = field(
        default=lambda _, __: NothingToRestart()
    )
    license_policy: Callable[[AsyncSession, "CoreState"], LicensePolicy] = field(
        default=lambda _, __: NoLicenseNeeded()
    )
    model_secrets: Callable[[AsyncSession, "CoreState"], ModelSecrets] = field(default=lambda _, __: NoSecrets())
    republishers: tuple[Republisher, ...] = ()
    group_types: tuple[str, ...] = ()
    """The types of resource groups whose servers have a provider."""


@dataclass(frozen=True, slots=True)
class CoreState:
    settings: MlpcoreSettings
    database: Database
    clock: Clock
    hasher: KeyedHasher
    vault: Vault
    ports: Ports
    license: LicenseWatch = field(default_factory=LicenseWatch)
    mailer: Mailer | None = None
    """None when no mail server is configured."""
    people: People = field(default_factory=NobodyKnown)
    mails: OutgoingMails = field(default_factory=OutgoingMails)
    answer_waits: AnswerWaits = field(default_factory=AnswerWaits)
    calculations: Calculations = field(default_factory=Calculations)
    change_turns: ChangeTurns = field(default_factory=ChangeTurns)
    transfers: Transfers = field(default_factory=Transfers)
    object_transfers: ObjectTransfers = field(default_factory=ObjectTransfers)
    objects: ObjectStore = field(default_factory=open_memory)
    shared_time: SharedTime = field(default=database_time)


StateDep = Annotated[CoreState, Depends(state_of(CoreState))]
