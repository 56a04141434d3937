from typing import Annotated

from fastapi import Depends, Query
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.dependencies import FeatureGateDep, time_zones_of
from mlpcore.features.activity.repository import ActivityRepository
from mlpcore.features.call_statistics.repository import CallStatisticsRepository
from mlpcore.features.call_statistics.service import CallStatistics
from mlpcore.features.data_images.repository import DataImageRepository
from mlpcore.features.datasets.repository import DatasetRepository
from mlpcore.features.images.repository import ImageRepository
from mlpcore.features.models.activity import ModelActivityService
from mlpcore.features.models.caching_secret import CachingSecret
from mlpcore.features.models.cloning import ModelCloner
from mlpcore.features.models.documents.service import DocumentService
from mlpcore.features.models.moving import ModelMover
from mlpcore.features.models.publishing import PublishingService
from mlpcore.features.models.reading.access import OwnedModels, ReadableModels, TestableModels
from mlpcore.features.models.reading.listing import ModelFilters, ModelListing
from mlpcore.features.models.reading.reader import ModelReader
from mlpcore.features.models.references import References
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.service import ModelService
from mlpcore.features.models.settings.hidden import HiddenSettings
from mlpcore.features.models.versions.history import VersionHistory
from mlpcore.features.models.versions.log import VersionLog
from mlpcore.features.models.versions.repository import VersionRepository
from mlpcore.features.models.versions.snapshot import Snapshots
from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.resource_groups.repository import ResourceGroupRepository
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.state import CoreState, StateDep
from mlplace_kit.wire import StoredText
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.web.dependencies import SessionDep


def _snapshots(state: CoreState) -> Snapshots:
    return Snapshots(HiddenSettings(state.vault), CachingSecret(state.vault))


def version_log_of(session: AsyncSession, state: CoreState) -> VersionLog:
    return VersionLog(VersionRepository(session), _snapshots(state), state.clock)


def version_history(session: SessionDep, state: StateDep) -> VersionHistory:
    return VersionHistory(VersionRepository(session), OwnedModels(ModelRepository(session)), _snapshots(state))


def model_reader(session: SessionDep, state: StateDep) -> ModelReader:
    statistics = CallStatistics(CallStatisticsRepository(session), state.clock)
    return ModelReader(
        ModelListing(session),
        ModelRepository(session),
        DataImageRepository(session),
        state.ports.model_states(session, state.clock),
        statistics,
    )


def model_service(session: SessionDep, state: StateDep, features: FeatureGateDep) -> ModelService:
    repository = ModelRepository(session)
    return ModelService(
        repository=repository,
        references=References(
            ImageRepository(session),
            DataImageRepository(session),
            DatasetRepository(session),
            repository,
            ResourceGroupRepository(session),
            time_zones_of(session, state),
        ),
        features=features,
        caching=CachingSecret(state.vault),
        hidden=HiddenSettings(state.vault),
        secrets=state.ports.model_secrets(session, state),
        stopper=state.ports.instance_stopper(session, state.clock),
        history=version_history(session, state),
        versions=version_log_of(session, state),
        outbox=Outbox(session, state.clock),
        notifier=notifier_of(session, state.clock),
        license_policy=state.ports.license_policy(session, state),
        clock=state.clock,
        currency=state.settings.currency,
    )


def model_cloner(session: SessionDep, state: StateDep, features: FeatureGateDep) -> ModelCloner:
    return ModelCloner(
        repository=ModelRepository(session),
        readable=ReadableModels(ModelListing(session)),
        images=ImageRepository(session),
        data_images=DataImageRepository(session),
        datasets=DatasetRepository(session),
        groups=ResourceGroupRepository(session),
        zones=time_zones_of(session, state),
        features=features,
        starter=state.ports.instance_starter(session, state),
        secrets=state.ports.model_secrets(session, state),
        vault=state.vault,
        versions=version_log_of(session, state),
        outbox=Outbox(session, state.clock),
        notifier=notifier_of(session, state.clock),
        license_policy=state.ports.license_policy(session, state),
        clock=state.clock,
        currency=state.settings.currency,
    )


