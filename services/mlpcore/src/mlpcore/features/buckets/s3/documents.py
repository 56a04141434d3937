"""Documents of the S3 protocol."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final
from urllib.parse import quote
from xml.etree.ElementTree import Element, ParseError, SubElement, tostring

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from mlpcore.features.buckets.s3.errors import S3Error

_MOST_TAGS: Final = 150_000
"""Ten thousand parts, with all that clients say about them, have fewer."""
NAMESPACE: Final = "http://s3.amazonaws.com/doc/2006-03-01/"
_Value = str | int | bool | None | Sequence["tuple[str, _Value]"]


def document(root: str, fields: Iterable[tuple[str, _Value]]) -> bytes:
    """Returns an XML document. A field without a value is left out; a sequence is an element with fields."""
    element = Element(root, xmlns=NAMESPACE)
    _fill(element, fields)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(element, encoding="utf-8", xml_declaration=False)


def error_document(error: S3Error, *, resource: str, request_id: str) -> bytes:
    element = Element("Error")
    _fill(
        element,
        [
            ("Code", error.code),
            ("Message", error.message),
            ("Resource", shown(resource)),
            ("RequestId", request_id),
            *error.details.items(),
        ],
    )
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(element, encoding="utf-8", xml_declaration=False)


def _fill(element: Element, fields: Iterable[tuple[str, _Value]]) -> None:
    for name, value in fields:
        match value:
            case None:
                continue
            case bool():
                SubElement(element, name).text = "true" if value else "false"
            case str() | int():
                SubElement(element, name).text = str(value)
            case _:
                _fill(SubElement(element, name), value)


def shown(text: str) -> str:
    """Returns the text without what XML cannot hold."""
    return "".join(
        mark
        if mark in "\t\n\r" or "\x20" <= mark <= "\ud7ff" or "\ue000" <= mark <= "\ufffd" or mark > "\uffff"
        else "?"
        for mark in text
    )


def encoded(text: str, *, url: bool) -> str:
    """Returns a key as it stands in a list. `url`: the caller asked for the encoding of addresses."""
    return quote(text, safe="/-_.~") if url else shown(text)


def moment(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def malformed() -> S3Error:
    return S3Error("MalformedXML", 400, "The XML of the request is not as the protocol wants it.")


async def parsed(text: bytes, root: str) -> Element:
    """Returns the root element; names of all elements without their namespace. Raises S3Error.

    A thread parses it: other requests go on meanwhile.
    """
    if text.count(b"<") > _MOST_TAGS:
        raise malformed()
    return await asyncio.to_thread(_parsed, text, root)


def _parsed(text: bytes, root: str) -> Element:
    try:
        found: Element = fromstring(text, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise malformed() from error
    for element in found.iter():
        element.tag = element.tag.rpartition("}")[2]
    if found.tag != root:
        raise malformed()
    return found
