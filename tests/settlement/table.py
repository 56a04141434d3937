"""The table of docs/settlement.md as data: who pays when. Each row names the scenarios that test it.

`python -m tests.settlement.document` writes the table into the document; `scenarios.py` defines the scenarios.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.settlement.entries import (
    BACKGROUND,
    FAILING,
    FAILING_OVER_HTTP,
    KEYED,
    KEYED_OVER_HTTP,
    LEFT,
    PASSED_ON,
    PAYING,
    REPEATABLE,
    STREAMED_RPCS,
    STREAMED_SPEECH,
    STREAMING,
    TELLING,
    TELLING_MESSAGES,
    TELLING_NOTHING,
    again_after_failures_at,
    again_after_leaving_at,
    again_at,
    fails_at,
    fails_later_at,
    fails_over_http_at,
    half_a_part_at,
    half_an_answer_at,
    half_an_answer_over_http_at,
    in_the_background_at,
    leaves_before_parts_at,
    leaves_between_parts_at,
    of_two_accounts_at,
    of_two_keys_at,
    of_two_people_at,
    refused_at,
    refused_key_at,
    refused_stream_at,
    sent_elsewhere_at,
    tells_cost_at,
    tells_no_cost_at,
    too_large_to_keep_at,
    without_room_at,
)
from tests.settlement.refusals import REFUSALS

PRICE = 1000
COMMISSION_BASIS_POINTS = 1000
UNITS = 10
"""Units of an answer that costs PRICE at a model with the unit `custom`."""
UNITS_OF_A_PART = 2
"""What the model reports with each of two parts in the scenarios of `leaving.py`."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The money that a scenario moves, in nano-units. The owner `earns` what the payer `pays` less the commission.

    `usages`: number of usages of the payer's account at the end. `free_units`: free units used in the month.
    """

    pays: int = 0
    earns: int = 0
    usages: int = 0
    free_units: int = 0

    @property
    def fee(self) -> int:
        return self.pays - self.earns


WHOLE = Figures(pays=PRICE, earns=900, usages=1)
NONE = Figures()


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the document. `scenarios` have the figures of the row, `others` have their own."""

    what: str
    payer: str
    owner: str
    figures: Figures
    scenarios: tuple[str, ...]
    others: Mapping[str, Figures] = field(default_factory=dict[str, Figures])

    @property
    def cases(self) -> dict[str, Figures]:
        return {**dict.fromkeys(self.scenarios, self.figures), **self.others}


def pays(what: str, *scenarios: str) -> Row:
    return Row(what, "pays the price", "gets it, less the commission", WHOLE, scenarios)


def free(what: str, *scenarios: str, payer: str = "pays nothing") -> Row:
    return Row(what, payer, "–", NONE, scenarios)


LESS = "gets it, less the commission"

