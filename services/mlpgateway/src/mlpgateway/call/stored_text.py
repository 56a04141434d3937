"""The texts of instances that PostgreSQL stores. Texts of callers that it could not store are refused."""

import re
from typing import Final

from msgspec.structs import replace

from mlpgateway.call.call import Answer

_NOT_STORED: Final = re.compile("[\0\ud800-\udfff]")
"""Characters that PostgreSQL accepts in no text: NUL and half surrogate pairs."""


def storable(text: str) -> str:
    """Returns the text with U+FFFD in place of each character that cannot be stored."""
    return _NOT_STORED.sub("\ufffd", text)


def storable_answer(answer: Answer) -> Answer:
    """Returns the answer with texts that can be stored beside its payload, which is stored as bytes."""
    headers = {storable(name): storable(value) for name, value in answer.headers.items()}
    kind = answer.payload.data_type
    if kind is None or not _NOT_STORED.search(kind):
        return replace(answer, headers=headers)
    return replace(answer, headers=headers, payload=replace(answer.payload, data_type=storable(kind)))
