"""What callers and instances really do, and the tests that show it at every entry.

The tests take their entries from `services/mlpgateway/tests/entries.py`. An entry that is no subject of a kind has a
reason here. WebSockets and pages are no entries of that list, since no test can ask at them as at the others: each of
their tests is named here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from services.mlpgateway.tests.entries import ENTRIES, STREAMED, Answers

ALL = (*ENTRIES, *STREAMED)
PAGES = ("page", "webSocket")
"""Entries of requests that are passed on, besides `httpInterface`. Both take pages' passes, and WebSockets also keys."""
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
_HTTP = "services/mlpgateway/tests/http_instances/"
_PAGE, _SOCKET = f"{_HTTP}test_pages.py::", f"{_HTTP}test_sockets.py::"


@dataclass(frozen=True)
class Kind:
    """`tests` are prefixes of the ids of tests whose parameters are entries; `none_for` says of entries why they need
    none. `own`: tests of PAGES, by entry.
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
        {**_WITHOUT_A_MODEL, **_VISITORS},
        {
            "page": f"{_PAGE}TestPage::test_invalid_pass_is_refused",
            "webSocket": f"{_SOCKET}TestHandshake::test_anonymous_handshake_is_refused_in_the_common_error_format",
        },
    ),
    Kind(
        "what a caller asks for in a header is served or refused, never ignored",
        [
            "services/mlpgateway/tests/test_call_options.py::TestRespondAsync::test_it_is_served_with_a_prediction_or_refused",
            "services/mlpgateway/tests/test_call_options.py::TestRpcs::test_headers_that_are_not_served_are_refused",
            "services/mlpgateway/tests/test_call_options.py::TestRepeatedKey::test_key_is_refused_for_a_body_that_asks_for_a_stream",
        ],
        {"httpInterface": "all but MLP-Webhook, which it refuses like a page, are passed on"},
        {
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
        )] + ["services/mlpgateway/tests/test_rpc_bodies.py::TestTexts::test_"],
        {**_WITHOUT_A_MODEL, **_WITHOUT_JSON, **_BODIES_PASSED_ON},
    ),
    Kind(
        "a compressed body is refused with 415",
        [f"{_HTTP}test_every_entry.py::TestBodies::test_what_is_compressed_is_refused"],
        {**_WITHOUT_A_MODEL, **_OVER_HTTP, **_WITHOUT_BODY, **_BODIES_PASSED_ON},
    ),
    Kind(
        "callers of HTTP/1.0 get answers without chunks",
        [f"{_HTTP}test_every_entry.py::TestVersions::test_caller_of_http_1_0_gets_no_chunks"],
        {**_OVER_HTTP, "webSocket": "a handshake of HTTP/1.0 is none (RFC 6455, section 4.1)"},
        {"page": f"{_PAGE}TestWire::test_visitor_with_http_1_0_gets_no_chunks"},
    ),
    Kind(
        "pages of other sites may call only with a key that lists them",
        [f"{_HTTP}test_cross_origin.py::TestEveryEntry::test_page_of_{name}" for name in (
            "a_listed_origin_may_call_and_read_the_answer",
            "another_origin_is_refused_before_anything_is_charged",
        )],
        {**_OVER_HTTP, **_VISITORS},
        {
            "page": f"{_PAGE}TestPage::test_billing_key_is_refused",
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
    ),
    Kind(
        "what an instance says with its refusal arrives: status, text, Retry-After",
        [
            f"{_HTTP}test_refusals_of_instances.py::TestEntries::test_status_text_and_retry_after_arrive",
            f"{_HTTP}test_refusals_of_instances.py::TestRpcs::test_retry_after_arrives",
        ],
        _WITHOUT_A_MODEL,
        {
            "page": f"{_PAGE}TestPage::test_refusal_of_the_instance_arrives_and_is_free",
            "webSocket": f"{_HTTP}test_refused_handshakes.py::TestBody::test_caller_gets_what_a_request_gets",
        },
    ),
    Kind(
        "an instance that compresses by default is told not to",
        [f"{_HTTP}test_every_entry.py::TestCodings::test_an_instance_that_compresses_by_default_is_told_not_to"],
        {**_WITHOUT_A_MODEL, **_PASSED_ON, **dict.fromkeys(RPCS, "it asks an instance as calls over HTTP do")},
    ),
    Kind(
        "the work for a caller who leaves is stopped",
        [
            f"{_HTTP}test_every_entry.py::TestEnd::test_work_for_a_caller_who_leaves_is_stopped",
            "services/mlpgateway/tests/pipeline/test_every_rpc.py::test_work_for_a_caller_who_leaves_is_stopped",
        ],
        _WITHOUT_A_MODEL,
        {
            "page": f"{_PAGE}TestWire::test_work_for_a_visitor_who_leaves_is_stopped",
            "webSocket": f"{_SOCKET}TestEnd::test_vanished_caller_is_noticed_and_charged",
        },
    ),
    Kind(
        "an answer in parts ends with the right to call; a whole one comes, and is charged",
        [
            "services/mlpgateway/tests/test_revocation.py::TestStreams::test_it_ends_over",
            "services/mlpgateway/tests/test_revocation.py::TestWholeAnswers::test_it_comes_and_is_charged",
            f"{_HTTP}test_every_entry.py::TestEnd::test_stream_of_a_deleted_key_ends",
        ],
        _WITHOUT_A_MODEL,
        {
            "page": f"{_HTTP}test_revocation.py::TestPages::test_answer_to_the_page_ends",
            "webSocket": f"{_HTTP}test_revocation.py::TestKeys::test_socket_is_closed_and_charged",
        },
    ),
]  # fmt: skip