ROWS: tuple[Row, ...] = (
    pays(
        "The model answers",
        "unary", "with_config", "another_method", "whole_stream", "stream_without_content", "over_grpc", "by_session", "custom_units",
        "custom_units_in_parts", "direct_amount", "answered_over_http", "streamed_over_http", "custom_units_over_http",
        "request_passed_on", "idle_connection_closed",
        *map(tells_cost_at, (*TELLING, *PASSED_ON, "process", *TELLING_MESSAGES)), *map(tells_no_cost_at, TELLING_NOTHING),
    ),
    Row(
        "The model answers, and free units cover the call", "pays nothing; the units are used up", "gets nothing",
        Figures(usages=1, free_units=1), ("free_units",),
        {"free_custom_units": Figures(usages=1, free_units=UNITS)},
    ),
    Row(
        "Free units cover part of the call", "pays for the rest", "gets the rest, less the commission",
        Figures(pays=600, earns=540, usages=1, free_units=4), ("some_free_units",),
    ),
    Row(
        "The caller belongs to the owner's account", "pays nothing; the call is recorded", "–",
        Figures(usages=1), ("own_model",),
    ),
    Row(
        "A visitor without a key or session calls the model by `try`",
        "the owner is the payer, and pays nothing; the call is recorded", "–", Figures(usages=1),
        ("visitor", "visitor_with_the_key_of_an_account", "visitor_above_the_models_limit"),
    ),
    Row(
        "A person opens the page of a model: GET and HEAD requests", "pays nothing; nothing is recorded", "–", NONE,
        ("page_loaded",),
    ),
    Row(
        "The page of a model sends another request, or opens a WebSocket",
        "the account of the person who views the page pays the price", LESS, WHOLE,
        ("page_calls", "page_opens_a_socket"),
    ),
    Row(
        "A model calls another one for a visitor", "the owner of the first model pays the price, the visitor nothing",
        LESS, WHOLE, ("nested_call_of_a_visitor",),
    ),
    Row(
        "A model calls another one for its caller, with `MLP-BILLING-KEY`",
        "the account of that key pays the price, the calling model nothing", "gets it, less the commission",
        WHOLE, ("billing_key", "nested_call"),
    ),
    Row(
        "The model reports more than the maximal price that its owner has published, or than the platform's default "
        "without one", "pays the maximal price", f"{LESS}; nothing of what is above",
        Figures(pays=2000, earns=1800, usages=1),
        ("above_the_published_price", "above_it_with_an_amount", "above_it_in_parts"),
        {
            "above_the_platforms_price": Figures(pays=100 * 10**9, earns=90 * 10**9, usages=1),
            "above_it_with_free_units": Figures(usages=1, free_units=2 * UNITS),
        },
    ),
    Row(
        "The model reports more than the caller's `MLP-Max-Price`, or than the maximal price of the paying key",
        "pays the smallest of these bounds", f"{LESS}; nothing of what is above",
        Figures(pays=600, earns=540, usages=1),
        (
            "above_the_callers_price", "above_the_keys_price", "above_the_billing_keys_price", "above_it_over_grpc",
            "above_it_in_a_nested_call",
        ),
        {"above_it_in_a_batch": Figures(pays=1500, earns=1350, usages=2)},
    ),
    Row(
        "The model reports more than is left of a spending limit, or of the expense limit, of the paying key",
        "pays what is left of the limit", f"{LESS}; nothing of what is above",
        Figures(pays=1500, earns=1350, usages=1), ("above_the_expense_limit", "above_a_spending_limit"),
    ),
    Row(
        "The answer costs more than the payer has", "pays the whole balance, which falls to zero and not below",
        f"{LESS}; nothing of what is above", WHOLE, ("more_than_there_is",),
    ),
    Row(
        "The answer costs more than the payer has, and the payer has credit", "pays the price: the balance falls below zero",
        "gets at once what there was, the rest when money comes in to the payer",
        Figures(pays=2500, earns=2250, usages=1), ("debt_of_a_payer_with_credit",),
    ),
    Row(
        "The answer costs more than its hold, and mlpbilling does not answer",
        "pays the price; if the balance falls below zero, the account is blocked",
        "gets at once what there was, the rest when money comes in to the payer",
        Figures(pays=2500, earns=2250, usages=1), ("debt",),
    ),
    free(f"The call is refused: {'; '.join(REFUSALS)}", *(name for names in REFUSALS.values() for name in names),
        *map(refused_at, PAYING), *map(refused_stream_at, STREAMING)),
    free("The model answers with an error, even after parts of a streamed answer", "error", "error_after_parts",
        *map(fails_at, FAILING), *map(fails_later_at, (*STREAMING, *STREAMED_SPEECH, *STREAMED_RPCS)),
        *map(fails_over_http_at, FAILING_OVER_HTTP), "error_event_over_http", "error_of_a_request_passed_on",
        "socket_refused", "error_for_a_visitor",
    ),
    free(
        "The model answers something that claims to be JSON and is not, even after parts, or that lacks the form of an "
        "adapter", *map(half_an_answer_at, FAILING),
        *map(half_a_part_at, (*STREAMING, *STREAMED_SPEECH, *STREAMED_RPCS)), "half_a_part",
        *map(half_an_answer_over_http_at, FAILING_OVER_HTTP), "half_an_event_over_http",
        "answer_without_the_adapters_form", "part_without_the_adapters_form", "half_an_answer_of_a_prediction",
        "half_an_answer_for_a_visitor",
    ),
    free(
        "There is no instance, or it is lost before its answer is complete",
        "no_instance", "instance_killed", "instance_killed_after_parts", "instance_ends_without_a_last_part",
        "batch_lost", "answer_cut_over_http", "socket_lost", "request_with_an_effect_lost",
        "request_with_a_body_lost",
    ),
    pays("The call waits until an instance has started, and is answered", "waits_for_the_start"),
    free("No instance starts within the model's time limit", "nothing_starts"),
    Row(
        "The instance is lost before it answers, and another one answers", "pays the price, once",
        "gets it, less the commission", WHOLE,
        (
            "retried", "retried_stream", "retried_over_http", "retried_stream_over_http",
            *map(sent_elsewhere_at, REPEATABLE),
        ),
    ),
    Row(
        "The gate sends the call to several instances by the model's retry settings, and one or more answer",
        "pays the price, once", "gets it, less the commission", WHOLE,
        ("failed_then_answered", "failed_then_answered_stream", "both_answer"),
    ),
    Row(
        "Calls share a batch", "each pays for its own answer", "gets them, less the commission",
        Figures(pays=2000, earns=1800, usages=2), ("batch",), {"one_of_a_batch_fails": WHOLE},
    ),
    Row(
        "The caller repeats a call, after an answer or without one", "pays for each answer of the model",
        "gets them, less the commission", Figures(pays=2000, earns=1800, usages=2), ("called_again",),
        {"called_again_after_an_error": WHOLE},
    ),
    Row(
        "Equal calls of a model with a [cache](caching.md) share an answer, with the unit `calls`",
        "each pays the price", "gets them, less the commission", Figures(pays=2000, earns=1800, usages=2),
        ("shared_answer",),
    ),
    Row(
        "Equal calls of a model with a [cache](caching.md) share an answer, with the unit `custom` or `direct`",
        "the first one pays the price, the others nothing: no units are reported for them", LESS,
        Figures(pays=1000, earns=900, usages=2), ("shared_answer_with_units", "shared_answer_with_an_amount"),
    ),
    pays(
        "A prediction (`Prefer: respond-async`) succeeds, even if its key is deleted while it runs",
        *map(in_the_background_at, BACKGROUND), "key_of_a_running_prediction_deleted",
    ),
    Row(
        "The gate is killed while a prediction runs, and another one serves it", "pays the price, once",
        "gets it, less the commission", WHOLE, ("predicted_after_a_kill",),
    ),
    free(
        "A prediction fails, for lack of money too, is canceled, or is interrupted by the end of two gates",
        "prediction_fails", "prediction_without_money", "prediction_canceled", "prediction_ends_two_gates",
    ),
    Row(
        "The caller repeats a call with the same `Idempotency-Key`, even when the limit of its key or its money is used up, "
        "or its `MLP-Max-Price` is below the price", "pays the price, once", "gets it, less the commission", WHOLE,
        (
            *map(again_at, KEYED), "the_same_prediction_again", "the_same_call_again_after_a_kill",
            "the_same_call_again_with_a_used_up_key", "the_same_call_again_with_an_empty_balance",
            "the_same_call_again_below_its_price", "the_same_prediction_again_without_means",
        ),
    ),
    Row(
        "The caller repeats a request to `/http/` with the same `Idempotency-Key`, which is passed on to the model",
        "pays for each answer of the model", "gets them, less the commission",
        Figures(pays=2000, earns=1800, usages=2), ("request_passed_on_again_with_a_key",),
    ),
    Row(
        "A call with an `Idempotency-Key` fails, or its caller disconnects before the answer, and the caller repeats it with "
        "the same key", "pays for the answer only, once", LESS, WHOLE,
        (*map(again_after_failures_at, KEYED), *map(again_after_leaving_at, KEYED)),
    ),
    Row(
        "The caller uses an `Idempotency-Key` for another request, or while its call runs, and is refused",
        "pays for the first call only", LESS, WHOLE, (*map(refused_key_at, KEYED), "key_of_another_prediction"),
    ),
    free(
        "The answer to a call with an `Idempotency-Key`, or to a prediction, is too large to keep, or exceeds the storage of "
        "the account", *map(too_large_to_keep_at, KEYED), "prediction_too_large_to_keep",
        *map(without_room_at, KEYED), "no_room_for_the_answer_of_a_prediction",
    ),
    Row(
        "Two accounts send the same call with the same `Idempotency-Key`", "each pays for its own answer",
        "gets them, less the commission", Figures(pays=1000, earns=1800, usages=1), tuple(map(of_two_accounts_at, KEYED)),
    ),
    Row(
        "Two API keys of one account send the same call with the same `Idempotency-Key`",
        "pays for each answer of the model", "gets them, less the commission", Figures(pays=2000, earns=1800, usages=2),
        (*map(of_two_keys_at, KEYED), "the_same_key_of_another_api_key_for_a_prediction"),
    ),
    Row(
        "Two people with sessions of one account send the same call with the same `Idempotency-Key`",
        "pays the price, once", LESS, WHOLE,
        (*map(of_two_people_at, KEYED_OVER_HTTP), "the_same_key_of_another_person_for_a_prediction"),
    ),
    free(
        "A unary answer is not complete within the predict timeout, or the first part of a streamed one does not come in the "
        "caller's own time", "timeout", "timeout_after_parts", "callers_time_over",
    ),
    free(
        "The wait for a part of a streamed answer exceeds the predict timeout, and the request is complete", "stream_timeout",
        payer="pays nothing, not even for earlier parts",
    ),
    free(
        "The caller disconnects before the model sent a unary answer or the first part of a streamed one",
        "client_gone", "client_gone_before_parts", "client_gone_while_waiting", *map(leaves_before_parts_at, LEFT),
        "visitor_gone",
    ),
    Row(
        "The caller disconnects after the first part of a streamed answer and before its end",
        "pays for the parts until then", "gets it, less the commission", WHOLE,
        ("client_gone_between_parts",),
        dict.fromkeys(
            ("client_gone_between_custom_parts", *map(leaves_between_parts_at, LEFT)),
            Figures(pays=400, earns=360, usages=1),
        ),
    ),
    pays(
        "The model accepts a WebSocket, and either side closes it, or the caller disconnects or sends a message that is too "
        "large, or larger than the key allows, even before the first message of the model",
        "socket_closed", "socket_closed_by_the_caller_before_a_message", "too_large_message_of_the_caller_before_a_message",
        "too_large_message_of_the_caller_after_a_message", "message_above_the_keys_size",
        "message_above_the_keys_size_after_a_message", "client_gone_from_a_socket",
        "client_gone_from_a_socket_before_a_message",
    ),
    free(
        "The model sends a message to a WebSocket that is too large", "too_large_message_of_the_model",
        "too_large_message_of_the_model_after_a_message", payer="pays nothing, not even for earlier messages",
    ),
    Row(
        "The caller sends its request in parts, and after the first part of the answer a part that is refused, or no further part "
        "and no end until the predict timeout; or the caller's own time (`timeoutSec`) ends then",
        "pays for the parts until then", "gets it, less the commission", WHOLE,
        (
            "bad_part_between_parts", "other_message_between_parts", "silent_between_parts",
            "callers_time_over_between_parts", "part_above_the_keys_size_between_parts",
            "language_model_that_the_key_may_not_use_between_parts",
        ),
    ),
    Row(
        "The caller does not read a streamed answer, and its instance does not wait: more than 512 parts or 32 MiB are left",
        "pays for the parts until then", "gets it, less the commission", WHOLE, ("stream_not_read",),
    ),
    Row(
        "The caller's key is deleted, its account is blocked, or its right to the model ends, after the first part of a "
        "streamed answer", "pays for the parts until then; the stream ends with the refusal within two seconds",
        f"{LESS}; from a blocked payer when money comes in", WHOLE,
        ("key_deleted_between_parts", "right_lost_between_parts", "account_blocked_between_parts"),
    ),
    pays("The caller disconnects when the whole answer is ready", "client_gone_at_the_end"),
    free(
        "The gate cannot record the usage", "not_recorded", "not_recorded_with_its_answer",
        payer="gets an error instead of a unary answer or of the last part of a stream, and pays nothing¹",
    ),
    free(
        "The gate is killed before the usage is written down",
        "gateway_killed_before_the_answer", "gateway_killed_before_commit",
        payer="pays nothing; a unary answer, or the last part of a stream, was not sent",
    ),
    Row(
        "The gate is killed after the usage is written down", "pays the price, though the answer may not have arrived",
        "gets it, less the commission", WHOLE, ("gateway_killed_after_commit",),
    ),
    Row(
        "mlpbilling or the bus is unavailable after the usage is written down", "pays when it is back", "gets it then",
        WHOLE, ("billing_away", "billing_killed", "bus_away"),
    ),
    Row("The usage arrives twice", "pays once", "gets it once", WHOLE, ("delivered_twice",)),
)  # fmt: skip
