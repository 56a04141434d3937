from mlplace_kit.errors import DomainError


class NotificationMailRefused(DomainError):
    """`why` is a MailRefusal."""

    code = "mlp.core.notification_mail_refused"
    status = 409
    message = "no notification can be mailed to you: {why}"
