"""Reads from a function's signature what the protocol needs."""

import inspect
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from types import GenericAlias
from typing import Any, Literal, Union, cast, get_args, get_origin

from mlplace.authoring.payloads import PayloadType
from mlplace.context import Context
from mlplace.errors import DeclarationError, MlpError

_ASYNC_STREAMS: tuple[object, ...] = (AsyncIterator, AsyncIterable, AsyncGenerator)
_SYNC_STREAMS: tuple[object, ...] = (Iterator, Iterable, Generator)

InputStream = Literal["none", "sync", "async"]


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: PayloadType
    required: bool
    input_stream: InputStream


@dataclass(frozen=True, slots=True)
class Method:
    """A callable of the author. ``context_name`` is the name of its Context parameter, if it has one."""

    name: str
    call: Callable[..., object]
    parameters: tuple[Parameter, ...]
    output: PayloadType
    streams: bool
    context_name: str | None

    @property
    def is_coroutine(self) -> bool:
        return inspect.iscoroutinefunction(self.call)

    @property
    def is_async_generator(self) -> bool:
        return inspect.isasyncgenfunction(self.call)

    def parameter(self, name: str) -> Parameter | None:
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


def inspect_method(name: str, declared: Callable[..., object]) -> Method:
    """Reads names and types from the annotations. Raises ``DeclarationError`` for forms that cannot be served."""
    call = _plain_callable(declared)
    try:
        signature = inspect.signature(call, eval_str=True)
    except (NameError, TypeError, ValueError) as error:
        raise DeclarationError(f"{name}: the signature cannot be read: {error}") from error
    parameters: list[Parameter] = []
    context_name: str | None = None
    for parameter in signature.parameters.values():
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise DeclarationError(f"{name}: *{parameter.name} cannot be passed by name; declare each parameter")
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            raise DeclarationError(f"{name}: {parameter.name} must be usable as a keyword")
        if parameter.annotation is Context:
            context_name = parameter.name
        else:
            parameters.append(_inspect_parameter(name, parameter))
    streams, output = _inspect_output(call, signature.return_annotation)
    answer = _payload_type(name, _without_failures(output))
    return Method(name, call, tuple(parameters), answer, streams, context_name)


def _plain_callable(declared: Callable[..., object]) -> Callable[..., object]:
    # For a callable object, inspect cannot see whether its __call__ is a coroutine or a generator.
    plain = inspect.isroutine(declared) or isinstance(declared, type | partial)
    return cast("Callable[..., object]", declared if plain else declared.__call__)


def _inspect_parameter(method: str, parameter: inspect.Parameter) -> Parameter:
    annotation = Any if parameter.annotation is inspect.Parameter.empty else parameter.annotation
    origin = get_origin(annotation)
    stream: InputStream = "none"
    if origin in _ASYNC_STREAMS or origin in _SYNC_STREAMS:
        stream = "async" if origin in _ASYNC_STREAMS else "sync"
        annotation = get_args(annotation)[0]
    required = parameter.default is inspect.Parameter.empty
    return Parameter(parameter.name, _payload_type(method, annotation), required, stream)


def _inspect_output(call: Callable[..., object], annotation: object) -> tuple[bool, object]:
    generates = inspect.isgeneratorfunction(call) or inspect.isasyncgenfunction(call)
    if annotation is inspect.Signature.empty:
        return generates, Any
    if get_origin(annotation) in (*_ASYNC_STREAMS, *_SYNC_STREAMS):
        return True, get_args(annotation)[0]
    if generates:
        return True, Any
    return False, annotation


def _without_failures(annotation: object) -> object:
    """In predict_batch, ``list[X | MlpError]`` allows single items to fail; on the wire it is a list of X."""
    arguments = get_args(annotation)
    if get_origin(annotation) is not list or MlpError not in get_args(arguments[0]):
        return annotation
    kept = [option for option in get_args(arguments[0]) if option is not MlpError]
    return GenericAlias(list, (cast("Any", Union)[tuple(kept)],))


def _payload_type(method: str, annotation: object) -> PayloadType:
    try:
        return PayloadType(annotation)
    except Exception as error:
        raise DeclarationError(f"{method}: {annotation} has no JSON form: {error}") from error
