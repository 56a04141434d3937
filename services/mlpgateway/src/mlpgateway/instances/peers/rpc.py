"""The RPCs that this gate serves for other gates, with the internal token only. It never forwards such a call again."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import ExitStack, aclosing, contextmanager
from typing import TypeVar, cast

import msgspec
import structlog

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.handler import CallHandler
from mlpgateway.call.large_json import answer_with_strings
from mlpgateway.call.transport import InstanceLink, InstanceRequest, StreamedInputLink
from mlpgateway.delivery.queue.slot import Slot
from mlpgateway.delivery.remote_slots import Granted, SlotRequest, Slots
from mlpgateway.errors.calls import NoActiveInstances
from mlpgateway.errors.gate import GateIsShutDown, GateOverloaded
from mlpgateway.errors.shares import ShareExceeded
from mlpgateway.http2.call import Call as Context
from mlpgateway.http2.call import Serve
from mlpgateway.http2.errors import CallRefused
from mlpgateway.http2.headers import Metadata
from mlpgateway.http2.incoming import Judge
from mlpgateway.http2.reading import read_part
from mlpgateway.http2.server import Methods
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlpgateway.instances.peers import messages
from mlpgateway.instances.peers.channel import INSTANCE, MODEL, SERVICE, TOKEN
from mlpgateway.instances.peers.messages import AnswerMessage, Entrusted, Forwarded, Reach, failed_with
from mlpgateway.instances.peers.peer_gate import SAYS_SOMETHING_SECONDS
from mlpgateway.policy.access.entrance import Holders
from mlpgateway.shares.admission import Admission
from mlpgateway.shares.share import Holder
from mlplace_gateproto import headers as names
from mlplace_kit.errors import DomainError, InternalError, MalformedRequest, Unavailable
from mlplace_runtime.secrets import is_one_of

log = structlog.get_logger(__name__)

_Message = TypeVar("_Message")

# Changes within this time are reported together.
_LINGER_SECONDS = 0.02
_MOST_DIGITS = 18


class PeerRpc:
    def __init__(
        self,
        *,
        tokens: tuple[str, ...],
        links: ConnectedInstances,
        local: Callable[[int, InstanceRequest], Awaitable[InstanceLink]],
        admission: Admission,
        holders: Holders,
        handler: CallHandler,
        ready: Callable[[], bool],
        slots: Slots,
    ) -> None:
        """`local` chooses an instance of this gate, or raises NoActiveInstances.

        `handler` serves calls that other gates cannot authenticate yet; `ready` returns whether this gate can. `slots`
        grants other gates slots at instances.
        """
        self._tokens = tokens
        self._links = links
        self._local = local
        self._admission = admission
        self._holders = holders
        self._handler = handler
        self._ready = ready
        self._slots = slots
        self._waits: set[asyncio.Timeout] = set()
        self._gone = asyncio.Event()
        self._closing = asyncio.Event()

    def methods(self) -> Methods:
        judge: Judge = self._judge
        ways: dict[str, Serve] = {
            "watch": self.watch,
            "forward": self.forward,
            "lend": self.grant_slot,  # the name on the wire
            "entrust": self.entrust,
        }
        return {f"/{SERVICE}/{name}": (serve, judge) for name, serve in ways.items()}

    def close(self) -> None:
        """Reports to the other gates that there are no instances here any more."""
        self._closing.set()
        self._links.wake()
        for wait in self._waits:
            wait.reschedule(0)

    def let_go(self) -> None:
        """Ends the slots granted to other gates. Called when this gate's own calls have ended."""
        self._gone.set()

    async def watch(self, context: Context) -> None:
        """Reports the models with instances here, at once and after each change."""
        self._check(context)
        told: set[int] = set()
        while True:
            changed = self._links.changed
            models = set[int]() if self._closing.is_set() else self._links.models()
            reach = Reach(self._ready(), add=sorted(models - told), gone=sorted(told - models))
            await context.write(messages.encode(reach))
            told = models
            if self._closing.is_set():
                return
            try:
                async with asyncio.timeout(SAYS_SOMETHING_SECONDS):
                    await changed.wait()
                await asyncio.sleep(_LINGER_SECONDS)
            except TimeoutError:
                pass

    async def forward(self, context: Context) -> None:
        """Delivers a call that another gate has admitted to an instance that is connected here."""
        self._check(context)
        await _answer(context, self._delivered(context))

    async def _delivered(self, context: Context) -> AsyncGenerator[Answer]:
        # Reads the message before all else: gRPC breaks an answer that overtakes a request still being sent.
        message, size = await _first(context, messages.forwarded)
        with self._entered(_caller_account(message.request), size):
            try:
                link = await self._local(int(_metadata(context, MODEL) or 0), message.request)
            except NoActiveInstances as error:
                raise _NotTakenError(error) from None
            await _say_who(context, link)
            async with aclosing(_sent(link, message, context)) as answers:
                async for answer in answers:
                    yield answer

    async def grant_slot(self, context: Context) -> None:
        """Grants a slot to a call of another gate, for as long as the stream lasts."""
        self._check(context)
        try:
            slot, granted = await self._granted(_decoded(await context.read() or b"", messages.wanted))
        except _NotTakenError as refusal:
            await context.write(messages.encode(failed_with(refusal.error, taken=False)))
            return
        except DomainError as error:
            await context.write(messages.encode(failed_with(error)))
            return
        try:
            await context.write(messages.encode(granted))
            await self._gone.wait()
        finally:
            slot.release()

    async def _granted(self, wanted: SlotRequest) -> tuple[Slot, Granted]:
        if self._closing.is_set() or not self._ready():
            raise _NotTakenError(Unavailable())
        try:
            async with asyncio.timeout(None) as wait:
                self._waits.add(wait)
                try:
                    return await self._slots(wanted)
                finally:
                    self._waits.discard(wait)
        except NoActiveInstances as error:
            raise _NotTakenError(error) from None
        except TimeoutError:
            raise _NotTakenError(GateIsShutDown()) from None

    async def entrust(self, context: Context) -> None:
        """Serves a call as if it had come here: the other gate cannot authenticate its caller yet."""
        self._check(context)
        await _answer(context, self._judged(context))

    async def _judged(self, context: Context) -> AsyncGenerator[Answer]:
        message, size = await _first(context, messages.entrusted)
        if not self._ready():
            raise _NotTakenError(Unavailable())
        with self._entered(await self._holders.holder(message.call.caller), size):
            if message.way == "unary":
                yield await self._handler.unary(message.call)
                return
            async with aclosing(self._series(message, context)) as answers:
                async for answer in answers:
                    yield answer

    def _series(self, message: Entrusted, context: Context) -> AsyncGenerator[Answer]:
        if message.way == "duplex":
            return self._handler.duplex(message.call, _parts(context))
        return self._handler.stream(message.call)

    @contextmanager
    def _entered(self, holder: Holder, size: int) -> Generator[None]:
        """Admits a call. `size` is that of the first message in bytes: further parts are not kept."""
        with ExitStack() as stack:
            try:
                stack.enter_context(self._admission.enter(holder)).holds(size)
            except (GateIsShutDown, GateOverloaded, ShareExceeded) as error:
                raise _NotTakenError(error) from None
            yield

    def _check(self, context: Context) -> None:
        self._check_token(context.invocation_metadata())
        context.prove()

    async def _judge(self, _beginning: bytes, metadata: Metadata, _peer: str) -> Holder | None:
        """Admits large messages of other gates without a holder: they were counted where they came in."""
        self._check_token(metadata)
        return None

    def _check_token(self, metadata: Metadata) -> None:
        if not is_one_of(_value(metadata, TOKEN), self._tokens):
            raise CallRefused("UNAUTHENTICATED", "gates only")


