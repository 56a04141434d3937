"""A short guide, and a search for the passage that fits a question best: BM25, without network or language model."""

import math
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

# Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.
_K1, _B = 1.2, 0.75
_HEADING_WEIGHT = 3
_WORD = re.compile(r"\w+")
_COMMON = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how", "i", "in", "is",
    "it", "me", "my", "of", "on", "or", "that", "the", "this", "to", "what", "when", "where", "which", "who", "why",
    "will", "with", "you", "your", "tell", "about", "please",
})  # fmt: skip
_ENDINGS = ("ing", "ed", "es", "s", "e")
_SHORTEST_STEM = 3


@dataclass(frozen=True, slots=True)
class Passage:
    title: str
    text: str


class Guide:
    def __init__(self, passages: list[Passage]) -> None:
        self._passages = passages
        self._counts = [Counter(_words(f"{it.title} " * _HEADING_WEIGHT + it.text)) for it in passages]
        self._lengths = [counts.total() for counts in self._counts]
        self._mean = sum(self._lengths) / len(self._lengths)

    @classmethod
    def read(cls) -> "Guide":
        text = (Path(__file__).parent / "guide.md").read_text(encoding="utf-8")
        sections = [section.partition("\n") for section in text.split("# ") if section.strip()]
        return cls([Passage(title.strip(), body.strip()) for title, _, body in sections])

    def find(self, question: str) -> Passage | None:
        """None if no word of the question is in the guide."""
        words = set(_words(question))
        scores = [self._score(place, words) for place in range(len(self._passages))]
        best = max(range(len(scores)), key=scores.__getitem__)
        return self._passages[best] if scores[best] > 0 else None

    def _score(self, place: int, words: set[str]) -> float:
        counts, length = self._counts[place], self._lengths[place]
        norm = _K1 * (1 - _B + _B * length / self._mean)
        return sum(self._rarity(word) * counts[word] * (_K1 + 1) / (counts[word] + norm) for word in words)

    def _rarity(self, word: str) -> float:
        having = sum(word in counts for counts in self._counts)
        return math.log(1 + (len(self._counts) - having + 0.5) / (having + 0.5))


def _words(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text.lower()) if word not in _COMMON]


def _stem(word: str) -> str:
    """Reduce a word's forms to one. A simple rule is enough for a guide of one page."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word
