"""One valid request for every route: the caller, the path, and the ids in query and body.

Add new routes here. `python -m pytest tests/security -k every_route_has_a_sample` lists missing ones.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.security.tenants import PASSWORD, TEMPLATE, Tenant

Make = Callable[[Tenant, Tenant], object]
"""Makes a value from the caller and the owner of the objects that the request refers to."""


def _nothing(_me: Tenant, _other: Tenant) -> None:
    return None


@dataclass(frozen=True)
class Sample:
    """`path` has the parameters whose values do not follow from their names.

    `shown` says why another account may see the object of the path; `accepts` why foreign ids in the body are harmless.
    `status` is the owner's answer.
    """

    body: Make = _nothing
    query: Callable[[Tenant, Tenant], Mapping[str, object]] = lambda _me, _other: {}
    path: Mapping[str, Callable[[Tenant], object]] | None = None
    text: bool = False
    shown: str = ""
    accepts: str = ""
    status: int = 200
    anew: bool = False
    """The caller signs in for this request, because it ends or ignores the session."""


def _made_up(it: Tenant, number: int) -> str:
    """An unused id that belongs to this tenant."""
    return str(uuid.UUID(int=it.account_id * 10 + number))


BY_NAME: Mapping[str, Callable[[Tenant], object]] = {
    "account": lambda it: it.account_id,
    "accountId": lambda it: it.account_id,
    "accountField": lambda it: it.name,
    "modelField": lambda it: it.model_name,
    "ref": lambda it: it.account_id,
    "model": lambda it: it.model_id,
    "version": lambda _it: 1,
    "imageId": lambda it: it.image_id,
    "datasetId": lambda it: it.dataset_id,
    "groupId": lambda it: it.group_id,
    "configId": lambda it: it.config_id,
    "exampleId": lambda it: it.example_id,
    "secretId": lambda it: it.secret_id,
    "credentialId": lambda it: it.credential_id,
    "rest": lambda it: f"{it.account_id}-a2b3c4d5e6/kept",
    "token": lambda it: it.key_id,
    "groupName": lambda it: it.resource_group,
    "serverId": lambda it: it.server_id,
    "templateId": lambda it: it.template_id,
    "instanceId": lambda it: it.instance_id,
    "userId": lambda it: it.owner.user_id,
    "sessionId": lambda it: it.owner.session_id,
    "id": lambda it: it.received_invitation_id,
    "reservation_id": lambda it: it.reservation_id,
    "recordId": lambda it: _made_up(it, 3),
    "predictionId": lambda it: _made_up(it, 1),
    "deliveryId": lambda it: _made_up(it, 2),
    "taskId": lambda it: it.task_id,
    "featureName": lambda _it: "model_admin",
    "file": lambda _: "mlp-data-gpt.yml",
    "provider": lambda _: "sandbox",
    "application": lambda it: it.model_id,
    "path": lambda _: "any/where",
    "paymentId": lambda _: "a" * 32,
    "requestId": lambda _: 2**40,
}
_DATA_IMAGE = {"imageId": lambda it: it.data_image_id}
_GUEST = {"userId": lambda it: it.member.user_id}
_SPARE = {"model": lambda it: it.second_model_id}
_FILES = "the files are the same for everybody"
_OWN_ONLY = "models of others are absent from the answer"
_CATALOGUE = "the public catalogue leaves out what is not public"
_IMAGE = {"name": "renamed", "image": "example.org/renamed:1", "accessMode": "private"}
_LIMITS = {
    "baseModelInstanceLimit": 5, "derivedModelInstanceLimit": 5, "gpuModelInstanceLimit": 0, "cpuLimit": "4",
    "memoryLimit": "8Gi", "ephemeralDiskLimit": "20Gi", "predictPerSec": 100000, "fitPerMinute": 5,
}  # fmt: skip
_GROUP = {"resourceGroupType": "HOSTING_SERVER", "access": "PRIVATE", "isDefault": False}
_GROUP |= {"enabledEviction": False, "enabledAutoScaling": False}


def _model(name: str, other: Tenant) -> dict[str, object]:
    image = {"imageAccountId": other.account_id, "imageId": other.image_id}
    return {"modelName": name, **image, "taskType": "custom", "hostingType": "EXTERNAL"}


def _price(*_: object) -> dict[str, object]:
    return {"isBillingEnabled": False, "billingUnit": "calls", "billingUnitPriceInCurrency": 1, "freeUnitQuota": 0}


def _reserve(_me: Tenant, other: Tenant) -> dict[str, object]:
    return {
        "reservation_id": other.reservation_id, "gate": "gate:1", "payer_account_id": other.account_id,
        "model_account_id": other.account_id, "model_id": other.model_id, "currency": "RUBLE", "minimum_nano": 1,
        "wanted_nano": 1, "wanted_free_units": 0, "free_unit_quota": 0,
    }  # fmt: skip


def _asking(about: Mapping[str, object]) -> Make:
    """For an adapter, which takes the model from the body."""
    return lambda _me, other: {"model": f"{other.account_id}/{other.model_id}", **about}


def _always(value: object) -> Make:
    return lambda _me, _other: value


def _of(metric: str) -> Callable[[Tenant, Tenant], Mapping[str, object]]:
    return lambda _me, _other: {"metrics": metric, "metric": metric, "minutes": 5}


ACCOUNTSADMIN = {
    "get_public_options": Sample(),
    "check_authorized": Sample(),
    "get_session": Sample(),
    "register": Sample(_always({"login": "new@example.org", "password": PASSWORD}), anew=True),
    "sign_in": Sample(_always({"login": "new@example.org", "password": PASSWORD}), anew=True),
    "get_signed_in_person": Sample(),
    "list_allowed_accounts": Sample(),
    "select_account": Sample(lambda _me, other: {"accountId": other.account_id}),
    "list_sessions": Sample(),
    "get_account": Sample(),
    "update_account": Sample(_always({"displayName": "Renamed"})),
    "list_members": Sample(),
    "set_member_roles": Sample(_always({"roles": ["MLP_USER"]}), path=_GUEST),
    "get_invitations_by_user": Sample(query=lambda _me, other: {"userId": other.owner.user_id}),
    "accept_invitation": Sample(),
    "decline_invitation": Sample(status=409),
    "invite_to_account": Sample(_always({"email": "somebody@example.org", "roles": ["MLP_USER"]})),
    "list_sent_invitations": Sample(),
    "withdraw_invitation": Sample(path={"id": lambda it: it.sent_invitation_id}),
    "list_account_audit": Sample(),
    "list_users": Sample(),
    "list_domains": Sample(),
    "replace_domains": Sample(_always({"domains": []})),
    "list_audit": Sample(),
    "resolve_session": Sample(lambda _me, other: {"secret": other.owner.secret}),
    "find_account": Sample(),
    "check_redirect": Sample(_always({"url": "/", "host": "localhost"})),
    "ensure_user": Sample(
        _always({"login": "made@example.org", "password": PASSWORD, "account_name": "made", "display_name": "Made"})
    ),
    "resolve_person": Sample(lambda _me, other: {"user_id": other.owner.user_id}),
    "replace_password": Sample(_always({"login": "made@example.org", "known": PASSWORD, "password": PASSWORD})),
    "set_user_permissions": Sample(_always({"permissions": []}), path=_GUEST),
    "block_user": Sample(path=_GUEST),
    "unblock_user": Sample(path=_GUEST),
    "end_membership": Sample(path=_GUEST),
    "block_account": Sample(_always({"reason": "not paid"})),
    "unblock_account": Sample(),
    "end_other_sessions": Sample(),
    "end_session": Sample(anew=True),
    "sign_out": Sample(anew=True),
    "forgot_password": Sample(_always({"login": "new@example.org"}), status=403, anew=True),
    "reset_password": Sample(_always({"token": "x", "newPassword": PASSWORD + "!"}), status=400, anew=True),
    "confirm_email": Sample(_always({"token": "x"}), status=400, anew=True),
    "send_email_confirmation": Sample(status=403, anew=True),
    "change_password": Sample(_always({"currentPassword": PASSWORD, "newPassword": PASSWORD + "!"}), anew=True),
}
MLPBILLING = {
    "get_version": Sample(),
    "get_blocked": Sample(),
    "get_balance": Sample(),
    "get_short_balance": Sample(),
    "get_income_details": Sample(),
    "get_spending_details": Sample(),
    "get_income_by_model": Sample(),
    "get_income_by_payer": Sample(),
    "get_refill_history": Sample(),
    "get_call_origins": Sample(),
    "get_statement": Sample(),
    "list_statement_calls": Sample(),
    "list_statement_rents": Sample(),
    "get_balance_forecast": Sample(),
    "get_welcome_offer": Sample(),
    "take_welcome_bonus": Sample(),
    "refill_from_income": Sample(lambda _me, other: {"accountId": other.account_id, "amountCurrency": 1}, status=400),
    "refill_account": Sample(
        lambda _me, other: {
            "amountCurrency": 1,
            "currency": "RUBLE",
            "comment": "c",
            "idempotencyKey": f"k{other.account_id}",
        }
    ),
    "refill_by_card": Sample(
        lambda _me, other: {"accountId": other.account_id, "amountCurrency": 1, "redirectUrl": "/"}
    ),
    "list_payment_mismatches": Sample(),
    "take_payment_callback": Sample(status=403),
    "show_sandbox_payment": Sample(status=404),
    "settle_sandbox_payment": Sample(status=400),
    "get_hosting_income_details": Sample(),
    "get_hosting_spending_details": Sample(),
    "check_ledger": Sample(),
    "verify_ledger": Sample(),
    "bootstrap_refill": Sample(
        lambda _me, other: {
            "accountId": other.account_id,
            "amountNano": 1,
            "currency": "RUBLE",
            "idempotencyKey": "again",
        }
    ),
    "get_key_spending": Sample(
        lambda _me, other: {
            "payer_account_id": other.account_id,
            "key_id": other.key_id,
            "currency": None,
            "since": "2026-01-01T00:00:00Z",
        }
    ),
    "reserve": Sample(_reserve),
    "release_reservation": Sample(_always({"spent_nano": 0, "spent_free_units": 0, "in_progress_nano": 1})),
}
_ACCOUNTS = {
    "ensure_account": Sample(),
    "update_account_data": Sample(lambda me, other: {"accountId": other.account_id, "shortName": other.name}),
    "ensure_account_with_id": Sample(),
    "get_account_public_name": Sample(shown="the name stands beside every public model"),
    "update_account_activity": Sample(),
    "get_accounts": Sample(),
    "get_account": Sample(),
    "get_account_features": Sample(),
    "update_features": Sample(_always({"features": []})),
    "update_limits": Sample(_always({**_LIMITS, "reason": "agreed"})),
    "get_account_changes": Sample(),
    "update_white_list": Sample(_always([])),
    "get_access_by_ip": Sample(query=lambda _me, _other: {"ipAddress": "192.0.2.1"}),
    "find_account": Sample(),
    "bootstrap_account": Sample(lambda _me, other: {"account_id": other.account_id, "features": []}),
    "republish": Sample(),
}
_KEYS = {
    "list_access_tokens": Sample(),
    "create_access_token": Sample(
        lambda _me, other: {
            "name": "n",
            "allowedServices": [{"accountId": other.account_id, "modelId": other.model_id}],
        }
    ),
    "check_access_token": Sample(),
    "update_access_token": Sample(
        lambda _me, other: {"allowedServices": [{"accountId": other.account_id, "modelId": other.model_id}]}
    ),
    "get_caller_info": Sample(query=lambda _me, other: {"token": other.key["MLP-API-KEY"]}),
    "get_detailed_metrics": Sample(),
    "resolve_key": Sample(lambda _me, other: {"secret": other.key["MLP-API-KEY"]}),
    "resolve_predict_config": Sample(lambda _me, other: {"model_id": other.model_id, "config_id": other.config_id}),
}
_IMAGES = {
    "create_image": Sample(
        lambda _me, other: {
            **_IMAGE,
            "name": f"fresh-{other.account_id}",
            "id": {"accountId": other.account_id, "imageId": other.image_id},
        },
        accepts="the id that a new image is sent with does not count",
    ),
    "get_paged_images": Sample(),
    "get_paged_images_v2": Sample(),
    "get_image": Sample(),
    "get_image_logs": Sample(),
    "restart_image_models": Sample(),
    "update_image": Sample(
        lambda _me, other: {**_IMAGE, "id": {"accountId": other.account_id, "imageId": other.image_id}}
    ),
}


def _data_image_id(it: Tenant) -> dict[str, object]:
    return {"accountId": it.account_id, "imageId": it.data_image_id}


def _dataset_id(it: Tenant) -> dict[str, object]:
    return {"accountId": it.account_id, "datasetId": it.dataset_id}


_DATASETS = {
    "create_data_image": Sample(
        lambda _me, other: {
            **_IMAGE,
            "name": f"fresh-{other.account_id}",
            "sourcePath": "/d",
            "id": _data_image_id(other),
        },
        accepts="the id that a new data image is sent with does not count",
    ),
    "get_paged_data_images": Sample(),
    "get_data_image": Sample(path=_DATA_IMAGE),
    "get_data_image_logs": Sample(path=_DATA_IMAGE),
    "update_data_image": Sample(
        lambda _me, other: {**_IMAGE, "sourcePath": "/d", "id": _data_image_id(other)}, path=_DATA_IMAGE
    ),
    "get_s3_credentials": Sample(),
    "rotate_s3_credentials": Sample(),
    "get_s3_storage": Sample(),
    "list_s3_objects": Sample(),
    "put_s3_object": Sample(_always("content"), query=lambda _me, _other: {"key": "new"}, text=True),
    "get_s3_object": Sample(query=lambda _me, _other: {"key": "kept"}),
    "delete_s3_objects": Sample(_always({"keys": ["new"], "prefixes": ["none/"]})),
    "delete_empty_minio_users": Sample(query=lambda _me, _other: {"count": 1, "dryRun": True}),
    "s3_list_buckets": Sample(status=404),  # without a signature it is the address of the first page
    "s3_request": Sample(status=403),
    "list_datasets": Sample(),
    "get_dataset_storage": Sample(),
    "create_empty_dataset": Sample(
        lambda _me, other: {"name": f"fresh-{other.account_id}", "id": _dataset_id(other)},
        accepts="the id that a new dataset is sent with does not count",
    ),
    "create_dataset": Sample(_always("no form"), query=lambda _me, _other: {"name": "n"}, text=True, status=415),
    "deprecated_create_dataset": Sample(lambda me, _other: {"name": f"old-{me.account_id}", "content": "[]"}),
    "get_dataset_info": Sample(),
    "get_dataset_logs": Sample(),
    "download_dataset_raw_content": Sample(),
    "get_dataset_rows": Sample(),
    "change_dataset_rows": Sample(_always({"version": 1, "added": [["a"]]})),
    "upload_dataset_content": Sample(_always("no form"), text=True, status=415),
    "update_dataset": Sample(lambda _me, other: {"name": "renamed", "id": _dataset_id(other)}),
    "deprecated_update_dataset": Sample(_always({"name": "renamed"})),
    "get_allowed_datasets_for_fit": Sample(),
    "get_allowed_data_types_for_fit": Sample(),
}
_MODELS = {
    "get_paged_models": Sample(
        query=lambda _me, other: {"imageId": other.image_id, "groupId": other.group_id, "accountField": other.name},
        accepts=_CATALOGUE,
    ),
    "get_model_counts": Sample(),
    "get_api_specification": Sample(),
    "get_specification_file": Sample(shown=_FILES),
    "get_published_specification": Sample(shown=_FILES),
    "get_model_list": Sample(
        lambda _me, other: {"ids": [{"account": str(other.account_id), "model": str(other.model_id)}]},
        accepts=_CATALOGUE,
    ),
    "get_public_models": Sample(query=lambda _me, other: {"accountField": other.name}, accepts=_CATALOGUE),
    "get_featured_models": Sample(),
    "get_catalog_categories": Sample(),
    "check_model_name_availability": Sample(
        query=lambda _me, other: {"modelName": other.model_name}, accepts="it is about one's own models"
    ),
    "create_model": Sample(lambda _me, other: _model("fresh", other)),
    "get_model_info": Sample(),
    "update_model": Sample(lambda me, other: _model(me.model_name, other)),
    "get_model_public_settings": Sample(),
    "update_model_public_settings": Sample(
        lambda _me, other: {"allowedAccounts": [other.account_id]}, accepts="whom one lets in is one's own decision"
    ),
    "get_model_billing_settings": Sample(),
    "update_model_billing_settings": Sample(_price),
    "update_model_archive_settings": Sample(_always({"enabled": False})),
    "update_model_http_settings": Sample(_always({"isHttpEnabled": False})),
    "get_model_versions": Sample(),
    "get_model_version": Sample(),
    "set_favorite": Sample(_always(True)),
    "update_last_activity": Sample(),
    "update_last_activities": Sample(
        lambda _me, other: [{"accountId": other.account_id, "modelId": other.model_id}],
        accepts="the platform's administrators act on all accounts",
    ),
    "get_simple_doc": Sample(),
    "update_simple_doc": Sample(_always("# Text"), text=True),
    "get_service_descriptor": Sample(),
    "update_service_descriptor": Sample(_always({"name": "n", "schemaFiles": [], "fittable": False, "methods": {}})),
    "get_model_by_public_path": Sample(),
}
_GROUPS = {
    "get_groups": Sample(),
    "create_group": Sample(
        lambda _me, other: {
            "name": f"fresh-{other.account_id}",
            "id": {"accountId": other.account_id, "groupId": other.group_id},
        },
        accepts="the id that a new group is sent with does not count",
    ),
    "update_group": Sample(
        lambda _me, other: {"name": "renamed", "id": {"accountId": other.account_id, "groupId": other.group_id}}
    ),
    "set_model_group": Sample(),
    "remove_model_group": Sample(),
}
_CONFIGS = {
    "list_predict_configs": Sample(),
    "create_predict_config": Sample(_always({"name": "fresh", "config": "{}"})),
    "get_predict_config": Sample(),
    "update_predict_config": Sample(_always({"name": "renamed", "config": "{}"})),
}
_EXAMPLES = {
    "list_examples": Sample(),
    "create_example": Sample(_always({"name": "fresh", "request": "{}"})),
    "update_example": Sample(_always({"name": "renamed"})),
}
_SECRETS = {
    "list_secrets": Sample(),
    "create_secret": Sample(lambda _me, other: {"name": "FRESH", "value": "x", "modelId": other.second_model_id}),
    "replace_secret": Sample(_always({"value": "x"})),
    "list_registry_credentials": Sample(),
    "create_registry_credential": Sample(_always({"host": "fresh.example", "username": "u", "password": "p"})),
    "replace_registry_credential": Sample(_always({"username": "u", "password": "p"})),
}
_SYSTEM = {
    name: Sample()
    for name in (
        "get_task_types", "get_dataset_data_types", "get_captcha_config", "get_model_defaults",
        "get_frontend_settings", "get_version",
    )
}  # fmt: skip
_SERVERS = {
    "get_resource_group_types": Sample(),
    "get_owned_resource_groups": Sample(),
    "get_owned_resource_groups_short_status": Sample(),
    "get_resource_group_capacity": Sample(),
    "get_account_metric": Sample(query=_of("ACCOUNT_CPU_USAGE")),
    "get_account_metric_range": Sample(query=_of("ACCOUNT_CPU_USAGE")),
    "get_earliest_timestamp_of_account_metric": Sample(query=_of("ACCOUNT_CPU_USAGE")),
    "get_model_metric": Sample(query=_of("MODEL_CPU_USAGE")),
    "get_model_metric_range": Sample(query=_of("MODEL_CPU_USAGE")),
    "get_earliest_timestamp_of_model_metric": Sample(query=_of("MODEL_CPU_USAGE")),
    "get_instance_metric": Sample(query=_of("INSTANCE_CPU_USAGE")),
    "get_instance_metric_range": Sample(query=_of("INSTANCE_CPU_USAGE")),
    "get_earliest_timestamp_of_instance_metric": Sample(query=_of("INSTANCE_CPU_USAGE")),
    "get_resource_group_metric": Sample(query=_of("NODE_CPU_USAGE")),
    "get_resource_metric_range": Sample(query=_of("NODE_CPU_USAGE")),
    "get_earliest_timestamp_of_resource_group_metric": Sample(query=_of("NODE_CPU_USAGE")),
    "get_models_metric": Sample(
        query=lambda _me, other: {"metrics": "MODEL_INSTANCES_COUNT", "models": other.model_name}, accepts=_OWN_ONLY
    ),
    "get_models_metrics_by_id": Sample(
        query=lambda _me, other: {"metrics": "MODEL_INSTANCES_COUNT", "modelsIdes": other.model_id}, accepts=_OWN_ONLY
    ),
    "get_scaling_state": Sample(),
    "dry_run_scaling": Sample(_always({"enabled": True, "maxInstanceCount": 3})),
    "get_scaling_decisions": Sample(),
    "get_metrics": Sample(),
    "get_model_metrics": Sample(),
    "save_metrics": Sample(_always([])),
    "preview_placement": Sample(lambda _me, other: {"resourceGroup": other.resource_group}),
    "get_limit_use": Sample(),
    "get_resource_group_logs": Sample(),
    "get_resource_group_logs_page": Sample(query=lambda _me, _other: {"minutes": 60}),
    "get_resource_group_capacity_logs": Sample(),
    "get_resource_group_capacity_logs_page": Sample(query=lambda _me, _other: {"minutes": 60}),
    "get_all_resource_groups": Sample(),
    "change_resource_groups": Sample(
        lambda _me, other: {"groups": [{"accountId": other.account_id, "name": other.resource_group, "price": 1}]}
    ),
    "migrate_services": Sample(
        query=lambda _me, other: {
            "sourceGroup": f"{other.account_id}/{other.resource_group}",
            "targetGroup": "default",
            "dryRun": True,
        }
    ),
    "get_resource_groups_for_account": Sample(),
    "get_model_group_type": Sample(),
    "get_resource_group_active_services": Sample(),
    "get_resource_group_all_services": Sample(),
    "get_resource_group_services": Sample(),
    "get_resource_group_services_info": Sample(),
    "get_deployable_resource_groups": Sample(),
    "create_resource_group": Sample(lambda _me, other: {**_GROUP, "name": "fresh-servers"}),
    "get_resource_group": Sample(),
    "update_resource_group": Sample(_always({"enabledEviction": False})),
    "create_server": Sample(lambda _me, other: {"serverName": "fresh", "templateId": other.template_id}),
    "get_own_templates": Sample(),
    "add_server_template": Sample(_always({**TEMPLATE, "name": "fresh"})),
    "get_public_templates": Sample(query=lambda _me, _other: {"groupType": "HOSTING_SERVER"}),
    "update_server_template": Sample(_always(TEMPLATE)),
    "get_server_template_availability": Sample(),
    "get_templates": Sample(),
    "get_model_templates": Sample(query=lambda _me, _other: {"count": 2}),
    "get_servers": Sample(),
    "get_servers_status": Sample(),
    "get_server": Sample(),
    "get_server_status": Sample(),
    "bootstrap_server": Sample(_always({"groupName": "default", "serverName": "s"})),
    "enroll_hosting_server": Sample(lambda _me, other: {"token": other.enrolment_token}),
    "server_heartbeat": Sample(
        _always("{}"), query=lambda _me, other: {"account": other.account_id, "serverId": other.server_id}, status=401
    ),
}
_LEFT_OUT = "what is not one's own counts for nothing"
_INSTANCES = {
    "get_external_connections": Sample(),
    "create_external_connection": Sample(),
    "authorize_application": Sample(status=404),
    "check_application_is_alive": Sample(status=404),
    "ensure_application_token": Sample(status=404),
    "set_application_cookie": Sample(status=404),
    "create_external_application_connection": Sample(),
    "get_instances": Sample(),
    "get_instances_status": Sample(),
    "start_single_instance": Sample(
        query=lambda _me, other: {"causeAccountId": other.account_id}, accepts="a note", status=400
    ),
    "start_instance": Sample(status=400),
    "set_instances_count": Sample(_always(0)),
    "get_instance_last_state": Sample(),
    "get_instance_timing": Sample(),
    "get_instance_environment": Sample(),
    "get_instance_events": Sample(),
    "get_instance_logs": Sample(),
    "get_instance_log_tail": Sample(),
    "get_recent_calls": Sample(query=lambda _me, other: {"modelId": other.model_id}, accepts=_LEFT_OUT),
    "get_call_series": Sample(),
    "get_model_status": Sample(),
    "get_model_logs": Sample(),
    "update_instance_metadata": Sample(_always({"version": 1})),
    "update_heartbeats": Sample(lambda _me, other: [other.instance_id]),
}
_CONTACTS = {"contacts": "somebody@example.org", "comment": "c"}
_TASKS = {
    "list_jobs": Sample(query=lambda _me, other: {"account": other.account_id}),
    "list_account_jobs": Sample(query=lambda _me, other: {"account": other.account_id}, accepts=_LEFT_OUT),
    "list_selected_account_jobs": Sample(),
    "short_tasks_view": Sample(),
    "mark_tasks_read": Sample(query=lambda _me, other: {"jobId": other.task_id}, accepts=_LEFT_OUT),
    "stop_job": Sample(status=409),
    "rolling_update": Sample(),
    "rolling_update_all_instances": Sample(),
    "last_job": Sample(),
    "create_cloned_model": Sample(query=lambda _me, _other: {"name": "cloned"}),
    "get_notifications": Sample(),
    "get_notification_settings": Sample(),
    "update_notification_settings": Sample(
        _always({"events": [{"event": "ACCOUNT", "shown": False, "mailed": False}]})
    ),
    "mark_notifications_read": Sample(_always({"ids": ["1"]}), accepts=_LEFT_OUT),
    "broadcast_notification": Sample(_always({"textMessage": "t", "severity": "INFO"})),
    "save_clicks": Sample(
        lambda _me, other: [{"eventType": "click", "pageUrl": "/", "accountId": other.account_id}], accepts=_LEFT_OUT
    ),
    "get_account_clicks": Sample(),
    "get_model_clicks": Sample(),
    "request_feature": Sample(_always(_CONTACTS)),
    "send_contact_request": Sample(_always(_CONTACTS)),
    "get_license": Sample(),
    "get_team_requests": Sample(),
    "get_team_request": Sample(status=404),
    "update_team_request": Sample(_always({"state": "CLOSED", "answer": "a"}), status=404),
}
_ENDS = {
    "stop_instance": Sample(),
    "terminate_instance": Sample(),
    "delete_external_connection": Sample(status=404),
    "delete_predict_config": Sample(),
    "delete_example": Sample(),
    "delete_secret": Sample(status=409),
    "delete_registry_credential": Sample(),
    "delete_group": Sample(),
    "delete_access_token": Sample(),
    "delete_model": Sample(path=_SPARE),
    "delete_image": Sample(status=409),
    "delete_dataset": Sample(),
    "delete_data_image": Sample(path=_DATA_IMAGE),
    "delete_server": Sample(),
    "delete_server_template": Sample(),
    "delete_resource_group": Sample(status=409),
    "restore_model_version": Sample(),
}
MLPCORE = {
    **_ACCOUNTS, **_KEYS, **_IMAGES, **_DATASETS, **_MODELS, **_GROUPS, **_CONFIGS, **_EXAMPLES, **_SECRETS, **_SYSTEM, **_SERVERS, **_INSTANCES, **_TASKS, **_ENDS,
}  # fmt: skip
MLPGATEWAY = {
    "get_version": Sample(),
    "get_gate_proto": Sample(),
    "get_gates": Sample(),
    "get_connected_instances": Sample(),
    "get_detailed_metrics": Sample(),
    "predict": Sample(_always({"x": 1})),
    "predictWithConfig": Sample(_always({"data": {"x": 1}, "config": {}})),
    "predictWithConfig_v2": Sample(_always({"data": "{}", "config": "{}"})),
    "predictWithConfig_v2_stream": Sample(_always({"data": "{}", "config": "{}"})),
    "ext": Sample(_always({"methodName": "m", "params": {}})),
    "servletPredict": Sample(_always({"x": 1})),
    "tryWithoutSigningIn": Sample(_always({"x": 1}), status=401),
    "openaiChatCompletions": Sample(_asking({"messages": []})),
    "openaiCompletions": Sample(_asking({"prompt": "x"})),
    "openaiEmbeddings": Sample(_asking({"input": "x"})),
    "openaiModels": Sample(),
    "openaiModel": Sample(),
    "openaiSpeech": Sample(_asking({"input": "x"})),
    "openaiTranscriptions": Sample(_always("no form"), text=True, status=415),
    "openaiImages": Sample(_asking({"prompt": "x"})),
    "openaiDirectChatCompletions": Sample(_asking({"messages": []})),
    "ttsByQuery": Sample(query=lambda _me, other: {"text": "x", "model": f"{other.account_id}/{other.model_id}"}),
    "ttsByBody": Sample(_asking({"text": "x"})),
    **{f"httpInterface{method}": Sample(status=404) for method in ("Get", "Post", "Put", "Patch", "Delete")},
    "tts": Sample(query=lambda _me, _other: {"text": "x"}),
    "postTts": Sample(_always({"text": "x"})),
    "list_predictions": Sample(),
    "delete_predictions": Sample(),
    "get_storage": Sample(),
    "set_storage_hours": Sample(_always({"predictionHours": None, "answerHours": None, "archiveHours": None})),
    "list_archived_requests": Sample(),
    "delete_archived_requests": Sample(status=204),
    "delete_archived_request": Sample(status=404),
    "get_archived_request": Sample(status=404),
    "get_archived_content": Sample(status=404),
    "get_cache_state": Sample(),
    **{
        name: Sample(status=404)
        for name in (
            "delete_prediction",
            "get_prediction",
            "get_prediction_output",
            "cancel_prediction",
            "follow_prediction",
            "list_deliveries",
            "replay_delivery",
        )
    },
    "get_webhook_secret": Sample(),
    "replace_webhook_secret": Sample(),
}
SAMPLES: Mapping[str, Mapping[str, Sample]] = {
    "mlpgateway": MLPGATEWAY, "mlpbilling": MLPBILLING, "mlpcore": MLPCORE, "accountsadmin": ACCOUNTSADMIN,
}  # fmt: skip
ORDER = [(service, name) for service, table in SAMPLES.items() for name in table]
"""The order in which an owner can make all requests."""
