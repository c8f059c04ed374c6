"""Tables and facts of a page, read by the heads that people read, so that two swapped columns are noticed."""

import re
from dataclasses import dataclass

from django.http import HttpResponse
from lxml import etree, html

# Thin spaces separate thousands, and no-break spaces keep a number and its unit together.
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """
    A cell of a table, or a fact.

    Args:
        text: its words as people read them, with one blank between them.
        links: the address of each link by its words, the first one if words repeat.
    """

    text: str
    links: dict[str, str]

    @property
    def link(self) -> str:
        """Return the address of its only link."""
        (address,) = self.links.values()
        return address


def read_table(response: HttpResponse, caption: str) -> list[dict[str, Cell]]:
    """Return the rows of the table whose caption begins with these words: each cell by its column's head."""
    tables = [
        table
        for table in _read_page(response).iter("table")
        if _text_of(table.find("caption")).startswith(caption)
    ]
    assert len(tables) == 1, f"{len(tables)} tables are called {caption!r}"
    (table,) = tables
    heads = [_text_of(head) for head in table.iterfind("thead/tr/th")]
    rows = table.findall("tbody/tr")
    assert rows, f"the table {caption!r} has no row"
    lines = []
    for row in rows:
        cells = row.xpath("./td | ./th")
        assert len(cells) == len(heads), (heads, [_text_of(cell) for cell in cells])
        lines.append(dict(zip(heads, map(_read_cell, cells), strict=True)))
    return lines


def read_texts(response: HttpResponse, caption: str, *heads: str) -> list[tuple[str, ...]]:
    """Return the words of the cells below some heads, row by row."""
    return [tuple(line[head].text for head in heads) for line in read_table(response, caption)]


def read_facts(response: HttpResponse) -> dict[str, Cell]:
    """Return all facts of a page (`dl`) by their names."""
    facts: dict[str, Cell] = {}
    for name in _read_page(response).iter("dt"):
        value = name.getnext()
        assert value is not None, _text_of(name)
        assert value.tag == "dd", _text_of(name)
        facts.setdefault(_text_of(name), _read_cell(value))
    return facts


def _read_page(response: HttpResponse) -> html.HtmlElement:
    assert response.status_code == 200, response.status_code
    page = html.document_fromstring(response.content.decode())
    etree.strip_tags(page, "wbr")  # a place to break a word, which is one word
    return page


def _read_cell(cell: html.HtmlElement) -> Cell:
    links: dict[str, str] = {}
    for link in cell.iter("a"):
        links.setdefault(_text_of(link), link.get("href"))
    return Cell(text=_text_of(cell), links=links)


def _text_of(element: html.HtmlElement | None) -> str:
    return "" if element is None else _BLANKS.sub(" ", " ".join(element.itertext())).strip()
