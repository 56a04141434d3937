"""What other features ask of templates."""

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.server_templates.prices import price_for
from mlpcore.features.server_templates.repository import ServerTemplateRepository
from mlpcore.ports import TemplateOffer


class OffersOfTemplates:
    """Implements ServerTemplates."""

    def __init__(self, session: AsyncSession) -> None:
        self._templates = ServerTemplateRepository(session)

    async def offer(self, *, account_id: int, template_id: int, kind: str) -> TemplateOffer | None:
        template = await self._templates.usable(account_id=account_id, template_id=template_id, kind=kind)
        if template is None:
            return None
        price = price_for(account_id, template)
        return TemplateOffer(
            raw_configuration=template.raw_configuration,
            description=template.description,
            price=price.price,
            period=price.period,
            cost=price.cost,
            currency=price.currency,
            capacity=template.capacity,
        )
