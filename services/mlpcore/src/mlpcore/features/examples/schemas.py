from typing import Annotated

from pydantic import Field

from mlpcore.features.models.settings.texts import JsonText, ShortText
from mlplace_kit.wire import Input, Output

MOST_EXAMPLES = 12

ExampleName = Annotated[ShortText, Field(min_length=1, max_length=80)]
Position = Annotated[int, Field(ge=0, lt=MOST_EXAMPLES)]


class ExampleCreateData(Input):
    """`request` and `answer`: JSON text. `position`: from 0; a new example without it becomes the last one.

    `answer`: a recorded answer of the model to `request`; null if there is none.
    """

    name: ExampleName
    request: JsonText
    answer: JsonText | None = None
    position: Position | None = None


class ExampleUpdateData(Input):
    """An update keeps the fields that are not sent; `answer` sent as null removes the recorded answer."""

    name: ExampleName | None = None
    request: JsonText | None = None
    answer: JsonText | None = None
    position: Position | None = None


class ExamplePK(Output):
    account_id: int
    model_id: int
    example_id: int


class ExampleData(Output):
    id: ExamplePK
    position: int
    name: str
    request: str
    answer: str | None
