"""Names of the headers that envelopes carry. Case matters."""

from typing import Final

# Caller -> gate -> service and back; nested calls copy it.
REQUEST_ID: Final = "Z-requestId"
# An API key that pays instead of the caller's; composite services copy it into nested calls.
BILLING_KEY: Final = "MLP-BILLING-KEY"
# Caller -> gate: the most that the call may cost, in units of the model's currency (0.05). Gate -> service: the most
# that it may cost after all bounds; the service is paid no more. Nested calls copy it.
MAX_PRICE: Final = "MLP-Max-Price"
# Caller -> gate: priority in the request queue.
PRIORITY: Final = "Z-Priority"
# Gate -> caller: what a call waited for (start, queue or batch) and for how many milliseconds; absent without a wait.
WAIT_PHASE: Final = "Z-Wait-Phase"
WAIT_MS: Final = "Z-Wait-Ms"
# Gate -> caller, with a whole answer: the counted units (not for the unit `direct`), and what the payer is charged for
# the call, in units of the model's currency. Absent while the charge is unknown. Instances cannot set them.
UNITS: Final = "MLP-Units"
COST: Final = "MLP-Cost"
# Gate -> caller, for services with a cache: hit or miss.
CACHE: Final = "Z-Cache"
# Gate -> caller, with the first answer of an idempotency key, sent again: true.
REPLAYED: Final = "Z-idempotent-replayed"
# REST only: the caller's key.
API_KEY: Final = "MLP-API-KEY"

# Service -> gate: billed amount of this answer (integer as text), on each partial answer of a stream.
CUSTOM_BILLING: Final = "Z-custom-billing"
# Service -> gate: JSON object that maps units to counts, for statistics only.
CUSTOM_BILLING_DETAILS: Final = "Z-custom-billing-details"
# Service -> gate: cost of the provider in micro-units of the currency, for administrators only.
CUSTOM_SELF_COST: Final = "Z-custom-self-cost"
CUSTOM_SELF_COST_CURRENCY: Final = "Z-custom-self-cost-currency"
BILLING_CURRENCY_TYPE: Final = "Z-billing-currency-type"
DEFERRED_BILLING_ID: Final = "Z-deferred-billing-id"
RECURRING_BILLING_ID: Final = "Z-recurring-billing-id"
# Service -> gate: milliseconds spent inside the service; errors carry it, too.
SERVER_TIME: Final = "Z-Server-Time"
# Service -> gate -> caller, with an error: seconds, or a date of HTTP, after which a new attempt makes sense.
RETRY_AFTER: Final = "Retry-After"

# Both ways: "true" forbids logging the contents.
CONTENT_HIDDEN: Final = "Content-Hidden"

# Gate -> service -> next call: ids of the models that a call has passed, comma-separated. Gates detect loops with it.
CALL_CHAIN: Final = "MLP-CALL-CHAIN"

# Gate -> service: the account that calls, the account that pays, and the account that started the call chain.
CALLER_ACCOUNT_ID: Final = "Z-callerAccountId"
API_KEY_NAME: Final = "MLP-API-KEY-NAME"
BILLING_KEY_NAME: Final = "MLP-BILLING-KEY-NAME"
BILLING_ACCOUNT_ID: Final = "MLP-BILLING-ACCOUNT-ID"
BILLING_USER_ID: Final = "MLP-BILLING-USER-ID"
ORIGIN_ACCOUNT_ID: Final = "MLP-ORIGIN-ACCOUNT-ID"
ORIGIN_API_KEY_NAME: Final = "MLP-ORIGIN-API-KEY-NAME"
