"""Draws a pattern of waves whose directions, lengths and colours depend on the words of the prompt.

It is not a diffusion model: the same words and seed always give the same picture, and every word changes it.
"""

import base64
import hashlib
import re
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from mlplace_examples.pattern_image.png import png

_WORD = re.compile(r"\w+")
_SIZE = r"^[0-9]{2,4}x[0-9]{2,4}$"
_LEAST, _MOST = 64, 1024
_WAVES = 3


class Prompt(BaseModel):
    """`size` is width and height in pixels, each from 64 to 1024; other values are clipped."""

    model_config = ConfigDict(extra="forbid")

    prompt: str = Field(min_length=1, max_length=2000)
    n: int = Field(default=1, ge=1, le=10)
    size: Annotated[str, Field(pattern=_SIZE)] = "512x512"
    seed: int = Field(default=0, ge=0, le=2**31)


class Image(BaseModel):
    """A PNG."""

    b64_json: str


class Images(BaseModel):
    data: list[Image]


class PatternPainter:
    def predict(self, data: Prompt) -> Images:
        width, height = (min(max(int(side), _LEAST), _MOST) for side in data.size.split("x"))
        drawn = [paint(data.prompt, seed=data.seed + number, width=width, height=height) for number in range(data.n)]
        return Images(data=[Image(b64_json=base64.b64encode(png(pixels)).decode()) for pixels in drawn])


def paint(prompt: str, *, seed: int, width: int, height: int) -> NDArray[np.uint8]:
    """RGB pixels of the shape (height, width, 3)."""
    words = _WORD.findall(prompt.lower()) or [prompt]
    y, x = np.mgrid[0:height, 0:width] / max(width, height) - 0.5
    field = np.zeros((height, width, 3))
    for word in words[:50]:
        dice = np.random.default_rng(_number(f"{seed}:{word}"))
        field += _waves(dice, x, y)[..., None] * dice.uniform(0.2, 1.0, 3)
    swing = np.abs(field).max() or 1.0
    return ((0.5 + 0.5 * field / swing) * 255).round().astype(np.uint8)


def _waves(dice: np.random.Generator, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The waves of one word: rings around a point, crossed by straight waves."""
    total = np.zeros_like(x)
    for _ in range(_WAVES):
        angle, length, phase = dice.uniform(0, np.pi), dice.uniform(4, 30), dice.uniform(0, 2 * np.pi)
        centre = dice.uniform(-0.5, 0.5, 2)
        rings = np.hypot(x - centre[0], y - centre[1])
        total += np.sin(length * (x * np.cos(angle) + y * np.sin(angle)) + phase) * np.cos(length * rings)
    return total


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
