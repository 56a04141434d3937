"""Finds models by the names that adapters use: `author/service[/model]`."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, Self

import msgspec

from mlpgateway.call.call import Caller
from mlpgateway.call.identity import Identity
from mlpgateway.policy.access.authenticate import Authenticate
from mlpgateway.policy.access.authorise import Authorise
from mlpgateway.policy.limits.content import CHAT_COMPLETION
from mlpgateway.readmodels.models import Models
from mlplace_contracts.enums import KeyPermission
from mlplace_contracts.events import ModelChanged
from mlplace_kit.denials import PermissionMissing
from mlplace_kit.errors import DomainError, Unavailable, ValidationFailed
from mlplace_kit.violations import broken

_MOST_REFERENCE = 512
_OPENAI_EMBEDDINGS = {"EmbeddingRequest", "EmbeddingsRequest"}


@dataclass(frozen=True, slots=True)
class ModelReference:
    """`inner` is the model within a service that offers several; None when the reference has none."""

    account: str
    service: str
    inner: str | None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parses `author/service[/model]`. Raises ValidationFailed."""
        account, _, rest = text.partition("/")
        service, slash, inner = rest.partition("/")
        if not account or not service or (slash and not inner) or len(text) > _MOST_REFERENCE:
            raise ValidationFailed({"model": broken("service_path")})
        return cls(account, service, inner or None)

    def __str__(self) -> str:
        return "/".join(part for part in (self.account, self.service, self.inner) if part)


class _Parameter(msgspec.Struct):
    type: str = ""


class _Method(msgspec.Struct):
    input: dict[str, _Parameter] = {}


class _Descriptor(msgspec.Struct):
    methods: dict[str, _Method] = {}


_descriptor = msgspec.json.Decoder(_Descriptor)


class Descriptors(Protocol):
    """The descriptors of a model's connected instances."""

    def descriptors_of(self, model_id: int) -> Iterable[str]:
        """Returns descriptors as JSON. Instances without a descriptor are left out."""
        ...


class ModelDirectory:
    """The models that a caller may call. It admits no call: the pipeline judges each call itself."""

    def __init__(
        self,
        *,
        authenticate: Authenticate,
        authorise: Authorise,
        models: Models,
        descriptors: Descriptors,
        ready: Callable[[], bool],
    ) -> None:
        self._authenticate = authenticate
        self._authorise = authorise
        self._models = models
        self._descriptors = descriptors
        self._ready = ready

    async def model(self, caller: Caller, reference: ModelReference) -> ModelChanged:
        """Returns the model. Raises the pipeline's errors, and Unavailable until the read models are ready."""
        identity = await self._identity(caller)
        return self._authorise.model(reference.account, reference.service, identity)

    async def callable_by(self, caller: Caller) -> list[tuple[str, str]]:
        """Returns sorted pairs of model id and author. Hidden models are listed only for accounts that may use them.

        Raises AccessDenied for a caller without the permission to call models.
        """
        identity = await self.check(caller)
        found = (model for model in self._models.all() if self._is_listed(model, identity))
        return sorted(pair for model in found for pair in _names(model, identity))

    def takes_openai_embeddings(self, model_id: int) -> bool:
        """Returns whether a connected instance takes requests in OpenAI's form instead of the task type's."""
        return any(_OPENAI_EMBEDDINGS & _request_types(text) for text in self._descriptors.descriptors_of(model_id))

    async def check(self, caller: Caller) -> Identity:
        """Returns the caller. Raises AccessDenied when the caller may call no model at all."""
        identity = await self._identity(caller)
        if not identity.may_predict:
            raise PermissionMissing(permission=KeyPermission.PREDICT.value)
        return identity

    async def _identity(self, caller: Caller) -> Identity:
        if not self._ready():
            raise Unavailable
        return await self._authenticate.caller(caller)

    def _is_listed(self, model: ModelChanged, identity: Identity) -> bool:
        own = model.account_id == identity.account_id or identity.account_id in model.publicity.allowed_accounts
        if model.publicity.hidden and not own:
            return False
        try:
            self._authorise.model(str(model.account_id), str(model.model_id), identity)
        except DomainError:
            return False
        return True


def _request_types(descriptor: str) -> set[str]:
    """Returns the names of the types that `predict` takes; none when the descriptor has none."""
    try:
        predict = _descriptor.decode(descriptor).methods.get("predict", _Method())
    except msgspec.DecodeError:
        return set()
    return {parameter.type for parameter in predict.input.values()}


def _names(model: ModelChanged, identity: Identity) -> Iterator[tuple[str, str]]:
    """Yields id and author. A key limited to some language models sees only those of the service that it names."""
    author = model.account_name
    service = f"{author}/{model.model_name}"
    allowed = identity.limits.llms if identity.limits else None
    if allowed is None or model.task_type != CHAT_COMPLETION or service in allowed:
        yield service, author
    else:
        yield from ((name, author) for name in allowed if name.startswith(f"{service}/"))
