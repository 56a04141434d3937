"""Headers of outgoing calls. Within a service they continue the answered call."""

import uuid

from mlplace.context import current_context
from mlplace.tracing import TRACE_PARENT, trace_parent
from mlplace_gateproto import headers


def outgoing_headers(request_id: str | None, billing_key: str | None) -> dict[str, str]:
    """Explicit values override those of the current call; without either, a new request id is created.

    The bound on the current call's price is a bound of its payer, so it goes with the payer's key only.
    """
    context = current_context()
    chosen_id = request_id or (context.request_id if context else None) or str(uuid.uuid4())
    payer = billing_key or (context.billing_key if context else None)
    chosen = {headers.REQUEST_ID: chosen_id}
    if payer:
        chosen[headers.BILLING_KEY] = payer
    if context and payer and payer == context.billing_key and (bound := context.headers.get(headers.MAX_PRICE)):
        chosen[headers.MAX_PRICE] = bound
    if context and (chain := context.headers.get(headers.CALL_CHAIN)):
        chosen[headers.CALL_CHAIN] = chain
    if parent := trace_parent(context.headers if context else {}):
        chosen[TRACE_PARENT] = parent
    return chosen
