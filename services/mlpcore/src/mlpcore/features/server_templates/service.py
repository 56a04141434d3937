"""Named configurations for servers: an account's own ones, and those that the platform has published."""

from collections.abc import Collection
from typing import Any

import structlog

from mlpcore.features.models.tables import Model
from mlpcore.features.placement.needs import needs_of
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.server_templates.errors import TooManyServerTemplates
from mlpcore.features.server_templates.fitting import holds
from mlpcore.features.server_templates.prices import price_for
from mlpcore.features.server_templates.repository import ServerTemplateRepository
from mlpcore.features.server_templates.schemas import (
    CreateUpdateServerTemplateData,
    ServerTemplateAvailability,
    ServerTemplateData,
    TemplateType,
)
from mlpcore.features.server_templates.tables import ServerTemplate
from mlpcore.features.servers.configuration import read_configuration
from mlpcore.features.servers.ports import OwnedGroups
from mlpcore.system_account import SYSTEM_ACCOUNT
from mlplace_kit.clock import Clock
from mlplace_kit.denials import LimitedToServices
from mlplace_kit.errors import NotFound, ValidationFailed
from mlplace_kit.violations import Violation, broken
from mlplace_runtime.web.policy import Access

log = structlog.get_logger(__name__)


class ServerTemplateService:
    def __init__(
        self,
        *,
        repository: ServerTemplateRepository,
        groups: OwnedGroups,
        types: Collection[str],
        clock: Clock,
        most: int,
    ) -> None:
        """`types`: those of the groups that can be made. `most`: templates that an account may have."""
        self._repository = repository
        self._groups = groups
        self._types = types
        self._clock = clock
        self._most = most

    async def own(self, account_id: int) -> list[ServerTemplateData]:
        return [shown(found, account_id) for found in await self._repository.of_account(account_id)]

    async def public(self, account_id: int, kind: TemplateType | None) -> list[ServerTemplateData]:
        found = await self._repository.public(kind.value if kind else None)
        return [shown(template, account_id) for template in found]

    async def of_group(self, account_id: int, name: str) -> list[ServerTemplateData]:
        """Returns the own and public templates for servers of the group. Raises NotFound."""
        group: ResourceGroup | None = await self._groups.owned(account_id=account_id, name=name)
        if group is None:
            raise NotFound(entity="resource group")
        found = await self._repository.all_usable(account_id=account_id, kind=group.resource_group_type)
        return [shown(template, account_id) for template in found]

    async def for_model(self, *, access: Access, model: Model, count: int) -> list[ServerTemplateData]:
        """Returns the own and public templates whose servers hold `count` instances of the model, by price.

        Raises LimitedToServices: templates belong to the account as a whole.
        """
        if access.principal.allowed_models is not None:
            raise LimitedToServices
        account_id, needs, now = access.account.account_id, needs_of(model), self._clock.now()
        usable = await self._repository.all_usable(account_id=account_id)
        fitting = [template for template in usable if holds(template, needs, count=count, now=now)]
        fitting.sort(key=lambda template: price_for(account_id, template).order)
        return [shown(template, account_id) for template in fitting]

    async def availability(self, *, account_id: int, template_id: int) -> ServerTemplateAvailability:
        """Says that servers can be made: who makes a hosting server brings its machine, so there is no bound.

        Raises NotFound.
        """
        if await self._repository.usable(account_id=account_id, template_id=template_id) is None:
            raise NotFound(entity="server template")
        return ServerTemplateAvailability(available=True, servers_count=None)

    async def create(self, *, account_id: int, data: CreateUpdateServerTemplateData) -> ServerTemplateData:
        """Raises NameAlreadyExists, TooManyServerTemplates, ValidationFailed."""
        values, now = self._checked(account_id, data), self._clock.now()
        await self._repository.hold(account_id)
        if (used := await self._repository.count(account_id)) >= self._most:
            raise TooManyServerTemplates(limit=str(self._most), used=str(used))
        template = ServerTemplate(account_id=account_id, created_at=now, updated_at=now, **values)
        await self._repository.add(template)
        self._note("server_template_created", template)
        return shown(template, account_id)

    async def update(
        self, *, account_id: int, template_id: int, data: CreateUpdateServerTemplateData
    ) -> ServerTemplateData:
        """Servers that were made before keep what they took. Raises NotFound, NameAlreadyExists, ValidationFailed."""
        template = await self._owned(account_id, template_id)
        for column, value in self._checked(account_id, data).items():
            setattr(template, column, value)
        template.updated_at = self._clock.now()
        await self._repository.flush(data.name)
        self._note("server_template_changed", template)
        return shown(template, account_id)

    async def delete(self, *, account_id: int, template_id: int) -> None:
        """Servers that were made from it keep what they took, and its id. Raises NotFound."""
        template = await self._owned(account_id, template_id)
        await self._repository.delete(template)
        self._note("server_template_deleted", template)

    async def _owned(self, account_id: int, template_id: int) -> ServerTemplate:
        template = await self._repository.lock(account_id=account_id, template_id=template_id)
        if template is None:
            raise NotFound(entity="server template")
        return template

    def _checked(self, account_id: int, data: CreateUpdateServerTemplateData) -> dict[str, Any]:
        """Returns the values by column. Raises ValidationFailed."""
        problems: dict[str, Violation] = {}
        if data.type not in self._types:
            problems["type"] = broken("hosting_only")
        if data.public_price is not None:
            if account_id != SYSTEM_ACCOUNT:
                problems["publicPrice"] = broken("platform_only")
            if data.public_price_period is None:
                problems["publicPricePeriod"] = broken("required_with", other="publicPrice")
            if data.currency is None:
                problems["currency"] = broken("required_with", other="publicPrice")
        if problems:
            raise ValidationFailed(problems)
        configuration = read_configuration(data.raw_configuration)
        sent = data.model_dump(exclude={"internal_template_name", "capacity"})
        return {
            **sent,
            "internal_name": data.internal_template_name,
            "capacity": data.capacity.model_dump() if data.capacity else None,
            "labels": dict(configuration.labels),
            "max_instances": configuration.max_instances,
        }

    def _note(self, event: str, template: ServerTemplate) -> None:
        log.info(event, account_id=template.account_id, number=template.template_id)


def shown(template: ServerTemplate, account_id: int) -> ServerTemplateData:
    """Returns what the account sees. Only the owner sees the cost price, the internal name and the user name."""
    own, price = template.account_id == account_id, price_for(account_id, template)
    return ServerTemplateData.model_validate(
        {
            "id": template.template_id,
            "owner_id": template.account_id,
            "name": template.name,
            "type": template.type,
            "capacity": template.capacity,
            "description": template.description,
            "raw_configuration": template.raw_configuration,
            "tariffication_price": price.price,
            "tariffication_period": price.period,
            "internal_template_name": template.internal_name if own else None,
            "username": template.username if own else None,
            "cost_price": price.cost,
            "public_price": template.public_price,
            "public_price_period": template.public_price_period,
            "currency": template.currency,
        }
    )
