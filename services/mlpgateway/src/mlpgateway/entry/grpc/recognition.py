"""Reads a recognition from JSON, with the names of proto3 in both spellings.

`json_format.ParseDict` reads the same, but takes three to eight times as long, and blocks the event loop meanwhile.
"""

from collections.abc import Iterable
from typing import Annotated, Final, TypedDict, cast

import msgspec

from mlpgateway.call.json_text import has_few_values
from mlpgateway.errors.gate import UnexpectedAnswer
from mlplace_gateproto import gate_pb2 as pb

MOST_VALUES: Final = 60_000
"""An hour of speech, which has 10,000 words with two times and a confidence each: 0.03 to 0.05 s."""
_MOST_SECONDS: Final = 315_576_000_000
"""Of `google.protobuf.Duration`."""
_MOST_FLOAT: Final = 3.4028234663852886e38
_MOST_TIME: Final = 64
"""Characters of a time."""
_Number = Annotated[float, msgspec.Meta(ge=-_MOST_FLOAT, le=_MOST_FLOAT)] | str | None


class _Word(TypedDict, total=False):
    word: str | None
    confidence: _Number
    start_time: str | None
    startTime: str | None
    end_time: str | None
    endTime: str | None


class _Alternative(TypedDict, total=False):
    text: str | None
    confidence: _Number
    words: list[_Word] | None


class _Chunk(TypedDict, total=False):
    alternatives: list[_Alternative] | None
    final: bool | None
    end_of_utterance: bool | None
    endOfUtterance: bool | None


class _Recognition(TypedDict, total=False):
    chunks: list[_Chunk] | None
    alternatives: list[_Alternative] | None
    final: bool | None
    provider_specific: str | None
    providerSpecific: str | None


_Fields = dict[str, object]
_recognition: Final = msgspec.json.Decoder(_Recognition)
_RECOGNITION: Final = frozenset({"chunks", "alternatives", "final"})


def recognition_in(text: str, *, last: bool) -> pb.AsrResponseProto:
    """Returns the recognition. JSON has its field names, or the `alternatives` of a plain `asr` model, which are final
    in the last answer. Raises UnexpectedAnswer for anything else, and for more than MOST_VALUES.
    """
    if not has_few_values(text, MOST_VALUES):
        raise UnexpectedAnswer(operation="asr", kind=f"JSON of more than {MOST_VALUES} values")
    try:
        read = cast("_Fields", _recognition.decode(text))
        if not _RECOGNITION & read.keys():
            raise UnexpectedAnswer(operation="asr", kind="JSON without a recognition")
        alternatives = read.pop("alternatives", None)
        if "chunks" not in read and alternatives is not None:
            read["chunks"], read["final"] = [{"alternatives": alternatives, "final": last}], last
        _convert(read)
        return pb.AsrResponseProto(**read)  # type: ignore[arg-type]  # the decoder has checked the types
    except (ValueError, RecursionError):  # the decoder's errors are ValueErrors
        raise UnexpectedAnswer(operation="asr", kind="something other than a recognition") from None


def _convert(read: _Fields) -> None:
    """Gives the fields the names and values of the message: it is then built in one call. Raises ValueError."""
    if "providerSpecific" in read:
        read["provider_specific"] = read.pop("providerSpecific")
    for chunk in _objects(read.get("chunks")):
        if "endOfUtterance" in chunk:
            chunk["end_of_utterance"] = chunk.pop("endOfUtterance")
        for alternative in _objects(chunk.get("alternatives")):
            _convert_number(alternative)
            for word in _objects(alternative.get("words")):
                _convert_word(word)


def _convert_word(word: _Fields) -> None:
    _convert_number(word)
    if "startTime" in word:
        word["start_time"] = word.pop("startTime")
    if "endTime" in word:
        word["end_time"] = word.pop("endTime")
    if isinstance(start := word.get("start_time"), str):
        word["start_time"] = _time(start)
    if isinstance(end := word.get("end_time"), str):
        word["end_time"] = _time(end)


def _objects(value: object) -> Iterable[_Fields]:
    return cast("Iterable[_Fields]", value or ())


def _convert_number(fields: _Fields) -> None:
    """proto3 writes numbers that JSON does not have, and may write all others, as texts."""
    if isinstance(text := fields.get("confidence"), str):
        fields["confidence"] = float(text)


def _time(text: str) -> _Fields:
    """Returns the fields of a `google.protobuf.Duration`, whose JSON is such as `-1.5s`. Raises ValueError."""
    whole, _, part = text[:-1].partition(".")
    if text[-1:] != "s" or len(text) > _MOST_TIME or (part and not part.isdecimal()):
        raise ValueError(text)
    seconds, nanos = int(whole), int(part[:9].ljust(9, "0")) if part else 0
    if abs(seconds) > _MOST_SECONDS:
        raise ValueError(text)
    return {"seconds": seconds, "nanos": -nanos if text[0] == "-" else nanos}
