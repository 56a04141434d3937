"""Explicit lists of the tables, routers, consumers, loops and port implementations of mlpcore."""

from collections.abc import Callable, Sequence
from typing import Any

from fastapi import APIRouter

from mlpcore.features.accounts import internal_router as account_internal
from mlpcore.features.accounts import router as account_routers
from mlpcore.features.accounts import tables as account_tables
from mlpcore.features.accounts.consumers import accounts_consumer, republish_limits
from mlpcore.features.activity import tables as activity_tables
from mlpcore.features.activity.consumers import activity_consumer
from mlpcore.features.api_keys import router as api_key_routers
from mlpcore.features.api_keys import tables as api_key_tables
from mlpcore.features.api_keys.consumers import announce_keys_of, republish_keys
from mlpcore.features.api_keys.expiring import expiring_keys_loop
from mlpcore.features.api_keys.spending import key_spending_consumer
from mlpcore.features.applications import router as application_routers
from mlpcore.features.autoscaling import router as autoscaling_routers
from mlpcore.features.autoscaling import tables as autoscaling_tables
from mlpcore.features.autoscaling.loops import autoscaling_loop, decisions_loop, registering_loop
from mlpcore.features.autoscaling.tasks import KINDS as AUTOSCALING_TASKS
from mlpcore.features.available_room import router as available_room_routers
from mlpcore.features.buckets import router as bucket_routers
from mlpcore.features.buckets import tables as bucket_tables
from mlpcore.features.buckets.credentials import SECRET_KEYS
from mlpcore.features.buckets.instance_credentials import INSTANCE_KEYS
from mlpcore.features.buckets.repository import StorageOfBuckets
from mlpcore.features.buckets.s3 import router as s3_routers
from mlpcore.features.buckets.sweeping import buckets_loop, unfinished_blobs_loop
from mlpcore.features.call_statistics import tables as call_statistics_tables
from mlpcore.features.call_statistics.consumers import call_statistics_consumer
from mlpcore.features.call_statistics.loops import call_statistics_loop
from mlpcore.features.clicks import router as click_routers
from mlpcore.features.clicks import tables as click_tables
from mlpcore.features.clicks.forgetting import clicks_loop
from mlpcore.features.data_images import router as data_image_routers
from mlpcore.features.data_images import tables as data_image_tables
from mlpcore.features.datasets import content_router as dataset_content_routers
from mlpcore.features.datasets import router as dataset_routers
from mlpcore.features.datasets import tables as dataset_tables
from mlpcore.features.datasets.sweeping import datasets_loop
from mlpcore.features.examples import router as example_routers
from mlpcore.features.examples import tables as example_tables
from mlpcore.features.group_administration import router as group_administration_routers
from mlpcore.features.group_administration.steps import KINDS as GROUP_TASKS
from mlpcore.features.group_use import log_router as group_log_routers
from mlpcore.features.group_use import router as group_use_routers
from mlpcore.features.images import router as image_routers
from mlpcore.features.images import tables as image_tables
from mlpcore.features.instances import router as instance_routers
from mlpcore.features.instances import tables as instance_tables
from mlpcore.features.instances.answers import (
    InstancesOnServers,
    RestartsModels,
    StartsInstances,
    StatesOfModels,
    StopsInstances,
    republish_instances,
)
from mlpcore.features.instances.consumers import connections_consumer
from mlpcore.features.instances.launching.creation import TOKENS
from mlpcore.features.instances.loops.comparing import comparison_loop
from mlpcore.features.instances.loops.draining import draining_loop
from mlpcore.features.instances.loops.lost_servers import lost_servers_loop
from mlpcore.features.instances.loops.reconciler import reconciler_loop
from mlpcore.features.instances.task_steps import KINDS as INSTANCE_TASKS
from mlpcore.features.instances.waking import wake_ups_consumer
from mlpcore.features.license import router as license_routers
from mlpcore.features.license import tables as license_tables
from mlpcore.features.license.checking import license_loop
from mlpcore.features.license.guard import LicenseGuard
from mlpcore.features.metrics import admin_router as request_metric_routers
from mlpcore.features.metrics import models_router as models_metric_routers
from mlpcore.features.metrics import router as metric_routers
from mlpcore.features.metrics import tables as metric_tables
from mlpcore.features.metrics.consumers import samples_consumer
from mlpcore.features.metrics.detailed import router as detailed_metric_routers
from mlpcore.features.metrics.loops import measures_loop, partitions_loop
from mlpcore.features.model_groups import router as model_group_routers
from mlpcore.features.models import activity_router as model_activity_routers
from mlpcore.features.models import catalogue_router as catalogue_routers
from mlpcore.features.models import clone_router as clone_routers
from mlpcore.features.models import datasets_router as model_dataset_routers
from mlpcore.features.models import router as model_routers
from mlpcore.features.models import tables as model_tables
from mlpcore.features.models import versions_router as model_version_routers
from mlpcore.features.models.cache_addresses import CACHES
from mlpcore.features.models.capped import capped_charges_consumer
from mlpcore.features.models.consumers import announce_models_of, descriptors_consumer, republish_models
from mlpcore.features.models.loops import sealing_loop
from mlpcore.features.models.repository import (
    DataImageUsersOfModels,
    DatasetUsersOfModels,
    GroupUsersOfModels,
    ImageUsersOfModels,
    ZonesOfModels,
)
from mlpcore.features.models.settings.hidden import SETTINGS
from mlpcore.features.notifications import router as notification_routers
from mlpcore.features.notifications import tables as notification_tables
from mlpcore.features.notifications.consumers import notification_consumer
from mlpcore.features.notifications.forgetting import notifications_loop
from mlpcore.features.notifications.mailing import notification_mail_loop
from mlpcore.features.placement import tables as placement_tables
from mlpcore.features.predict_configs import router as predict_config_routers
from mlpcore.features.predict_configs import tables as predict_config_tables
from mlpcore.features.predict_configs.consumers import republish_predict_configs
from mlpcore.features.providers.hosting_server import router as hosting_routers
from mlpcore.features.providers.registry import PROVIDERS
from mlpcore.features.recent_calls import router as recent_call_routers
from mlpcore.features.registry_credentials import router as registry_credential_routers
from mlpcore.features.registry_credentials import tables as registry_credential_tables
from mlpcore.features.registry_credentials.sealing import PASSWORDS
from mlpcore.features.rents import tables as rent_tables
from mlpcore.features.rents.loops import rents_loop
from mlpcore.features.resource_groups import router as resource_group_routers
from mlpcore.features.resource_groups import tables as resource_group_tables
from mlpcore.features.scaling_rules import tables as scaling_tables
from mlpcore.features.secrets import router as secret_routers
from mlpcore.features.secrets import tables as secret_tables
from mlpcore.features.secrets.answers import SecretsOfModels
from mlpcore.features.secrets.sealing import SECRETS
from mlpcore.features.server_templates import router as server_template_routers
from mlpcore.features.server_templates import tables as server_template_tables
from mlpcore.features.server_templates.answers import OffersOfTemplates
from mlpcore.features.servers import router as server_routers
from mlpcore.features.servers import tables as server_tables
from mlpcore.features.servers.watching import servers_loop
from mlpcore.features.specifications import router as specification_routers
from mlpcore.features.stat_logs import tables as stat_log_tables
from mlpcore.features.stat_logs.forgetting import stat_logs_loop
from mlpcore.features.system import router as system_routers
from mlpcore.features.tasks import router as task_routers
from mlpcore.features.tasks import tables as task_tables
from mlpcore.features.tasks.kinds import Kinds
from mlpcore.features.tasks.runner import forgetting_loop, runner_loop
from mlpcore.features.team_requests import router as team_request_routers
from mlpcore.features.team_requests import tables as team_request_tables
from mlpcore.features.team_requests.mailing import team_mail_loop
from mlpcore.state import CoreState, Ports
from mlpcore.tables import Base
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.db.sealed import SealedColumn
from mlplace_runtime.tasks import Loop

