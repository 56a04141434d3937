"""Explicit lists of the tables, routers, consumers, loops and port implementations of mlpcore."""

from collections.abc import Callable

from fastapi import APIRouter

from mlpcore.features.accounts import internal_router as account_internal
from mlpcore.features.accounts import router as account_routers
from mlpcore.features.accounts import tables as account_tables
from mlpcore.features.accounts.consumers import accounts_consumer, republish_limits
from mlpcore.features.api_keys import router as api_key_routers
from mlpcore.features.api_keys import tables as api_key_tables
from mlpcore.features.api_keys.consumers import announce_keys_of, republish_keys
from mlpcore.features.api_keys.expiring import expiring_keys_loop
from mlpcore.features.api_keys.spending import key_spending_consumer
from mlpcore.features.applications import router as application_routers
from mlpcore.features.call_statistics import tables as call_statistics_tables
from mlpcore.features.call_statistics.consumers import call_statistics_consumer
from mlpcore.features.call_statistics.loops import call_statistics_loop
from mlpcore.features.clicks import router as click_routers
from mlpcore.features.clicks import tables as click_tables
from mlpcore.features.clicks.forgetting import clicks_loop
from mlpcore.features.examples import router as example_routers
from mlpcore.features.examples import tables as example_tables
from mlpcore.features.hosting import router as hosting_routers
from mlpcore.features.images import router as image_routers
from mlpcore.features.images import tables as image_tables
from mlpcore.features.instances import router as instance_routers
from mlpcore.features.instances import tables as instance_tables
from mlpcore.features.instances.answers import StartsInstances, StatesOfModels, StopsInstances, republish_instances
from mlpcore.features.instances.consumers import connections_consumer
from mlpcore.features.instances.reconciler import reconciler_loop
from mlpcore.features.instances.task_steps import KINDS as INSTANCE_TASKS
from mlpcore.features.instances.waking import wake_ups_consumer
from mlpcore.features.license import tables as license_tables
from mlpcore.features.license.checking import license_loop
from mlpcore.features.license.guard import LicenseGuard
from mlpcore.features.model_groups import router as model_group_routers
from mlpcore.features.models import catalogue_router as catalogue_routers
from mlpcore.features.models import clone_router as clone_routers
from mlpcore.features.models import router as model_routers
from mlpcore.features.models import tables as model_tables
from mlpcore.features.models.capped import capped_charges_consumer
from mlpcore.features.models.consumers import announce_models_of, descriptors_consumer, republish_models
from mlpcore.features.models.loops import sealing_loop
from mlpcore.features.models.repository import GroupUsersOfModels, ImageUsersOfModels
from mlpcore.features.notifications import router as notification_routers
from mlpcore.features.notifications import tables as notification_tables
from mlpcore.features.notifications.consumers import news_consumer
from mlpcore.features.notifications.forgetting import notifications_loop
from mlpcore.features.predict_configs import router as predict_config_routers
from mlpcore.features.predict_configs import tables as predict_config_tables
from mlpcore.features.predict_configs.consumers import republish_predict_configs
from mlpcore.features.rents import tables as rent_tables
from mlpcore.features.rents.loops import rents_loop
from mlpcore.features.resource_groups import router as resource_group_routers
from mlpcore.features.resource_groups import tables as resource_group_tables
from mlpcore.features.secrets import router as secret_routers
from mlpcore.features.secrets import tables as secret_tables
from mlpcore.features.secrets.answers import SecretsOfModels
from mlpcore.features.servers import router as server_routers
from mlpcore.features.servers import tables as server_tables
from mlpcore.features.servers.watching import servers_loop
from mlpcore.features.specifications import router as specification_routers
from mlpcore.features.stat_logs import tables as stat_log_tables
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
from mlplace_runtime.tasks import Loop

TABLES = (
    account_tables,
    api_key_tables,
    call_statistics_tables,
    click_tables,
    example_tables,
    image_tables,
    instance_tables,
    task_tables,
    license_tables,
    model_tables,
    notification_tables,
    predict_config_tables,
    rent_tables,
    resource_group_tables,
    secret_tables,
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
    catalogue_routers.account_router,
    catalogue_routers.router,
    clone_routers.router,
    model_routers.router,
    model_group_routers.router,
    example_routers.router,
    predict_config_routers.router,
    predict_config_routers.internal_router,
    secret_routers.router,
    specification_routers.router,
    system_routers.router,
    system_routers.internal_router,
    resource_group_routers.router,
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
    news_consumer,
    key_spending_consumer,
    capped_charges_consumer,
    call_statistics_consumer,
]


def consumers(state: CoreState) -> list[Consumer]:
    return [make(state) for make in CONSUMERS]


TASKS = Kinds(INSTANCE_TASKS)

LOOPS: list[Callable[[CoreState], Loop]] = [
    reconciler_loop,
    lambda state: runner_loop(state, TASKS),
    lambda state: forgetting_loop(state, TASKS),
    notifications_loop,
    clicks_loop,
    call_statistics_loop,
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


PORTS = Ports(
    image_users=ImageUsersOfModels,
    group_users=GroupUsersOfModels,
    model_states=StatesOfModels,
    instance_stopper=StopsInstances,
    instance_starter=StartsInstances,
    license_policy=LicenseGuard,
    model_secrets=lambda session, state: SecretsOfModels(session, state.vault, state.clock),
    republishers=(
        republish_limits,
        republish_models,
        republish_predict_configs,
        republish_keys,
        republish_instances,
    ),
)
