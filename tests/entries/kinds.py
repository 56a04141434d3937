"""What callers and instances really do, and the tests that show it at every entry.

The tests take their entries from `services/mlpgateway/tests/entries.py`. An entry that is no subject of a kind has a
reason here. WebSockets, pages, predictions and the clients of the SDK are no entries of that list, since no test can ask
at them as at the others: each of their tests is named here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from services.mlpgateway.tests.entries import ENTRIES, STREAMED, Answers
from services.mlpgateway.tests.revocations import ENDS, End

ALL = (*ENTRIES, *STREAMED)
PAGES = ("page", "webSocket")
"""Entries of requests that are passed on, besides `httpInterface`. Both take pages' passes, and WebSockets also keys."""
PREDICTION = "prediction"
"""A call with `Prefer: respond-async`: its answer comes later."""
CLIENTS = ("Client", "AsyncClient", "GrpcClient", "converse")
"""Clients of the SDK, and the method of GrpcClient that sends its request in parts."""
OTHERS = (*PAGES, PREDICTION, *CLIENTS)
RPCS = [name for name in ENTRIES if not ENTRIES[name].path]
CALLS = [name for name in ALL if name in STREAMED or ENTRIES[name].answers is not Answers.NONE]
_WITHOUT_A_MODEL = {name: "no model is called" for name in ALL if name not in CALLS}
_OVER_HTTP = dict.fromkeys(RPCS, "HTTP/2 and protobuf decide that, and gRPC's own library")
_WITHOUT_BODY = {
    **{name: "its request has no body" for name in CALLS if name not in STREAMED and ENTRIES[name].method == "GET"},
    "httpInterface": "its body is passed on as it is",
}
_WITHOUT_JSON = {
    **_WITHOUT_BODY,
    "openaiTranscriptions": "its body is a form",
    "processSynthesis": "its messages have no JSON of a caller",
    "processRecognition": "its messages have no JSON of a caller",
}
_PASSED_ON = dict.fromkeys(("httpInterface", "page", "webSocket"), "its answers are passed on as they are")
_BODIES_PASSED_ON = dict.fromkeys(PAGES, "what its callers send is passed on as it is")
_VISITORS = {"tryWithoutSigningIn": "its callers have no key"}
_CALLS_WITHOUT_PARTS = {name: "its answer is whole" for name in CALLS if ENDS[name] is End.WHOLE}
_BY_THE_GATE = dict.fromkeys(CLIENTS, "the gate decides it, whatever program calls")
_BEFORE = {PREDICTION: "the entry decides it before it makes a prediction"}
_GATE = "services/mlpgateway/tests/"
_HTTP = f"{_GATE}http_instances/"
_PAGE, _SOCKET = f"{_HTTP}test_pages.py::", f"{_HTTP}test_sockets.py::"
_RPC_LEFT = f"{_GATE}pipeline/test_every_rpc.py::test_work_for_a_caller_who_leaves_"
_PAGE_LEFT = f"{_PAGE}TestWire::test_work_for_a_visitor_who_leaves_is_stopped_and_its_parts_are_charged"
_SOCKET_LEFT = f"{_SOCKET}TestEnd::test_vanished_caller_is_noticed_and_charged"
_MADE, _KEYED = f"{_GATE}predictions/test_predictions.py::", f"{_GATE}predictions/test_prediction_keys.py::"
_SDK, _LEAVING = "libs/sdk/tests/test_calling.py::", "libs/sdk/tests/test_leaving.py::"
_UNREADABLE = "an_answer_that_is_no_json_is_an_error"


@dataclass(frozen=True)
class Kind:
    """`tests` are prefixes of the ids of tests whose parameters are entries; `none_for` says of entries why they need
    none. `own`: tests of OTHERS, by entry.
    """

    says: str
    tests: Sequence[str]
    none_for: Mapping[str, str] = field(default_factory=dict[str, str])
    own: Mapping[str, str] = field(default_factory=dict[str, str])


