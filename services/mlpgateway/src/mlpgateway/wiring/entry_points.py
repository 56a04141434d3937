"""What stands around the hot path for some ways of calling: adapters, calls that happen once or in the background."""

from dataclasses import dataclass
from datetime import timedelta

from mlpgateway.egress.client import Egress
from mlpgateway.egress.rules import EgressRules
from mlpgateway.features.idempotency.service import CallsOnce
from mlpgateway.features.predictions.change_notices import News
from mlpgateway.features.predictions.fair_turns import MOST_OF_ONE
from mlpgateway.features.predictions.outputs import Outputs
from mlpgateway.features.predictions.runner import PredictionRunner
from mlpgateway.features.predictions.sender import WebhookSender
from mlpgateway.features.predictions.service import Predictions
from mlpgateway.features.predictions.sweeper import PredictionSweeper
from mlpgateway.features.storage.limits import StorageLimits
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlpgateway.pipeline.pipeline import Pipeline, Stages
from mlpgateway.policy.access.model_directory import ModelDirectory
from mlpgateway.readmodels.all import ReadModels
from mlpgateway.settings import MlpgatewaySettings
from mlpgateway.shares.admission import Admission
from mlpgateway.shares.share import Share
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.notices import Notices
from mlplace_runtime.secrets import Vault
from mlplace_runtime.service import Shared


@dataclass(frozen=True, slots=True)
class Ways:
    directory: ModelDirectory
    once: CallsOnce
    predictions: Predictions
    runner: PredictionRunner
    sweeper: PredictionSweeper
    sender: WebhookSender
    egress: Egress
    notices: Notices


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
    admission: Admission
    storage: StorageLimits


def make_ways(around: Surroundings) -> Ways:
    stages, shared = around.stages, around.shared
    directory = ModelDirectory(
        authenticate=stages.authenticate,
        authorise=stages.authorise,
        models=around.read_models.models,
        descriptors=around.links,
        ready=stages.ready,
    )
    once = CallsOnce(
        database=around.database,
        handler=around.pipeline,
        directory=directory,
        hasher=shared.hasher,
        clock=shared.clock,
        storage=around.storage,
        most_bytes=around.settings.kept_answer_bytes,
    )
    egress = Egress(EgressRules(around.settings.egress_networks))
    vault = Vault(shared.envelope_key, *shared.older_envelope_keys)
    notices = Notices(around.database, "mlpgateway")
    news, outputs = News(notices, vault, shared.clock), Outputs(shared.objects)
    sender = WebhookSender(database=around.database, egress=egress, vault=vault, clock=shared.clock, news=news)
    kept = timedelta(hours=around.settings.prediction_hours)
    sweeper = PredictionSweeper(database=around.database, vault=vault, outputs=outputs, kept=kept)
    predictions = Predictions(
        database=around.database,
        directory=directory,
        news=news,
        outputs=outputs,
        egress=egress,
        vault=vault,
        hasher=shared.hasher,
        storage=around.storage,
        sweeper=sweeper,
        streams=stages.shares.streams,
        most_open=around.settings.predictions_open,
        most_bytes=around.settings.kept_answer_bytes,
    )
    runner = _runner(around, vault, news, outputs)
    return Ways(directory, once, predictions, runner, sweeper, sender, egress, notices)


def _runner(around: Surroundings, vault: Vault, news: News, outputs: Outputs) -> PredictionRunner:
    settings = around.settings
    return PredictionRunner(
        database=around.database,
        handler=around.pipeline,
        admission=around.admission,
        vault=vault,
        clock=around.shared.clock,
        ready=around.stages.ready,
        news=news,
        outputs=outputs,
        share=Share("predictions", settings.predictions_at_once, MOST_OF_ONE),
        storage=around.storage,
        space=around.shared.space,
        patience=timedelta(seconds=settings.prediction_patience_seconds),
        most_bytes=settings.kept_answer_bytes,
    )
