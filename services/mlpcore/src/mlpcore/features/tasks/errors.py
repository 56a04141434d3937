from mlplace_kit.errors import DomainError


class NotInterruptible(DomainError):
    code = "mlp.core.task_not_interruptible"
    status = 409
    message = "this task cannot be stopped: it is {status}"
