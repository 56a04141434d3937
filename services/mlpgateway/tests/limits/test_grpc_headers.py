"""Limit headers for gRPC callers: the same names as over HTTP, in the headers of the message."""

from mlpgateway.call.call import Answer, Operation, Payload
from mlpgateway.entry.grpc.client_messages import error_response, response_of
from mlpgateway.policy.limits.claim import LIMIT, POLICY, X_REMAINING, headers_of
from mlpgateway.policy.limits.leased_bucket import LeasedBucket
from mlpgateway.policy.limits.rules import account_rule


class TestHeaders:
    def test_answers_and_refusals_carry_limit_headers(self) -> None:
        rule = account_rule(1, 10)
        headers = headers_of(((rule, LeasedBucket(rule.bucket, 10)),))
        answer = Answer(Payload(json="1"), headers)
        told = dict(response_of(answer, operation=Operation.PREDICT, request_id="r").headers)
        assert (told[LIMIT], told[POLICY], told[X_REMAINING]) == ('"account";r=10;t=0', '"account";q=10;w=1', "10")
        error = rule.refusal()
        error.answer_headers, error.retry_after_seconds = headers, 2.4
        refused = error_response(error, "r")
        assert refused.error.code == "mlp.gate.pps_limit_exceeded"
        assert (refused.headers[LIMIT], refused.headers["Retry-After"]) == ('"account";r=10;t=0', "3")
