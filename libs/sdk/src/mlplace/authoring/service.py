"""Turns what the author passes in (function, class or object) into a `Service`."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from mlplace.authoring.payloads import PayloadType
from mlplace.authoring.signature import Method, inspect_method
from mlplace.errors import DeclarationError, SettingsError
from mlplace.settings import Settings

_EXT_MARK = "__mlplace_ext__"
_FIT_NAMES = frozenset(
    {"train_data", "targets", "config", "model_dir", "previous_model_dir", "target_service", "dataset"}
)
_DATA_AND_CONFIG = 2

Function = TypeVar("Function", bound=Callable[..., object])


def ext(function: Function) -> Function:
    """Marks a method of a class as callable by name through ext requests."""
    setattr(function, _EXT_MARK, True)
    return function


@dataclass(frozen=True, slots=True)
class BatchMethod:
    """predict_batch with the types of one input item and one output item."""

    method: Method
    item: PayloadType
    output_item: PayloadType


class Service:
    """A set of typed functions under one name.

    ``predict(data, config=None)`` answers one request; a generator streams its items. ``predict_batch(data, config)``
    takes and returns lists. ``fit`` takes any of train_data, targets, config, model_dir, previous_model_dir,
    target_service, dataset. Any of them may be ``async`` and may declare a ``Context`` parameter.
    """

    def __init__(
        self,
        predict: Callable[..., object],
        *,
        name: str | None = None,
        predict_batch: Callable[..., object] | None = None,
        fit: Callable[..., object] | None = None,
        ext: Mapping[str, Callable[..., object]] | None = None,
        init: Callable[..., object] | None = None,
    ) -> None:
        self.name = name or getattr(predict, "__name__", type(predict).__name__)
        self.predict = _with_data_and_config(inspect_method("predict", predict))
        self.predict_batch = None if predict_batch is None else _batch(inspect_method("predict_batch", predict_batch))
        self.fit = None if fit is None else _fit(inspect_method("fit", fit))
        reserved = {"init", "predict", "predict_batch", "fit"} & set(ext or {})
        if reserved:
            raise DeclarationError(f"{', '.join(sorted(reserved))}: reserved names; give the ext methods other names")
        self.ext = {key: _ext(inspect_method(key, function)) for key, function in (ext or {}).items()}
        self.init = None if init is None else inspect_method("init", init)

    @classmethod
    def of(cls, thing: object, settings: Settings | None = None) -> "Service":
        """Accepts a Service, a function, a class, or an object with ``predict``.

        A class is instantiated here, once, before any connection; a ``config`` parameter of its ``__init__`` is filled
        from SERVICE_CONFIG. Raises ``DeclarationError`` for anything else.
        """
        if isinstance(thing, Service):
            return thing
        if inspect.isclass(thing):
            return cls._of_object(_create(thing, settings or Settings.from_environment()), thing)
        if hasattr(thing, "predict"):
            return cls._of_object(thing, None)
        if callable(thing):
            return cls(thing)
        raise DeclarationError(f"{thing!r} is not a function and has no predict method")

    @classmethod
    def _of_object(cls, thing: object, created_from: type[object] | None) -> "Service":
        predict = getattr(thing, "predict", None)
        if predict is None:
            raise DeclarationError(f"{type(thing).__name__} has no predict method")
        extra = {
            name: member
            for name, member in inspect.getmembers(thing, inspect.ismethod)
            if getattr(member, _EXT_MARK, False)
        }
        has_init = created_from is not None and created_from.__init__ is not object.__init__
        return cls(
            predict,
            name=type(thing).__name__,
            predict_batch=getattr(thing, "predict_batch", None),
            fit=getattr(thing, "fit", None),
            ext=extra,
            init=thing.__init__ if has_init else None,
        )

    @property
    def methods(self) -> dict[str, Method]:
        batch = self.predict_batch.method if self.predict_batch else None
        named = {"init": self.init, "predict": self.predict, "predict_batch": batch, "fit": self.fit}
        return {name: method for name, method in named.items() if method is not None} | self.ext


def _create(kind: type[Any], settings: Settings) -> object:
    signature = inspect.signature(kind, eval_str=True)
    config = signature.parameters.get("config")
    others = [p.name for p in signature.parameters.values() if p is not config and p.default is p.empty]
    if others:
        raise DeclarationError(f"{kind.__name__}: __init__ may require config only, not {', '.join(others)}")
    if config is None:
        return kind()
    given = settings.parsed_service_config()
    if not given and config.default is not config.empty:
        return kind()
    annotation = Any if config.annotation is config.empty else config.annotation
    try:
        return kind(config=PayloadType(annotation).adapter.validate_python(given))
    except ValueError as error:
        raise SettingsError(f"SERVICE_CONFIG does not fit {kind.__name__}: {error}") from error


def _with_data_and_config(method: Method) -> Method:
    names = [parameter.name for parameter in method.parameters]
    if not names or len(names) > _DATA_AND_CONFIG:
        raise DeclarationError(f"{method.name} takes the data and at most a config, not {names}")
    if len(names) == _DATA_AND_CONFIG and method.parameters[1].input_stream != "none":
        raise DeclarationError(f"{method.name}: only the data can be a stream")
    return method


def _batch(method: Method) -> BatchMethod:
    checked = _with_data_and_config(method)
    if checked.streams or checked.parameters[0].input_stream != "none":
        raise DeclarationError("predict_batch takes and returns lists")
    return BatchMethod(method, _item_of(checked.parameters[0].type), _item_of(checked.output))


def _item_of(collection: PayloadType) -> PayloadType:
    arguments = get_args(collection.annotation)
    return PayloadType(arguments[0] if arguments else Any)


def _ext(method: Method) -> Method:
    if method.streams or any(parameter.input_stream != "none" for parameter in method.parameters):
        raise DeclarationError(f"{method.name}: ext methods answer once; only predict can stream")
    return method


def _fit(method: Method) -> Method:
    unknown = [parameter.name for parameter in method.parameters if parameter.name not in _FIT_NAMES]
    if unknown:
        raise DeclarationError(f"fit does not know {', '.join(unknown)}; it knows {', '.join(sorted(_FIT_NAMES))}")
    return method