TABLES = (
    account_tables,
    activity_tables,
    api_key_tables,
    autoscaling_tables,
    bucket_tables,
    call_statistics_tables,
    click_tables,
    dataset_tables,
    example_tables,
    image_tables,
    data_image_tables,
    instance_tables,
    task_tables,
    license_tables,
    metric_tables,
    model_tables,
    notification_tables,
    placement_tables,
    predict_config_tables,
    rent_tables,
    resource_group_tables,
    scaling_tables,
    registry_credential_tables,
    secret_tables,
    server_template_tables,
    server_tables,
    stat_log_tables,
    team_request_tables,
)
METADATA = Base.metadata

ROUTERS: list[APIRouter] = [
    account_routers.router,
    account_routers.admin_router,
    account_internal.router,
    api_key_routers.router,
    api_key_routers.admin_router,
    api_key_routers.internal_router,
    application_routers.router,
    image_routers.router,
    data_image_routers.router,
    bucket_routers.router,
    bucket_routers.admin_router,
    s3_routers.router,
    dataset_routers.router,
    dataset_content_routers.router,
    model_dataset_routers.router,
    catalogue_routers.account_router,
    catalogue_routers.router,
    recent_call_routers.router,
    clone_routers.router,
    model_routers.router,
    model_version_routers.router,
    model_activity_routers.router,
    model_activity_routers.admin_router,
    model_group_routers.router,
    example_routers.router,
    predict_config_routers.router,
    predict_config_routers.internal_router,
    registry_credential_routers.router,
    secret_routers.router,
    specification_routers.router,
    system_routers.router,
    system_routers.internal_router,
    group_administration_routers.router,
    group_log_routers.router,
    group_use_routers.router,
    available_room_routers.router,
    license_routers.router,
    metric_routers.router,
    models_metric_routers.router,
    request_metric_routers.router,
    detailed_metric_routers.router,
    autoscaling_routers.router,
    group_use_routers.model_router,
    group_use_routers.config_router,
    resource_group_routers.router,
    server_template_routers.group_router,  # before the next one, whose paths have any id in this place
    server_template_routers.router,
    server_template_routers.model_router,
    server_routers.router,
    instance_routers.router,
    instance_routers.admin_router,
    instance_routers.platform_router,
    hosting_routers.router,
    hosting_routers.internal_router,
    task_routers.router,
    notification_routers.router,
    notification_routers.admin_router,
    click_routers.router,
    click_routers.account_router,
    team_request_routers.router,
]


