"""The rules of models, with the time zones of their accounts."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from mlpcore.features.models.settings.blocks import ModelAutoScalingConfiguration
from mlpcore.features.models.tables import Model
from mlpcore.features.scaling_rules.rules import Rules, rules_of
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken


class Zones(Protocol):
    async def of(self, account_id: int) -> ZoneInfo:
        """Returns the time zone of the account's schedules."""
        ...


class ScalingRules:
    def __init__(self, zones: Zones, *, minute: timedelta) -> None:
        """`minute`: how long a minute of a configuration lasts."""
        self._zones = zones
        self._minute = minute

    async def of_model(self, model: Model) -> Rules:
        return await self._of(model, model.auto_scaling_configuration)

    async def of_configuration(self, model: Model, configuration: ModelAutoScalingConfiguration) -> Rules:
        """Returns the rules that the model would have with this configuration.

        Raises ValidationFailed for a time zone that is not the account's.
        """
        zone = (await self._zones.of(model.account_id)).key
        if configuration.time_zone not in {None, zone}:
            raise ValidationFailed({"timeZone": broken("account_time_zone", zone=zone)})
        return await self._of(model, configuration.settled().model_dump(mode="json", by_alias=True))

    async def _of(self, model: Model, stored: Mapping[str, Any]) -> Rules:
        zone = await self._zones.of(model.account_id)
        return rules_of(stored, least_by_default=model.min_instances_count, zone=zone, minute=self._minute)
