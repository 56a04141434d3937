"""`POST /internal/mlpcore/predict-configs/resolve`: returns a stored config to a gate that has not received its event
yet.
"""

from mlplace_contracts.internal.identity import InternalModel


class ResolvePredictConfig(InternalModel):
    model_id: int
    config_id: int


class ResolvedPredictConfig(InternalModel):
    """`config` is JSON text, in the form that instances get."""

    config: str
