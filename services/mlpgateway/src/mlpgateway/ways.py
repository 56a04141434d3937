"""What stands around the hot path for some ways of calling: adapters, calls that have one effect only."""

from dataclasses import dataclass

from mlpgateway.adapters.directory import ModelDirectory
from mlpgateway.gate.links import ConnectedInstances
from mlpgateway.once.service import CallsOnce
from mlpgateway.proxy.pipeline import Pipeline, Stages
from mlpgateway.readmodels.all import ReadModels
from mlpgateway.settings import MlpgatewaySettings
from mlplace_runtime.db.database import Database
from mlplace_runtime.service import Shared


@dataclass(frozen=True, slots=True)
class Ways:
    directory: ModelDirectory
    once: CallsOnce


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the ways of one gateway are made of."""

    settings: MlpgatewaySettings
    shared: Shared
    database: Database
    links: ConnectedInstances
    read_models: ReadModels
    stages: Stages
    pipeline: Pipeline


def make_ways(around: Surroundings) -> Ways:
    stages, shared = around.stages, around.shared
    directory = ModelDirectory(
        authenticate=stages.authenticate,
        authorise=stages.authorise,
        models=around.read_models.models,
        links=around.links,
        ready=stages.ready,
    )
    once = CallsOnce(
        database=around.database,
        handler=around.pipeline,
        directory=directory,
        hasher=shared.hasher,
        clock=shared.clock,
        most_bytes=around.settings.kept_answer_bytes,
    )
    return Ways(directory, once)
