"""Named entities in Russian texts: persons, places, organisations."""

from natasha import Doc, NewsEmbedding, NewsNERTagger, Segmenter
from pydantic import BaseModel, ConfigDict, Field


class Texts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    texts: list[str] = Field(max_length=1000)


class Span(BaseModel):
    """Character offsets; the end is exclusive."""

    start_index: int
    end_index: int


class Entity(BaseModel):
    """``entity_type`` is PER, LOC or ORG; ``entity`` and ``value`` are the words of the text."""

    entity: str
    entity_type: str
    source_type: str
    span: Span
    value: str


class Entities(BaseModel):
    entities: list[Entity]


class EntitiesList(BaseModel):
    entities_list: list[Entities]


class NerRu:
    """The tagger of natasha, trained on news. Tagging does not change it, so all threads share one object."""

    def __init__(self) -> None:
        self._segmenter = Segmenter()
        self._tagger = NewsNERTagger(NewsEmbedding())

    def predict(self, data: Texts) -> EntitiesList:
        """One list of entities per text, in the order of the texts."""
        return EntitiesList(entities_list=[Entities(entities=self._tag(text)) for text in data.texts])

    def _tag(self, text: str) -> list[Entity]:
        if not text.strip():
            return []
        document = Doc(text)
        document.segment(self._segmenter)
        document.tag_ner(self._tagger)
        return [
            Entity(
                entity=span.text,
                entity_type=span.type,
                source_type="natasha",
                span=Span(start_index=span.start, end_index=span.stop),
                value=span.text,
            )
            for span in document.spans or []
        ]
