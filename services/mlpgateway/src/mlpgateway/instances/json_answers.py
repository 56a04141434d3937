"""What an instance answers as JSON has to be JSON, whichever way it arrives."""

from mlpgateway.call.call import Payload
from mlpgateway.call.json_text import is_json_of_instance
from mlpgateway.call.large_json import LargeText
from mlpgateway.errors.calls import BrokenAnswer


def problem_of(payload: Payload, *, part: bool) -> BrokenAnswer | None:
    """Returns what is wrong with an answer; None: nothing. `part`: one of several, which may be empty.

    Bytes of another type are not looked at.
    """
    if payload.protobuf is not None:
        return None
    text = payload.source.view if type(payload) is LargeText else payload.json
    if not text:
        return None if part else BrokenAnswer(reason="it is empty")
    return None if is_json_of_instance(text) else BrokenAnswer(reason="it is not JSON")