def _caller_account(request: InstanceRequest) -> Holder:
    """Returns the caller's account, as the gate that admitted the call reports it."""
    told = request.headers.get(names.CALLER_ACCOUNT_ID, "")
    return int(told) if told.isascii() and told.isdigit() and len(told) <= _MOST_DIGITS else SERVICE


class _NotTakenError(Exception):
    def __init__(self, error: DomainError) -> None:
        self.error = error
        super().__init__(error.code)


async def _answer(context: Context, answers: AsyncGenerator[Answer]) -> None:
    try:
        async with aclosing(answers):
            async for answer in answers:
                await context.write(messages.encode(AnswerMessage(answer_with_strings(answer))))
    except _NotTakenError as refusal:
        await context.write(messages.encode(failed_with(refusal.error, taken=False)))
    except DomainError as error:
        await context.write(messages.encode(failed_with(error)))
    except Exception as error:
        log.exception("peer_call_failed", error=repr(error))
        await context.write(messages.encode(failed_with(InternalError())))


async def _say_who(context: Context, link: InstanceLink) -> None:
    try:
        await context.send_initial_metadata(((INSTANCE, str(link.instance_id)),))
    except BaseException:
        if isinstance(link, Slot):
            link.release()
        raise


def _sent(link: InstanceLink, message: Forwarded, context: Context) -> AsyncGenerator[Answer]:
    if message.in_parts:
        return cast("StreamedInputLink", link).send_stream(message.request, _parts(context))
    return link.send(message.request)


async def _parts(context: Context) -> AsyncGenerator[Payload]:
    while (data := await read_part(context)) is not None:
        yield messages.input_part(data)


async def _first(context: Context, decode: Callable[[bytes], _Message]) -> tuple[_Message, int]:
    """Returns the first message and its size in bytes."""
    data = await context.read() or b""
    return _decoded(data, decode), len(data)


def _decoded(data: bytes, decode: Callable[[bytes], _Message]) -> _Message:
    try:
        return decode(data)
    except msgspec.MsgspecError:
        raise MalformedRequest(reason="not a message of another gate") from None


def _metadata(context: Context, key: str) -> str:
    return _value(context.invocation_metadata(), key)


def _value(metadata: Metadata, key: str) -> str:
    return next((value for name, value in metadata if name == key and isinstance(value, str)), "")
