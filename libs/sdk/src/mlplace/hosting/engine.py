"""Runs the author's functions, coroutines on the event loop and plain functions in threads, up to the pool size."""

import asyncio
import contextvars
import inspect
import threading
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar, cast

from mlplace.authoring.service import Service
from mlplace.authoring.signature import Method

T = TypeVar("T")
_END = object()


class Engine:
    """One per process. All connections share its slots, whichever gate a request came from."""

    def __init__(self, service: Service, *, concurrency: int) -> None:
        self.service = service
        self.slots = asyncio.Semaphore(concurrency)
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix="mlplace")
        self._busy: set[int] = set()

    @property
    def busy_threads(self) -> int:
        return len(self._busy)

    async def call(self, method: Method, arguments: Mapping[str, object]) -> object:
        if method.is_coroutine:
            return await cast("Any", method.call(**arguments))
        value = await self._in_thread(contextvars.copy_context(), partial(method.call, **arguments))
        # A decorator may hide that a function is a coroutine.
        return await value if inspect.isawaitable(value) else value

    async def items(self, method: Method, arguments: Mapping[str, object]) -> AsyncGenerator[object]:
        """Yields the values of a generator as the consumer asks for them."""
        context = contextvars.copy_context()
        if method.is_async_generator:
            produced = method.call(**arguments)
        else:
            produced = await self.call(method, arguments)
        if isinstance(produced, AsyncIterable):
            items = aiter(cast("AsyncIterable[object]", produced))
            try:
                async for item in items:
                    yield item
            finally:
                if isinstance(items, AsyncGenerator):
                    await items.aclose()
        elif isinstance(produced, Iterable):
            iterator = iter(cast("Iterable[object]", produced))
            step = self._begun(context, partial(next, iterator, _END))
            try:
                while (item := await asyncio.shield(step)) is not _END:
                    yield item
                    step = self._begun(context, partial(next, iterator, _END))
            except BaseException:
                self._close(iterator, after=step, context=context)
                raise
        else:
            raise TypeError(f"{method.name} returned {type(produced).__name__} where a stream was declared")

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _close(
        self, iterator: Iterator[object], *, after: "asyncio.Future[object]", context: contextvars.Context
    ) -> None:
        """Runs the author's clean-up in a thread, after the current step of the generator has ended."""
        if not isinstance(iterator, Generator):
            return
        work = cast("Callable[[], object]", iterator.close)  # pyright: ignore[reportUnknownMemberType] - of what it yields nothing is known

        def close(_: object = None) -> None:
            with suppress(RuntimeError):  # the pool is shut down
                self._begun(context, work)

        if after.done():
            close()
        else:
            after.add_done_callback(close)

    def _begun(self, context: contextvars.Context, work: Callable[[], T]) -> "asyncio.Future[T]":
        return asyncio.get_running_loop().run_in_executor(self._threads, lambda: context.run(self._counted, work))

    async def _in_thread(self, context: contextvars.Context, work: Callable[[], T]) -> T:
        return await self._begun(context, work)

    def _counted(self, work: Callable[[], T]) -> T:
        # Counted in the thread: a cancelled call still occupies its thread.
        self._busy.add(threading.get_ident())
        try:
            return work()
        finally:
            self._busy.discard(threading.get_ident())
