"""The page of one content: a piece of it in one form, the hits of a search, and links to other pieces."""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple
from urllib.parse import urlencode

from django.utils.safestring import SafeString, mark_safe

from messages_app.payloads.content_types import TEXT
from messages_app.payloads.layout import PIECE_BYTES, Line, Piece, Place, lay_out
from messages_app.payloads.loader import Source
from messages_app.payloads.payload_view import PayloadView
from messages_app.payloads.segments import Format, format_of
from messages_app.payloads.text_markup import colour_text
from messages_app.payloads.text_search import Hit, Hits, search_text
from messages_app.payloads.view_params import MAX_WORD, Form, ViewParams
from messages_app.shared.markup import HTML, JSON, XML
from messages_app.shared.tokens import Kind
from messages_app.shared.xml_parsing import CHECKED_BYTES

ROW_BYTES = 16


PAGE_BYTES = 512 * ROW_BYTES


class Row(NamedTuple):
    """Up to ROW_BYTES bytes. `text` has a dot for each byte that is not printable ASCII."""

    offset: str
    octets: str
    text: str


def hex_rows(body: bytes, *, offset: int) -> Iterator[Row]:
    """Yield the rows of `body`, which is at `offset` in the text."""
    for start in range(0, len(body), ROW_BYTES):
        part = body[start : start + ROW_BYTES]
        halves = f"{part[:8].hex(' ')}  {part[8:].hex(' ')}"
        yield Row(f"{offset + start:08x}", f"{halves:<48}", "".join(map(_show_octet, part)))


def _show_octet(octet: int) -> str:
    return chr(octet) if 32 <= octet < 127 else "."


# Class names of source.css. They are short because a page has thousands of them.
_TAG, _NAME, _STRING, _ASIDE, _VALUE = "t", "a", "s", "c", "n"


_COLOURS = {
    Kind.TEXT: "",
    Kind.START: _TAG,
    Kind.EMPTY: _TAG,
    Kind.END: _TAG,
    Kind.COMMENT: _ASIDE,
    Kind.INSTRUCTION: _ASIDE,
    Kind.CDATA: _STRING,
    Kind.STRING: _STRING,
    Kind.KEY: _NAME,
    Kind.VALUE: _VALUE,
}


# A longer tag is not coloured, because thousands of attributes would need tens of thousands of spans.
_MAX_COLOURED_TAG = 8000


_TAG_PARTS = re.compile(
    r"""(?P<t></?[^\s"'>/=]++|/?>)|(?P<s>"[^"]*+"?|'[^']*+'?)|(?P<a>[^\s"'>/=]++)|(?P<rest>.)""", re.DOTALL
)


def line_markup(line: Line, *, number: int | None, is_hit: bool, anchor: str = "") -> SafeString:
    """
    Return a line as markup. It ends with a line break, so that copied text has one too.

    Args:
        number: the number of the line; None: not counted.
        is_hit: whether it has the word that the user searches.
        anchor: the id of the line for addresses.
    """
    of_number = "" if number is None else f' data-n="{number}"'
    of_hit = ' class="is-hit"' if is_hit else ""
    of_anchor = f' id="{anchor}"' if anchor else ""
    of_segment = f'<i data-segment="{line.title}"></i>' if line.title else ""
    kinds = groupby(line.parts, key=itemgetter(0))
    parts = "".join(_colour_part(kind, "".join(text for _, text in same)) for kind, same in kinds)
    whole = f'<span{of_number} data-d="{line.depth}"{of_hit}{of_anchor}>{parts}{of_segment}\n</span>'
    return mark_safe(whole)  # noqa: S308 (of parts that coloured escaped, and of names of segments)


def _colour_part(kind: Kind, text: str) -> SafeString:
    if kind in {Kind.START, Kind.EMPTY} and len(text) <= _MAX_COLOURED_TAG:
        return mark_safe("".join(map(_tag_part, _TAG_PARTS.finditer(text))))  # noqa: S308 (each escaped by coloured)
    return colour_text(_COLOURS.get(kind, ""), text)


def _tag_part(match: re.Match[str]) -> SafeString:
    kind = match.lastgroup or ""
    return colour_text("" if kind == "rest" else kind, match.group())


