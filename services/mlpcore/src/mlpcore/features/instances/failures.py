"""What tasks about instances fail with."""

from mlpcore.features.tasks.errors import TaskFailed


class ServiceDeleted(TaskFailed):
    code = "mlp.core.task_service_deleted"
    message = "the service was deleted"


class InstanceStopped(TaskFailed):
    code = "mlp.core.task_instance_stopped"
    message = "instance {instance} was stopped before it was connected"


class InstanceFailed(TaskFailed):
    code = "mlp.core.instance_failed"
    message = "instance {instance}: {reason}"


class InstanceNotConnected(TaskFailed):
    code = "mlp.core.instance_start_timeout"
    message = "not connected within {seconds} seconds"


class InstanceNotPlaced(TaskFailed):
    code = "mlp.core.instance_not_placed"
    message = "not connected within {seconds} seconds: {reason}"


class NoPlaceLeft(TaskFailed):
    code = "mlp.core.no_place_left"
    message = "{reason}"
