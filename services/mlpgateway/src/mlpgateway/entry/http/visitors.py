"""Calls of visitors who are not signed in: a path of their own, so that other calls need not look for them."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from mlpgateway.call.call import Call, Caller
from mlpgateway.call.context import LOWEST_PRIORITY
from mlpgateway.call.handler import CallHandler
from mlpgateway.call.json_bodies import read_predict
from mlpgateway.entry.call_options import options_of
from mlpgateway.entry.http.answers import send_answer
from mlpgateway.entry.http.callers import caller_of, headers_of, headers_to_instance
from mlpgateway.entry.http.routes import RawRoute
from mlpgateway.entry.http.wire import WhileConnected, expected_size
from mlpgateway.policy.visitors.limits import AddressRates, VisitorTerms
from mlpgateway.policy.visitors.stages import VisitorAuthorise
from mlpgateway.shares.admission import Admission, Entry
from mlpgateway.shares.share import Fractions, Share
from mlplace_gateproto import headers as names
from mlplace_kit.errors import MethodNotAllowed, NotAuthorized, PayloadTooLarge, RequestTooSlow, Unavailable
from mlplace_kit.networks import subscriber_of
from mlplace_runtime.auth.authenticator import CookieNames, refuse_cross_site
from mlplace_runtime.web.policy import Policy

_PREFIX: Final = ("", "api", "mlpgateway", "account")
_WORD: Final = "model"
_CALL: Final = "try"
_PARTS: Final = 8
_BODY_SECONDS: Final = 10.0


class LetsVisitorsTry(Policy):
    """Anyone, for models whose owners let visitors try them, within the limits of visitors. Credentials do not count.

    The stages of `policy/visitors` enforce it.
    """

    def describe(self) -> str:
        return "LetsVisitorsTry"


VISITOR_ROUTE: Final = RawRoute(
    "tryWithoutSigningIn", "/api/mlpgateway/account/{account}/model/{model}/try", LetsVisitorsTry(), read_predict, None,
    "Call a model without signing in, if its owner allows it: free, within narrow limits, and only while it runs",
)  # fmt: skip


class VisitorFront:
    """A raw ASGI app: serves its own path, and passes all others to `others`. Runs inside RequestContext."""

    def __init__(
        self,
        *,
        handler: CallHandler,
        authorise: VisitorAuthorise,
        admission: Admission,
        terms: VisitorTerms,
        ready: Callable[[], bool],
        others: ASGIApp,
        cookies: CookieNames,
    ) -> None:
        """`ready` returns whether the gate knows the models by now."""
        self._handler = handler
        self._ready = ready
        self._authorise = authorise
        self._admission = admission
        self._terms = terms
        self._others = others
        self._cookies = cookies
        self._rates = AddressRates(terms)
        self.calls = Share("visitor_calls", max(1, terms.at_once), Fractions(account=1.0, address=1 / 8))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = match(scope["path"]) if scope["type"] == "http" else None
        if found is None:
            await self._others(scope, receive, send)
            return
        if scope["method"] != "POST":
            raise MethodNotAllowed({"POST"})
        if not self._terms.at_once:
            raise NotAuthorized
        headers = headers_of(scope)
        options_of(scope, headers, VISITOR_ROUTE.name)
        refuse_cross_site(HTTPConnection(scope))  # other sites must not spend the visitors' calls
        if not self._ready():
            raise Unavailable
        model = self._authorise.open_model(*found)
        if expected_size(scope) > self._terms.body_bytes:
            raise PayloadTooLarge(limit=str(self._terms.body_bytes))
        client_ip = caller_of(scope, {}, cookies=self._cookies).client_ip
        address = subscriber_of(client_ip)
        with self.calls.one(address), self._admission.enter(address, expected_size(scope)) as entry:
            self._rates.take(address)
            body = await self._body(receive, entry)
            if body is None:
                return
            caller = Caller(
                None,
                credential_is_session=False,
                billing_key=None,
                client_ip=client_ip,
                selected_account=model.account_id,
            )
            call = self._call(scope, found, caller, headers, body, float(model.timeouts.predict))
            with WhileConnected(receive):
                await send_answer(send, await self._handler.unary(call))

    def _call(
        self,
        scope: Scope,
        found: tuple[str, str],
        caller: Caller,
        headers: Mapping[str, str],
        body: bytes,
        seconds: float,
    ) -> Call:
        content = read_predict(body, b"")
        return Call(
            request_id=scope["mlp.request_id"],
            account=found[0],
            model=found[1],
            operation=content.operation,
            caller=caller,
            data=content.data,
            headers={**headers_to_instance(headers), names.PRIORITY: str(LOWEST_PRIORITY)},
            timeout_seconds=min(seconds, self._terms.answer_seconds),
        )

    async def _body(self, receive: Receive, entry: Entry) -> bytes | None:
        """Returns the body; None when the caller left. Raises PayloadTooLarge, RequestTooSlow."""
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                return await self._read(receive, entry)
        except TimeoutError:
            raise RequestTooSlow from None

    async def _read(self, receive: Receive, entry: Entry) -> bytes | None:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            chunk = message.get("body", b"")
            if len(body) + len(chunk) > self._terms.body_bytes:
                raise PayloadTooLarge(limit=str(self._terms.body_bytes))
            entry.holds(len(chunk))
            body += chunk
            if not message.get("more_body", False):
                return bytes(body)


def match(path: str) -> tuple[str, str] | None:
    """Returns account and model; None for other paths."""
    parts = path.split("/")
    if len(parts) != _PARTS or parts[-1] != _CALL or tuple(parts[:4]) != _PREFIX or parts[5] != _WORD:
        return None
    return (parts[4], parts[6]) if parts[4] and parts[6] else None
