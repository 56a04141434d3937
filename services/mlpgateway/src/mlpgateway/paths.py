"""Path parameters that several features share."""

from typing import Annotated

from fastapi import Path

ModelPath = Annotated[str, Path(description="model id, or name", max_length=64)]
