"""Examples of a model: requests that its author saves, each with a recorded answer if there is one.

Everybody who sees the model reads them. The first one is the request that forms and code samples begin with. No other
service uses them, so a change publishes no event.
"""

from collections.abc import Sequence

from mlpcore.features.examples.errors import ExamplesTooLarge, TooManyExamples
from mlpcore.features.examples.repository import ExampleRepository
from mlpcore.features.examples.schemas import (
    MOST_EXAMPLES,
    ExampleCreateData,
    ExampleData,
    ExamplePK,
    ExampleUpdateData,
)
from mlpcore.features.examples.tables import ModelExample
from mlpcore.features.models.reading.access import OwnedModels, ReadableModels
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.models.tables import Model
from mlplace_kit.errors import NotFound
from mlplace_kit.names import PathRef
from mlplace_runtime.web.policy import Access

MOST_BYTES = 1024 * 1024
"""Of the requests and answers of one model: a visitor's page loads all of them."""


class ExampleService:
    def __init__(self, repository: ExampleRepository, owned: OwnedModels, readable: ReadableModels) -> None:
        self._repository = repository
        self._owned = owned
        self._readable = readable

    async def listed(self, *, account: PathRef, model: PathRef, viewer: Viewer) -> list[ExampleData]:
        """Raises ModelNotFound for a missing model and for one that the viewer may not see."""
        found = (await self._readable.get(account=account, model=model, viewer=viewer)).model
        return [_data(example) for example in await self._of(found)]

    async def create(self, *, access: Access, model: str, data: ExampleCreateData) -> ExampleData:
        """Raises TooManyExamples, ExamplesTooLarge, NameAlreadyExists."""
        found = await self._owned.get(access, model, lock=True)
        others = await self._of(found)
        if len(others) >= MOST_EXAMPLES:
            raise TooManyExamples(limit=str(MOST_EXAMPLES))
        example = ModelExample(
            account_id=found.account_id,
            model_id=found.model_id,
            position=len(others),
            name=data.name,
            request=data.request,
            answer=data.answer,
        )
        _check_size([*others, example])
        _place(example, others, len(others) if data.position is None else data.position)
        await self._repository.add(example)
        return _data(example)

    async def update(self, *, access: Access, model: str, example_id: int, data: ExampleUpdateData) -> ExampleData:
        """Raises NotFound, ExamplesTooLarge, NameAlreadyExists."""
        found = await self._owned.get(access, model, lock=True)
        all_of_model = await self._of(found)
        example = _existing(all_of_model, example_id)
        example.name = data.name or example.name
        example.request = data.request or example.request
        if "answer" in data.model_fields_set:
            example.answer = data.answer
        _check_size(all_of_model)
        if data.position is not None:
            _place(example, [other for other in all_of_model if other is not example], data.position)
        await self._repository.flush(example)
        return _data(example)

    async def delete(self, *, access: Access, model: str, example_id: int) -> None:
        """Raises NotFound."""
        found = await self._owned.get(access, model, lock=True)
        all_of_model = await self._of(found)
        example = _existing(all_of_model, example_id)
        for position, other in enumerate(other for other in all_of_model if other is not example):
            other.position = position
        await self._repository.delete(example)

    async def _of(self, model: Model) -> Sequence[ModelExample]:
        return await self._repository.of_model(account_id=model.account_id, model_id=model.model_id)


def _existing(examples: Sequence[ModelExample], example_id: int) -> ModelExample:
    found = next((example for example in examples if example.example_id == example_id), None)
    if found is None:
        raise NotFound(entity="example")
    return found


def _place(example: ModelExample, others: Sequence[ModelExample], position: int) -> None:
    """Sets the positions so that `example` has this one, or the last one if there are fewer examples."""
    order = [*others[:position], example, *others[position:]]
    for number, one in enumerate(order):
        one.position = number


def _check_size(examples: Sequence[ModelExample]) -> None:
    size = sum(len(example.request.encode()) + len((example.answer or "").encode()) for example in examples)
    if size > MOST_BYTES:
        raise ExamplesTooLarge(limit=str(MOST_BYTES))


def _data(example: ModelExample) -> ExampleData:
    return ExampleData(
        id=ExamplePK(account_id=example.account_id, model_id=example.model_id, example_id=example.example_id),
        position=example.position,
        name=example.name,
        request=example.request,
        answer=example.answer,
    )