KINDS = [
    Kind(
        "who has no valid key is refused, and told how to identify",
        [
            f"{_HTTP}test_every_entry.py::TestStrangers::test_is_told_how_to_identify",
            "tests/security/test_gate_access.py::TestGate::test_an_invalid_credential_cannot_call",
        ],
        {**_WITHOUT_A_MODEL, **_VISITORS, **_BY_THE_GATE},
        {
            PREDICTION: f"{_MADE}TestCreation::test_refusal_comes_at_once",
            "page": f"{_PAGE}TestPage::test_expired_pass_is_refused",
            "webSocket": f"{_SOCKET}TestHandshake::test_anonymous_handshake_is_refused_in_the_common_error_format",
        },
    ),
    Kind(
        "what a caller asks for in a header is served or refused, never ignored",
        [
            f"{_GATE}test_call_options.py::TestRespondAsync::test_it_is_served_with_a_prediction_or_refused",
            f"{_GATE}test_call_options.py::TestRpcs::test_headers_that_are_not_served_are_refused",
            f"{_GATE}test_call_options.py::TestRepeatedKey::test_key_is_refused_for_a_body_that_asks_for_a_stream",
        ],
        {
            "httpInterface": "all but MLP-Webhook, which it refuses like a page, are passed on",
            **dict.fromkeys(CLIENTS, "it sends none of these headers"),
        },
        {
            PREDICTION: f"{_KEYED}TestOneEffect::test_same_key_creates_one_prediction",
            "page": f"{_PAGE}TestPage::test_header_that_is_not_served_is_refused",
            "webSocket": f"{_SOCKET}TestHandshake::test_header_that_is_not_served_is_refused",
        },
    ),
    Kind(
        "a body is read in one way: marks of the byte order, repeated fields, what is no JSON",
        [f"{_HTTP}test_every_entry.py::TestBodies::test_{name}" for name in (
            "byte_order_mark_is_no_part_of_it",
            "what_is_no_json_is_refused",
            "last_value_of_a_repeated_field_is_the_one_that_is_sent",
        )] + [f"{_GATE}test_rpc_bodies.py::TestTexts::test_"],
        {**_WITHOUT_A_MODEL, **_WITHOUT_JSON, **_BODIES_PASSED_ON, **_BEFORE, **_BY_THE_GATE},
    ),
    Kind(
        "a compressed body is refused with 415",
        [f"{_HTTP}test_every_entry.py::TestBodies::test_what_is_compressed_is_refused"],
        {**_WITHOUT_A_MODEL, **_OVER_HTTP, **_WITHOUT_BODY, **_BODIES_PASSED_ON, **_BEFORE, **_BY_THE_GATE},
    ),
    Kind(
        "callers of HTTP/1.0 get answers without chunks",
        [f"{_HTTP}test_every_entry.py::TestVersions::test_caller_of_http_1_0_gets_no_chunks"],
        {
            **_OVER_HTTP, **_BY_THE_GATE, "webSocket": "a handshake of HTTP/1.0 is none (RFC 6455, section 4.1)",
            PREDICTION: "its answer, 202, is whole",
        },
        {"page": f"{_PAGE}TestWire::test_visitor_with_http_1_0_gets_no_chunks"},
    ),
    Kind(
        "pages of other sites may call only with a key that lists them",
        [f"{_HTTP}test_cross_origin.py::TestEveryEntry::test_page_of_{name}" for name in (
            "a_listed_origin_may_call_and_read_the_answer",
            "another_origin_is_refused_before_anything_is_charged",
        )],
        {
            **_OVER_HTTP, **_VISITORS, **_BEFORE, **dict.fromkeys(CLIENTS, "it is no page"),
            "page": "its callers have a pass and no key",
        },
        {
            "webSocket": f"{_HTTP}test_cross_origin.py::TestSockets::test_origin_is_compared_with_the_list_of_the_key",
        },
    ),
    Kind(
        "an answer that is not what it claims to be is an error, and free",
        [
            f"{_HTTP}test_malformed_answers.py::TestWhole::test_it_is_an_error_and_free",
            f"{_HTTP}test_malformed_answers.py::TestParts::test_a_stream_ends_with_an_error_and_is_free",
            f"{_HTTP}test_malformed_answers.py::TestRpcs::test_answer_over_grpc_is_an_error_and_free",
        ],
        {**_WITHOUT_A_MODEL, **_PASSED_ON},
        {
            PREDICTION: f"{_HTTP}test_malformed_answers.py::TestPredictions::test_it_fails_and_costs_nothing",
            "Client": f"{_SDK}TestHttpPredict::test_{_UNREADABLE}",
            "AsyncClient": f"{_SDK}TestAsyncClient::test_{_UNREADABLE}",
            **dict.fromkeys(("GrpcClient", "converse"), f"{_SDK}TestGrpcPredict::test_{_UNREADABLE}"),
        },
    ),
    Kind(
        "what an instance says with its refusal arrives: status, text, Retry-After",
        [
            f"{_HTTP}test_refusals_of_instances.py::TestEntries::test_status_text_and_retry_after_arrive",
            f"{_HTTP}test_refusals_of_instances.py::TestRpcs::test_retry_after_arrives",
        ],
        _WITHOUT_A_MODEL,
        {
            PREDICTION: f"{_MADE}TestOutcomes::test_error_of_the_model_is_the_outcome_and_free",
            "Client": f"{_SDK}TestHttpPredict::test_an_error_says_when_to_try_again",
            "AsyncClient": f"{_SDK}TestAsyncClient::test_an_error_says_when_to_try_again",
            "GrpcClient": f"{_SDK}TestGrpcPredict::test_an_error_says_when_to_try_again",
            "converse": f"{_SDK}TestGrpcStream::test_a_refusal_after_a_part_says_when_to_try_again",
            "page": f"{_PAGE}TestPage::test_refusal_of_the_instance_arrives_and_is_free",
            "webSocket": f"{_HTTP}test_refused_handshakes.py::TestBody::test_caller_gets_what_a_request_gets",
        },
    ),
    Kind(
        "an instance that compresses by default is told not to",
        [f"{_HTTP}test_every_entry.py::TestCodings::test_an_instance_that_compresses_by_default_is_told_not_to"],
        {
            **_WITHOUT_A_MODEL, **_PASSED_ON, **_BY_THE_GATE,
            **dict.fromkeys((*RPCS, PREDICTION), "it asks an instance as calls over HTTP do"),
        },
    ),
    Kind(
        "the work for a caller who leaves is stopped",
        [
            f"{_HTTP}test_every_entry.py::TestEnd::test_work_for_a_caller_who_leaves_is_stopped",
            f"{_RPC_LEFT}is_stopped",
        ],
        _WITHOUT_A_MODEL,
        {
            # Nobody waits for it.
            PREDICTION: f"{_MADE}TestCanceling::test_running_prediction_is_stopped_at_the_instance_and_free",
            **dict.fromkeys(CLIENTS, f"{_LEAVING}test_the_platform_learns_that_a_caller_leaves"),
            "page": _PAGE_LEFT,
            "webSocket": _SOCKET_LEFT,
        },
    ),
    Kind(
        "an answer in parts ends with the right to call; a whole one comes, and is charged",
        [
            f"{_GATE}test_revocation.py::TestStreams::test_it_ends_over",
            f"{_GATE}test_revocation.py::TestWholeAnswers::test_it_comes_and_is_charged",
            f"{_HTTP}test_every_entry.py::TestEnd::test_stream_of_a_deleted_key_ends",
        ],
        {**_WITHOUT_A_MODEL, **_BY_THE_GATE},
        {
            PREDICTION: f"{_MADE}TestCreation::test_key_revoked_while_it_runs_ends_nothing_and_pays",
            "page": f"{_HTTP}test_revocation.py::TestPages::test_answer_to_the_page_ends_and_is_charged",
            "webSocket": f"{_HTTP}test_revocation.py::TestKeys::test_socket_is_closed_and_charged",
        },
    ),
    Kind(
        "who leaves pays for the parts that came until then, and for nothing of a whole answer",
        [
            f"{_HTTP}test_every_entry.py::TestEnd::test_caller_who_leaves_after_a_part_pays_for_it",
            f"{_GATE}test_leaving.py::test_caller_who_leaves_pays_for_the_parts_that_it_got",
            f"{_RPC_LEFT}is_stopped_and_delivered_parts_are_charged",
        ],
        {**_WITHOUT_A_MODEL, **_BY_THE_GATE},
        {
            "httpInterface": f"{_HTTP}test_requests.py::TestMoney::test_caller_who_leaves_pays_for_what_came",
            "page": _PAGE_LEFT,
            "webSocket": f"{_SOCKET}TestEnd::test_vanished_caller_is_noticed_and_charged",
            PREDICTION: f"{_MADE}TestCanceling::test_running_prediction_is_stopped_at_the_instance_and_free",
        },
    ),
    Kind(
        "parts before an error arrive, and the error after them",
        [f"{_GATE}test_errors_after_parts.py::test_parts_arrive_before_it_over_"],
        {**_WITHOUT_A_MODEL, **_CALLS_WITHOUT_PARTS, PREDICTION: "its output is whole"},
        {
            "httpInterface": f"{_HTTP}test_requests.py::TestBrokenAnswer::test_begun_answer_breaks_off_for_the_caller",
            "page": f"{_PAGE}TestWire::test_begun_answer_breaks_off_for_the_visitor_and_is_free",
            "webSocket": f"{_SOCKET}TestEnd::test_vanished_instance_is_an_error_after_its_messages_and_free",
            "Client": f"{_SDK}TestHttpStream::test_an_event_named_error_ends_the_stream_with_that_error",
            "AsyncClient": f"{_SDK}TestAsyncClient::test_a_stream_that_does_not_end_well_is_an_error_after_its_parts",
            **dict.fromkeys(
                ("GrpcClient", "converse"), f"{_SDK}TestGrpcStream::test_a_refusal_after_a_part_says_when_to_try_again"
            ),
        },
    ),
    Kind(
        "a priority, a largest price and a key that pays are whole numbers, amounts and keys, or refused by name",
        [
            f"{_GATE}pipeline/test_refused_priorities.py::TestHttp::test_it_is_refused_with_its_header",
            f"{_GATE}pipeline/test_refused_priorities.py::TestRpcs::test_it_is_refused_in_",
            f"{_GATE}pipeline/test_money_headers.py::TestNonsense::test_it_is_refused_with_its_header",
            f"{_GATE}pipeline/test_money_headers.py::TestNonsenseOverGrpc::test_it_is_refused_in_",
        ],
        {**_WITHOUT_A_MODEL, **_BY_THE_GATE},
        {
            PREDICTION: f"{_GATE}pipeline/test_refused_priorities.py::TestPredictions::test_nonsense_makes_none",
            "page": f"{_PAGE}TestPage::test_nonsense_price_and_priority_are_refused",
            "webSocket": f"{_SOCKET}TestHandshake::test_nonsense_about_money_and_priority_is_refused",
        },
    ),
    Kind(
        "a largest price bounds a call, and a key that pays pays",
        [
            f"{_GATE}pipeline/test_money_headers.py::TestServed::test_key_pays",
            f"{_GATE}pipeline/test_money_headers.py::TestServed::test_model_that_costs_more_",
            f"{_GATE}pipeline/test_money_headers.py::TestServed::test_both_count_over_grpc",
        ],
        {
            **_WITHOUT_A_MODEL, "tryWithoutSigningIn": "its callers pay nothing, and are refused both headers",
            "webSocket": "its handshake is a request that is passed on", "AsyncClient": "it sends what Client sends",
            "converse": "it sends what GrpcClient sends", PREDICTION: "it is served as a call that waits",
        },
        {
            "httpInterface": f"{_HTTP}test_requests.py::TestMoney::test_key_that_pays_and_largest_price_count",
            "page": f"{_PAGE}TestPage::test_maximum_price_holds",
            "Client": f"{_SDK}TestHttpPredict::test_the_request_itself_is_the_body",
            "GrpcClient": f"{_SDK}TestGrpcPredict::test_request_and_answer_cross_the_gate",
        },
    ),
    Kind(
        "the caller's address is what a trusted proxy names, and nothing that a caller claims",
        [f"{_GATE}pipeline/test_caller_addresses.py::TestAddress::test_over_"],
        {**_WITHOUT_A_MODEL, **_BY_THE_GATE},
        {
            "tryWithoutSigningIn": f"{_GATE}http/test_visitors.py::TestLimits::test_behind_a_proxy_only_its_own_entry_counts",
            "page": f"{_PAGE}TestPage::test_address_that_a_trusted_proxy_names_counts",
            "webSocket": f"{_SOCKET}TestHandshake::test_address_that_a_trusted_proxy_names_counts",
            PREDICTION: f"{_GATE}pipeline/test_caller_addresses.py::TestAddress::test_of_a_prediction",
        },
    ),
]  # fmt: skip
