"""Offers requests of the HTTP server to the warm path."""

import structlog
from msgspec.structs import replace

from mlpgateway.instances.http.addresses import PublicAddress
from mlpgateway.warm.call import WarmCall
from mlpgateway.warm.environment import WarmParts
from mlpgateway.warm.forms import ChatForm, Form, PassOnForm, PredictForm, chat_of
from mlpgateway.warm.heads import PlainHead, named, plain_head
from mlpgateway.warm.verdicts import Verdicts
from mlplace_kit.errors import DomainError
from mlplace_runtime.process.http.direct import DirectRequest, Headers, Leave, Reply
from mlplace_runtime.telemetry import current

log = structlog.get_logger(__name__)


class WarmCalls:
    """Satisfies Direct."""

    def __init__(self, around: WarmParts, verdicts: Verdicts, *, secure: bool) -> None:
        """`secure`: callers reach the platform over TLS."""
        self._around = around
        self._secure = secure
        self.verdicts = verdicts

    def prepare(self, target: bytes, headers: Headers, peer: str) -> DirectRequest | None:
        if current.collecting():  # spans belong to tasks
            return None
        try:
            head = plain_head(target, headers, peer)
            if head is None:
                return None
            if head.target.is_chat:
                return _Chat(self, head)
            if head.target.path is None:
                return self.call_of(head, PredictForm(head.request_id))
            return self.call_of(head, self._passed_on(head, head.target.path))
        except Exception:
            log.exception("warm_call_not_judged")
            return None

    def _passed_on(self, head: PlainHead, path: str) -> PassOnForm:
        address = PublicAddress.of(head.headers, head.target.prefix, secure=self._secure)
        return PassOnForm(head.request_id, path, head.headers, address)

    async def close(self) -> None:
        """Ends what goes on with instances. Call it before their connections and the spool are closed."""
        await self._around.end_tasks()

    def call_of(self, head: PlainHead, form: Form) -> WarmCall | None:
        """Returns None for a call that must go the ordinary way."""
        verdict = self.verdicts.find(head)
        return None if verdict is None else WarmCall(self._around, head, verdict, form)


class _Chat:
    """Satisfies Prepared. The verdict is sought when the body is there, because it names the model."""

    __slots__ = ("_calls", "_head")

    def __init__(self, calls: WarmCalls, head: PlainHead) -> None:
        self._calls = calls
        self._head = head

    def begin(self, body: bytes, reply: Reply) -> Leave | None:
        try:
            call = self._call(body)
        except DomainError:  # the ordinary way refuses the call, and counts that
            call = None
        except Exception:
            log.exception("warm_call_not_judged")
            call = None
        return None if call is None else call.begin(body, reply)

    def _call(self, body: bytes) -> WarmCall | None:
        request = chat_of(body)
        target = None if request is None else named(request.model.account, request.model.service)
        if request is None or target is None:
            return None
        return self._calls.call_of(replace(self._head, target=target), ChatForm(request, self._head.request_id))
