"""Sends the standing request of a verdict, by the transport that its model uses."""

from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Protocol

from mlpgateway.call.call import Answer, HttpRequest, Payload
from mlpgateway.call.transport import InstanceLink, ToldRequest
from mlpgateway.instances.grpc.link import StreamLink
from mlpgateway.instances.grpc.prepared import PreparedPredict
from mlpgateway.instances.http.client.errors import InvalidRequestError
from mlpgateway.instances.http.link import HttpLink
from mlpgateway.instances.http.prepared import PreparedHttpPredict, PreparedPassOn
from mlpgateway.pipeline.before_instance import StandingDecision
from mlplace_kit.errors import DomainError


class Send(Protocol):
    def __call__(
        self,
        text: bytes,
        *,
        request_id: str,
        trace_parent: str | None,
        answered: Callable[[Answer], None],
        failed: Callable[[DomainError], None],
    ) -> ToldRequest:
        """`text` is the data as JSON in UTF-8. See ToldRequest for the callbacks; `failed` may be called at once."""
        ...


class RequestDifferences(Protocol):
    """What a request differs in from the standing one. `config` None: the model's own. `http`: the request is that one,
    passed on.
    """

    @property
    def config(self) -> Payload | None: ...

    @property
    def http(self) -> HttpRequest | None: ...


Streamed = Callable[[AsyncGenerator[Answer]], None]
"""Gets an answer that has begun and must be read in a task, instead of the callbacks of Send."""


class PreparedRequest(Protocol):
    def to(self, link: InstanceLink, wanted: RequestDifferences, streamed: Streamed) -> Send | None:
        """Returns how to send to this instance in this turn of the event loop. None: that may have to wait."""
        ...


class _ForStreams:
    __slots__ = ("_predict",)

    def __init__(self, standing: StandingDecision) -> None:
        self._predict = PreparedPredict(standing.request)

    def to(self, link: InstanceLink, wanted: RequestDifferences, streamed: Streamed) -> Send | None:
        del streamed
        if not isinstance(link, StreamLink):
            return None
        config, predict = wanted.config, self._predict
        return partial(link.send_told, predict if config is None else predict.with_config(config))


class _ForHttp:
    __slots__ = ("_predict",)

    def __init__(self, standing: StandingDecision) -> None:
        self._predict = PreparedHttpPredict(standing.request)

    def to(self, link: InstanceLink, wanted: RequestDifferences, streamed: Streamed) -> Send | None:
        del streamed
        if not (isinstance(link, HttpLink) and link.sends_at_once):
            return None
        config, predict = wanted.config, self._predict
        return partial(link.send_told, predict if config is None else predict.with_config(config))


class _PassedOn:
    __slots__ = ("_constant",)

    def __init__(self, standing: StandingDecision) -> None:
        self._constant = PreparedPassOn(standing.request)

    def to(self, link: InstanceLink, wanted: RequestDifferences, streamed: Streamed) -> Send | None:
        if wanted.http is None or not (isinstance(link, HttpLink) and link.sends_at_once):
            return None
        try:
            before = self._constant.before(wanted.http)
        except InvalidRequestError:
            return None
        return partial(link.pass_on_told, self._constant, before, streamed=streamed)


def prepare(standing: StandingDecision, *, passed_on: bool) -> PreparedRequest | None:
    """Returns None for a request that cannot be sent: the ordinary way refuses each call with it."""
    try:
        if passed_on:
            return _PassedOn(standing)
        return (_ForHttp if standing.decided.plan.http_only else _ForStreams)(standing)
    except InvalidRequestError:
        return None
