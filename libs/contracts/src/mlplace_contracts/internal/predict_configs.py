"""`POST /internal/mlpcore/predict-configs/resolve`: a stored config, for a gate that has not heard of it yet."""

from mlplace_contracts.internal.identity import InternalModel


class ResolvePredictConfig(InternalModel):
    model_id: int
    config_id: int


class ResolvedPredictConfig(InternalModel):
    """`config` is JSON text, as instances get it."""

    config: str
