"""Writes a workbook with one sheet. All cells are texts, so no spreadsheet calculates one."""

import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final
from xml.sax.saxutils import escape

from mlpcore.features.datasets.formats.problems import MOST_CELL, MOST_SHEET_ROWS, BadContentError
from mlpcore.features.datasets.formats.rows import Row

_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_SHEET: Final = "xl/worksheets/sheet1.xml"
_PARTS: Final = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/{_SHEET}" ContentType="{_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
    '<sheets><sheet name="dataset" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
# What XML cannot hold or does not keep, and the form _xHHHH_ itself, in the notation of Office Open XML.
_ODD: Final = re.compile("[\x00-\x08\x0b-\x0d\x0e-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def write_xlsx(columns: Sequence[str], rows: Iterator[Row], file: BinaryIO) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _PARTS.items():
            archive.writestr(name, _HEAD + content)
        with archive.open(_SHEET, "w", force_zip64=True) as sheet:
            sheet.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            sheet.write(_row(1, columns, line=1))
            for number, row in enumerate(rows, start=2):
                if number > MOST_SHEET_ROWS:
                    raise BadContentError("too_many_rows", line=row.line, max=str(MOST_SHEET_ROWS))
                sheet.write(_row(number, row.values, line=row.line))
            sheet.write(b"</sheetData></worksheet>")


def _row(number: int, values: Sequence[str], *, line: int) -> bytes:
    return f'<row r="{number}">{"".join(_cell(value, line) for value in values)}</row>'.encode()


def _cell(value: str, line: int) -> str:
    if len(value) > MOST_CELL:
        raise BadContentError("cell_too_long", line=line, max=str(MOST_CELL))
    text = escape(_ODD.sub(lambda match: f"_x{ord(match[0]):04X}_", value))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
