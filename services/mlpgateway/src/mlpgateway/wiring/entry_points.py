"""What some entry points need besides the hot path: adapters, idempotent calls, predictions in the background."""

from dataclasses import dataclass
from datetime import timedelta

from mlpgateway.egress.client import Egress
from mlpgateway.egress.rules import EgressRules
from mlpgateway.features.idempotency.service import IdempotentCalls
from mlpgateway.features.predictions.change_notices import ChangeNotices
from mlpgateway.features.predictions.cleanup import PredictionCleanup
from mlpgateway.features.predictions.fair_turns import MOST_OF_ONE
from mlpgateway.features.predictions.outputs import Outputs
from mlpgateway.features.predictions.runner import PredictionRunner
from mlpgateway.features.predictions.sender import WebhookSender
from mlpgateway.features.predictions.service import Predictions
from mlpgateway.features.storage.limits import StorageLimits
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlpgateway.pipeline.pipeline import Pipeline
from mlpgateway.pipeline.stages import Stages
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
class EntryPoints:
    directory: ModelDirectory
    idempotent_calls: IdempotentCalls
    predictions: Predictions
    runner: PredictionRunner
    cleanup: PredictionCleanup
    sender: WebhookSender
    egress: Egress
    notices: Notices


@dataclass(frozen=True, slots=True)
class EntryParts:
    """What the entry points of one gateway are built from."""

    settings: MlpgatewaySettings
    shared: Shared
    database: Database
    links: ConnectedInstances
    read_models: ReadModels
    stages: Stages
    pipeline: Pipeline
    admission: Admission
    storage: StorageLimits


def make_entry_points(environment: EntryParts) -> EntryPoints:
    stages, shared = environment.stages, environment.shared
    directory = ModelDirectory(
        authenticate=stages.authenticate,
        authorise=stages.authorise,
        models=environment.read_models.models,
        descriptors=environment.links,
        ready=stages.ready,
    )
    idempotent_calls = IdempotentCalls(
        database=environment.database,
        handler=environment.pipeline,
        directory=directory,
        hasher=shared.hasher,
        clock=shared.clock,
        storage=environment.storage,
        most_bytes=environment.settings.kept_answer_bytes,
    )
    egress = Egress(EgressRules(environment.settings.egress_networks))
    vault = Vault(shared.envelope_key, *shared.older_envelope_keys)
    notices = Notices(environment.database, "mlpgateway")
    changes, outputs = ChangeNotices(notices, vault, shared.clock), Outputs(shared.objects)
    sender = WebhookSender(
        database=environment.database, egress=egress, vault=vault, clock=shared.clock, changes=changes
    )
    kept = timedelta(hours=environment.settings.prediction_hours)
    cleanup = PredictionCleanup(database=environment.database, vault=vault, outputs=outputs, kept=kept)
    predictions = Predictions(
        database=environment.database,
        directory=directory,
        callers=environment.pipeline,
        changes=changes,
        outputs=outputs,
        egress=egress,
        vault=vault,
        hasher=shared.hasher,
        storage=environment.storage,
        cleanup=cleanup,
        streams=stages.shares.streams,
        most_open=environment.settings.predictions_open,
        most_bytes=environment.settings.kept_answer_bytes,
    )
    runner = _runner(environment, vault, changes, outputs)
    return EntryPoints(directory, idempotent_calls, predictions, runner, cleanup, sender, egress, notices)


def _runner(environment: EntryParts, vault: Vault, changes: ChangeNotices, outputs: Outputs) -> PredictionRunner:
    settings = environment.settings
    return PredictionRunner(
        database=environment.database,
        handler=environment.pipeline,
        admission=environment.admission,
        vault=vault,
        clock=environment.shared.clock,
        ready=environment.stages.ready,
        changes=changes,
        outputs=outputs,
        share=Share("predictions", settings.predictions_at_once, MOST_OF_ONE),
        storage=environment.storage,
        space=environment.shared.space,
        deadline=timedelta(seconds=settings.prediction_patience_seconds),
        most_bytes=settings.kept_answer_bytes,
    )
