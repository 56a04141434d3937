"""Error codes that gates, services and callers share on the wire."""

from typing import Final

# ---- Sent by the gate
INSTANCE_BY_TOKEN_NOT_FOUND: Final = "mlp.gate.instance_by_token_not_found"  # noqa: S105 - an error code
GATE_IS_SHUT_DOWN: Final = "mlp.gate.gate_is_shut_down"
PPS_LIMIT_EXCEEDED: Final = "mlp.gate.pps_limit_exceeded"
ACCESS_DENIED_FROM_IP: Final = "mlp.gate.access_denied_for_account_from_ip"
UNAUTHORIZED: Final = "mlp.gate.unauthorized"
ACCESS_DENIED: Final = "mlp.gate.access_denied"
ACCOUNT_NOT_FOUND: Final = "mlp.gate.account_not_found"
MODEL_NOT_FOUND: Final = "mlp.gate.model_not_found"
CONFIG_NOT_FOUND: Final = "mlp.gate.config_not_found"
NO_ACTIVE_INSTANCES: Final = "mlp.gate.no_active_instances"
INSTANCE_START_TIMEOUT: Final = "mlp.gate.instance_start_timeout"
PREDICT_TIMEOUT: Final = "mlp.gate.predict_timeout"
KEY_LIMIT_EXCEEDED: Final = "mlp.gate.key_limit_exceeded"
KEY_SPENDING_LIMIT_EXCEEDED: Final = "mlp.gate.key_spending_limit_exceeded"
PRICE_ABOVE_CAP: Final = "mlp.gate.price_above_cap"
REQUEST_TOO_LARGE: Final = "mlp.gate.request_too_large"
PROTOTYPE_NOT_CALLABLE: Final = "mlp.gate.prototype_not_callable"
MODEL_NOT_FITTED: Final = "mlp.gate.model_not_fitted"
ACCOUNT_BLOCKED: Final = "mlp.billing.account_blocked"

# ---- Sent by a service, or by the gate about a service
CHANNEL_CLOSED: Final = "mlp-action.common.channel-closed-error"
BAD_REQUEST: Final = "mlp-action.common.bad-request"
PROCESSING_EXCEPTION: Final = "mlp-action.common.processing-exception"
INTERNAL_ERROR: Final = "mlp-action.common.internal-error"
METHOD_NOT_SUPPORTED: Final = "mlp-action.common.method-not-supported"
NO_PARTIAL_IN_BATCH: Final = "mlp-action.common.no-partial-in-batch"
NO_RAW_PAYLOAD_IN_BATCH: Final = "mlp-action.common.no-raw-payload-in-batch"
SERVICE_UNAVAILABLE: Final = "mlp-action.common.service-unavailable"

# Temporary states: a client may send the call again. Use these names for nothing else.
RETRYABLE: Final = frozenset({PPS_LIMIT_EXCEEDED, CHANNEL_CLOSED, GATE_IS_SHUT_DOWN})
