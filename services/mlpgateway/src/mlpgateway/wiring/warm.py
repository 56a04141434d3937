"""Wires the warm path."""

from mlpgateway.pipeline.pipeline import Pipeline
from mlpgateway.pipeline.stages import Stages
from mlpgateway.readmodels.all import ReadModels
from mlpgateway.shares.admission import Admission
from mlpgateway.warm.direct import WarmCalls
from mlpgateway.warm.environment import WarmParts
from mlpgateway.warm.verdicts import Verdicts
from mlpgateway.warm.writes import TurnWrites
from mlplace_kit.credentials import KeyedHasher


def make_warm_calls(
    *,
    pipeline: Pipeline,
    stages: Stages,
    admission: Admission,
    read_models: ReadModels,
    hasher: KeyedHasher,
    secure: bool,
) -> WarmCalls:
    around = WarmParts(pipeline, stages, admission, TurnWrites(stages.recorders.writer))
    verdicts = Verdicts(pipeline.before.standing, hasher, stages.ready)
    read_models.watch(verdicts.changed)
    return WarmCalls(around, verdicts, secure=secure)
