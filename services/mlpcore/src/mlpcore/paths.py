"""Path parameters that several features share."""

from typing import Annotated

from fastapi import Path

ObjectId = Annotated[int, Path(ge=1, lt=2**63)]
ModelPath = Annotated[str, Path(description="model id, or name", max_length=64)]
