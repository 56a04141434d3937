"""Who pays when: the table of docs/settlement.md as data. Each row names the scenarios that prove it.

`python -m tests.settlement.document` writes the table into the document; `scenarios.py` says how each one runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

PRICE = 1000
COMMISSION_BASIS_POINTS = 1000
UNITS = 10
"""Of a model with the unit `custom` whose answer costs the price."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a scenario moves, in nano-units; `earns` is the owner's part, the commission is what is left.

    `usages`: how many the payer's account has in the end. `free_units`: how many of the month's were used.
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
    """`payer` and `owner` are what the document says of them. `others`: scenarios with figures of their own."""

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

REFUSALS: Mapping[str, tuple[str, ...]] = {
    "no live key or session": ("no_key", "dead_key", "expired_key", "dead_billing_key"),
    "no right to call it": (
        "key_without_predict", "key_for_another_model", "private_model", "unknown_model", "person_where_keys_only",
    ),
    "a prototype": ("prototype",),
    "not a request": ("broken_body",),
    "too many in a second": ("rate",),
    "too little money": ("no_money",),
    "a blocked account": ("blocked_account",),
    "a loop of services": ("loop",),
    "a price above what the caller, or the key that pays, allows": ("price_above_the_callers", "price_above_the_keys"),
    "a maximal price that is no amount": ("no_amount",),
    "a billing key that may not pay for it: another service, too many calls, an address of others": (
        "billing_key_for_another_model", "billing_key_used_up", "billing_key_from_elsewhere",
        "nested_call_of_a_limited_key",
    ),
}  # fmt: skip
"""Reason, and the scenarios that are refused for it."""