# The number of bytes before a hit in which its segment begins, and after it in which a tag may end.
_MAX_SEGMENT, _MAX_TAG = 8_000, 8


# The number of bytes that are shown before the place of a fault.
_BEFORE_FAULT = 1000


_TITLES = {Form.LAID_OUT: "Formatted", Form.RAW: "Raw", Form.HEX: "Hex"}


class Viewer:
    """
    One piece of one content.

    Args:
        source: the text that the user may see, stored or masked.
        view: the known properties of the text.
        params: the parameters of the address.
        anchor: the id of the first line with the word.
    """

    max_word = MAX_WORD

    def __init__(self, source: Source, view: PayloadView, params: ViewParams, *, anchor: str) -> None:
        self.source = source
        self.view = view
        self.anchor = anchor
        self.word = params.word
        self.form = self._allowed_form(params.form)
        self._search_from = params.search_from
        self._place = params.place

    def _allowed_form(self, form: Form | None) -> Form:
        if self.view.masked:
            return Form.LAID_OUT
        if form is None:
            return Form.LAID_OUT if self.may_be_laid_out and not self.view.fault else Form.RAW
        return Form.RAW if form is Form.LAID_OUT and not self.may_be_laid_out else form

    @cached_property
    def segments(self) -> Format | None:
        """The format of a text that has segments; None for any other text."""
        is_other = self.view.content is None or self.view.content_type in {XML, JSON, HTML, TEXT}
        return None if is_other else format_of(self.view.content or "")

    @property
    def may_be_laid_out(self) -> bool:
        return self.view.content_type in {XML, JSON} or self.segments is not None

    @property
    def may_be_folded(self) -> bool:
        return self.form is Form.LAID_OUT and self.segments is None

    @property
    def forms(self) -> list[dict[str, str]]:
        """The available forms, each with its title and its query string."""
        names = [form for form in Form if form is not Form.LAID_OUT or self.may_be_laid_out]
        return [{"form": form, "title": _TITLES[form], "query": f"?view={form}"} for form in names]

    @property
    def fault_query(self) -> str:
        """The query string of the place where the text stops being well-formed."""
        offset = max(self.view.fault.offset - _BEFORE_FAULT, 0) if self.view.fault else 0
        return f"?view={Form.RAW}&from={offset}"

    @cached_property
    def hits(self) -> Hits | None:
        """The hits of the search; None without a search."""
        return search_text(self.source, self.word, start=self._search_from) if self.word else None

    @cached_property
    def place(self) -> Place:
        """The start of the piece: from the address, or otherwise the first hit."""
        if self._place is not None:
            return self._place
        return self.place_of(self.hits.listed[0]) if self.hits and self.hits.listed else Place()

    def place_of(self, hit: Hit) -> Place:
        """Return the start of a piece that has `hit` in it."""
        if self.form is Form.HEX:
            return Place(offset=hit.offset - hit.offset % ROW_BYTES, line=None)
        if self.form is Form.RAW:
            return Place(offset=hit.line_offset, line=hit.line)
        for piece in self._counted_pieces:
            if piece.next is None or hit.offset < piece.next.offset:
                return piece.place
        return Place(offset=hit.tag_offset, line=None)

    @cached_property
    def _counted_pieces(self) -> list[Piece]:
        """All pieces of a text that is small enough to count its lines; empty for a larger text."""
        return list(self._all_pieces()) if self.source.size <= CHECKED_BYTES else []

    def _all_pieces(self) -> Iterator[Piece]:
        place: Place | None = Place()
        while place is not None:
            piece = self._piece_at(place)
            yield piece
            place = piece.next

    @cached_property
    def piece(self) -> Piece:
        return self._piece_at(self.place)

    def _piece_at(self, place: Place) -> Piece:
        body = self.source.read(place.offset, PIECE_BYTES)
        is_end = place.offset + len(body) >= self.source.size
        text, skipped = _complete_characters(body)
        if not is_end and self.view.content_type == JSON:
            text = _without_half_escape(text)
        place = Place(offset=place.offset + skipped, line=place.line, depth=place.depth, inside=place.inside)
        content_type = (self.view.content_type or TEXT) if self.form is Form.LAID_OUT else TEXT
        segments = self.segments if self.form is Form.LAID_OUT else None
        return lay_out(text, place, content_type=content_type, is_end=is_end, segments=segments)

    @cached_property
    def lines(self) -> SafeString:
        """The piece as markup, one line each. Lines with the word are marked."""
        return mark_safe("".join(self._marked_lines()))  # noqa: S308 (made of markup)

    def _marked_lines(self) -> Iterator[SafeString]:
        word, first, anchor = self.word.lower(), self.piece.place.line, self.anchor
        for n, line in enumerate(self.piece.lines):
            number = None if first is None else first + n
            is_hit = bool(word) and word in line.text.lower()
            yield line_markup(line, number=number, is_hit=is_hit, anchor=anchor if is_hit else "")
            anchor = "" if is_hit else anchor

    @cached_property
    def rows(self) -> list[Row]:
        """The piece as rows of bytes."""
        offset = self._hex_offset
        return list(hex_rows(self.source.read(offset, PAGE_BYTES), offset=offset))

    @property
    def _hex_offset(self) -> int:
        return self.place.offset - self.place.offset % ROW_BYTES

    @property
    def next(self) -> Place | None:
        """The start of the next piece."""
        if self.form is not Form.HEX:
            return self.piece.next
        end = self._hex_offset + PAGE_BYTES
        return Place(offset=end, line=None) if end < self.source.size else None

    @property
    def percent(self) -> int:
        """The percentage of the text up to the end of this piece."""
        return 100 if self.next is None else self.next.offset * 100 // self.source.size

    @property
    def previous_query(self) -> str | None:
        """The query string of the previous page of bytes."""
        if self.form is not Form.HEX or not self.place.offset:
            return None
        return self.form_query(Place(offset=max(self._hex_offset - PAGE_BYTES, 0), line=None))

    @property
    def next_query(self) -> str | None:
        return self.form_query(self.next) if self.next else None

    @property
    def has_text_before(self) -> bool:
        return self.place.offset > 0

    @property
    def listed_hits(self) -> list[tuple[Hit, str, str]]:
        """The listed hits, each with the query string that shows it, and the segment that it is in."""
        return [
            (hit, self.form_query(self.place_of(hit), find=True), self._segment_of(hit))
            for hit in (self.hits.listed if self.hits else ())
        ]

    def _segment_of(self, hit: Hit) -> str:
        """Return the tag and the name of the segment that a hit is in; empty if it is in none."""
        if self.segments is None:
            return ""
        start = max(hit.offset - _MAX_SEGMENT, 0)
        text, _ = _complete_characters(self.source.read(start, hit.offset + _MAX_TAG - start))
        place = len(_complete_characters(self.source.read(start, hit.offset - start))[0])
        title, at = "", 0
        for segment in self.segments.split_segments(text):
            if at > place:
                break
            # A later piece begins with the rest of a segment.
            title = segment.title if at or not start else ""
            at += len(segment.text) + len(segment.end)
        return title

    @property
    def search_on_query(self) -> str:
        """The query string that continues a search that stopped early."""
        searched_to = self.hits.searched_to if self.hits else 0
        return f"{self.form_query(find=True)}&find_from={searched_to}"

    def form_query(self, place: Place | None = None, *, find: bool = False) -> str:
        """Return the query string of this form at another place."""
        values: dict[str, object] = {"view": self.form}
        if place is not None:
            values["from"] = place.offset
            rest = {"line": place.line, "depth": place.depth, "inside": place.inside}
            values |= {name: value for name, value in rest.items() if value}
        if find:
            values["find"] = self.word
        return f"?{urlencode(values)}"


def _complete_characters(body: bytes) -> tuple[str, int]:
    """
    Return the complete characters in `body`, and the number of bytes before them that belong to a cut
    character.
    """
    skipped = 0
    while skipped < min(3, len(body)) and body[skipped] & 0xC0 == 0x80:
        skipped += 1
    return body[skipped:].decode(errors="ignore"), skipped


def _without_half_escape(text: str) -> str:
    slashes = len(text) - len(text.rstrip("\\"))
    return text[:-1] if slashes % 2 else text
