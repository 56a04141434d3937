"""The reasons for which a call is refused, in the words of the document, and the scenarios that test them."""

from collections.abc import Mapping

from tests.settlement.entries import REFUSING, STREAMING, TAKING_PARTS, of_entry, of_stream, parts_over_http_at

REFUSALS: Mapping[str, tuple[str, ...]] = {
    "no valid key or session": ("no_key", "dead_key", "expired_key", "dead_billing_key"),
    "no right to call it": (
        "key_without_predict", "key_for_another_model", "private_model", "unknown_model", "person_where_keys_only",
    ),
    "a prototype": ("prototype",),
    "an invalid request": ("broken_body",),
    "a stored config that does not exist": ("unknown_config",),
    "a request to `/http/` of a model without an HTTP interface": ("no_http_interface",),
    "a request in parts to a model that only speaks HTTP": tuple(map(parts_over_http_at, TAKING_PARTS)),
    "a compressed body, but for `/http/`": ("compressed_body",),
    "a body that is too large, or larger than the key allows": (
        "too_large_body", "too_large_prediction", "too_large_body_of_a_visitor", "request_above_the_keys_size",
    ),
    "a language model that the key may not use": ("language_model_that_the_key_may_not_use",),
    "a web page whose origin the key does not list": ("origin_that_the_key_does_not_list",),
    "an address outside the account's networks": ("address_outside_the_networks",),
    "too many calls in a second": ("rate",),
    "a limit of the key on calls or money that does not cover the call": (
        "key_used_up", "spending_limit_below_the_price",
    ),
    "too little money": ("no_money",),
    "a blocked account": ("blocked_account",),
    "a visitor of a model that takes none, or whose owner is blocked": (
        "visitor_of_a_closed_model", "visitor_of_a_blocked_owner",
    ),
    "too many open predictions": ("too_many_open_predictions",),
    "no storage left for what a prediction or an idempotency key keeps": (
        "prediction_without_storage", "keyed_call_without_storage",
    ),
    "a call loop": ("loop",),
    "a price above what the caller, or the key that pays, allows": ("price_above_the_callers", "price_above_the_keys"),
    "an invalid maximal price": ("no_amount",),
    "an invalid idempotency key": ("invalid_idempotency_key",),
    "an idempotency key, `Prefer: respond-async` or `MLP-Webhook` where it is not served, as for a stream": (
        "idempotency_key_of_a_stream", "idempotency_key_of_a_streamed_chat", "idempotency_key_of_a_stream_over_grpc",
        "stream_in_the_background", "adapter_in_the_background", *(of_entry(name) for name in REFUSING),
        *(of_stream(name) for name in STREAMING),
    ),
    "a billing key that may not pay for it: another model, too many calls, an address outside its account's networks": (
        "billing_key_for_another_model", "billing_key_used_up", "billing_key_from_elsewhere",
        "nested_call_of_a_limited_key",
    ),
}  # fmt: skip
"""The refusals of `refused_at_entries.py` come on top."""
