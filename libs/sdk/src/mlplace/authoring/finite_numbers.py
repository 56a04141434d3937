"""Finds numbers that JSON does not have. Pydantic writes them as null, which would pass for an answer."""

from collections.abc import Collection, Mapping
from math import isfinite
from typing import cast

_Pair = tuple[object, object, str]


def not_finite_in(value: object, written: object) -> str | None:
    """Returns where a number that is not finite was written as null, and which number; None if there is none.

    ``value`` is an answer in Python's own types, ``written`` is what its JSON holds. Nothing is found where the two
    differ in shape, or where the author writes such numbers in another way. Answers may be deep: nothing here recurs.
    """
    left: list[_Pair] = [(value, written, "answer")]
    while left:
        value, written, path = left.pop()
        if isinstance(value, float):
            if written is None and not isfinite(value):
                return f"{path} is {value}"
        elif isinstance(value, Mapping) and isinstance(written, dict):
            texts = cast("dict[str, object]", written)
            left += _pairs(cast("Mapping[object, object]", value).values(), texts.values(), texts, path)
        elif isinstance(value, Collection) and isinstance(written, list):
            items, texts = cast("Collection[object]", value), cast("list[object]", written)
            if _all_finite(items):
                continue
            if isinstance(value, (set, frozenset)):  # its order is not that of the text
                items = sorted(items, key=_is_odd, reverse=True)
                texts = sorted(texts, key=lambda text: text is None, reverse=True)
            left += _pairs(items, texts, range(len(texts)), path)
    return None


def _pairs(
    values: Collection[object], written: Collection[object], names: Collection[object], path: str
) -> list[_Pair]:
    """Returns what belongs together, the last first, so that the first one is looked at next."""
    if len(values) != len(written):
        return []
    pairs = zip(values, written, names, strict=True)
    return [(value, text, f"{path}.{name}") for value, text, name in pairs][::-1]


def _is_odd(item: object) -> bool:
    return isinstance(item, float) and not isfinite(item)


def _all_finite(items: Collection[object]) -> bool:
    """Returns whether all items are finite numbers: a quick look at long vectors."""
    try:
        return all(map(isfinite, cast("Collection[float]", items)))
    except (TypeError, OverflowError):
        return False
