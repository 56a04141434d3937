"""Errors of predictions."""

from mlplace_kit.errors import DomainError, NotFound


class PredictionNotFound(NotFound):
    def __init__(self) -> None:
        super().__init__(entity="prediction")


class DeliveryNotFound(NotFound):
    def __init__(self) -> None:
        super().__init__(entity="delivery")


class TooManyPredictions(DomainError):
    code = "mlp.gate.too_many_predictions"
    status = 429
    message = "{most} predictions of this account are open already; wait until some are done"
    retry_after_seconds = 5.0


class PredictionInterrupted(DomainError):
    """Every gate that served the prediction ended before the answer was there. Nothing was charged."""

    code = "mlp.gate.prediction_interrupted"
    status = 503
    message = "the gates that served this call ended before its answer was there"


class PredictionNotEnded(DomainError):
    code = "mlp.gate.prediction_not_ended"
    status = 409
    message = "the prediction is {status}; cancel it before you delete it"


class PredictionOpen(DomainError):
    code = "mlp.gate.prediction_open"
    status = 409
    message = "the prediction has no output: it is {status}"
