"""Detects loops of calls among composite services.

The header MLP-CALL-CHAIN lists the ids of the models that a call has passed. Services copy it into their own calls. It
is not signed. A caller who shortens the header only lets their own calls loop, and pays for them; a caller who
lengthens it is refused. Timeouts and money bound a service that drops the header, as they bound any caller.
"""

from collections.abc import Mapping
from typing import Final

from mlpgateway.call.plan import Plan
from mlpgateway.errors.calls import CallLoop
from mlplace_gateproto import headers as names
from mlplace_kit.errors import MalformedRequest

MOST_MODELS: Final = 16
_CHAIN: Final = names.CALL_CHAIN.lower()
_MOST_TEXT: Final = 512


def chain_after(plan: Plan, headers: Mapping[str, str]) -> str | None:
    """Returns the chain for the instance, None for a model that calls no others. Raises CallLoop, MalformedRequest."""
    given = next((value for name, value in headers.items() if name.lower() == _CHAIN), "") if headers else ""
    if not given:
        return str(plan.model.model_id) if plan.composite else None
    passed = _models(given)
    chain = [*passed, plan.model.model_id]
    if plan.model.model_id in passed or len(chain) > MOST_MODELS:
        raise CallLoop(chain=",".join(map(str, chain[-MOST_MODELS:])))
    return ",".join(map(str, chain))


def _models(text: str) -> list[int]:
    parts = text.split(",") if len(text) <= _MOST_TEXT else [""]
    if not all(part.isascii() and part.isdigit() and len(part) <= 18 for part in parts):
        raise MalformedRequest(reason=f"{names.CALL_CHAIN} must be ids of models")
    return [int(part) for part in parts]
