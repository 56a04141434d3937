"""Classifies messages to a shop's support: a naive Bayes classifier over pieces of words.

It is trained within a fraction of a second at start, from `training.tsv`. Pieces of three to five letters make the
forms of a word similar, which Russian needs.
"""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

_WORD = re.compile(r"\w+")
_PIECES = (3, 4, 5)
_SMOOTHING = 0.1


class Texts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    texts: Annotated[list[Annotated[str, Field(max_length=10_000)]], Field(max_length=1000)]


class Item(BaseModel):
    value: str


class Items(BaseModel):
    """Topics with their probabilities, the most likely first."""

    items: list[Item]
    scores: list[float]


class ItemsList(BaseModel):
    items_list: list[Items]


def pieces(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.lower().replace("ё", "е")):
        marked = f"<{word}>"
        for length in _PIECES:
            yield from (marked[start : start + length] for start in range(max(1, len(marked) - length + 1)))


class NaiveBayes:
    """Multinomial, with additive smoothing. Unknown pieces are ignored."""

    def __init__(self, examples: Iterable[tuple[str, str]]) -> None:
        seen: dict[str, Counter[str]] = defaultdict(Counter)
        texts: Counter[str] = Counter()
        for label, text in examples:
            seen[label].update(pieces(text))
            texts[label] += 1
        self.labels = sorted(seen)
        vocabulary = sorted(set().union(*seen.values()))
        self._place = {piece: place for place, piece in enumerate(vocabulary)}
        counts = np.array([[seen[label][piece] for piece in vocabulary] for label in self.labels]) + _SMOOTHING
        self._likelihood = np.log(counts / counts.sum(axis=1, keepdims=True))
        self._prior = np.log(np.array([texts[label] for label in self.labels]) / texts.total())

    def probabilities(self, text: str) -> list[tuple[str, float]]:
        """Topics with their probabilities, which sum to one, the most likely first."""
        score = self._prior.copy()
        for word in _WORD.findall(text.lower()):
            known = [place for piece in pieces(word) if (place := self._place.get(piece)) is not None]
            if known:
                # The pieces of a word overlap and are not independent, so together they count as one.
                score += self._likelihood[:, known].mean(axis=1)
        shares = np.exp(score - score.max())
        shares /= shares.sum()
        return [(self.labels[place], float(shares[place])) for place in np.argsort(-shares, kind="stable")]


class Topics:
    def __init__(self) -> None:
        lines = (files("mlplace_examples.support_topics") / "training.tsv").read_text(encoding="utf-8").splitlines()
        self._model = NaiveBayes((label, text) for label, text in csv.reader(lines, delimiter="\t"))

    def predict(self, data: Texts) -> ItemsList:
        return ItemsList(items_list=[_items(self._model.probabilities(text)) for text in data.texts])


def _items(found: list[tuple[str, float]]) -> Items:
    return Items(items=[Item(value=label) for label, _ in found], scores=[score for _, score in found])