def _accounts(state: CoreState) -> Consumer:
    return accounts_consumer(state, hooks=[announce_models_of, announce_keys_of])


CONSUMERS: list[Callable[[CoreState], Consumer]] = [
    _accounts,
    descriptors_consumer,
    connections_consumer,
    wake_ups_consumer,
    notification_consumer,
    key_spending_consumer,
    capped_charges_consumer,
    call_statistics_consumer,
    activity_consumer,
    samples_consumer,
]


def consumers(state: CoreState) -> list[Consumer]:
    return [make(state) for make in CONSUMERS]


TASKS = Kinds([*INSTANCE_TASKS, *GROUP_TASKS, *AUTOSCALING_TASKS])

LOOPS: list[Callable[[CoreState], Loop]] = [
    reconciler_loop,
    draining_loop,
    lost_servers_loop,
    comparison_loop,
    lambda state: runner_loop(state, TASKS),
    lambda state: forgetting_loop(state, TASKS),
    notifications_loop,
    notification_mail_loop,
    clicks_loop,
    datasets_loop,
    buckets_loop,
    unfinished_blobs_loop,
    stat_logs_loop,
    call_statistics_loop,
    partitions_loop,
    measures_loop,
    registering_loop,
    autoscaling_loop,
    decisions_loop,
    expiring_keys_loop,
    lambda state: Loop("outgoing-mails", lambda: state.mails.run(state.mailer)),
    servers_loop,
    rents_loop,
    sealing_loop,
    license_loop,
    team_mail_loop,
]


def loops(state: CoreState) -> list[Loop]:
    return [make(state) for make in LOOPS]


SEALED: Sequence[SealedColumn[Any]] = (SECRETS, PASSWORDS, SECRET_KEYS, INSTANCE_KEYS, SETTINGS, CACHES, TOKENS)
"""All columns of values that are sealed with the envelope key."""


PORTS = Ports(
    image_users=ImageUsersOfModels,
    data_image_users=DataImageUsersOfModels,
    dataset_users=DatasetUsersOfModels,
    other_storage=StorageOfBuckets,
    group_users=GroupUsersOfModels,
    service_zones=ZonesOfModels,
    server_users=InstancesOnServers,
    server_templates=OffersOfTemplates,
    model_states=StatesOfModels,
    instance_stopper=StopsInstances,
    instance_starter=StartsInstances,
    model_restarter=RestartsModels,
    license_policy=LicenseGuard,
    model_secrets=lambda session, state: SecretsOfModels(session, state.vault, state.clock),
    republishers=(
        republish_limits,
        republish_models,
        republish_predict_configs,
        republish_keys,
        republish_instances,
    ),
    group_types=tuple(PROVIDERS),
)