def model_mover_of(session: AsyncSession, state: CoreState) -> ModelMover:
    return ModelMover(
        repository=ModelRepository(session),
        groups=ResourceGroupRepository(session),
        versions=version_log_of(session, state),
        outbox=Outbox(session, state.clock),
        logs=stat_logs_of(session),
        clock=state.clock,
    )


def publishing_service(session: SessionDep, state: StateDep, features: FeatureGateDep) -> PublishingService:
    return PublishingService(
        repository=ModelRepository(session),
        features=features,
        versions=version_log_of(session, state),
        outbox=Outbox(session, state.clock),
        clock=state.clock,
    )


def document_service(session: SessionDep) -> DocumentService:
    return DocumentService(ModelRepository(session), ModelListing(session))


def activity_service(session: SessionDep, state: StateDep) -> ModelActivityService:
    return ModelActivityService(ModelRepository(session), ActivityRepository(session), state.clock)


def owned_models(session: SessionDep) -> OwnedModels:
    return OwnedModels(ModelRepository(session))


def readable_models(session: SessionDep) -> ReadableModels:
    return ReadableModels(ModelListing(session))


def testable_models(session: SessionDep) -> TestableModels:
    return TestableModels(ReadableModels(ModelListing(session)))


def model_filters(
    *,
    only_my: Annotated[bool, Query(alias="onlyMy")] = False,
    only_others: Annotated[bool, Query(alias="onlyOthers", description="models of other accounts")] = False,
    with_favorites: Annotated[bool, Query(alias="withFavorites")] = False,
    only_public: Annotated[bool, Query(alias="onlyPublic")] = False,
    only_private: Annotated[bool, Query(alias="onlyPrivate")] = False,
    only_restricted: Annotated[
        bool, Query(alias="onlyRestricted", description="private models that chosen accounts may call")
    ] = False,
    only_fitted: Annotated[bool, Query(alias="onlyFitted", description="models trained from another model")] = False,
    only_for_visitors: Annotated[
        bool, Query(alias="onlyForVisitors", description="models that visitors may try without signing in")
    ] = False,
    account_field: Annotated[StoredText | None, Query(alias="accountField", max_length=128)] = None,
    model_field: Annotated[StoredText | None, Query(alias="modelField", max_length=128)] = None,
    display_author: Annotated[StoredText | None, Query(alias="displayAuthor", max_length=128)] = None,
    group_id: Annotated[
        int | None, Query(alias="groupId", ge=0, lt=2**63, description="0: models without a group")
    ] = None,
    task_type: Annotated[StoredText | None, Query(alias="taskType", max_length=64)] = None,
    language: Annotated[StoredText | None, Query(max_length=16)] = None,
    image_id: Annotated[int | None, Query(alias="imageId", ge=1, lt=2**63)] = None,
    data_image_id: Annotated[int | None, Query(alias="dataImageId", ge=1, lt=2**63)] = None,
) -> ModelFilters:
    return ModelFilters(
        only_my=only_my,
        only_others=only_others,
        with_favorites=with_favorites,
        only_public=only_public,
        only_private=only_private,
        only_restricted=only_restricted,
        only_fitted=only_fitted,
        only_for_visitors=only_for_visitors,
        account_field=account_field,
        model_field=model_field,
        display_author=display_author,
        group_id=group_id,
        task_type=task_type,
        language=language,
        image_id=image_id,
        data_image_id=data_image_id,
    )


ModelReaderDep = Annotated[ModelReader, Depends(model_reader)]
ModelClonerDep = Annotated[ModelCloner, Depends(model_cloner)]
ModelServiceDep = Annotated[ModelService, Depends(model_service)]
PublishingServiceDep = Annotated[PublishingService, Depends(publishing_service)]
VersionHistoryDep = Annotated[VersionHistory, Depends(version_history)]
DocumentServiceDep = Annotated[DocumentService, Depends(document_service)]
ActivityServiceDep = Annotated[ModelActivityService, Depends(activity_service)]
OwnedModelsDep = Annotated[OwnedModels, Depends(owned_models)]
TestableModelsDep = Annotated[TestableModels, Depends(testable_models)]
ReadableModelsDep = Annotated[ReadableModels, Depends(readable_models)]
FiltersDep = Annotated[ModelFilters, Depends(model_filters)]
