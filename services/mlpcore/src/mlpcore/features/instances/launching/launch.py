"""Builds the environment of one instance: complete for its start, masked to show it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mlpcore.features.buckets.objects import StorageAccess
from mlpcore.features.instances.launching.creation import InstanceFactory
from mlpcore.features.instances.launching.environment import PlatformAddresses, platform_environment
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.settings.hidden import HiddenSettings, masked_setting
from mlpcore.features.models.tables import Model
from mlplace_contracts.environment import SERVICE_CONFIG
from mlplace_kit.masking import MASK, masked_value


@dataclass(frozen=True, slots=True)
class Launch:
    """The environment sent to the instance's server. `service`: the owner's variables, without names of `platform`."""

    platform: dict[str, str]
    service: dict[str, str]
    command_flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownEnvironment:
    """`withheld`: names whose values are masked. Only a start on a hosting server gets them."""

    variables: dict[str, str]
    withheld: tuple[str, ...]


class Environments:
    def __init__(self, factory: InstanceFactory, hidden: HiddenSettings) -> None:
        self._factory = factory
        self._hidden = hidden

    def launch(
        self,
        instance: Instance,
        model: Model,
        addresses: PlatformAddresses,
        secrets: Mapping[str, str],
        storage: StorageAccess | None,
    ) -> Launch:
        """Returns the complete environment. `secrets`: values of the variables that refer to secrets."""
        whole = self._hidden.reveal(model)
        token = self._factory.token_of(instance)
        platform = platform_environment(instance, model, token, addresses, config=whole.config, storage=storage)
        own = {name: value for name, value in {**whole.env, **secrets}.items() if name not in platform}
        return Launch(platform, own, whole.additional_flags)

    def for_running(self, instance: Instance, model: Model, addresses: PlatformAddresses) -> Launch:
        """Returns the environment for a server that runs the instance already.

        It has no token, no secrets, no config and no access to the bucket.
        """
        return Launch(platform_environment(instance, model, "", addresses, config="{}", storage=None), {}, ())

    def shown(
        self,
        instance: Instance,
        model: Model,
        addresses: PlatformAddresses,
        *,
        editable: bool,
        storage: StorageAccess | None,
    ) -> ShownEnvironment:
        """Returns the environment to show. Unless `editable`, the values of the owner's variables are masked."""
        masked = None if storage is None else replace(storage, access_key=MASK, secret_key=MASK)
        platform, own, withheld = self._parts(instance, model, addresses, token=MASK, storage=masked)
        if not editable:
            own = dict.fromkeys(own, MASK)
        return ShownEnvironment({**platform, **own}, withheld)

    def handed_out(
        self, instance: Instance, model: Model, addresses: PlatformAddresses, *, storage: StorageAccess | None
    ) -> ShownEnvironment:
        """Returns the environment for the person who runs the instance: with its token and keys, secrets masked."""
        token = self._factory.token_of(instance)
        platform, own, withheld = self._parts(instance, model, addresses, token=token, storage=storage)
        return ShownEnvironment({**platform, **own}, withheld)

    def _parts(
        self,
        instance: Instance,
        model: Model,
        addresses: PlatformAddresses,
        *,
        token: str,
        storage: StorageAccess | None,
    ) -> tuple[dict[str, str], dict[str, str], tuple[str, ...]]:
        whole = self._hidden.reveal(model)
        config = str(masked_setting("config", whole.config))
        platform = platform_environment(instance, model, token, addresses, config=config, storage=storage)
        own = {name: masked_value(name, value) for name, value in whole.env.items()}
        own |= dict.fromkeys(model.secret_env, MASK)
        own = {name: value for name, value in own.items() if name not in platform}
        withheld = [name for name, value in own.items() if value != whole.env.get(name)]
        if config != whole.config:
            withheld.append(SERVICE_CONFIG)
        return platform, own, tuple(withheld)
