"""Headers of an outgoing call. Inside a service they continue the call that is being answered."""

import uuid

from mlplace.context import current_context
from mlplace_gateproto import headers


def outgoing_headers(request_id: str | None, billing_key: str | None) -> dict[str, str]:
    """Explicit values win over those of the current call; without either, a new trace id is made."""
    context = current_context()
    trace = request_id or (context.request_id if context else None) or str(uuid.uuid4())
    payer = billing_key or (context.billing_key if context else None)
    chosen = {headers.REQUEST_ID: trace}
    if payer:
        chosen[headers.BILLING_KEY] = payer
    return chosen