ROWS: tuple[Row, ...] = (
    pays(
        "The service answers",
        "unary", "with_config", "another_method", "whole_stream", "over_grpc", "by_session", "custom_units",
        "custom_units_in_parts", "direct_amount",
    ),
    Row(
        "The service answers, and free units cover the call", "pays nothing; the units are used up", "gets nothing",
        Figures(usages=1, free_units=1), ("free_units",),
        {"free_custom_units": Figures(usages=1, free_units=UNITS)},
    ),
    Row(
        "Free units cover a part of it", "pays for the rest", "gets the rest, less the commission",
        Figures(pays=600, earns=540, usages=1, free_units=4), ("some_free_units",),
    ),
    Row(
        "A caller of the owner's own account", "pays nothing; the call is recorded", "–",
        Figures(usages=1), ("own_model",),
    ),
    Row(
        "A service calls another one for its caller, with `MLP-BILLING-KEY`",
        "the account of that key pays the price, the calling service nothing", "gets it, less the commission",
        WHOLE, ("billing_key", "nested_call"),
    ),
    Row(
        "The service reports more than the maximal price that its owner has published, or than the platform's where "
        "there is none", "pays the maximal price", f"{LESS}; nothing of what is above",
        Figures(pays=2000, earns=1800, usages=1),
        ("above_the_published_price", "above_it_with_an_amount", "above_it_in_parts"),
        {
            "above_the_platforms_price": Figures(pays=100 * 10**9, earns=90 * 10**9, usages=1),
            "above_it_with_free_units": Figures(usages=1, free_units=2 * UNITS),
        },
    ),
    Row(
        "It reports more than the caller's `MLP-Max-Price`, or than the maximal price of the key that pays",
        "pays no more than the smallest of them", f"{LESS}; nothing of what is above",
        Figures(pays=600, earns=540, usages=1),
        ("above_the_callers_price", "above_the_keys_price", "above_the_billing_keys_price", "above_it_over_grpc"),
    ),
    Row(
        "It reports more than is left of a spending limit, or of the expense limit, of the key that pays",
        "pays what is left of the limit", f"{LESS}; nothing of what is above",
        Figures(pays=1500, earns=1350, usages=1), ("above_the_expense_limit", "above_a_spending_limit"),
    ),
    Row(
        "The answer costs more than the payer has", "pays what there is: the balance falls to zero, and not below",
        f"{LESS}; nothing of what is above", WHOLE, ("more_than_there_is",),
    ),
    Row(
        "The answer costs more than the payer has, who has credit", "pays the price: the balance falls below zero",
        "gets at once what there was, the rest when money comes in to the payer",
        Figures(pays=2500, earns=2250, usages=1), ("debt_of_a_payer_with_credit",),
    ),
    Row(
        "The answer costs more than is held for it, and billing does not answer",
        "pays the price; the balance may fall below zero, and the account is blocked then",
        "gets at once what there was, the rest when money comes in to the payer",
        Figures(pays=2500, earns=2250, usages=1), ("debt",),
    ),
    free(f"The call is refused: {'; '.join(REFUSALS)}", *(name for names in REFUSALS.values() for name in names)),
    free("The service answers with an error, also after parts of a streamed answer", "error", "error_after_parts"),
    free(
        "No instance is there, or it is lost before its answer is complete",
        "no_instance", "instance_killed", "instance_killed_after_parts", "instance_ends_without_a_last_part",
        "batch_lost",
    ),
    pays("The call waits until an instance has started, and is answered", "waits_for_the_start"),
    free("No instance starts within the time that the model has for it", "nothing_starts"),
    Row(
        "The instance is lost before it answered anything, and another one answers", "pays the price, once",
        "gets it, less the commission", WHOLE, ("retried", "retried_stream"),
    ),
    Row(
        "The gateway sends the call to several instances, as the retries of the service say, and one or more answer",
        "pays the price, once", "gets it, less the commission", WHOLE,
        ("failed_then_answered", "failed_then_answered_stream", "both_answer"),
    ),
    Row(
        "Calls share a batch", "each pays for its own answer", "gets them, less the commission",
        Figures(pays=2000, earns=1800, usages=2), ("batch",), {"one_of_a_batch_fails": WHOLE},
    ),
    Row(
        "The caller sends a call again, after an answer or without one", "pays for each answer of the service",
        "gets them, less the commission", Figures(pays=2000, earns=1800, usages=2), ("called_again",),
        {"called_again_after_an_error": WHOLE},
    ),
    pays("Nobody waits for the call (`Prefer: respond-async`), and it succeeds", "predicted"),
    Row(
        "Nobody waits for it, the gateway is killed while it runs, and another one serves it", "pays the price, once",
        "gets it, less the commission", WHOLE, ("predicted_after_a_kill",),
    ),
    free(
        "Nobody waits for it, and it fails, is canceled, or is cut off by the end of two gateways",
        "prediction_fails", "prediction_canceled", "prediction_ends_two_gates",
    ),
    Row(
        "The caller sends it again with the same `Idempotency-Key`", "pays the price, once",
        "gets it, less the commission", WHOLE, ("the_same_call_again", "the_same_prediction_again"),
    ),
    free("A unary answer is not complete within the predict time-out", "timeout", "timeout_after_parts"),
    free(
        "A part of a streamed answer is longer in coming than the predict time-out", "stream_timeout",
        payer="pays nothing, also for the parts before",
    ),
    free(
        "The client is gone before a unary answer, or the first part of a streamed one, came from the service",
        "client_gone", "client_gone_before_parts", "client_gone_while_waiting",
    ),
    Row(
        "The client is gone after the first part of a streamed answer and before its end",
        "pays what the parts until then cost", "gets it, less the commission", WHOLE, ("client_gone_between_parts",),
        {"client_gone_between_custom_parts": Figures(pays=400, earns=360, usages=1)},
    ),
    pays("The client is gone when the whole answer was ready", "client_gone_at_the_end"),
    free(
        "The gateway cannot record the usage", "not_recorded", "not_recorded_with_its_answer",
        payer="gets an error instead of a unary answer or of the last part of a stream, and pays nothing¹",
    ),
    free(
        "The gateway is killed before the usage is written down",
        "gateway_killed_before_the_answer", "gateway_killed_before_commit",
        payer="pays nothing; a unary answer, or the last part of a stream, was not sent",
    ),
    Row(
        "The gateway is killed after the usage is written down", "pays the price, though the answer may not have arrived",
        "gets it, less the commission", WHOLE, ("gateway_killed_after_commit",),
    ),
    Row(
        "Billing or the bus is away after the usage is written down", "pays once it is back", "gets it then",
        WHOLE, ("billing_away", "billing_killed", "bus_away"),
    ),
    Row("The usage arrives twice", "pays once", "gets it once", WHOLE, ("delivered_twice",)),
)  # fmt: skip
