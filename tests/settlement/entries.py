"""Groups of entries of `entry/call_options.py`, and the names of the scenarios that each entry of a group has."""

from mlpgateway.entry.adapters.routes import ADAPTER_ROUTES
from mlpgateway.entry.call_options import SERVED
from services.mlpgateway.tests.revocations import ENDS, End

REFUSING = tuple(name for name, served in SERVED.items() if not served.reads)
"""The entries that refuse the headers that they do not serve."""
KEYED = tuple(name for name, served in SERVED.items() if served.key)
BACKGROUND = tuple(name for name, served in SERVED.items() if served.respond_async)
"""The entries that serve an idempotency key, and those that serve `Prefer: respond-async`."""
KEYED_OVER_HTTP = tuple(name for name in KEYED if name != "process")
"""Callers over gRPC have no sessions."""
FAILING = tuple(
    name
    for name, served in SERVED.items()
    if not served.reads and not served.passed_on and name not in {"control", "tryWithoutSigningIn"}
)
"""The entries at which a model of the gate protocol answers a caller who would pay."""
STREAMED_SPEECH = tuple(name for name, end in ENDS.items() if end is End.CUT and not SERVED[name].passed_on)
STREAMED_RPCS = tuple(name for name, end in ENDS.items() if end is End.MESSAGE)
"""The entries over HTTP that send sound as it comes, and the RPCs whose answers come in parts."""
STREAMING = tuple(route.name for route in ADAPTER_ROUTES if route.answer == "text/event-stream")
"""The adapters whose answers come in parts for a body with `stream`."""
PASSED_ON = tuple(name for name, served in SERVED.items() if served.passed_on)
"""The entries of requests that the model's own server gets as they are."""
LEFT = (*STREAMING, *STREAMED_SPEECH, *STREAMED_RPCS, *PASSED_ON)
"""The entries, and the bodies for a stream, whose callers get parts before they leave."""
TAKING_PARTS = ("processStream", "processRecognition")
"""RPCs whose requests come in parts, which a model that speaks HTTP does not take."""
PAYING = (*FAILING, *PASSED_ON)
"""The entries at which a caller pays for answers of a model."""
FAILING_OVER_HTTP = tuple(name for name in FAILING if name not in TAKING_PARTS)

TELLING = tuple(
    name for name in FAILING if name not in {"predictWithConfig_v2_stream", "process", *STREAMED_SPEECH, *STREAMED_RPCS}
)
TELLING_MESSAGES = ("processResponseStream", "processStream")
"""The entries over HTTP whose answers say what they cost, and the RPCs whose last message does. Messages of speech have no
headers.
"""
TELLING_NOTHING = ("predictWithConfig_v2_stream", *STREAMING, *STREAMED_SPEECH, *PASSED_ON)
"""The entries over HTTP, and the bodies for a stream, whose answers come in parts."""
REPEATABLE = ("GET", "HEAD", "OPTIONS")
"""The methods of requests that are passed on and may be sent twice: they have no effect."""


def of_entry(name: str) -> str:
    """Returns the scenario in which the entry refuses headers. `unserved.py` has them."""
    return f"headers_not_served_by_{name}"


def of_stream(name: str) -> str:
    """Returns the scenario in which the adapter refuses headers of a request for a stream."""
    return f"{of_entry(name)}_streamed"


def refused_at(name: str) -> str:
    """Returns the scenario of the most important refusals at the entry. `refused_at_entries.py` has these."""
    return f"refused_at_{name}"


def refused_stream_at(name: str) -> str:
    """Returns the same with a body that asks for a stream."""
    return f"{refused_at(name)}_streamed"


def fails_at(name: str) -> str:
    """Returns the scenario in which the model answers a call of the entry with an error. `failing.py` has these."""
    return f"an_error_at_{name}"


def fails_later_at(name: str) -> str:
    return f"an_error_after_a_part_at_{name}"


def half_an_answer_at(name: str) -> str:
    """The same with an answer that claims to be JSON and is not."""
    return f"half_an_answer_at_{name}"


def half_a_part_at(name: str) -> str:
    return f"half_a_part_after_a_part_at_{name}"


def half_an_answer_over_http_at(name: str) -> str:
    return f"half_an_answer_over_http_at_{name}"


def leaves_before_parts_at(name: str) -> str:
    """Returns the scenario in which the caller of a stream disconnects before its first part. `leaving.py` has these."""
    return f"client_gone_before_parts_at_{name}"


def leaves_between_parts_at(name: str) -> str:
    return f"client_gone_between_parts_at_{name}"


def fails_over_http_at(name: str) -> str:
    """The same of a model that speaks HTTP. `http_models.py` has these."""
    return f"an_error_over_http_at_{name}"


def parts_over_http_at(name: str) -> str:
    return f"parts_for_a_model_that_speaks_http_at_{name}"


def again_at(name: str) -> str:
    """Returns the scenario in which the entry gets the same call with a key again. `keyed.py` has these."""
    return f"the_same_call_again_at_{name}"


def again_after_failures_at(name: str) -> str:
    """The same when the model has failed at first."""
    return f"the_same_call_again_after_failures_at_{name}"


def again_after_leaving_at(name: str) -> str:
    """The same when the caller has disconnected before the answer."""
    return f"the_same_call_again_after_leaving_at_{name}"


def refused_key_at(name: str) -> str:
    """Returns the scenario in which the key is that of a call that still runs, and then that of another request."""
    return f"key_of_a_running_call_and_of_another_request_at_{name}"


def of_two_accounts_at(name: str) -> str:
    return f"the_same_key_of_another_account_at_{name}"


def of_two_keys_at(name: str) -> str:
    """The same of two API keys of one account."""
    return f"the_same_key_of_another_api_key_at_{name}"


def of_two_people_at(name: str) -> str:
    """The same of two people with sessions, for the same account."""
    return f"the_same_key_of_another_person_at_{name}"


def too_large_to_keep_at(name: str) -> str:
    return f"answer_too_large_to_keep_at_{name}"


def without_room_at(name: str) -> str:
    """Returns the scenario in which the answer exceeds the storage of the account."""
    return f"no_room_for_the_answer_at_{name}"


def in_the_background_at(name: str) -> str:
    """Returns the scenario of a prediction of the entry. `predicted.py` has these."""
    return f"predicted_at_{name}"


def sent_elsewhere_at(method: str) -> str:
    """Returns the scenario of a request with this method whose first instance is lost. `http_lost.py` has these."""
    return f"{method.lower()}_sent_to_another_instance"


def tells_cost_at(name: str) -> str:
    """Returns the scenario in which the answer of the entry says what it cost. `cost_told.py` has these."""
    return f"cost_told_at_{name}"


def tells_no_cost_at(name: str) -> str:
    return f"no_cost_told_in_parts_at_{name}"
