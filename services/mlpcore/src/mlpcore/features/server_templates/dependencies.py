from typing import Annotated

from fastapi import Depends

from mlpcore.features.resource_groups.repository import ResourceGroupRepository
from mlpcore.features.server_templates.repository import ServerTemplateRepository
from mlpcore.features.server_templates.service import ServerTemplateService
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def server_template_service(session: SessionDep, state: StateDep) -> ServerTemplateService:
    return ServerTemplateService(
        repository=ServerTemplateRepository(session),
        groups=ResourceGroupRepository(session),
        types=state.ports.group_types,
        clock=state.clock,
        most=state.settings.server_templates_per_account,
    )


ServerTemplateServiceDep = Annotated[ServerTemplateService, Depends(server_template_service)]
