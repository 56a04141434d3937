from mlplace_kit.errors import DomainError


class ReservationChanged(DomainError):
    code = "mlp.billing.reservation_changed"
    status = 409
    message = "this reservation id was used for another request"
