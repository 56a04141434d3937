"""Decides for every entry which of Idempotency-Key, Prefer and MLP-Webhook it serves, and refuses the other headers.

A caller who sends one of them relies on it: an entry that ignored it would charge a repeated call twice, or never send
a notice. So each entry has a row in SERVED, and takes the headers only through this module. The warm path serves no
request with such a header. Here visitors are also refused what they cannot choose.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.types import Scope

from mlpgateway.call.json_bodies import QUERY_FIELDS
from mlpgateway.call.query_fields import read_query
from mlpgateway.features.idempotency.errors import IdempotencyNotForStreams
from mlpgateway.features.idempotency.service import HEADER as _KEY
from mlpgateway.features.idempotency.service import check_key
from mlpgateway.features.predictions.service import NO_WEBHOOK, WEBHOOK, WEBHOOK_EVENTS, WebhookAsked
from mlplace_gateproto import headers as names
from mlplace_kit.errors import HeaderNeedsAnother, HeaderNotServed, ValidationFailed
from mlplace_kit.violations import broken, two_values
from mlplace_runtime.web.unserved_headers import asks_for_background

_PREFER: Final = "prefer"
DECIDED: Final = frozenset({_KEY, _PREFER, WEBHOOK, WEBHOOK_EVENTS})
"""The headers, in lower case."""
_CHOICES: Final = {name.lower(): name for name in (names.BILLING_KEY, names.MAX_PRICE, names.PRIORITY)}
_KEY_NAME, _ASYNC_NAME = "Idempotency-Key", "Prefer: respond-async"
_WEBHOOK_NAMES: Final = {WEBHOOK: "MLP-Webhook", WEBHOOK_EVENTS: "MLP-Webhook-Events"}


@dataclass(frozen=True, slots=True)
class ServedOptions:
    """What an entry serves. `streamed`: its answers always come in parts, so it takes no key.

    Webhooks are served with `respond_async` only. `passed_on`: Idempotency-Key and Prefer belong to the model's own
    server, which gets them unchanged. `reads`: nothing happens that could happen twice or that one could wait for, so
    the headers change nothing. `without_choice`: callers choose neither who pays, nor a price, a priority, a config or
    a type of the data, so whoever asks for one is refused.
    """

    key: bool = False
    respond_async: bool = False
    streamed: bool = False
    passed_on: bool = False
    reads: bool = False
    without_choice: bool = False


_CALL: Final = ServedOptions(key=True, respond_async=True)
_ANSWER: Final = ServedOptions(key=True)
_STREAM: Final = ServedOptions(streamed=True)
_NEITHER: Final = ServedOptions()
_PASSED_ON: Final = ServedOptions(passed_on=True)
_READS: Final = ServedOptions(reads=True)
_VISITORS: Final = ServedOptions(without_choice=True)

SERVED: Final[Mapping[str, ServedOptions]] = {
    # Calls over HTTP.
    "predict": _CALL,
    "predictWithConfig": _CALL,
    "predictWithConfig_v2": _CALL,
    "predictWithConfig_v2_stream": _STREAM,
    "ext": _CALL,
    "servletPredict": _CALL,
    "tryWithoutSigningIn": _VISITORS,
    "httpInterface": _PASSED_ON,
    # Adapters. A body that asks for a stream takes no key; see CallOptions.expect_no_key.
    "openaiChatCompletions": _ANSWER,
    "openaiCompletions": _ANSWER,
    "openaiDirectChatCompletions": _ANSWER,
    "openaiEmbeddings": _ANSWER,
    "openaiImages": _ANSWER,
    "openaiSpeech": _ANSWER,
    "openaiTranscriptions": _ANSWER,
    "openaiModels": _READS,
    "openaiModel": _READS,
    "ttsByQuery": _ANSWER,
    "ttsByBody": _ANSWER,
    "tts": _ANSWER,
    "postTts": _ANSWER,
    # RPCs of clients. Their metadata and the headers of their first message count.
    "process": _ANSWER,
    "processResponseStream": _STREAM,
    "processStream": _STREAM,
    "processSynthesis": _STREAM,
    "processRecognition": _STREAM,
    # All that the web framework serves.
    "control": _NEITHER,
    "controlReads": _READS,
}
"""By the operation id of a route, the name of an RPC, or the name of a group of routes."""


@dataclass(frozen=True, slots=True)
class CallOptions:
    """What a caller asked for and the entry serves. `key`: a valid idempotency key."""

    key: str | None = None
    respond_async: bool = False
    webhook: WebhookAsked = NO_WEBHOOK

    @property
    def given(self) -> bool:
        return self.key is not None or self.respond_async

    def expect_no_key(self) -> None:
        """Call it before an answer is streamed. Raises IdempotencyNotForStreams."""
        if self.key is not None:
            raise IdempotencyNotForStreams


NO_OPTIONS: Final = CallOptions()


def options_of(scope: Scope, headers: Mapping[str, str], entry: str) -> CallOptions:
    """Returns the options of an HTTP request. `headers` are by lower-case name. `entry` is a name in SERVED.

    Raises HeaderNotServed, IdempotencyNotForStreams, and ValidationFailed for an invalid key, several webhooks, and a
    field of the query that callers of this entry cannot choose.
    """
    served = SERVED[entry]
    if served.without_choice:
        _expect_no_choice(headers, scope["query_string"])
    if DECIDED.isdisjoint(headers):
        return NO_OPTIONS
    raw: Iterable[tuple[bytes, bytes]] = scope["headers"]
    return _decide([(name.decode("latin-1"), value.decode("latin-1")) for name, value in raw], served)


def options_of_rpc(metadata: Iterable[tuple[str, str | bytes]], headers: Mapping[str, str], entry: str) -> CallOptions:
    """Returns the options of a gRPC call, from its metadata and the headers of its message. Raises like options_of."""
    given = [(name, value) for name, value in metadata if name in DECIDED and isinstance(value, str)]
    given += [(lower, headers[name]) for name in headers if (lower := name.lower()) in DECIDED]
    return _decide(given, SERVED[entry]) if given else NO_OPTIONS


def _decide(given: Sequence[tuple[str, str]], served: ServedOptions) -> CallOptions:
    """A header may be repeated: each Prefer counts (RFC 7240), and different keys are no valid key."""
    if served.reads:
        return NO_OPTIONS
    if served.passed_on:
        _expect_no_webhook(given)
        return NO_OPTIONS
    keys = dict.fromkeys(value for name, value in given if name == _KEY)
    respond_async = any(asks_for_background(value) for name, value in given if name == _PREFER)
    if respond_async and not served.respond_async:
        raise HeaderNotServed(header=_ASYNC_NAME)
    if not respond_async:
        _expect_no_webhook(given, needs=_ASYNC_NAME if served.respond_async else None)
    webhook = _webhook(given)
    if not keys:
        return CallOptions(respond_async=respond_async, webhook=webhook)
    if not served.key:
        raise IdempotencyNotForStreams if served.streamed else HeaderNotServed(header=_KEY_NAME)
    if len(keys) > 1:
        raise ValidationFailed({_KEY_NAME: two_values()})
    return CallOptions(check_key(*keys), respond_async, webhook)


def _expect_no_choice(headers: Mapping[str, str], query: bytes) -> None:
    """Raises HeaderNotServed, ValidationFailed."""
    for lower, name in _CHOICES.items():
        if lower in headers:
            raise HeaderNotServed(header=name)
    if chosen := read_query(query, QUERY_FIELDS):
        why = broken("leave_out", message="cannot be chosen without signing in; leave it out")
        raise ValidationFailed(dict.fromkeys(chosen, why))


def _webhook(given: Sequence[tuple[str, str]]) -> WebhookAsked:
    """Events in several lines are one list (RFC 9110, section 5.3). Raises ValidationFailed for several addresses, and
    HeaderNeedsAnother for events without one.
    """
    urls = list(dict.fromkeys(value for name, value in given if name == WEBHOOK))
    events = [value for name, value in given if name == WEBHOOK_EVENTS]
    if len(urls) > 1:
        raise ValidationFailed({_WEBHOOK_NAMES[WEBHOOK]: two_values()})
    if events and not any(urls):
        raise HeaderNeedsAnother(header=_WEBHOOK_NAMES[WEBHOOK_EVENTS], other=_WEBHOOK_NAMES[WEBHOOK])
    return WebhookAsked(urls[0] or None, ", ".join(events) or None) if urls else NO_WEBHOOK


def _expect_no_webhook(given: Iterable[tuple[str, str]], *, needs: str | None = None) -> None:
    """Raises HeaderNotServed; HeaderNeedsAnother where `needs` would give a webhook its meaning."""
    for name, _ in given:
        if (told := _WEBHOOK_NAMES.get(name)) is not None:
            raise HeaderNeedsAnother(header=told, other=needs) if needs else HeaderNotServed(header=told)


_ABOUT_KEY: Final = "A repeated call with the same key gets the first answer, for a day, and is charged once"
_ABOUT_PREDICTIONS: Final = {
    "Prefer": "With respond-async the answer is 202 with a prediction, whose address will have the outcome",
    "MLP-Webhook": "URL to notify when such a prediction is done",
    "MLP-Webhook-Events": "started, completed or both; the default is completed",
}


def documented(entry: str) -> dict[str, str]:
    """Returns the headers that an entry serves, with descriptions for the OpenAPI document."""
    served = SERVED[entry]
    key = {_KEY_NAME: _ABOUT_KEY} if served.key else {}
    return key | (_ABOUT_PREDICTIONS if served.respond_async else {})
