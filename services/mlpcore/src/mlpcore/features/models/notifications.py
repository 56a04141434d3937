"""Notifications about models to the members of their account."""

from mlpcore.features.models.tables import Model
from mlpcore.features.notifications.schemas import NotificationType, Severity
from mlpcore.features.notifications.service import NewNotification
from mlpcore.operations import Entity, EntityName, OperationType


def created(model: Model) -> NewNotification:
    name = model.display_name or model.name
    entity = EntityName.PROTOTYPE if model.prototype else EntityName.MODEL
    return NewNotification(
        NotificationType.PIPELINE_OPERATION,
        Severity.INFO,
        f"{name} was created",
        operation=OperationType.CREATE,
        entity=Entity(entity, model.account_id, name, model_id=model.model_id),
    )
