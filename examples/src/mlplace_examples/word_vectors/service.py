"""Vectors of Russian texts: the mean of the vectors of their words."""

from typing import Annotated

import numpy as np
from natasha import NewsEmbedding
from pydantic import BaseModel, ConfigDict, Field
from razdel import tokenize

UNKNOWN = "<unk>"


class Texts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    texts: Annotated[list[str], Field(max_length=1000)]


class Embedding(BaseModel):
    """300 numbers."""

    vector: list[float]


class Embeddings(BaseModel):
    embedded_texts: list[Embedding]


class WordVectors:
    """The embedding of 250 000 words that natasha brings (navec, trained on news)."""

    def __init__(self) -> None:
        self._embedding = NewsEmbedding()

    def predict(self, data: Texts) -> Embeddings:
        """One vector per text; a text without any known word gets the vector of the unknown word."""
        return Embeddings(embedded_texts=[Embedding(vector=self._embed(text)) for text in data.texts])

    def _embed(self, text: str) -> list[float]:
        words = (token.text.lower() for token in tokenize(text))
        known = [form for word in words if (form := self._known_form(word))]
        vectors = np.stack([self._embedding[word] for word in known or [UNKNOWN]])
        return [float(number) for number in vectors.mean(axis=0, dtype=np.float64)]

    def _known_form(self, word: str) -> str | None:
        # News are mostly written without ё, so that words with it are often known by their е form only.
        for form in (word, word.replace("ё", "е")):
            if form in self._embedding:
                return form
        return None
